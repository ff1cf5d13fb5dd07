package store

import (
	"context"
	"strconv"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// CreateRecording writes the row of a session's recording. The row of its file (CreateBlob) belongs into the same transaction.
func (db *DB) CreateRecording(ctx context.Context, r *parley.VoiceRecording) error {
	_, err := db.sql.Exec(ctx, `insert into voice_recordings (id, account_id, agent_id, conversation_id, session_id, blob_id, length_ms, created_at) values (?, ?, ?, ?, ?, ?, ?, ?)`,
		r.ID, r.AccountID, r.AgentID, r.ConversationID, r.SessionID, r.Blob, r.Length.Milliseconds(), millis(r.CreatedAt))
	return err
}

// Recordings lists the recordings of a conversation, oldest first.
func (db *DB) Recordings(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID) ([]parley.VoiceRecording, error) {
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (r parley.VoiceRecording, err error) {
		var length int64
		err = scan(&r.ID, &r.AccountID, &r.AgentID, &r.ConversationID, &r.SessionID, &r.Blob, &length, timeInto{&r.CreatedAt})
		r.Length = time.Duration(length) * time.Millisecond
		return r, err
	}, `select id, account_id, agent_id, conversation_id, session_id, blob_id, length_ms, created_at from voice_recordings
		where conversation_id = ? and agent_id = ? and account_id = ? order by created_at, id`, conversation, agent, account)
}

// SessionRecording finds the recording of a session with the row of its file; both are nil where there is none.
func (db *DB) SessionRecording(ctx context.Context, s *parley.VoiceSession) (*parley.VoiceRecording, *Blob, error) {
	all, err := db.Recordings(ctx, s.AccountID, s.AgentID, s.ConversationID)
	if err != nil {
		return nil, nil, err
	}
	for i := range all {
		if r := &all[i]; r.SessionID == s.ID {
			b, err := sqldb.One(ctx, db.sql, scanBlob, `select `+blobColumns+` from blobs b where b.id = ? and b.agent_id = ? and b.account_id = ?`, r.Blob, r.AgentID, r.AccountID)
			if err != nil {
				return nil, nil, found(err, parley.CodeSourceNotFound)
			}
			return r, &b, nil
		}
	}
	return nil, nil, nil
}

// Keeping is for how many days an agent's recordings are kept; 0 is as long as their conversation.
type Keeping struct {
	AccountID parley.AccountID
	AgentID   parley.AgentID
	Days      int
}

// Keepings lists the agents that have recordings. For those whose settings do not say how long they are kept, what they said last holds.
// It is a chore of the installation and asks for no account.
func (db *DB) Keepings(ctx context.Context) ([]Keeping, error) {
	return sqldb.All(ctx, db.sql, scanKeeping, `select a.id, a.account_id, a.voice, coalesce(s.value, '0') from agents a left join settings s on s.name = ? || a.id
		where a.deleted_at is null and exists (select 1 from voice_recordings r where r.agent_id = a.id) order by a.id`, keepingSetting)
}

func scanKeeping(scan sqldb.Scan) (k Keeping, err error) {
	var a parley.Agent
	var last string
	if err := scan(&a.ID, &a.AccountID, rawInto{&a.Voice}, &last); err != nil {
		return k, err
	}
	days, said := a.RecordingDays()
	if !said {
		days, err = strconv.Atoi(last)
	}
	return Keeping{a.AccountID, a.ID, days}, err
}

// keepingSetting begins the name under which the days of an agent's recordings are remembered, once its settings do not say them any more.
const keepingSetting = "recordings:"

// rememberKeeping notes how long recordings are kept by settings that are replaced by some that do not say it.
func (db *DB) rememberKeeping(ctx context.Context, was, is *parley.Agent) error {
	days, said := was.RecordingDays()
	if _, again := is.RecordingDays(); again || !said {
		return nil
	}
	return db.SetSetting(ctx, keepingSetting+string(was.ID), strconv.Itoa(days))
}

func (db *DB) forgetKeeping(ctx context.Context, agent parley.AgentID) error {
	_, err := db.sql.Exec(ctx, `delete from settings where name = ?`, keepingSetting+string(agent))
	return err
}

// DropRecordings deletes an agent's recordings that are older than a moment, at most limit, and gives their number. Their files are
// loose then (EraseLooseBlobs).
func (db *DB) DropRecordings(ctx context.Context, account parley.AccountID, agent parley.AgentID, before time.Time, limit int) (n int64, err error) {
	err = db.Transact(ctx, sqldb.Bulk, func(tx *DB) error {
		n, err = tx.sql.Exec(ctx, `delete from voice_recordings where id in (select id from voice_recordings where agent_id = ? and account_id = ? and created_at < ?
			order by created_at limit ?)`, agent, account, millis(before), limit)
		return err
	})
	return n, err
}
