package ingest

import (
	"context"
	"runtime"
	"sync"
	"time"
)

// slots bounds how many sources are read at a time to half the processors: reading is all computation, and turns come first.
type slots struct {
	once   sync.Once
	tokens chan struct{}
}

// acquire waits for a slot and gives the function that gives it back.
func (s *slots) acquire() func() {
	s.once.Do(func() { s.tokens = make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)) })
	s.tokens <- struct{}{}
	return func() { <-s.tokens }
}

// A source being read waits between its steps for answers that are being made, up to maxPause for each step.
const (
	pauseStep = time.Millisecond
	maxPause  = 12 * pauseStep
)

// nextChunkSize lets answers go first and gives how many passages may be written then.
func (d *Service) nextChunkSize(ctx context.Context) int {
	if d.yieldToTurns(ctx) {
		return smallChunkSize
	}
	return chunkSize
}

// yieldToTurns lets answers go first, and reports whether there were any.
func (d *Service) yieldToTurns(ctx context.Context) (busy bool) {
	for waited := time.Duration(0); d.IsBusy != nil && waited < maxPause && ctx.Err() == nil && d.IsBusy(); waited += pauseStep {
		<-time.After(pauseStep)
		busy = true
	}
	return busy
}
