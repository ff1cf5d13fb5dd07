//go:build !race

package extract

const raceFactor = 1
