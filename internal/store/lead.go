package store

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"time"

	"parley"
	"parley/internal/sqldb"
)

const leadColumns = `id, account_id, agent_id, conversation_id, name, email, phone, fields, created_at`

func scanLead(scan sqldb.Scan) (l parley.Lead, err error) {
	var fields sql.NullString
	var created int64
	if err := scan(&l.ID, &l.AccountID, &l.AgentID, &l.ConversationID, &l.Name, &l.Email, &l.Phone, &fields, &created); err != nil {
		return l, err
	}
	l.CreatedAt = timeOf(created)
	if err := fromJSON(fields, &l.Fields); err != nil {
		return l, fmt.Errorf("lead %s: %w", l.ID, err)
	}
	return l, nil
}

// LeadSubmitted is the payload of the event leads.submit (facts 6.3).
type LeadSubmitted struct {
	ConversationID parley.ConversationID `json:"conversationId"`
	CustomerEmail  string                `json:"customerEmail"`
	CustomerName   string                `json:"customerName"`
	CustomerPhone  string                `json:"customerPhone"`
}

// AddLead keeps a lead and records leads.submit. A lead of the same conversation with the same e-mail, whatever its case, is
// completed instead: what is empty in l stays as it was, and a lead that tells nothing new leaves no event. l is then as
// stored. tell hears of the event in the same transaction; it may be nil. Fails with RESOURCE_NOT_FOUND when the conversation is gone.
func (db *DB) AddLead(ctx context.Context, l *parley.Lead, tell Tell) error {
	var kept parley.Lead
	err := db.Transact(ctx, sqldb.Turns, func(tx *DB) error {
		if _, err := tx.LockConversation(ctx, l.AccountID, l.AgentID, l.ConversationID); err != nil {
			return err
		}
		known, err := tx.knownLead(ctx, l)
		if err != nil {
			return err
		}
		kept = *l
		if known != nil {
			if kept = completed(*known, *l); same(kept, *known) {
				return nil
			}
		}
		if err := tx.writeLead(ctx, &kept); err != nil {
			return err
		}
		e := Event{Kind: parley.LeadsSubmit, AgentID: l.AgentID, ConversationID: l.ConversationID, Subject: kept.ID,
			Payload: LeadSubmitted{l.ConversationID, kept.Email, kept.Name, kept.Phone}}
		if err := tell.hear(ctx, tx, l.AccountID, l.CreatedAt, e); err != nil {
			return err
		}
		return tx.Record(ctx, l.AccountID, l.CreatedAt, e)
	})
	if err == nil {
		*l = kept
	}
	return err
}

// knownLead finds the conversation's lead with the e-mail, or nil; leads without one are never the same.
func (db *DB) knownLead(ctx context.Context, l *parley.Lead) (*parley.Lead, error) {
	if l.Email == "" {
		return nil, nil
	}
	known, err := sqldb.One(ctx, db.sql, scanLead, `select `+leadColumns+` from leads where conversation_id = ? and agent_id = ? and account_id = ?
		and lower(email) = lower(?) order by created_at, id limit 1`, l.ConversationID, l.AgentID, l.AccountID, l.Email)
	if sqldb.NotFound(err) {
		return nil, nil
	}
	return &known, err
}

func completed(known, more parley.Lead) parley.Lead {
	for _, field := range []struct {
		into *string
		text string
	}{{&known.Name, more.Name}, {&known.Phone, more.Phone}} {
		if field.text != "" {
			*field.into = field.text
		}
	}
	if len(more.Fields) > 0 {
		fields := maps.Clone(known.Fields)
		if fields == nil {
			fields = map[string]string{}
		}
		maps.Copy(fields, more.Fields)
		known.Fields = fields
	}
	return known
}

func same(a, b parley.Lead) bool {
	return a.Name == b.Name && a.Phone == b.Phone && maps.Equal(a.Fields, b.Fields)
}

func (db *DB) writeLead(ctx context.Context, l *parley.Lead) error {
	fields := "{}"
	if l.Fields != nil {
		fields = toJSON(l.Fields).(string)
	}
	_, err := db.sql.Exec(ctx, `insert into leads (`+leadColumns+`) values (?, ?, ?, ?, ?, ?, ?, ?, ?)
		on conflict (id) do update set name = excluded.name, phone = excluded.phone, fields = excluded.fields`,
		l.ID, l.AccountID, l.AgentID, l.ConversationID, l.Name, l.Email, l.Phone, fields, millis(l.CreatedAt))
	return err
}

// LeadFilter narrows a list of leads. Zero fields do not.
type LeadFilter struct {
	From   *time.Time // kept at or after
	Before *time.Time // kept before
}

func (f LeadFilter) where(account parley.AccountID, agent parley.AgentID) (where string, args []any) {
	where, args = `agent_id = ? and account_id = ?`, []any{agent, account}
	if f.From != nil {
		where, args = where+` and created_at >= ?`, append(args, millis(*f.From))
	}
	if f.Before != nil {
		where, args = where+` and created_at < ?`, append(args, millis(*f.Before))
	}
	return where, args
}

// LeadsFrom lists an agent's leads, newest first, from an offset.
func (db *DB) LeadsFrom(ctx context.Context, account parley.AccountID, agent parley.AgentID, f LeadFilter, offset, limit int) ([]parley.Lead, error) {
	where, args := f.where(account, agent)
	return sqldb.All(ctx, db.sql, scanLead, `select `+leadColumns+` from leads where `+where+` order by created_at desc, id desc limit ? offset ?`, append(args, limit, offset)...)
}

// Leads lists an agent's leads, newest first.
func (db *DB) Leads(ctx context.Context, account parley.AccountID, agent parley.AgentID, f LeadFilter, ask parley.PageAsk) (parley.Page[parley.Lead], error) {
	where, args := f.where(account, agent)
	var page parley.Page[parley.Lead]
	var err error
	if page.Total, err = sqldb.One(ctx, db.sql, sqldb.Column[int], `select count(*) from leads where `+where, args...); err != nil {
		return page, err
	}
	after := newest(ask)
	list, err := sqldb.All(ctx, db.sql, scanLead, `select `+leadColumns+` from leads where `+where+` and (created_at < ? or (created_at = ? and id < ?))
		order by created_at desc, id desc limit ?`, append(args, after.At, after.At, after.ID, ask.Limit+1)...)
	page.Items, page.Next = cut(list, ask.Limit, func(l parley.Lead) parley.Mark { return parley.Mark{At: millis(l.CreatedAt), ID: l.ID} })
	return page, err
}
