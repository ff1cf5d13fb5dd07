package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/ingest"
	"parley/internal/server"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/clock"
	"parley/internal/voice"
)

// The operator lists the sessions of a server that crashed, and ends them.
func TestVoiceSessionCommands(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	t.Setenv("PARLEY_DATA", data)
	account := runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A").AccountID
	if _, out, _ := runCommand(t, "voice", "sessions"); out != "No voice sessions.\n" {
		t.Error(out)
	}
	s := createOrphanedSession(t, data, parley.AccountID(account))
	_, out, _ := runCommand(t, "voice", "sessions", "--live", "--agent", string(s.AgentID))
	for _, want := range []string{string(s.ID), "jo", "live"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if _, out, errs := runCommand(t, "voice", "end", string(s.ID)); out != "Ended voice session "+string(s.ID)+".\n" {
		t.Error(out, errs)
	}
	list := runJSON[[]admin.VoiceSession](t, "voice", "sessions")
	if len(list) != 1 || list[0].Reason != string(parley.EndServerStopped) || list[0].Minutes != 2 ||
		list[0].Credits != 10 || list[0].EndedAt == nil {
		t.Errorf("%+v", list)
	}
	if got := runJSON[admin.EndedVoiceSession](t, "voice", "end", string(s.ID)); got.WasLive {
		t.Error("it was ended twice")
	}
	if _, out, _ := runCommand(t, "voice", "sessions", "--live"); out != "No voice sessions.\n" {
		t.Error(out)
	}
	for args, want := range map[string]int{"voice end nothing": 1, "voice sessions --limit 0": 2, "voice end": 2} {
		if status, _, errs := runCommand(t, splitCommandLine(args)...); status != want || errs == "" {
			t.Errorf("%s: %d %s", args, status, errs)
		}
	}
}

// createOrphanedSession writes a session whose server crashed while the customer was in it.
func createOrphanedSession(t *testing.T, data string, account parley.AccountID) *parley.VoiceSession {
	t.Helper()
	db, err := store.Open(t.Context(), sqldb.Config{URL: filepath.Join(data, server.SQLiteFile)})
	if err != nil {
		t.Fatal(err)
	}
	begun := clock.New().Now()
	joined, seen := begun.Add(time.Second), begun.Add(90*time.Second)
	agent := &parley.Agent{ID: parley.NewAgentID(), AccountID: account, Name: "Guide", Model: "auto",
		Visibility: "private", RateLimit: parley.DefaultDeviceLimit(), IdentitySecret: "s",
		ConfigVersion: 1, CreatedAt: begun, UpdatedAt: begun}
	s := &parley.VoiceSession{ID: parley.VoiceSessionID(parley.NewUUID()), AccountID: account, AgentID: agent.ID,
		ConversationID: parley.ConversationID(parley.NewTimedUUID()), UserID: "jo",
		Timezone: "UTC", MaxDuration: time.Hour, PricePerMinute: 5 * parley.Credit, Reserved: 5 * parley.Credit,
		Owner: "dead", LeaseUntil: begun.Add(time.Minute), CreatedAt: begun}
	err = db.Transact(t.Context(), sqldb.Interactive, func(tx *store.DB) error {
		if err := tx.CreateAgent(t.Context(), agent); err != nil {
			return err
		}
		if _, _, err := tx.ReserveCredits(t.Context(), account.AgentRef(agent.ID), store.MonthOf(begun),
			s.Reserved); err != nil {
			return err
		}
		if err := tx.CreateVoice(t.Context(), s); err != nil {
			return err
		}
		return tx.StartVoice(t.Context(), s)
	})
	if err != nil {
		t.Fatal(err)
	}
	s.JoinedAt, s.LastSeenAt = &joined, &seen
	if missing, err := db.RenewVoiceLeases(t.Context(), "dead", []parley.VoiceSession{*s}, s.LeaseUntil); err != nil ||
		len(missing) > 0 {
		t.Fatal(missing, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestVoiceStats(t *testing.T) {
	t.Setenv("PARLEY_DATA", filepath.Join(t.TempDir(), "data"))
	runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A")
	if _, out, errs := runCommand(t, "voice", "stats"); !strings.HasPrefix(out,
		"Voice sessions now: 0, 0 of them joined. ") || !strings.Contains(out, "recognition") {
		t.Error(out, errs)
	}
	if got := runJSON[voice.StatsSnapshot](t, "voice", "stats"); got.Dialogs != 0 || got.Spoken != 0 {
		t.Errorf("%+v", got)
	}
}

// The operator reads a recording part by part, byte for byte.
func TestVoiceRecording(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	t.Setenv("PARLEY_DATA", data)
	account := runJSON[admin.CreatedAccount](t, "account", "create", "--name", "A").AccountID
	s := createOrphanedSession(t, data, parley.AccountID(account))
	for id, want := range map[string]string{string(s.ID): "goes on", "nothing": "not found"} {
		if status, out, errs := runCommand(t, "voice", "recording", id); status != 1 || out != "" ||
			!strings.Contains(errs, want) {
			t.Errorf("%d %q %q", status, out, errs)
		}
	}
	runJSON[admin.EndedVoiceSession](t, "voice", "end", string(s.ID))
	if status, _, errs := runCommand(t, "voice", "recording", string(s.ID)); status != 1 ||
		!strings.Contains(errs, "no recording") {
		t.Errorf("%d %q", status, errs)
	}
	sound := make([]byte, 2*store.BlobPartBytes+12345)
	for i := range sound {
		sound[i] = byte(i * i >> 8)
	}
	createRecording(t, data, s, sound)
	if status, out, errs := runCommand(t, "voice", "recording", string(s.ID)); status != 0 || out != string(sound) {
		t.Errorf("%d, %d bytes instead of %d, %q", status, len(out), len(sound), errs)
	}
	acts := runAll(t, "audit", "export", "--account", account, "--action", "recording.read")
	if strings.Count(acts, "\n") != 1 || !strings.Contains(acts, string(s.ID)) {
		t.Errorf("a reading of three parts is recorded as %q", acts)
	}
	if r := runJSON[admin.VoiceRecording](t, "voice", "recording", string(s.ID)); r.Bytes != int64(len(sound)) ||
		r.Seconds != 90 || r.Part != nil || r.MediaType != "audio/wav" {
		t.Errorf("%+v", r)
	}
}

func createRecording(t *testing.T, data string, s *parley.VoiceSession, sound []byte) {
	t.Helper()
	db, err := store.Open(t.Context(), sqldb.Config{URL: filepath.Join(data, server.SQLiteFile)})
	if err != nil {
		t.Fatal(err)
	}
	now := clock.New().Now()
	files := &ingest.Files{Dir: filepath.Join(data, "blobs")}
	dir, err := files.Incoming()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "sound")
	if err := os.WriteFile(path, sound, 0o600); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(sound)
	blob := &store.Blob{ID: parley.NewUUID(), AccountID: s.AccountID, AgentID: s.AgentID,
		Hash: hex.EncodeToString(sum[:]), Size: int64(len(sound)), MediaType: "audio/wav",
		Name: string(s.ID) + ".wav", CreatedAt: now}
	r := &parley.VoiceRecording{ID: parley.NewUUID(), AccountID: s.AccountID, AgentID: s.AgentID,
		ConversationID: s.ConversationID, SessionID: s.ID, BlobID: blob.ID,
		Duration: 90 * time.Second, CreatedAt: now}
	err = (&ingest.Service{DB: db, Files: files}).StoreFile(t.Context(), path, blob, func(tx *store.DB) error {
		return errors.Join(tx.CreateBlob(t.Context(), blob), tx.CreateRecording(t.Context(), r))
	})
	if err = errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}
