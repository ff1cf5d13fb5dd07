package store

import (
	"cmp"
	"context"
	"maps"
	"time"

	"parley"
	"parley/internal/sqldb"
)

var leadTable = newTable("leads", func(l *parley.Lead) []field {
	return []field{
		{"id", &l.ID},
		{"account_id", &l.AccountID},
		{"agent_id", &l.AgentID},
		{"conversation_id", &l.ConversationID},
		{"name", &l.Name},
		{"email", &l.Email},
		{"phone", &l.Phone},
		{"fields", jsonOr(&l.Fields, "{}")},
		{"created_at", timeDest{&l.CreatedAt}},
	}
})

// LeadSubmitted is the payload of the event leads.submit (docs/interface/webhooks.md#lead-submitted).
type LeadSubmitted struct {
	ConversationID parley.ConversationID `json:"conversationId"`
	CustomerEmail  string                `json:"customerEmail"`
	CustomerName   string                `json:"customerName"`
	CustomerPhone  string                `json:"customerPhone"`
}

// AddLead stores a lead and records leads.submit. A lead of the same conversation with the same e-mail, whatever its
// case, is completed instead: what is empty in l stays as it was, and a lead that tells nothing new leaves no event. l
// is then as stored. Who has left an address in a conversation of which nobody is known to be the customer is it from
// then on. A lead of no conversation completes no other: nobody knows that it is of the same customer. Fails with
// RESOURCE_NOT_FOUND when the conversation is gone.
func (db *DB) AddLead(ctx context.Context, l *parley.Lead) error {
	var stored parley.Lead
	err := db.Transact(ctx, sqldb.Interactive, func(tx *DB) error {
		hasCustomer, err := tx.lockLeadConversation(ctx, l)
		if err != nil {
			return err
		}
		existing, err := tx.findDuplicateLead(ctx, l)
		if err != nil {
			return err
		}
		stored = *l
		if existing != nil {
			stored = mergeLead(*existing, *l)
		}
		if hasCustomer {
			if err := tx.addLeadCustomer(ctx, &stored); err != nil {
				return err
			}
		}
		if existing != nil && isSameLead(stored, *existing) {
			return nil
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

const maxLeadName = 255 // characters of a lead's name that become the customer's

// lockLeadConversation locks the conversation of a lead, and reports whether who has left it is a customer who can be
// known by it: in the playground there are none. Fails with RESOURCE_NOT_FOUND.
func (db *DB) lockLeadConversation(ctx context.Context, l *parley.Lead) (hasCustomer bool, err error) {
	if l.ConversationID == "" {
		return false, nil
	}
	c, err := db.LockConversation(ctx, l.ConversationRef())
	return err == nil && l.Email != "" && c.Channel != parley.ChannelPlayground, err
}

// addLeadCustomer makes who has left an address the customer of the conversation, unless one is known: who is known by
// the address, or a new person. It holds the agent, so that nobody merges or deletes that person meanwhile.
func (db *DB) addLeadCustomer(ctx context.Context, l *parley.Lead) error {
	ref := l.ConversationRef()
	if err := db.ShareLockAgent(ctx, ref.AgentRef); err != nil {
		if parley.IsCode(err, parley.CodeAgentNotFound) { // it has just been deleted, and has no customers any more
			return nil
		}
		return err
	}
	p, err := db.CustomerOfConversation(ctx, ref)
	if err != nil {
		return err
	}
	if p == nil {
		p = &parley.Person{ID: parley.PersonID(parley.NewUUID()), AccountID: l.AccountID, AgentID: l.AgentID,
			Email: l.Email, CreatedAt: l.CreatedAt, UpdatedAt: l.CreatedAt}
		if err := db.AddPerson(ctx, p); err != nil {
			return err
		}
		if err := db.SetConversationCustomer(ctx, ref, p.ID); err != nil {
			return err
		}
	}
	return db.completePerson(ctx, p, l)
}

// completePerson writes the name and the telephone number that a lead says of the person with its address, where they
// are not known.
func (db *DB) completePerson(ctx context.Context, p *parley.Person, l *parley.Lead) error {
	name, phone := cmp.Or(p.Name, parley.ClipText(l.Name, maxLeadName)), cmp.Or(p.Phone, l.Phone)
	if foldEmail(p.Email) != foldEmail(l.Email) || name == p.Name && phone == p.Phone {
		return nil
	}
	p.Name, p.Phone = name, phone
	if l.CreatedAt.After(p.UpdatedAt) {
		p.UpdatedAt = l.CreatedAt
	}
	return db.UpdatePerson(ctx, p)
}

// findDuplicateLead finds the conversation's lead with the e-mail, or nil; leads without one are never the same.
func (db *DB) findDuplicateLead(ctx context.Context, l *parley.Lead) (*parley.Lead, error) {
	if l.Email == "" || l.ConversationID == "" {
		return nil, nil
	}
	return leadTable.findOrNil(ctx, db, `
		where conversation_id = ? and agent_id = ? and account_id = ? and lower(email) = lower(?)
		order by created_at, id
		limit 1`, l.ConversationID, l.AgentID, l.AccountID, l.Email)
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
	return leadTable.insert(ctx, db, overwrite("id", "name", "phone", "fields"), l)
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
	return leadTable.list(ctx, db, `
		where `+where+`
		order by created_at desc, id desc
		limit ? offset ?`, append(args, limit, offset)...)
}

// Leads lists an agent's leads, newest first.
func (db *DB) Leads(ctx context.Context, ref parley.AgentRef, f LeadFilter,
	ask parley.PageRequest) (parley.Page[parley.Lead], error) {
	where, args := f.whereClause(ref)
	return leadTable.page(ctx, db, ask, func(l parley.Lead) parley.Cursor {
		return parley.Cursor{SortValue: millis(l.CreatedAt), ID: l.ID}
	}, where, args...)
}

// LeadOfConversation returns the newest lead with an e-mail address that a conversation has left; nil if there is
// none.
func (db *DB) LeadOfConversation(ctx context.Context, ref parley.ConversationRef) (*parley.Lead, error) {
	return leadTable.findOrNil(ctx, db, `
		where conversation_id = ? and agent_id = ? and account_id = ? and email <> ''
		order by created_at desc, id desc
		limit 1`, ref.Conversation, ref.Agent, ref.Account)
}
