package sqldb

import (
	"context"
	"sync"
	"time"
)

// Deferral is a deferred transaction that waits.
type Deferral struct {
	queue *laneQueue // of SQLite
	job   *writeJob
	start *deferredStart // of PostgreSQL
}

// Enqueue ends the wait of fn: a Transact of the same lane that is called after it runs after fn. On PostgreSQL Enqueue
// returns when the transaction has ended.
func (d *Deferral) Enqueue() {
	if d.start != nil {
		d.start.begin()
		<-d.start.ended
		return
	}
	d.queue.undefer(d.job, false)
}

// EnqueueIfIdle ends the wait of fn if nothing else is being written.
func (d *Deferral) EnqueueIfIdle() {
	switch {
	case d.start == nil:
		d.queue.undefer(d.job, true)
	case d.start.engine.running.Load() == 0:
		d.start.begin()
	}
}

// Commit ends the wait of a transaction that nothing follows: its commit waits for no other.
func (d *Deferral) Commit() {
	if d.start != nil {
		d.start.begin()
		return
	}
	d.job.isLast.Store(true)
	d.queue.undefer(d.job, false)
}

// deferredStart is a transaction on PostgreSQL that waits to begin.
type deferredStart struct {
	engine *postgresEngine
	begin  func() // may be called more than once
	begun  chan struct{}
	ended  chan struct{}
}

func newDeferredStart(e *postgresEngine) *deferredStart {
	s := &deferredStart{engine: e, begun: make(chan struct{}), ended: make(chan struct{})}
	s.begin = sync.OnceFunc(func() { close(s.begun) })
	return s
}

// wait waits until the transaction is told to begin, for up to maxDelay.
func (s *deferredStart) wait(ctx context.Context) error {
	timer := time.NewTimer(maxDelay)
	defer timer.Stop()
	select {
	case <-s.begun:
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}
