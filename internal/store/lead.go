package store

import (
	"context"
	"fmt"
	"maps"
	"time"

	"parley"
	"parley/internal/sqldb"
)

const leadColumns = `
  id,
  account_id,
  agent_id,
  conversation_id,
  name,
  email,
  phone,
  fields,
  created_at`

func scanLead(scan sqldb.Scan) (l parley.Lead, err error) {
	err = scan(
		&l.ID,
		&l.AccountID,
		&l.AgentID,
		&l.ConversationID,
		&l.Name,
		&l.Email,
		&l.Phone,
		jsonDest{&l.Fields},
		timeDest{&l.CreatedAt},
	)
	if err != nil {
		return l, fmt.Errorf("lead %s: %w", l.ID, err)
	}
	return l, nil
}

// LeadSubmitted is the payload of the event leads.submit (docs/interface/webhooks.md#lead-submitted).
type LeadSubmitted struct {
	ConversationID parley.ConversationID `json:"conversationId"`
	CustomerEmail  string                `json:"customerEmail"`
	CustomerName   string                `json:"customerName"`
	CustomerPhone  string                `json:"customerPhone"`
}

// AddLead stores a lead and records leads.submit. A lead of the same conversation with the same e-mail, whatever its
// case, is completed instead: what is empty in l stays as it was, and a lead that tells nothing new leaves no event. l
// is then as stored. Fails with RESOURCE_NOT_FOUND when the conversation is gone.
func (db *DB) AddLead(ctx context.Context, l *parley.Lead) error {
	var stored parley.Lead
	err := db.Transact(ctx, sqldb.Interactive, func(tx *DB) error {
		if _, err := tx.LockConversation(ctx, l.ConversationRef()); err != nil {
			return err
		}
		existing, err := tx.findDuplicateLead(ctx, l)
		if err != nil {
			return err
		}
		stored = *l
		if existing != nil {
			if stored = mergeLead(*existing, *l); isSameLead(stored, *existing) {
				return nil
			}
		}
		if err := tx.upsertLead(ctx, &stored); err != nil {
			return err
		}
		e := NewEvent{Kind: parley.EventLeadsSubmit, AgentID: l.AgentID, ConversationID: l.ConversationID, Subject: stored.ID,
			Payload: LeadSubmitted{l.ConversationID, stored.Email, stored.Name, stored.Phone}}
		return tx.RecordEvents(ctx, l.AccountID, l.CreatedAt, e)
	})
	if err == nil {
		*l = stored
	}
	return err
}

// findDuplicateLead finds the conversation's lead with the e-mail, or nil; leads without one are never the same.
func (db *DB) findDuplicateLead(ctx context.Context, l *parley.Lead) (*parley.Lead, error) {
	if l.Email == "" {
		return nil, nil
	}
	known, err := sqldb.One(ctx, db.sql, scanLead, `
		select `+leadColumns+`
		from leads
		where conversation_id = ? and agent_id = ? and account_id = ? and lower(email) = lower(?)
		order by created_at, id
		limit 1`, l.ConversationID, l.AgentID, l.AccountID, l.Email)
	if sqldb.IsNotFound(err) {
		return nil, nil
	}
	return &known, err
}

func mergeLead(existing, added parley.Lead) parley.Lead {
	for _, field := range []struct {
		into *string
		text string
	}{{&existing.Name, added.Name}, {&existing.Phone, added.Phone}} {
		if field.text != "" {
			*field.into = field.text
		}
	}
	if len(added.Fields) > 0 {
		fields := maps.Clone(existing.Fields)
		if fields == nil {
			fields = map[string]string{}
		}
		maps.Copy(fields, added.Fields)
		existing.Fields = fields
	}
	return existing
}

func isSameLead(a, b parley.Lead) bool {
	return a.Name == b.Name && a.Phone == b.Phone && maps.Equal(a.Fields, b.Fields)
}

func (db *DB) upsertLead(ctx context.Context, l *parley.Lead) error {
	fields := "{}"
	if l.Fields != nil {
		fields = toJSON(l.Fields).(string)
	}
	_, err := db.sql.Exec(ctx, `insert into leads (`+leadColumns+`)
		values (?, ?, ?, ?, ?, ?, ?, ?, ?)
		on conflict (id) do update set
		  name = excluded.name,
		  phone = excluded.phone,
		  fields = excluded.fields`,
		l.ID, l.AccountID, l.AgentID, l.ConversationID, l.Name, l.Email, l.Phone, fields, millis(l.CreatedAt))
	return err
}

// LeadFilter narrows a list of leads. Zero fields do not.
type LeadFilter struct {
	CreatedFrom   *time.Time // kept at or after
	CreatedBefore *time.Time // kept before
}

func (f LeadFilter) whereClause(ref parley.AgentRef) (where string, args []any) {
	where, args = `agent_id = ? and account_id = ?`, []any{ref.Agent, ref.Account}
	if f.CreatedFrom != nil {
		where, args = where+` and created_at >= ?`, append(args, millis(*f.CreatedFrom))
	}
	if f.CreatedBefore != nil {
		where, args = where+` and created_at < ?`, append(args, millis(*f.CreatedBefore))
	}
	return where, args
}

// LeadsAtOffset lists an agent's leads, newest first, from an offset.
func (db *DB) LeadsAtOffset(ctx context.Context, ref parley.AgentRef, f LeadFilter, offset, limit int) ([]parley.Lead,
	error) {
	where, args := f.whereClause(ref)
	return sqldb.All(ctx, db.sql, scanLead, `
		select `+leadColumns+`
		from leads
		where `+where+`
		order by created_at desc, id desc
		limit ? offset ?`, append(args, limit, offset)...)
}

// Leads lists an agent's leads, newest first.
func (db *DB) Leads(ctx context.Context, ref parley.AgentRef, f LeadFilter,
	ask parley.PageRequest) (parley.Page[parley.Lead], error) {
	where, args := f.whereClause(ref)
	var page parley.Page[parley.Lead]
	var err error
	if page.Total, err = sqldb.One(ctx, db.sql, sqldb.Column[int], `
		select count(*)
		from leads
		where `+where, args...); err != nil {
		return page, err
	}
	after := startCursor(ask)
	list, err := sqldb.All(ctx, db.sql, scanLead, `
		select `+leadColumns+`
		from leads
		where `+where+`
		and (created_at < ? or (created_at = ? and id < ?))
		order by created_at desc, id desc
		limit ?`, append(args, after.SortValue, after.SortValue, after.ID, ask.Limit+1)...)
	page.Items, page.Next = cutPage(list, ask.Limit, func(l parley.Lead) parley.Cursor {
		return parley.Cursor{SortValue: millis(l.CreatedAt), ID: l.ID}
	})
	return page, err
}

// LeadOfConversation returns the newest lead with an e-mail address that a conversation has left; nil where there is
// none.
func (db *DB) LeadOfConversation(ctx context.Context, ref parley.ConversationRef) (*parley.Lead, error) {
	l, err := sqldb.One(ctx, db.sql, scanLead, `
		select `+leadColumns+`
		from leads
		where conversation_id = ? and agent_id = ? and account_id = ? and email <> ''
		order by created_at desc, id desc
		limit 1`, ref.Conversation, ref.Agent, ref.Account)
	if sqldb.IsNotFound(err) {
		return nil, nil
	}
	return &l, err
}
