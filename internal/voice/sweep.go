package voice

import (
	"context"
	"errors"
	"time"

	"parley/internal/store"
)

const (
	sweepEvery    = time.Hour
	sweptTogether = 200
	longestKept   = 36_500 // days: a century is for ever
)

// Sweep deletes the recordings that their agents do not keep any longer, and their files. Several servers may do so at once.
func (d *Desk) Sweep(ctx context.Context) error {
	agents, err := d.DB.Keepings(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, k := range agents {
		if k.Days > 0 {
			errs = append(errs, d.sweep(ctx, k))
		}
	}
	return errors.Join(errs...)
}

func (d *Desk) sweep(ctx context.Context, k store.Keeping) error {
	before := d.Now().AddDate(0, 0, -min(k.Days, longestKept))
	dropped := false
	for {
		n, err := d.DB.DropRecordings(ctx, k.AccountID, k.AgentID, before, sweptTogether)
		if err != nil {
			return err
		}
		if dropped = dropped || n > 0; n < sweptTogether {
			break
		}
	}
	if !dropped || d.Free == nil {
		return nil
	}
	return d.Free(ctx, k.AccountID, k.AgentID)
}
