package store

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// The states of a voice session.
const (
	voiceOpening = "opening" // its room is being made; its conversation may not be there yet
	voiceLive    = "live"
	voiceEnded   = "ended"
)

// ErrVoiceLost is the failure to change a voice session that is no longer its owner's: another server has ended it.
var ErrVoiceLost = errors.New("store: the voice session was ended by somebody else")

var voiceTable = newTable("voice_sessions", func(s *parley.VoiceSession) []field {
	return []field{
		{"id", &s.ID},
		{"account_id", &s.AccountID},
		{"agent_id", &s.AgentID},
		{"conversation_id", &s.ConversationID},
		{"user_id", &s.UserID},
		{"visitor_id", nullableText(&s.VisitorID)},
		{"timezone", &s.Timezone},
		{"max_seconds", durationDest{&s.MaxDuration, time.Second}},
		{"price", &s.PricePerMinute},
		{"owner", &s.Owner},
		{"lease_until", timeDest{&s.LeaseUntil}},
		{"reserved", &s.Reserved},
		{"charged", &s.Charged},
		{"minutes", &s.Minutes},
		{"created_at", timeDest{&s.CreatedAt}},
		{"joined_at", timePointerDest{&s.JoinedAt}},
		{"seen_at", timePointerDest{&s.LastSeenAt}},
		{"ended_at", timePointerDest{&s.EndedAt}},
		{"end_reason", nullableText(&s.EndReason)},
	}
})

// newVoiceTable has what is written with a new session.
var newVoiceTable = newTable("voice_sessions", func(s *parley.VoiceSession) []field {
	return append(voiceTable.fields(s),
		field{"state", voiceOpening},
		field{"month", func() any { return MonthOf(s.CreatedAt) }})
})

// CreateVoice writes a session that is opening. It must be called in a transaction that has locked the agent
// (LockAgent) and has reserved the price of the first minute.
func (db *DB) CreateVoice(ctx context.Context, s *parley.VoiceSession) error {
	return newVoiceTable.insert(ctx, db, "", s)
}

// StartVoice makes an opening session live. Fails with ErrVoiceLost.
func (db *DB) StartVoice(ctx context.Context, s *parley.VoiceSession) error {
	n, err := db.sql.Exec(ctx, `
		update voice_sessions set state = ?
		where id = ? and account_id = ? and owner = ? and ended_at is null and state = ?`,
		voiceLive, s.ID, s.AccountID, s.Owner, voiceOpening)
	return requireVoiceOwner(n, err)
}

// DeleteOpeningVoice deletes a session that could not be started, and releases the credits that it has reserved. It
// reports whether there was one.
func (db *DB) DeleteOpeningVoice(ctx context.Context, s *parley.VoiceSession) (done bool, err error) {
	var month string
	err = db.sql.QueryRow(ctx, `
		delete from voice_sessions
		where id = ? and account_id = ? and owner = ? and state = ?
		returning month, reserved`,
		s.ID, s.AccountID, s.Owner, voiceOpening).Scan(&month, &s.Reserved)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, db.settleVoiceCredits(ctx, s, month, 0, s.CreatedAt)
}

// CloseVoice ends a living session as it says of itself (JoinedAt, LastSeenAt, EndedAt, EndReason, Minutes), settles
// its credits, counts it and records the events. Fails with ErrVoiceLost when another server has ended it. Call it last
// in its transaction: it holds the account's row until commit.
func (db *DB) CloseVoice(ctx context.Context, s *parley.VoiceSession, events ...NewEvent) error {
	var month string
	cost := s.PricePerMinute * parley.Credits(s.Minutes)
	err := db.sql.QueryRow(ctx, `
		update voice_sessions set
		  state = ?,
		  joined_at = ?,
		  seen_at = ?,
		  ended_at = ?,
		  end_reason = ?,
		  minutes = ?,
		  charged = ?
		where id = ? and account_id = ? and owner = ? and ended_at is null
		returning month, reserved`, voiceEnded, millisOrNil(s.JoinedAt), millisOrNil(s.LastSeenAt),
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
	if err := db.queueVoiceDay(ctx, s); err != nil {
		return err
	}
	return db.RecordEvents(ctx, s.AccountID, *s.EndedAt, events...)
}

// settleVoiceCredits turns what a session has reserved into what it cost.
func (db *DB) settleVoiceCredits(ctx context.Context, s *parley.VoiceSession, month string, cost parley.Credits,
	now time.Time) error {
	err := db.settle(ctx, settlement{s.AgentRef(), string(s.ID), ChargedVoice, "", month, s.Reserved, cost}, now)
	if err != nil {
		return err
	}
	return db.settleVisitorCredits(ctx, VisitorDayOf(s.AgentRef(), s.VisitorID, s.CreatedAt), s.Reserved, cost)
}

// ReserveVoiceMinute reserves the price of another minute for a session, and returns what its account and agent have
// used and reserved by then. Whether that is too much is the caller's rule; to refuse, it fails the transaction. Fails
// with ErrVoiceLost.
func (db *DB) ReserveVoiceMinute(ctx context.Context, s *parley.VoiceSession) (ofAccount, ofAgent parley.Credits,
	err error) {
	var month string
	err = db.sql.QueryRow(ctx, `
		update voice_sessions set reserved = reserved + price
		where id = ? and account_id = ? and owner = ? and ended_at is null
		returning month`,
		s.ID, s.AccountID, s.Owner).Scan(&month)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, 0, ErrVoiceLost
	}
	if err != nil {
		return 0, 0, err
	}
	return db.ReserveCredits(ctx, s.AgentRef(), month, s.PricePerMinute)
}

func requireVoiceOwner(n int64, err error) error {
	if err == nil && n == 0 {
		return ErrVoiceLost
	}
	return err
}

// SaveVoiceJoin writes down that a living session's customer has joined, with the events. Fails with ErrVoiceLost.
func (db *DB) SaveVoiceJoin(ctx context.Context, s *parley.VoiceSession, events ...NewEvent) error {
	return db.Transact(ctx, sqldb.Interactive, func(tx *DB) error {
		n, err := tx.sql.Exec(ctx, `
			update voice_sessions set
			  joined_at = ?,
			  seen_at = ?
			where id = ? and account_id = ? and owner = ? and ended_at is null`,
			millisOrNil(s.JoinedAt), millisOrNil(s.LastSeenAt), s.ID, s.AccountID, s.Owner)
		if err := requireVoiceOwner(n, err); err != nil {
			return err
		}
		return tx.RecordEvents(ctx, s.AccountID, *s.JoinedAt, events...)
	})
}

// RenewVoiceLeases renews the leases of the owner's sessions and writes who has joined and when they were seen last. It
// returns those that have been ended by another owner meanwhile.
func (db *DB) RenewVoiceLeases(ctx context.Context, owner string, sessions []parley.VoiceSession,
	until time.Time) (ended []parley.VoiceSessionID, err error) {
	err = db.Transact(ctx, sqldb.Interactive, func(tx *DB) error {
		var list []parley.VoiceSessionID
		for i := range sessions {
			s := &sessions[i]
			n, err := tx.sql.Exec(ctx, `
				update voice_sessions set
				  lease_until = ?,
				  joined_at = ?,
				  seen_at = ?
				where id = ? and account_id = ? and owner = ? and ended_at is null`,
				millis(until), millisOrNil(s.JoinedAt), millisOrNil(s.LastSeenAt), s.ID, s.AccountID, owner)
			if err != nil {
				return err
			}
			if n == 0 {
				list = append(list, s.ID)
			}
		}
		ended = list
		return nil
	})
	return ended, err
}

// RequestVoiceEnd asks the owner of a live session, which may be another server, to end it. It reports whether there
// was one.
func (db *DB) RequestVoiceEnd(ctx context.Context, account parley.AccountID, id parley.VoiceSessionID,
	reason parley.SessionEndReason) (bool, error) {
	n, err := db.sql.Exec(ctx, `
		update voice_sessions set end_asked = ?
		where id = ? and account_id = ? and ended_at is null`, reason, id, account)
	return n > 0, err
}

// RequestedVoiceEnds lists the owner's live sessions that are to end, each with the reason: because it was requested,
// or because their agent is deleted or their conversation is over.
func (db *DB) RequestedVoiceEnds(ctx context.Context, owner string) (map[parley.VoiceSessionID]parley.SessionEndReason,
	error) {
	type requestedEnd struct {
		id     parley.VoiceSessionID
		reason parley.SessionEndReason
	}
	list, err := sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (a requestedEnd, err error) {
		err = scan(&a.id, &a.reason)
		return a, err
	}, `
		select s.id, coalesce(s.end_asked, ?)
		from voice_sessions s
		left join conversations c on c.id = s.conversation_id and c.deleted_at is null and c.status <> ?
		left join agents a on a.id = s.agent_id and a.deleted_at is null
		where s.ended_at is null and s.owner = ? and s.state = ?
		  and (s.end_asked is not null or c.id is null or a.id is null)`,
		parley.EndOperator, parley.ConversationEnded, owner, voiceLive)
	all := make(map[parley.VoiceSessionID]parley.SessionEndReason, len(list))
	for _, a := range list {
		all[a.id] = a.reason
	}
	return all, err
}

// ExpireOtherVoiceLeases ends the leases of all owners but this one: at the start of a server that alone holds the
// database, every other owner is dead.
func (db *DB) ExpireOtherVoiceLeases(ctx context.Context, owner string) error {
	return db.exec(ctx, `
		update voice_sessions set lease_until = 0
		where owner <> ? and ended_at is null`, owner)
}

// voiceState is a session with its state.
type voiceState struct {
	parley.VoiceSession
	state string
}

var voiceStateTable = newTable("voice_sessions", func(s *voiceState) []field {
	return append(voiceTable.fields(&s.VoiceSession), field{"state", &s.state})
})

// ExpiredVoiceSessions lists sessions whose lease has run out, at most limit; opening says which of them had not
// begun.
func (db *DB) ExpiredVoiceSessions(ctx context.Context, now time.Time, limit int) (list []parley.VoiceSession,
	opening map[parley.VoiceSessionID]bool, err error) {
	opening = map[parley.VoiceSessionID]bool{}
	rows, err := voiceStateTable.list(ctx, db, `
		where ended_at is null and lease_until < ?
		order by lease_until
		limit ?`, millis(now), limit)
	for _, row := range rows {
		list = append(list, row.VoiceSession)
		if row.state == voiceOpening {
			opening[row.ID] = true
		}
	}
	return list, opening, err
}

// TakeOverVoice makes another server the owner of a session whose lease has run out, so that no two end it. Fails with
// ErrVoiceLost.
func (db *DB) TakeOverVoice(ctx context.Context, s *parley.VoiceSession, owner string, until time.Time) error {
	err := db.sql.QueryRow(ctx, `
		update voice_sessions set
		  owner = ?,
		  lease_until = ?
		where id = ? and account_id = ? and owner = ? and lease_until = ? and ended_at is null
		returning owner`,
		owner, millis(until), s.ID, s.AccountID, s.Owner, millis(s.LeaseUntil)).Scan(&s.Owner)
	if errors.Is(err, sql.ErrNoRows) {
		return ErrVoiceLost
	}
	return err
}

// VoiceSession finds one session of the agent; nil if there is none.
func (db *DB) VoiceSession(ctx context.Context, ref parley.AgentRef, id parley.VoiceSessionID) (*parley.VoiceSession,
	error) {
	return voiceTable.findOrNil(ctx, db, `
		where id = ? and agent_id = ? and account_id = ? and state <> ?`,
		id, ref.Agent, ref.Account, voiceOpening)
}

// VoiceSessionInAnyAccount finds a session by its id alone; nil if there is none. It is the operator's view and is
// not limited to one account.
func (db *DB) VoiceSessionInAnyAccount(ctx context.Context, id parley.VoiceSessionID) (*parley.VoiceSession, error) {
	return voiceTable.findOrNil(ctx, db, `where id = ? and state <> ?`, id, voiceOpening)
}

// VoiceFilter narrows a list of sessions; what is empty does not.
type VoiceFilter struct {
	Agent parley.AgentID
	Live  bool
}

// VoiceSessions lists sessions, the newest first, at most limit. It is the operator's view and is not limited to one
// account.
func (db *DB) VoiceSessions(ctx context.Context, f VoiceFilter, limit int) ([]parley.VoiceSession, error) {
	where, args := []string{"state <> ?"}, []any{voiceOpening}
	if f.Agent != "" {
		where, args = append(where, "agent_id = ?"), append(args, f.Agent)
	}
	if f.Live {
		where = append(where, "ended_at is null")
	}
	return voiceTable.list(ctx, db, `
		where `+strings.Join(where, " and ")+`
		order by created_at desc, id desc
		limit ?`,
		append(args, limit)...)
}

// AgentVoiceSessions lists an agent's sessions, the newest first; only those that have not ended, if live is set.
func (db *DB) AgentVoiceSessions(ctx context.Context, ref parley.AgentRef, live bool,
	ask parley.PageRequest) (parley.Page[parley.VoiceSession], error) {
	where := `agent_id = ? and account_id = ? and state <> ?`
	if live {
		where += ` and ended_at is null`
	}
	return voiceTable.page(ctx, db, ask, func(s parley.VoiceSession) parley.Cursor {
		return parley.Cursor{SortValue: millis(s.CreatedAt), ID: string(s.ID)}
	}, where, ref.Agent, ref.Account, voiceOpening)
}

// CountLiveVoice counts an agent's sessions that live, those that open included. To be exact it must be asked in a
// transaction that holds the agent's row.
func (db *DB) CountLiveVoice(ctx context.Context, ref parley.AgentRef, now time.Time) (int, error) {
	return db.count(ctx, `
		from voice_sessions
		where agent_id = ? and account_id = ? and ended_at is null and lease_until > ?`,
		ref.Agent, ref.Account, millis(now))
}

// VoiceAwaitingCustomer lists an account's sessions that wait for their customers. It is exact in a transaction that
// holds the account's credits.
func (db *DB) VoiceAwaitingCustomer(ctx context.Context, account parley.AccountID,
	now time.Time) ([]parley.VoiceSessionID, error) {
	return sqldb.All(ctx, db.sql, sqldb.Column[parley.VoiceSessionID],
		`
			select id
			from voice_sessions
			where account_id = ? and ended_at is null and joined_at is null and lease_until > ?`,
		account, millis(now))
}

// RecentVoiceStarts lists when an agent's sessions began since a moment, of one user or of all, the newest first, at
// most limit. It is exact as CountLiveVoice is.
func (db *DB) RecentVoiceStarts(ctx context.Context, ref parley.AgentRef, user parley.EndUserID, since time.Time,
	limit int) ([]time.Time, error) {
	userClause, args := "", []any{ref.Agent, ref.Account, millis(since)}
	if user != "" {
		userClause, args = " and user_id = ?", append(args, user)
	}
	return sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (t time.Time, err error) {
		err = scan(timeDest{&t})
		return t, err
	}, `
		select created_at
		from voice_sessions
		where agent_id = ? and account_id = ? and created_at > ?`+userClause+`
		order by created_at desc, id desc
		limit ?`, append(args, limit)...)
}

// HasVoiceSession reports whether a voice session took place in the conversation: one that a user has joined.
func (db *DB) HasVoiceSession(ctx context.Context, ref parley.ConversationRef) (bool, error) {
	return db.exists(ctx, `
		from voice_sessions
		where conversation_id = ? and agent_id = ? and account_id = ? and joined_at is not null`,
		ref.Conversation, ref.Agent, ref.Account)
}
