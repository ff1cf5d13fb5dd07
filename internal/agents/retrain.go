package agents

import (
	"context"
	"time"

	"parley"
	"parley/internal/store"
)

// resyncPeriod is how often the websites of an agent with automatic re-sync are read again.
const resyncPeriod = 7 * 24 * time.Hour

// AutoRetrain turns the weekly re-sync of an agent's websites on or off; the first one is a week after it was turned on. Fails
// with AGENT_NOT_FOUND, and, where it is to be turned on, with AGENT_NOT_TRAINED as long as no source is live (interface 4.1,
// rule 4).
func (k *Service) AutoRetrain(ctx context.Context, account parley.Account, id parley.AgentID, on bool) error {
	now := k.Now()
	return k.changeTx(ctx, account.ID, id, now, func(tx *store.DB, a *parley.Agent) error {
		if on {
			if live, err := tx.HasLiveSource(ctx, account.ID, id); err != nil {
				return err
			} else if !live {
				return parley.NewError(parley.CodeAgentNotTrained)
			}
		}
		if a.AutoRetrain == on {
			return ErrUnchanged
		}
		a.AutoRetrain, a.UpdatedAt = on, now
		a.ConfigVersion++
		return tx.ScheduleAgentSync(ctx, account.ID, id, NextResync(a, now))
	})
}

// NextResync returns when the websites of an agent are read again; nil is never.
func NextResync(a *parley.Agent, now time.Time) *time.Time {
	if !a.AutoRetrain {
		return nil
	}
	next := now.Add(resyncPeriod)
	return &next
}
