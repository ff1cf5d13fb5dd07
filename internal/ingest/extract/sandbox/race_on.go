//go:build race

package sandbox

// raceFactor makes room for what the race detector keeps beside the memory of the program.
const raceFactor = 12
