package webhook

import (
	"context"
	"time"
)

// DeliveryRetention is how long deliveries that have come to their end are kept.
const DeliveryRetention = 30 * 24 * time.Hour

const sweepInterval = time.Hour

// Run erases old deliveries now and then until ctx is done. It gives nil.
func (s *Sender) Run(ctx context.Context) error {
	tick := time.NewTicker(sweepInterval)
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
	return s.DB.EraseFinishedDeliveries(ctx, s.Now().Add(-DeliveryRetention))
}
