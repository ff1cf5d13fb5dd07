package house

import (
	"context"
	"time"
)

// forgetEvery is how often keys of requests that are a day old are erased.
const forgetEvery = time.Hour

// forget erases old Idempotency-Keys now and then until ctx is done.
func (h *House) forget(ctx context.Context) error {
	tick := time.NewTicker(forgetEvery)
	defer tick.Stop()
	for {
		if err := h.DB.ForgetKeys(ctx, h.cfg.Now()); err != nil && ctx.Err() == nil {
			h.cfg.Logger.Warn("old Idempotency-Keys were not erased", "err", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}
