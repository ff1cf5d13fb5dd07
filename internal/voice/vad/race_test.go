//go:build race

package vad

// isRaceBuild says that the race detector watches: measuring would take minutes and finds nothing there, as the ear has no goroutines.
const isRaceBuild = true
