//go:build !linux

package sandbox_test

func deeper(target) []string { return nil }

func privileges() []string { return nil }
