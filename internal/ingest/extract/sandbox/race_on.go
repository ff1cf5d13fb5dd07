//go:build race

package sandbox

// raceFactor scales the limits for the memory that the race detector takes beside the program.
const raceFactor = 12
