package store

import (
	"context"
	"strconv"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// CreateRecording writes the row of a session's recording. The row of its file (CreateBlob) belongs into the same
// transaction.
func (db *DB) CreateRecording(ctx context.Context, r *parley.VoiceRecording) error {
	_, err := db.sql.Exec(ctx, `
		insert into voice_recordings (
		  id,
		  account_id,
		  agent_id,
		  conversation_id,
		  session_id,
		  blob_id,
		  length_ms,
		  created_at
		)
		values (?, ?, ?, ?, ?, ?, ?, ?)`,
		r.ID, r.AccountID, r.AgentID, r.ConversationID, r.SessionID, r.BlobID, r.Duration.Milliseconds(), millis(r.CreatedAt))
	return err
}

// Recordings lists the recordings of a conversation, oldest first.
func (db *DB) Recordings(ctx context.Context, ref parley.ConversationRef) ([]parley.VoiceRecording, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (r parley.VoiceRecording, err error) {
		var length int64
		err = scan(&r.ID, &r.AccountID, &r.AgentID, &r.ConversationID, &r.SessionID, &r.BlobID, &length,
			timeDest{&r.CreatedAt})
		r.Duration = time.Duration(length) * time.Millisecond
		return r, err
	}, `
		select
		  id,
		  account_id,
		  agent_id,
		  conversation_id,
		  session_id,
		  blob_id,
		  length_ms,
		  created_at
		from voice_recordings
		where conversation_id = ? and agent_id = ? and account_id = ?
		order by created_at, id`, ref.Conversation, ref.Agent, ref.Account)
}

// SessionRecording finds the recording of a session with the row of its file; both are nil where there is none.
func (db *DB) SessionRecording(ctx context.Context, s *parley.VoiceSession) (*parley.VoiceRecording, *Blob, error) {
	all, err := db.Recordings(ctx, s.ConversationRef())
	if err != nil {
		return nil, nil, err
	}
	for i := range all {
		if r := &all[i]; r.SessionID == s.ID {
			b, err := sqldb.One(ctx, db.sql, scanBlob, `
				select `+blobColumns+`
				from blobs b
				where b.id = ? and b.agent_id = ? and b.account_id = ?`, r.BlobID, r.AgentID, r.AccountID)
			if err != nil {
				return nil, nil, mapNotFound(err, parley.CodeSourceNotFound)
			}
			return r, &b, nil
		}
	}
	return nil, nil, nil
}

// RecordingRetention is for how many days an agent's recordings are kept; 0 is as long as their conversation.
type RecordingRetention struct {
	AccountID parley.AccountID
	AgentID   parley.AgentID
	Days      int
}

// RecordingRetentions lists the agents that have recordings. For those whose settings do not say how long they are
// kept, what they said last holds. It is a job of the installation and asks for no account.
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
	_, err := db.sql.Exec(ctx, `delete from settings where name = ?`, recordingDaysSetting+string(agent))
	return err
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
