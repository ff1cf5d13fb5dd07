//go:build race

package check

// IsRaceBuild reports whether the race detector is on, which slows what is measured and allocates.
const IsRaceBuild = true
