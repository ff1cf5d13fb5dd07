package access

import (
	"context"
	"sync"
	"time"

	"parley"
)

const (
	noteInterval  = time.Minute      // a key's last use is written at most this often
	writeInterval = 10 * time.Second // how long a noted use waits to be written
)

// usage collects when keys were last used: requests note it, Run writes it.
type usage struct {
	mu      sync.Mutex
	pending map[parley.KeyID]time.Time
}

func (u *usage) noteUse(e cachedCaller, now time.Time) {
	last, at := e.lastNoted.Load(), now.UnixMilli()
	if at-last < noteInterval.Milliseconds() || !e.lastNoted.CompareAndSwap(last, at) {
		return
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.pending == nil {
		u.pending = map[parley.KeyID]time.Time{}
	}
	if _, ok := u.pending[e.caller.Key.ID]; !ok {
		u.pending[e.caller.Key.ID] = now
	}
}

func (u *usage) drain() map[parley.KeyID]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := u.pending
	u.pending = nil
	return taken
}

// FlushUsage writes the noted uses of keys.
func (a *Authenticator) FlushUsage(ctx context.Context) error {
	used := a.keyUsage.drain()
	if len(used) == 0 {
		return nil
	}
	return a.DB.TouchKeys(ctx, used)
}

// Run writes the uses of keys now and then until ctx is done, and once more then. A use that cannot be written is lost:
// it is informational. It also checks for the beginning and the end of maintenance.
func (a *Authenticator) Run(ctx context.Context) error {
	flush, check := time.NewTicker(writeInterval), time.NewTicker(maintenanceInterval)
	defer flush.Stop()
	defer check.Stop()
	for {
		select {
		case <-check.C:
			_ = a.RefreshMaintenance(ctx) // other work reports that the database is not available
		case <-flush.C:
			if err := a.FlushUsage(ctx); err != nil && ctx.Err() == nil {
				a.logger().Warn("the last use of API keys was not written", "error", err)
			}
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			return a.FlushUsage(last)
		}
	}
}
