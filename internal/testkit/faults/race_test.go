//go:build race

package faults

const isRaceBuild = true
