package access

import (
	"context"
	"sync"
	"time"

	"parley"
)

const (
	noteEvery  = time.Minute      // a key's last use is written at most this often
	writeEvery = 10 * time.Second // how long a noted use waits to be written
)

// usage gathers when keys were last used; a request only notes it, Run writes it.
type usage struct {
	mu      sync.Mutex
	waiting map[parley.KeyID]time.Time
}

func (u *usage) note(e entry, now time.Time) {
	last, at := e.noted.Load(), now.UnixMilli()
	if at-last < noteEvery.Milliseconds() || !e.noted.CompareAndSwap(last, at) {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.waiting == nil {
		u.waiting = map[parley.KeyID]time.Time{}
	}
	if _, ok := u.waiting[e.caller.Key.ID]; !ok {
		u.waiting[e.caller.Key.ID] = now
	}
}

func (u *usage) take() map[parley.KeyID]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := u.waiting
	u.waiting = nil
	return taken
}

// Flush writes the noted uses of keys.
func (g *Gate) Flush(ctx context.Context) error {
	used := g.used.take()
	if len(used) == 0 {
		return nil
	}
	return g.DB.TouchKeys(ctx, used)
}

// Run writes the uses of keys now and then until ctx is done, and once more then. A use that cannot be written is lost: it
// only informs. Meanwhile it looks for the beginning and the end of maintenance.
func (g *Gate) Run(ctx context.Context) error {
	tick, look := time.NewTicker(writeEvery), time.NewTicker(lookEvery)
	defer tick.Stop()
	defer look.Stop()
	for {
		select {
		case <-look.C:
			_ = g.Look(ctx) // those whose work needs the database tell that it is away
		case <-tick.C:
			if err := g.Flush(ctx); err != nil && ctx.Err() == nil {
				g.logger().Warn("the last use of API keys was not written", "error", err)
			}
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			return g.Flush(last)
		}
	}
}
