package voice

import (
	"context"
	"errors"
	"time"

	"parley/internal/store"
)

const (
	sweepInterval    = time.Hour
	sweepBatchSize   = 200
	maxRetentionDays = 36_500 // days: a century is for ever
)

// DeleteExpiredRecordings deletes the recordings that their agents do not keep any longer, and their files. Several servers may do so at once.
func (d *Sessions) DeleteExpiredRecordings(ctx context.Context) error {
	agents, err := d.DB.RecordingRetentions(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, k := range agents {
		if k.Days > 0 {
			errs = append(errs, d.deleteExpired(ctx, k))
		}
	}
	return errors.Join(errs...)
}

func (d *Sessions) deleteExpired(ctx context.Context, k store.RecordingRetention) error {
	before := d.Now().AddDate(0, 0, -min(k.Days, maxRetentionDays))
	dropped := false
	for {
		n, err := d.DB.DropRecordings(ctx, k.AccountID, k.AgentID, before, sweepBatchSize)
		if err != nil {
			return err
		}
		if dropped = dropped || n > 0; n < sweepBatchSize {
			break
		}
	}
	if !dropped || d.DeleteUnusedFiles == nil {
		return nil
	}
	return d.DeleteUnusedFiles(ctx, k.AccountID, k.AgentID)
}
