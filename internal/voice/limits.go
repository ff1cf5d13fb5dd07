package voice

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"parley"
	"parley/internal/store"
)

// The limits, as details.reason of VOICE_LIMIT_EXCEEDED (docs/interface/voice.md#limits).
const (
	reasonConcurrent = "concurrent_exceeded"
	reasonPerUser    = "per_user_exceeded"
	reasonHourly     = "hourly_exceeded"
	reasonDaily      = "daily_exceeded"
)

// reasonOverloaded is details.reason if no limit is reached and the server is overloaded.
const reasonOverloaded = "server_overloaded"

// busyRetryAfter is the Retry-After when all slots are taken: nobody knows when one will be free.
const busyRetryAfter = 10 * time.Second

func newLimitError(limit int, reason string, wait time.Duration) *parley.Error {
	fail := parley.NewError(parley.CodeVoiceLimit)
	fail.Limit, fail.Details, fail.RetryAfter = limit, map[string]string{"reason": reason}, wait
	return fail
}

// checkLimits fails if the agent's sessions have reached a limit. The transaction has locked the agent's row, so that
// no two count the same sessions.
func (s *Session) checkLimits(ctx context.Context, tx *store.DB) error {
	if limit := s.Settings.MaxConcurrent; limit != nil {
		n, err := tx.CountLiveVoice(ctx, s.AgentRef(), s.CreatedAt)
		if err != nil {
			return err
		}
		if n >= *limit {
			return newLimitError(*limit, reasonConcurrent, busyRetryAfter)
		}
	}
	for _, w := range s.rateWindows() {
		if err := s.checkWindow(ctx, tx, w); err != nil {
			return err
		}
	}
	return nil
}

// checkUnjoined fails if too many sessions of the account wait for their customers. The transaction has locked the
// account's credits, so that no two count the same sessions.
func (s *Session) checkUnjoined(ctx context.Context, tx *store.DB) error {
	limit := s.sessions.MaxUnjoined
	if limit <= 0 {
		return nil
	}
	list, err := tx.VoiceAwaitingCustomer(ctx, s.AccountID, s.CreatedAt)
	if err != nil {
		return err
	}
	n := 0
	for _, id := range list {
		// a join on this server may not be stored yet
		if active := s.sessions.findActive(id); active != nil {
			if seen := active.Snapshot(); seen.JoinedAt != nil || seen.EndedAt != nil {
				continue
			}
		}
		n++
	}
	if n < limit {
		return nil
	}
	fail := newLimitError(limit, reasonConcurrent, busyRetryAfter)
	fail.Message = fmt.Sprintf("%d voice sessions of the account wait to be joined; there may be no more. "+
		"Open a session when somebody is about to join it.", limit)
	return fail
}

// rateWindow limits how many sessions begin within a span of time.
type rateWindow struct {
	reason string
	limit  *int
	span   time.Duration
	user   parley.EndUserID // empty for all users
}

const day = 24 * time.Hour

func (s *Session) rateWindows() []rateWindow {
	return []rateWindow{
		{reasonPerUser, s.Settings.MaxDailyPerUser, day, s.UserID},
		{reasonHourly, cmp.Or(s.Agent.VoiceLimits.PerHour, s.Caller.Plan.VoicePerHour), time.Hour, ""},
		{reasonDaily, cmp.Or(s.Agent.VoiceLimits.PerDay, s.Caller.Plan.VoicePerDay), day, ""},
	}
}

// checkWindow fails if the limit of the window is reached; the oldest session that counts determines Retry-After.
func (s *Session) checkWindow(ctx context.Context, tx *store.DB, w rateWindow) error {
	if w.limit == nil {
		return nil
	}
	if *w.limit <= 0 {
		return newLimitError(0, w.reason, w.span)
	}
	recent, err := tx.RecentVoiceStarts(ctx, s.AgentRef(), w.user, s.CreatedAt.Add(-w.span), *w.limit)
	if err != nil || len(recent) < *w.limit {
		return err
	}
	return newLimitError(*w.limit, w.reason, max(recent[len(recent)-1].Add(w.span).Sub(s.CreatedAt), time.Second))
}
