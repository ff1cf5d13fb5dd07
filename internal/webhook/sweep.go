package webhook

import (
	"context"
	"sync"
	"time"
)

// DeliveryRetention is how long deliveries that have come to their end are kept.
const DeliveryRetention = 30 * 24 * time.Hour

const sweepInterval = time.Hour

// Run follows the event log and erases old deliveries until ctx is done.
func (s *Sender) Run(ctx context.Context) error {
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() { s.sweepRegularly(ctx) })
	return s.follower().Run(ctx)
}

func (s *Sender) sweepRegularly(ctx context.Context) {
	tick := time.NewTicker(sweepInterval)
	defer tick.Stop()
	for {
		if err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
			s.Logger.Warn("old deliveries of webhooks were not erased", "err", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// Sweep erases the deliveries that came to their end long ago.
func (s *Sender) Sweep(ctx context.Context) error {
	return s.DB.EraseFinishedDeliveries(ctx, s.Now().Add(-DeliveryRetention))
}
