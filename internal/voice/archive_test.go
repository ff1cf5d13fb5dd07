package voice_test

import (
	"context"
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/dbs"
	"parley/internal/voice"
)

func TestRecordingsAreDeletedAfterTheirRetention(t *testing.T) {
	for name, off := range map[string]func(s *testSessions){
		"in force":     func(*testSessions) {},
		"voice is off": func(s *testSessions) { s.setVoiceSettings(`null`) },
		"recordings are off": func(s *testSessions) {
			s.setVoiceSettings(`{"recordings": {"enabled": false, "retentionDays": 30}}`)
		},
		"both by and by": func(s *testSessions) {
			s.setVoiceSettings(`{}`)
			s.setVoiceSettings(`null`)
			s.setVoiceSettings(`{"recordings": {"enabled": false}}`)
		},
	} {
		t.Run(name, func(t *testing.T) { checkRetention(t, off) })
	}
}

// checkRetention checks that recordings are deleted in time after recording was turned off.
func checkRetention(t *testing.T, off func(s *testSessions)) {
	t.Helper()
	forEachStore(t, func(s *testSessions) {
		t := s.TB
		o := s.startSession(voice.SessionRequest{})
		freed := 0
		s.Sessions.DeleteUnusedFiles = func(ctx context.Context, ref parley.AgentRef) error {
			freed++
			_, err := s.DB.EraseOrphanedBlobs(ctx, ref)
			return err
		}
		record := func() {
			blob := parley.NewUUID()
			s.Must(s.DB.Transact(s, sqldb.Bulk, func(tx *store.DB) error {
				if err := tx.CreateBlob(s, &store.Blob{ID: blob, AccountID: s.account.ID, AgentID: s.agent, Hash: blob,
					MediaType: "audio/wav", Location: blob, CreatedAt: s.clock.Now()}); err != nil {
					return err
				}
				return tx.CreateRecording(s, &parley.VoiceRecording{ID: parley.NewUUID(), AccountID: s.account.ID,
					AgentID: s.agent, ConversationID: o.ConversationID, SessionID: o.ID,
					BlobID: blob, Duration: time.Minute, CreatedAt: s.clock.Now()})
			}))
		}
		record()
		s.clock.Advance(20 * 24 * time.Hour)
		record()
		s.clock.Advance(20 * 24 * time.Hour)
		for settings, want := range map[string]int{`null`: 2,
			`{"recordings": {"enabled": true, "retentionDays": 0}}`:  2,
			`{"recordings": {"enabled": true, "retentionDays": 41}}`: 2} {
			s.setVoiceSettings(settings)
			s.Must(s.DeleteExpiredRecordings(s))
			if _, err := s.DB.EraseOrphanedBlobs(s, s.account.ID.AgentRef(s.agent)); err != nil {
				t.Fatal(err)
			}
			if list, err := s.DB.Recordings(s,
				s.account.ID.AgentRef(s.agent).ConversationRef(o.ConversationID)); err != nil || len(list) != want ||
				freed != 0 || dbs.CountRows(s.TB, s.DB.SQL(), `select count(*) from blobs`) != want {
				t.Errorf("%s: %v %v, freed %d times", settings, list, err, freed)
			}
		}
		s.setVoiceSettings(`{"recordings": {"enabled": true, "retentionDays": 30}}`)
		off(s)
		s.Must(s.DeleteExpiredRecordings(s))
		list, err := s.DB.Recordings(s, s.account.ID.AgentRef(s.agent).ConversationRef(o.ConversationID))
		if s.Must(err); len(list) != 1 || freed != 1 || dbs.CountRows(s.TB, s.DB.SQL(), `select count(*) from blobs`) != 1 ||
			list[0].Duration != time.Minute {
			t.Errorf("%v, freed %d times", list, freed)
		}
		s.endSession(s.activeSession(o), parley.EndOperator)
		s.Must(s.DB.DeleteAgent(s, s.account.ID.AgentRef(s.agent), s.clock.Now()))
		if isErased, err := s.DB.EraseAgent(s, s.account.ID.AgentRef(s.agent)); err != nil || !isErased ||
			dbs.CountRows(s.TB, s.DB.SQL(), `select count(*) from settings where name like 'recordings:%'`) != 0 {
			t.Errorf("deleted %v, %v", isErased, err)
		}
	})
}
