package store

import (
	"context"
	"strings"
	"time"

	"parley"
)

// NewEvent is one thing that happened, written in the transaction in which it did. Events are counted per account.
type NewEvent struct {
	Kind           string
	AgentID        parley.AgentID
	ConversationID parley.ConversationID
	Subject        string
	Payload        any // encodes as a JSON object; nil for {}
}

// EventHook hears of an event in the transaction that records it, to leave there what follows from it.
type EventHook func(ctx context.Context, tx *DB, account parley.AccountID, now time.Time, e NewEvent) error

func (t EventHook) call(ctx context.Context, tx *DB, account parley.AccountID, now time.Time, e NewEvent) error {
	if t == nil {
		return nil
	}
	return t(ctx, tx, account, now, e)
}

// RecordEvents appends events to the account's sequence. Call it last in a transaction: it holds the account's row until commit.
func (db *DB) RecordEvents(ctx context.Context, account parley.AccountID, now time.Time, events ...NewEvent) error {
	_, err := db.recordEventsAndTurns(ctx, account, now, 0, events...)
	return err
}

// recordEventsAndTurns is Record that also changes the number of the account's open turns, and gives it, in the same statement.
func (db *DB) recordEventsAndTurns(ctx context.Context, account parley.AccountID, now time.Time, turns int, events ...NewEvent) (open int, err error) {
	var last int64
	err = db.sql.QueryRow(ctx, `update accounts set event_seq = event_seq + ?, open_turns = open_turns + ? where id = ? returning event_seq, open_turns`,
		len(events), turns, account).Scan(&last, &open)
	if err != nil {
		return 0, mapNotFound(err, parley.CodeAccountNotFound)
	}
	if len(events) == 0 {
		return open, nil
	}
	var args []any
	for i, e := range events {
		payload := "{}"
		if e.Payload != nil {
			payload = toJSON(e.Payload).(string)
		}
		args = append(args, account, last-int64(len(events)-1-i), millis(now), e.Kind, textOrNil(e.AgentID), textOrNil(e.ConversationID), e.Subject, payload)
	}
	_, err = db.sql.Exec(ctx, `insert into events (account_id, seq, at, kind, agent_id, conversation_id, subject_id, payload) values `+
		strings.Repeat(`, (?, ?, ?, ?, ?, ?, ?, ?)`, len(events))[2:], args...)
	return open, err
}
