package voice

import (
	"context"
	"fmt"
	"time"

	"parley"
	"parley/internal/store"
)

// Which limit was reached: details.reason of VOICE_LIMIT_EXCEEDED (decision 22).
const (
	concurrent = "concurrent_exceeded"
	perUser    = "per_user_exceeded"
	hourly     = "hourly_exceeded"
	daily      = "daily_exceeded"
)

// overloaded is details.reason where no limit is reached and the server has no power left.
const overloaded = "server_overloaded"

// busyWait is what is told to those who find all places taken: nobody knows when one is free.
const busyWait = 10 * time.Second

func exceeded(reason string, wait time.Duration) *parley.Error {
	fail := parley.Fail(parley.CodeVoiceLimit)
	fail.Details, fail.RetryAfter = map[string]string{"reason": reason}, wait
	return fail
}

// beyond is exceeded, of a limit whose number is told.
func beyond(most int, reason string, wait time.Duration) *parley.Error {
	fail := exceeded(reason, wait)
	fail.Limit = most
	return fail
}

// allow counts the agent's sessions, in a transaction that holds the agent's row: so no two count the same ones.
func (l *Live) allow(ctx context.Context, tx *store.DB) error {
	if most := l.Settings.MaxConcurrent; most != nil {
		n, err := tx.LiveVoice(ctx, l.AccountID, l.AgentID, l.CreatedAt)
		if err != nil {
			return err
		}
		if n >= *most {
			return beyond(*most, concurrent, busyWait)
		}
	}
	for _, w := range l.windows() {
		if err := l.within(ctx, tx, w); err != nil {
			return err
		}
	}
	return nil
}

// patient fails where as many sessions of the account wait for their customers as may. The transaction holds the
// account's credits, so no two count the same ones.
func (l *Live) patient(ctx context.Context, tx *store.DB) error {
	most := l.desk.Waiting
	if most <= 0 {
		return nil
	}
	list, err := tx.WaitingVoice(ctx, l.AccountID, l.CreatedAt)
	if err != nil {
		return err
	}
	n := 0
	for _, id := range list {
		if here := l.desk.find(id); here == nil || here.waits() { // who has come here may not be written down yet
			n++
		}
	}
	if n < most {
		return nil
	}
	fail := beyond(most, concurrent, busyWait)
	fail.Message = fmt.Sprintf("%d voice sessions of the account wait to be joined; there may be no more. "+
		"Open a session when somebody is about to join it.", most)
	return fail
}

// window is a limit of how many sessions begin in a stretch of time.
type window struct {
	reason string
	most   *int
	span   time.Duration
	user   parley.EndUserID // empty for all users
}

const day = 24 * time.Hour

func (l *Live) windows() []window {
	return []window{
		{perUser, l.Settings.MaxDailyPerUser, day, l.UserID},
		{hourly, firstOf(l.Agent.VoiceLimits.PerHour, l.Plan.VoicePerHour), time.Hour, ""},
		{daily, firstOf(l.Agent.VoiceLimits.PerDay, l.Plan.VoicePerDay), day, ""},
	}
}

// within fails where there have been as many sessions in the window as there may be; the oldest of them that counts says when there
// is room again.
func (l *Live) within(ctx context.Context, tx *store.DB, w window) error {
	if w.most == nil {
		return nil
	}
	if *w.most <= 0 {
		return exceeded(w.reason, w.span)
	}
	recent, err := tx.RecentVoice(ctx, l.AccountID, l.AgentID, w.user, l.CreatedAt.Add(-w.span), *w.most)
	if err != nil || len(recent) < *w.most {
		return err
	}
	return beyond(*w.most, w.reason, max(recent[len(recent)-1].Add(w.span).Sub(l.CreatedAt), time.Second))
}

func firstOf(given, byDefault *int) *int {
	if given != nil {
		return given
	}
	return byDefault
}
