package chat

import (
	"context"
	"errors"
	"time"

	"parley"
	"parley/internal/store"
)

// sweepInterval is how often what has grown old is swept.
const sweepInterval = time.Hour

// maxRetentionDays is the most days that are counted: a century is for ever, and more would not fit into a time.
const maxRetentionDays = 36_500

// sweepBatchSize is the most rows one transaction of a sweep changes.
const sweepBatchSize = 200

// Run sweeps every hour, until ctx is done. Several servers may do so at once.
func (k *Conversations) Run(ctx context.Context) error {
	beat := time.NewTicker(sweepInterval)
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
func (k *Conversations) Sweep(ctx context.Context) error {
	now := k.Now()
	old := now.Add(-parley.ToolResultTimeout)
	return errors.Join(
		repeatBatches(func() (int64, error) { return k.DB.IgnoreOldToolCalls(ctx, old, now, sweepBatchSize) }),
		repeatBatches(func() (int64, error) { return k.DB.AbandonOldProcedureRuns(ctx, old, now, sweepBatchSize) }),
		k.deleteExpired(ctx, now),
	)
}

// repeatBatches repeats a step until it has little left to do.
func repeatBatches(step func() (int64, error)) error {
	for {
		if n, err := step(); err != nil || n < sweepBatchSize {
			return err
		}
	}
}

// deleteExpired deletes the conversations of agents that keep them for a time only, once nothing has happened in them for so long.
func (k *Conversations) deleteExpired(ctx context.Context, now time.Time) error {
	agents, err := k.DB.ConversationRetentions(ctx)
	if err != nil {
		return err
	}
	for _, a := range agents {
		since := now.AddDate(0, 0, -int(min(a.Days, maxRetentionDays)))
		if _, err := k.DeleteAll(ctx, a.Account, a.Agent, store.ConversationFilter{IdleSince: &since}); err != nil {
			return err
		}
	}
	return nil
}
