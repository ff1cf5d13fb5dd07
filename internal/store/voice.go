package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// How a voice session stands.
const (
	voiceOpening = "opening" // its room is being made; its conversation may not be there yet
	voiceLive    = "live"
	voiceEnded   = "ended"
)

// ErrVoiceLost says that a voice session is no longer its owner's: somebody else has ended it.
var ErrVoiceLost = errors.New("store: the voice session was ended by somebody else")

const voiceColumns = `id, account_id, agent_id, conversation_id, user_id, timezone, max_seconds, price, owner, lease_until, reserved, charged, minutes,
	created_at, joined_at, seen_at, ended_at, end_reason`

func scanVoice(scan sqldb.Scan) (s parley.VoiceSession, err error) {
	var seconds int64
	err = scan(&s.ID, &s.AccountID, &s.AgentID, &s.ConversationID, &s.UserID, &s.Timezone, &seconds, &s.PricePerMinute, &s.Owner, timeDest{&s.LeaseUntil}, &s.Reserved, &s.Charged, &s.Minutes,
		timeDest{&s.CreatedAt}, timePointerDest{&s.JoinedAt}, timePointerDest{&s.LastSeenAt}, timePointerDest{&s.EndedAt}, textDest[parley.SessionEndReason]{&s.EndReason})
	s.MaxDuration = time.Duration(seconds) * time.Second
	return s, err
}

// CreateVoice writes a session that is opening. It must be called in a transaction that holds the agent (LockAgent) and has
// reserved the price of the first minute.
func (db *DB) CreateVoice(ctx context.Context, s *parley.VoiceSession) error {
	_, err := db.sql.Exec(ctx, `insert into voice_sessions (id, account_id, agent_id, conversation_id, user_id, timezone, max_seconds, state, owner, lease_until, price, month, reserved, created_at)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, s.ID, s.AccountID, s.AgentID, s.ConversationID, s.UserID, s.Timezone, int64(s.MaxDuration/time.Second), voiceOpening,
		s.Owner, millis(s.LeaseUntil), int64(s.PricePerMinute), MonthOf(s.CreatedAt), int64(s.Reserved), millis(s.CreatedAt))
	return err
}

// StartVoice makes an opening session a living one. Fails with ErrVoiceLost.
func (db *DB) StartVoice(ctx context.Context, s *parley.VoiceSession) error {
	n, err := db.sql.Exec(ctx, `update voice_sessions set state = ? where id = ? and account_id = ? and owner = ? and ended_at is null and state = ?`,
		voiceLive, s.ID, s.AccountID, s.Owner, voiceOpening)
	return requireVoiceOwner(n, err)
}

// DeleteOpeningVoice takes back a session that could not be begun, with the credits that it has set aside. It reports whether there was one.
func (db *DB) DeleteOpeningVoice(ctx context.Context, s *parley.VoiceSession) (done bool, err error) {
	var month string
	err = db.sql.QueryRow(ctx, `delete from voice_sessions where id = ? and account_id = ? and owner = ? and state = ? returning month, reserved`,
		s.ID, s.AccountID, s.Owner, voiceOpening).Scan(&month, &s.Reserved)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, db.settleVoiceCredits(ctx, s, month, 0, s.CreatedAt)
}

// CloseVoice ends a living session as it says of itself (JoinedAt, SeenAt, EndedAt, Reason, Minutes), settles its credits and records
// the events. Fails with ErrVoiceLost when somebody else has ended it. Call it last in its transaction: it holds the account's row until
// commit.
func (db *DB) CloseVoice(ctx context.Context, s *parley.VoiceSession, events ...NewEvent) error {
	var month string
	cost := s.PricePerMinute * parley.Credits(s.Minutes)
	err := db.sql.QueryRow(ctx, `update voice_sessions set state = ?, joined_at = ?, seen_at = ?, ended_at = ?, end_reason = ?, minutes = ?, charged = ?
		where id = ? and account_id = ? and owner = ? and ended_at is null returning month, reserved`, voiceEnded, millisOrNil(s.JoinedAt), millisOrNil(s.LastSeenAt),
		millisOrNil(s.EndedAt), s.EndReason, s.Minutes, int64(cost), s.ID, s.AccountID, s.Owner).Scan(&month, &s.Reserved)
	if errors.Is(err, sql.ErrNoRows) {
		return ErrVoiceLost
	}
	if err != nil {
		return err
	}
	s.Charged = cost
	if err := db.settleVoiceCredits(ctx, s, month, cost, *s.EndedAt); err != nil {
		return err
	}
	return db.RecordEvents(ctx, s.AccountID, *s.EndedAt, events...)
}

// settleVoiceCredits turns what a session has set aside into what it cost, as settle does for a turn.
func (db *DB) settleVoiceCredits(ctx context.Context, s *parley.VoiceSession, month string, cost parley.Credits, now time.Time) error {
	for _, agent := range []parley.AgentID{wholeAccount, s.AgentID} { // in the order of Reserve
		_, err := db.sql.Exec(ctx, `update credit_usage set used = used + ?, reserved = reserved - ? where account_id = ? and agent_id = ? and month = ?`,
			int64(cost), int64(s.Reserved), s.AccountID, agent, month)
		if err != nil {
			return err
		}
	}
	if cost == 0 {
		return nil
	}
	_, err := db.sql.Exec(ctx, `insert into credit_ledger (account_id, agent_id, turn_id, kind, amount, month, at) values (?, ?, ?, 'voice', ?, ?, ?)`,
		s.AccountID, s.AgentID, s.ID, int64(cost), month, millis(now))
	return err
}

// ReserveVoiceMinute sets the price of another minute aside for a session, and gives what its account and agent have used and set aside by
// then. Whether that is too much is the caller's rule; to refuse, it fails the transaction. Fails with ErrVoiceLost.
func (db *DB) ReserveVoiceMinute(ctx context.Context, s *parley.VoiceSession) (ofAccount, ofAgent parley.Credits, err error) {
	var month string
	err = db.sql.QueryRow(ctx, `update voice_sessions set reserved = reserved + price where id = ? and account_id = ? and owner = ? and ended_at is null returning month`,
		s.ID, s.AccountID, s.Owner).Scan(&month)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, 0, ErrVoiceLost
	}
	if err != nil {
		return 0, 0, err
	}
	return db.ReserveCredits(ctx, s.AccountID, s.AgentID, month, s.PricePerMinute)
}

func requireVoiceOwner(n int64, err error) error {
	if err == nil && n == 0 {
		return ErrVoiceLost
	}
	return err
}
