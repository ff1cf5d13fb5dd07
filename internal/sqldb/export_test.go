package sqldb

import (
	"context"
	"time"
)

// Queued tells how many transactions wait for the writer in a lane.
func (db *DB) Queued(lane Lane) int {
	l := db.engine.(*lite).writer.queue
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.waiting[lane])
}

// Patient lets closures join a group however slowly the machine runs them. The writer's own goroutine sets it.
func (db *DB) Patient(ctx context.Context) error {
	return db.Transact(ctx, Turns, func(*DB) error {
		db.engine.(*lite).writer.limit = time.Hour
		return nil
	})
}
