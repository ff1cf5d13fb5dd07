package voice

import (
	"context"
	"errors"
	"time"

	"parley"
)

const (
	sweepEvery    = time.Hour
	sweptTogether = 200
	longestKept   = 36_500 // days: a century is for ever
)

// Sweep deletes the recordings that their agents do not keep any longer, and their files. Several servers may do so at once.
func (d *Desk) Sweep(ctx context.Context) error {
	agents, err := d.DB.RecordedAgents(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for i := range agents {
		errs = append(errs, d.sweep(ctx, &agents[i]))
	}
	return errors.Join(errs...)
}

func (d *Desk) sweep(ctx context.Context, a *parley.Agent) error {
	settings, err := a.VoiceSettings()
	if err != nil || settings == nil || settings.Recordings.RetentionDays <= 0 {
		return err
	}
	before := d.Now().AddDate(0, 0, -min(settings.Recordings.RetentionDays, longestKept))
	dropped := false
	for {
		n, err := d.DB.DropRecordings(ctx, a.AccountID, a.ID, before, sweptTogether)
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
	return d.Free(ctx, a.AccountID, a.ID)
}
