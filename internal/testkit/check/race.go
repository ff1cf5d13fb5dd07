//go:build race

package check

// IsRaceBuild reports that the race detector is on. It slows what is measured, and allocates.
const IsRaceBuild = true
