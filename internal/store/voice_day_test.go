package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// endVoice begins a voice session and ends it at a time; joined is for how long a customer was there, 0 for not at all.
func (fx *fixture) endVoice(at time.Time, joined time.Duration, minutes int, reason parley.SessionEndReason) {
	fx.Helper()
	s := &parley.VoiceSession{ID: parley.VoiceSessionID(parley.NewUUID()), AccountID: fx.Account.ID, AgentID: fx.Agent.ID,
		ConversationID: fx.createEmptyConversation(), UserID: "u", Timezone: "UTC", MaxDuration: time.Hour, Owner: "o",
		LeaseUntil: at, CreatedAt: at.Add(-joined)}
	fx.must(fx.Transact(fx, sqldb.Interactive, func(tx *store.DB) error { return tx.CreateVoice(fx, s) }))
	fx.must(fx.StartVoice(fx, s))
	if s.EndedAt, s.EndReason, s.Minutes = &at, reason, minutes; joined > 0 {
		s.JoinedAt, s.LastSeenAt = &s.CreatedAt, &at
	}
	closed := func(tx *store.DB) error { c := *s; return tx.CloseVoice(fx, &c) }
	fx.must(fx.Transact(fx, sqldb.Interactive, closed))
	if err := fx.Transact(fx, sqldb.Interactive, closed); err == nil {
		fx.Error("a session ended twice")
	}
}

func TestVoiceSessionsAreCountedOnTheirDay(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		day := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
		fx.endVoice(day, 90*time.Second, 2, parley.EndClientLeft)
		fx.endVoice(day.Add(23*time.Hour), 30*time.Second, 1, parley.EndClientLeft)
		fx.endVoice(day.Add(24*time.Hour-time.Millisecond), 0, 0, parley.EndSilence)
		fx.endVoice(day.Add(-time.Millisecond), time.Minute, 1, parley.EndError)
		fx.endVoice(day.Add(24*time.Hour), time.Minute, 1, parley.EndError)
		want := []store.VoiceEnds{{Reason: "client_left", Sessions: 2, Joined: 2, Seconds: 120, Minutes: 3},
			{Reason: "silence", Sessions: 1}}
		for _, agent := range []parley.AgentID{"", fx.Agent.ID} {
			got, err := fx.VoiceEnds(fx, fx.Account.ID, agent, day, day.AddDate(0, 0, 1))
			fx.must(err)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("of %q: %s", agent, diff)
			}
		}
		fx.must(fx.EraseOldVoiceDays(fx, day.AddDate(0, 0, 401)))
		left, err := fx.VoiceEnds(fx, fx.Account.ID, "", day.AddDate(0, 0, -1), day.AddDate(0, 0, 2))
		fx.must(err)
		if len(left) != 1 || left[0].Reason != "error" || left[0].Sessions != 1 {
			t.Errorf("left after 400 days: %+v", left)
		}
	})
}
