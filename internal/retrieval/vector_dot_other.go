//go:build !amd64

package retrieval

func dot(a []int16, b []int8) int32 { return dotPlain(a, b) }
