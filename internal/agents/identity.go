package agents

import (
	"context"
	"time"

	"parley"
	"parley/internal/store"
)

// RotateIdentitySecret makes a new secret of the agent for the identity of end users. The one before stays valid for a
// while, or ends at once. Fails with AGENT_NOT_FOUND.
func (s *Service) RotateIdentitySecret(ctx context.Context, ref parley.AgentRef, keepOld time.Duration) error {
	secret, now := newSecret(), s.Now()
	return s.change(ctx, ref, now, func(_ *store.DB, a *parley.Agent) error {
		a.OldIdentitySecret, a.OldIdentityUntil = "", nil
		if keepOld > 0 {
			until := now.Add(keepOld)
			a.OldIdentitySecret, a.OldIdentityUntil = a.IdentitySecret, &until
		}
		a.IdentitySecret, a.UpdatedAt = secret, now
		return nil
	})
}
