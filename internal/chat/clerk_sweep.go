package chat

import (
	"context"
	"errors"
	"time"

	"parley"
	"parley/internal/store"
)

// sweepEvery is how often what has grown old is swept.
const sweepEvery = time.Hour

// longestRetention is the most days that are counted: a century is for ever, and more would not fit into a time.
const longestRetention = 36_500

// sweptTogether is the most rows one transaction of a sweep changes.
const sweptTogether = 200

// Run sweeps every hour, until ctx is done. Several servers may do so at once.
func (k *Clerk) Run(ctx context.Context) error {
	beat := time.NewTicker(sweepEvery)
	defer beat.Stop()
	for {
		if err := k.Sweep(ctx); err != nil && ctx.Err() == nil {
			k.Logger.Warn("sweep conversations", "err", err)
		}
		select {
		case <-beat.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// Sweep does what time asks for: tool calls that waited too long for the client are ignored, procedures abandoned, and
// conversations that their agents do not keep any longer deleted.
func (k *Clerk) Sweep(ctx context.Context) error {
	now := k.Now()
	old := now.Add(-parley.ToolPatience)
	return errors.Join(
		inSteps(func() (int64, error) { return k.DB.IgnoreOldCalls(ctx, old, now, sweptTogether) }),
		inSteps(func() (int64, error) { return k.DB.AbandonOldRuns(ctx, old, now, sweptTogether) }),
		k.retire(ctx, now),
	)
}

// inSteps repeats a step until it has little left to do.
func inSteps(step func() (int64, error)) error {
	for {
		if n, err := step(); err != nil || n < sweptTogether {
			return err
		}
	}
}

// retire deletes the conversations of agents that keep them for a time only, once nothing has happened in them for so long.
func (k *Clerk) retire(ctx context.Context, now time.Time) error {
	agents, err := k.DB.Retentions(ctx)
	if err != nil {
		return err
	}
	for _, a := range agents {
		since := now.AddDate(0, 0, -int(min(a.Days, longestRetention)))
		if _, err := k.DeleteAll(ctx, a.Account, a.Agent, store.ConversationFilter{Idle: &since}); err != nil {
			return err
		}
	}
	return nil
}
