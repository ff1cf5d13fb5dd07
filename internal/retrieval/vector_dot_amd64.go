package retrieval

import "golang.org/x/sys/cpu"

//go:noescape
func dotAVX2(a *int16, b *int8, n int) int32

// dot multiplies and adds; both are of the same length, a multiple of dotStep.
func dot(a []int16, b []int8) int32 {
	if !cpu.X86.HasAVX2 || len(a) == 0 {
		return dotPlain(a, b)
	}
	_ = b[len(a)-1]
	return dotAVX2(&a[0], &b[0], len(a))
}
