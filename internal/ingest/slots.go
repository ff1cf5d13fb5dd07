package ingest

import (
	"runtime"
	"sync"
)

// slots bounds how many sources are read at a time to half the processors: reading is all computation, and turns come first.
type slots struct {
	once sync.Once
	free chan struct{}
}

// take waits for a slot and gives the function that gives it back.
func (s *slots) take() func() {
	s.once.Do(func() { s.free = make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)) })
	s.free <- struct{}{}
	return func() { <-s.free }
}
