package server

import (
	"context"
	"time"
)

// keyCleanupInterval is how often keys of requests that are a day old are erased.
const keyCleanupInterval = time.Hour

// deleteExpiredKeys erases old Idempotency-Keys now and then until ctx is done.
func (h *Server) deleteExpiredKeys(ctx context.Context) error {
	tick := time.NewTicker(keyCleanupInterval)
	defer tick.Stop()
	for {
		if err := h.DB.EraseExpiredIdempotencyKeys(ctx, h.cfg.Now()); err != nil && ctx.Err() == nil {
			h.cfg.Logger.Warn("old Idempotency-Keys were not erased", "err", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}
