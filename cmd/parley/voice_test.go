package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/admin"
	"parley/internal/house"
	"parley/internal/rig"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/voice"
)

// The operator sees the sessions that a dead server has left, and ends them.
func TestVoiceSessionsOfTheOperator(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	t.Setenv("PARLEY_DATA", data)
	account := must[admin.AccountCreated](t, "account", "create", "--name", "A").AccountID
	if _, out, _ := cli(t, "voice", "sessions"); out != "No voice sessions.\n" {
		t.Error(out)
	}
	s := plantSession(t, data, parley.AccountID(account))
	_, out, _ := cli(t, "voice", "sessions", "--live", "--agent", string(s.AgentID))
	for _, want := range []string{string(s.ID), "jo", "live"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if _, out, errs := cli(t, "voice", "end", string(s.ID)); out != "Ended voice session "+string(s.ID)+".\n" {
		t.Error(out, errs)
	}
	list := must[[]admin.VoiceSession](t, "voice", "sessions")
	if len(list) != 1 || list[0].Reason != string(parley.EndServerStopped) || list[0].Minutes != 2 || list[0].Credits != 10 || list[0].EndedAt == nil {
		t.Errorf("%+v", list)
	}
	if got := must[admin.VoiceEnded](t, "voice", "end", string(s.ID)); got.Lived {
		t.Error("it was ended twice")
	}
	if _, out, _ := cli(t, "voice", "sessions", "--live"); out != "No voice sessions.\n" {
		t.Error(out)
	}
	for args, want := range map[string]int{"voice end nothing": 1, "voice sessions --limit 0": 2, "voice end": 2} {
		if status, _, errs := cli(t, words(args)...); status != want || errs == "" {
			t.Errorf("%s: %d %s", args, status, errs)
		}
	}
}

// plantSession writes a session whose server has died while the customer was in it.
func plantSession(t *testing.T, data string, account parley.AccountID) *parley.VoiceSession {
	t.Helper()
	db, err := store.Open(t.Context(), sqldb.Config{URL: filepath.Join(data, house.SQLiteFile)})
	if err != nil {
		t.Fatal(err)
	}
	begun := rig.NewClock().Now()
	joined, seen := begun.Add(time.Second), begun.Add(90*time.Second)
	agent := &parley.Agent{ID: parley.NewAgentID(), AccountID: account, Name: "Guide", Model: "auto", Visibility: "private", RateLimit: parley.DefaultDeviceLimit(), IdentitySecret: "s",
		ConfigVersion: 1, CreatedAt: begun, UpdatedAt: begun}
	s := &parley.VoiceSession{ID: parley.VoiceSessionID(parley.NewUUID()), AccountID: account, AgentID: agent.ID, ConversationID: parley.ConversationID(parley.NewTimedUUID()), UserID: "jo",
		Timezone: "UTC", MaxDuration: time.Hour, Price: 5 * parley.Credit, Reserved: 5 * parley.Credit, Owner: "dead", LeaseUntil: begun.Add(time.Minute), CreatedAt: begun}
	err = db.Transact(t.Context(), sqldb.Turns, func(tx *store.DB) error {
		if err := tx.CreateAgent(t.Context(), agent); err != nil {
			return err
		}
		if _, _, err := tx.Reserve(t.Context(), account, agent.ID, store.MonthOf(begun), s.Reserved); err != nil {
			return err
		}
		if err := tx.CreateVoice(t.Context(), s); err != nil {
			return err
		}
		return tx.BeginVoice(t.Context(), s)
	})
	if err != nil {
		t.Fatal(err)
	}
	s.JoinedAt, s.SeenAt = &joined, &seen
	if gone, err := db.RenewVoice(t.Context(), "dead", []parley.VoiceSession{*s}, s.LeaseUntil); err != nil || len(gone) > 0 {
		t.Fatal(gone, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestVoiceStats(t *testing.T) {
	t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
	must[admin.AccountCreated](t, "account", "create", "--name", "A")
	if _, out, errs := cli(t, "voice", "stats"); !strings.HasPrefix(out, "0 voice sessions now. ") || !strings.Contains(out, "recognition") {
		t.Error(out, errs)
	}
	if got := must[voice.Measured](t, "voice", "stats"); got.Talks != 0 || got.Spoken != 0 {
		t.Errorf("%+v", got)
	}
}
