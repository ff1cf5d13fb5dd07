package ingest

import (
	"context"
	"runtime"
	"sync"
	"time"
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

// A source being read waits between its steps for answers that are being made, up to deepBreath for each step.
const (
	breath     = time.Millisecond
	deepBreath = 12 * breath
)

// step lets answers go first and gives how many passages may be written then.
func (d *Desk) step(ctx context.Context) int {
	if d.breathe(ctx) {
		return smallChunk
	}
	return chunk
}

// breathe lets answers go first, and reports whether there were any.
func (d *Desk) breathe(ctx context.Context) (busy bool) {
	for waited := time.Duration(0); d.Busy != nil && waited < deepBreath && ctx.Err() == nil && d.Busy(); waited += breath {
		<-time.After(breath)
		busy = true
	}
	return busy
}
