package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"parley"
	"parley/internal/sqldb"
)

// SaveVoiceJoin writes down that a living session's customer has joined, with the events. Fails with ErrVoiceLost.
func (db *DB) SaveVoiceJoin(ctx context.Context, s *parley.VoiceSession, events ...NewEvent) error {
	return db.Transact(ctx, sqldb.Interactive, func(tx *DB) error {
		n, err := tx.sql.Exec(ctx, `update voice_sessions set joined_at = ?, seen_at = ? where id = ? and account_id = ? and owner = ? and ended_at is null`,
			millisOrNil(s.JoinedAt), millisOrNil(s.LastSeenAt), s.ID, s.AccountID, s.Owner)
		if err := requireVoiceOwner(n, err); err != nil {
			return err
		}
		return tx.RecordEvents(ctx, s.AccountID, *s.JoinedAt, events...)
	})
}

// RenewVoiceLeases keeps sessions of the owner alive and writes down who has joined and when they were seen last. It gives those that somebody
// else has ended meanwhile.
func (db *DB) RenewVoiceLeases(ctx context.Context, owner string, sessions []parley.VoiceSession, until time.Time) (gone []parley.VoiceSessionID, err error) {
	err = db.Transact(ctx, sqldb.Interactive, func(tx *DB) error {
		var ended []parley.VoiceSessionID
		for i := range sessions {
			s := &sessions[i]
			n, err := tx.sql.Exec(ctx, `update voice_sessions set lease_until = ?, joined_at = ?, seen_at = ? where id = ? and account_id = ? and owner = ? and ended_at is null`,
				millis(until), millisOrNil(s.JoinedAt), millisOrNil(s.LastSeenAt), s.ID, s.AccountID, owner)
			if err != nil {
				return err
			}
			if n == 0 {
				ended = append(ended, s.ID)
			}
		}
		gone = ended
		return nil
	})
	return gone, err
}

// RequestVoiceEnd asks the owner of a living session, which may be another server, to end it. It reports whether there was one.
func (db *DB) RequestVoiceEnd(ctx context.Context, account parley.AccountID, id parley.VoiceSessionID, reason parley.SessionEndReason) (bool, error) {
	n, err := db.sql.Exec(ctx, `update voice_sessions set end_asked = ? where id = ? and account_id = ? and ended_at is null`, reason, id, account)
	return n > 0, err
}

// RequestedVoiceEnds lists the owner's living sessions that are to end, each with the reason: because somebody asks for it, or because
// their agent is deleted or their conversation is over.
func (db *DB) RequestedVoiceEnds(ctx context.Context, owner string) (map[parley.VoiceSessionID]parley.SessionEndReason, error) {
	type asked struct {
		id     parley.VoiceSessionID
		reason parley.SessionEndReason
	}
	list, err := sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (a asked, err error) {
		err = scan(&a.id, &a.reason)
		return a, err
	}, `select s.id, coalesce(s.end_asked, ?) from voice_sessions s left join conversations c on c.id = s.conversation_id and c.deleted_at is null and c.status <> ?
		left join agents a on a.id = s.agent_id and a.deleted_at is null
		where s.ended_at is null and s.owner = ? and s.state = ? and (s.end_asked is not null or c.id is null or a.id is null)`,
		parley.EndOperator, parley.ConversationEnded, owner, voiceLive)
	all := make(map[parley.VoiceSessionID]parley.SessionEndReason, len(list))
	for _, a := range list {
		all[a.id] = a.reason
	}
	return all, err
}

// ExpireOtherVoiceLeases ends the leases of all owners but this one: at the start of a server that alone holds the database, every other
// owner is dead.
func (db *DB) ExpireOtherVoiceLeases(ctx context.Context, owner string) error {
	_, err := db.sql.Exec(ctx, `update voice_sessions set lease_until = 0 where owner <> ? and ended_at is null`, owner)
	return err
}

// ExpiredVoiceSessions lists sessions whose lease has run out, at most limit; opening tells which of them had not begun.
func (db *DB) ExpiredVoiceSessions(ctx context.Context, now time.Time, limit int) (list []parley.VoiceSession, opening map[parley.VoiceSessionID]bool, err error) {
	opening = map[parley.VoiceSessionID]bool{}
	list, err = sqldb.All(ctx, db.sql, func(scan sqldb.Scan) (parley.VoiceSession, error) {
		var state string
		s, err := scanVoice(func(dest ...any) error { return scan(append(dest, &state)...) })
		if state == voiceOpening {
			opening[s.ID] = true
		}
		return s, err
	}, `select `+voiceColumns+`, state from voice_sessions where ended_at is null and lease_until < ? order by lease_until limit ?`, millis(now), limit)
	return list, opening, err
}

// TakeOverVoice makes a session whose lease has run out another server's, so that no two end it. Fails with ErrVoiceLost.
func (db *DB) TakeOverVoice(ctx context.Context, s *parley.VoiceSession, owner string, until time.Time) error {
	err := db.sql.QueryRow(ctx, `update voice_sessions set owner = ?, lease_until = ? where id = ? and account_id = ? and owner = ? and lease_until = ? and ended_at is null returning owner`,
		owner, millis(until), s.ID, s.AccountID, s.Owner, millis(s.LeaseUntil)).Scan(&s.Owner)
	if errors.Is(err, sql.ErrNoRows) {
		return ErrVoiceLost
	}
	return err
}
