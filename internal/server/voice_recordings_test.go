package server_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"parley"
	"parley/internal/server"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit"
	"parley/internal/testkit/check"
)

// testRecording is a conversation with a recording and its file.
type testRecording struct {
	agent        parley.AgentID
	conversation parley.ConversationID
	blob         store.Blob
}

// createRecording creates an agent with a session and a recording of an age.
func createRecording(t *testing.T, s *testkit.Server, age time.Duration) testRecording {
	t.Helper()
	p := testRecording{agent: parley.AgentID(s.NewAgent(t, s.Key))}
	s.Do(t, "PUT", "/agents/"+string(p.agent), s.Key,
		`{"voiceSettings": {"recordings": {"enabled": true, "retentionDays": 7}}}`).Decode(t, 200, &struct{}{})
	var out struct{ Data session }
	s.Do(t, "POST", "/agents/"+string(p.agent)+"/voice/sessions", s.Key, `{}`).Decode(t, 200, &out)
	p.conversation = parley.ConversationID(out.Data.ConversationID)
	for _, l := range s.Voice.Active() {
		if string(l.ID) == out.Data.SessionID {
			l.End(parley.EndOperator)
			<-l.Done()
		}
	}
	dir, err := s.Ingest.Files.Incoming()
	check.Must(t, err)
	path, now, sound := filepath.Join(dir, out.Data.SessionID), time.Now().Add(-age),
		[]byte("the sound of "+out.Data.SessionID)
	check.Must(t, os.WriteFile(path, sound, 0o600))
	sum := sha256.Sum256(sound)
	p.blob = store.Blob{ID: parley.NewUUID(), AccountID: parley.AccountID(s.Account), AgentID: p.agent,
		Hash: hex.EncodeToString(sum[:]), Size: int64(len(sound)), MediaType: "audio/wav", CreatedAt: now}
	check.Must(t, s.Ingest.StoreFile(t.Context(), path, &p.blob, func(tx *store.DB) error {
		return errors.Join(tx.CreateBlob(t.Context(), &p.blob), tx.CreateRecording(t.Context(),
			&parley.VoiceRecording{ID: parley.NewUUID(), AccountID: p.blob.AccountID, AgentID: p.agent,
				ConversationID: p.conversation, SessionID: parley.VoiceSessionID(out.Data.SessionID), BlobID: p.blob.ID,
				Duration: time.Second, CreatedAt: now}))
	}))
	return p
}

// Whatever deletes a recording deletes its row and its file, and no others.
func TestFilesOfRecordingsAreDeleted(t *testing.T) {
	for on, option := range map[string]testkit.Option{"sqlite": testkit.WithConfig(noChange),
		"postgres": testkit.WithPostgres()} {
		t.Run(on, func(t *testing.T) {
			t.Parallel()
			s := testkit.Open(t, option)
			stays := createRecording(t, s, 0)
			for name, takes := range map[string]func(p testRecording) error{
				"its days are over": func(testRecording) error { return s.Voice.DeleteExpiredRecordings(t.Context()) },
				"voice was turned off, and then its days were over": func(p testRecording) error {
					s.Do(t, "PUT", "/agents/"+string(p.agent), s.Key, `{"voiceSettings": null}`).Decode(t, 200, &struct{}{})
					return s.Voice.DeleteExpiredRecordings(t.Context())
				},
				"the conversation is deleted": func(p testRecording) error {
					_, err := s.Conversations.Delete(t.Context(), p.blob.AccountID.AgentRef(p.agent),
						[]parley.ConversationID{p.conversation}, nil)
					return err
				},
				"the agent keeps no conversation so long": func(p testRecording) error {
					_, err := s.DB.SQL().Exec(t.Context(),
						`update conversations set created_at = 1, last_activity = 1 where id = ?`, p.conversation)
					err = errors.Join(err, s.DB.UpdateAgent(t.Context(), p.blob.AccountID.AgentRef(p.agent),
						func(a *parley.Agent) error { a.RetentionDays = new(int64(1)); return nil }))
					return errors.Join(err, s.Conversations.Sweep(t.Context()))
				},
				"the agent is deleted": func(p testRecording) error {
					s.Do(t, "DELETE", "/agents/"+string(p.agent), s.Key, "").Decode(t, 200, &struct{}{})
					return nil
				},
			} {
				p := createRecording(t, s, 8*24*time.Hour)
				check.Must(t, takes(p))
				testkit.Eventually(t, name+": the recording is deleted", func() bool {
					rows, err := sqldb.One(t.Context(), s.DB.SQL(), sqldb.Column[int],
						`select (select count(*) from blobs where id = ?) + (select count(*) from voice_recordings where blob_id = ?)`,
						p.blob.ID, p.blob.ID)
					check.Must(t, err)
					_, err = s.Ingest.FileBytes(t.Context(), &p.blob)
					return rows == 0 && err != nil
				})
			}
			if _, err := s.Ingest.FileBytes(t.Context(), &stays.blob); err != nil {
				t.Error("another one was deleted:", err)
			}
		})
	}
}

func noChange(*server.Config) {}
