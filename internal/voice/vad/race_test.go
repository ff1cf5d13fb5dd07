//go:build race

package vad

// isRaceBuild reports that the race detector is on: measuring would take minutes with it and find nothing, since the
// detector has no goroutines.
const isRaceBuild = true
