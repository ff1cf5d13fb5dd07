package store

import (
	"context"
	"strings"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// VoiceSession finds one session of the agent; nil where there is none.
func (db *DB) VoiceSession(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.VoiceSessionID) (*parley.VoiceSession, error) {
	return optionalVoice(sqldb.One(ctx, db.sql, scanVoice, `select `+voiceColumns+` from voice_sessions where id = ? and agent_id = ? and account_id = ? and state <> ?`,
		id, agent, account, voiceOpening))
}

// VoiceSessionInAnyAccount finds a session by its id alone; nil where there is none. It is the operator's view and asks for no account.
func (db *DB) VoiceSessionInAnyAccount(ctx context.Context, id parley.VoiceSessionID) (*parley.VoiceSession, error) {
	return optionalVoice(sqldb.One(ctx, db.sql, scanVoice, `select `+voiceColumns+` from voice_sessions where id = ? and state <> ?`, id, voiceOpening))
}

func optionalVoice(s parley.VoiceSession, err error) (*parley.VoiceSession, error) {
	if sqldb.IsNotFound(err) {
		return nil, nil
	}
	return &s, err
}

// VoiceFilter narrows a list of sessions; what is empty does not.
type VoiceFilter struct {
	Agent parley.AgentID
	Live  bool
}

// VoiceSessions lists sessions, the newest first, at most limit. It is the operator's view and asks for no account.
func (db *DB) VoiceSessions(ctx context.Context, f VoiceFilter, limit int) ([]parley.VoiceSession, error) {
	where, args := []string{"state <> ?"}, []any{voiceOpening}
	if f.Agent != "" {
		where, args = append(where, "agent_id = ?"), append(args, f.Agent)
	}
	if f.Live {
		where = append(where, "ended_at is null")
	}
	return sqldb.All(ctx, db.sql, scanVoice, `select `+voiceColumns+` from voice_sessions where `+strings.Join(where, " and ")+` order by created_at desc, id desc limit ?`,
		append(args, limit)...)
}

// CountLiveVoice counts an agent's sessions that live, those that open included. To be exact it must be asked in a transaction that holds
// the agent's row.
func (db *DB) CountLiveVoice(ctx context.Context, account parley.AccountID, agent parley.AgentID, now time.Time) (int, error) {
	return sqldb.One(ctx, db.sql, sqldb.Column[int], `select count(*) from voice_sessions where agent_id = ? and account_id = ? and ended_at is null and lease_until > ?`,
		agent, account, millis(now))
}

// VoiceAwaitingCustomer lists an account's sessions that wait for their customers. It is exact in a transaction that holds the
// account's credits.
func (db *DB) VoiceAwaitingCustomer(ctx context.Context, account parley.AccountID, now time.Time) ([]parley.VoiceSessionID, error) {
	return sqldb.All(ctx, db.sql, sqldb.Column[parley.VoiceSessionID],
		`select id from voice_sessions where account_id = ? and ended_at is null and joined_at is null and lease_until > ?`,
		account, millis(now))
}

// RecentVoiceStarts lists when an agent's sessions began since a moment, of one user or of all, the newest first, at most limit. It is exact as
// LiveVoice is.
func (db *DB) RecentVoiceStarts(ctx context.Context, account parley.AccountID, agent parley.AgentID, user parley.EndUserID, since time.Time, limit int) ([]time.Time, error) {
	userClause, args := "", []any{agent, account, millis(since)}
	if user != "" {
		userClause, args = " and user_id = ?", append(args, user)
	}
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (t time.Time, err error) {
		err = scan(timeDest{&t})
		return t, err
	}, `select created_at from voice_sessions where agent_id = ? and account_id = ? and created_at > ?`+userClause+` order by created_at desc, id desc limit ?`, append(args, limit)...)
}

// HasVoiceSession reports whether a voice session took place in the conversation: one that somebody has joined.
func (db *DB) HasVoiceSession(ctx context.Context, account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID) (bool, error) {
	n, err := sqldb.One(ctx, db.sql, sqldb.Column[int], `select count(*) from voice_sessions where conversation_id = ? and agent_id = ? and account_id = ? and joined_at is not null`,
		conversation, agent, account)
	return n > 0, err
}

// CreateVoiceConversation writes a conversation that a voice session begins: nothing is said in it yet. Fails with AGENT_NOT_FOUND
// once the agent is deleted.
func (db *DB) CreateVoiceConversation(ctx context.Context, c *parley.Conversation) error {
	_, err := db.sql.Exec(ctx, `insert into conversations (id, account_id, agent_id, face, channel, streamed, user_id, status, escalated, message_count, last_seq, last_activity, created_at)
		values (?, ?, ?, ?, ?, 0, ?, ?, 0, 0, 0, ?, ?)`, c.ID, c.AccountID, c.AgentID, c.API, c.Channel, textOrNil(c.UserID), c.Status, millis(c.UpdatedAt), millis(c.CreatedAt))
	if err != nil {
		return err
	}
	return db.countConversation(ctx, c)
}
