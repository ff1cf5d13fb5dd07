package store

import (
	"context"
	"slices"
	"strconv"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// CreateRecording writes the row of a session's recording. The row of its file (CreateBlob) belongs into the same
// transaction.
func (db *DB) CreateRecording(ctx context.Context, r *parley.VoiceRecording) error {
	return recordingTable.insert(ctx, db, "", r)
}

var recordingTable = newTable("voice_recordings", func(r *parley.VoiceRecording) []field {
	return []field{
		{"id", &r.ID},
		{"account_id", &r.AccountID},
		{"agent_id", &r.AgentID},
		{"conversation_id", &r.ConversationID},
		{"session_id", &r.SessionID},
		{"blob_id", &r.BlobID},
		{"length_ms", durationDest{&r.Duration, time.Millisecond}},
		{"created_at", timeDest{&r.CreatedAt}},
	}
})

// Recordings lists the recordings of a conversation, oldest first.
func (db *DB) Recordings(ctx context.Context, ref parley.ConversationRef) ([]parley.VoiceRecording, error) {
	return recordingTable.list(ctx, db, `
		where conversation_id = ? and agent_id = ? and account_id = ?
		order by created_at, id`, ref.Conversation, ref.Agent, ref.Account)
}

// SessionRecording finds the recording of a session with the row of its file; both are nil if there is none.
func (db *DB) SessionRecording(ctx context.Context, s *parley.VoiceSession) (*parley.VoiceRecording, *Blob, error) {
	all, err := db.Recordings(ctx, s.ConversationRef())
	if err != nil {
		return nil, nil, err
	}
	i := slices.IndexFunc(all, func(r parley.VoiceRecording) bool { return r.SessionID == s.ID })
	if i < 0 {
		return nil, nil, nil
	}
	r := &all[i]
	b, err := blobTable.find(ctx, db, parley.CodeSourceNotFound, `
		where id = ? and agent_id = ? and account_id = ?`, r.BlobID, r.AgentID, r.AccountID)
	if err != nil {
		return nil, nil, err
	}
	return r, b, nil
}

// RecordingRetention is for how many days an agent's recordings are kept; 0 is as long as their conversation.
type RecordingRetention struct {
	AccountID parley.AccountID
	AgentID   parley.AgentID
	Days      int
}

// RecordingRetentions lists the agents that have recordings. For those whose settings do not say how long they are
// kept, what they said last holds. It is a job of the installation and is not limited to one account.
func (db *DB) RecordingRetentions(ctx context.Context) ([]RecordingRetention, error) {
	return sqldb.All(ctx, db.sql, scanRecordingRetention, `
		select a.id, a.account_id, a.voice, coalesce(s.value, '0')
		from agents a
		left join settings s on s.name = ? || a.id
		where a.deleted_at is null and exists (select 1 from voice_recordings r where r.agent_id = a.id)
		order by a.id`, recordingDaysSetting)
}

func scanRecordingRetention(scan sqldb.Scan) (k RecordingRetention, err error) {
	var a parley.Agent
	var last string
	if err := scan(&a.ID, &a.AccountID, rawJSONDest{&a.Voice}, &last); err != nil {
		return k, err
	}
	days, ok := a.RecordingRetentionDays()
	if !ok {
		days, err = strconv.Atoi(last)
	}
	return RecordingRetention{a.AccountID, a.ID, days}, err
}

// recordingDaysSetting begins the name under which the days of an agent's recordings are remembered, once its settings
// do not say them any more.
const recordingDaysSetting = "recordings:"

// saveRecordingDays notes how long recordings are kept by settings that are replaced by some that do not say it.
func (db *DB) saveRecordingDays(ctx context.Context, before, after *parley.Agent) error {
	days, ok := before.RecordingRetentionDays()
	if _, again := after.RecordingRetentionDays(); again || !ok {
		return nil
	}
	return db.SetSetting(ctx, recordingDaysSetting+string(before.ID), strconv.Itoa(days))
}

func (db *DB) deleteRecordingDays(ctx context.Context, agent parley.AgentID) error {
	return db.exec(ctx, `delete from settings where name = ?`, recordingDaysSetting+string(agent))
}

// DropRecordings deletes an agent's recordings that are older than a moment, at most limit, and returns their number.
// Their files are orphaned then (EraseOrphanedBlobs).
func (db *DB) DropRecordings(ctx context.Context, ref parley.AgentRef, before time.Time, limit int) (n int64,
	err error) {
	err = db.Transact(ctx, sqldb.Bulk, func(tx *DB) error {
		n, err = tx.sql.Exec(ctx, `
			delete from voice_recordings
			where id in (select id from voice_recordings where agent_id = ? and account_id = ?
			  and created_at < ? order by created_at limit ?)`, ref.Agent, ref.Account, millis(before), limit)
		return err
	})
	return n, err
}
