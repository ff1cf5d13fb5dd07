package voice_test

import (
	"context"
	"testing"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/voice"
)

func TestRecordingsAreKeptForTheirTime(t *testing.T) {
	for how, off := range map[string]func(s *studio){
		"in force":           func(*studio) {},
		"voice is off":       func(s *studio) { s.settings(`null`) },
		"recordings are off": func(s *studio) { s.settings(`{"recordings": {"enabled": false, "retentionDays": 30}}`) },
		"both by and by": func(s *studio) {
			s.settings(`{}`)
			s.settings(`null`)
			s.settings(`{"recordings": {"enabled": false}}`)
		},
	} {
		t.Run(how, func(t *testing.T) { keeps(t, off) })
	}
}

// keeps holds that recordings are deleted in time when they are no longer made.
func keeps(t *testing.T, off func(s *studio)) {
	t.Helper()
	each(t, func(s *studio) {
		t := s.TB
		o := s.start(voice.Ask{})
		freed := 0
		s.Desk.Free = func(ctx context.Context, account parley.AccountID, agent parley.AgentID) error {
			freed++
			_, err := s.DB.EraseLooseBlobs(ctx, account, agent)
			return err
		}
		record := func() {
			blob := parley.NewUUID()
			s.must(s.DB.Transact(s, sqldb.Bulk, func(tx *store.DB) error {
				if err := tx.CreateBlob(s, &store.Blob{ID: blob, AccountID: s.account.ID, AgentID: s.agent, Hash: blob, MediaType: "audio/wav", Place: blob, CreatedAt: s.clock.Now()}); err != nil {
					return err
				}
				return tx.CreateRecording(s, &parley.VoiceRecording{ID: parley.NewUUID(), AccountID: s.account.ID, AgentID: s.agent, ConversationID: o.ConversationID, SessionID: o.ID,
					Blob: blob, Length: time.Minute, CreatedAt: s.clock.Now()})
			}))
		}
		record()
		s.clock.Turn(20 * 24 * time.Hour)
		record()
		s.clock.Turn(20 * 24 * time.Hour)
		for settings, want := range map[string]int{`null`: 2, `{"recordings": {"enabled": true, "retentionDays": 0}}`: 2, `{"recordings": {"enabled": true, "retentionDays": 41}}`: 2} {
			s.settings(settings)
			s.must(s.Sweep(s))
			if _, err := s.DB.EraseLooseBlobs(s, s.account.ID, s.agent); err != nil {
				t.Fatal(err)
			}
			if list, err := s.DB.Recordings(s, s.account.ID, s.agent, o.ConversationID); err != nil || len(list) != want || freed != 0 || s.count(`select count(*) from blobs`) != want {
				t.Errorf("%s: %v %v, freed %d times", settings, list, err, freed)
			}
		}
		s.settings(`{"recordings": {"enabled": true, "retentionDays": 30}}`)
		off(s)
		s.must(s.Sweep(s))
		list, err := s.DB.Recordings(s, s.account.ID, s.agent, o.ConversationID)
		if s.must(err); len(list) != 1 || freed != 1 || s.count(`select count(*) from blobs`) != 1 || list[0].Length != time.Minute {
			t.Errorf("%v, freed %d times", list, freed)
		}
		s.ends(s.live(o), parley.EndOperator)
		s.must(s.DB.DeleteAgent(s, s.account.ID, s.agent, s.clock.Now()))
		if gone, err := s.DB.EraseAgent(s, s.account.ID, s.agent); err != nil || !gone || s.count(`select count(*) from settings where name like 'recordings:%'`) != 0 {
			t.Errorf("gone %v, %v", gone, err)
		}
	})
}
