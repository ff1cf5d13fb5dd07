//go:build !race

package ear

const underRace = false
