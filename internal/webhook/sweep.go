package webhook

import (
	"context"
	"time"
)

// Kept is how long deliveries that have come to their end are kept.
const Kept = 30 * 24 * time.Hour

const sweepEvery = time.Hour

// Run erases old deliveries now and then until ctx is done. It gives nil.
func (s *Sender) Run(ctx context.Context) error {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		if err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
			s.Logger.Warn("old deliveries of webhooks were not erased", "err", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// Sweep erases the deliveries that came to their end long ago.
func (s *Sender) Sweep(ctx context.Context) error {
	return s.DB.ForgetDeliveries(ctx, s.Now().Add(-Kept))
}
