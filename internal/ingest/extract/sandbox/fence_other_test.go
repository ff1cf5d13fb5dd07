//go:build !linux

package sandbox_test

import "time"

const startsIn = time.Second

func deeper(target) []string { return nil }

func privileges() []string { return nil }
