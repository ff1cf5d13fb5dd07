//go:build !race

package vad

const isRaceBuild = false
