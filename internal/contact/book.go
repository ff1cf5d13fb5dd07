// Package contact keeps the people whom a client knows by ids of its own (facts 2.9 and 4.10). They are rows of the same table as
// the customers of tickets: a customer known by the e-mail alone becomes the contact that has it.
package contact

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Book keeps contacts and the attributes that they may have.
type Book struct {
	DB  *store.DB
	Now func() time.Time
}

// Change is what is to be known of a contact. Nil fields stay as they are, empty ones are cleared.
type Change struct {
	ExternalID string
	Name       *string
	Email      *string
	Phone      *string
	Stripe     *json.RawMessage           // a list; nil inside clears
	Attributes map[string]json.RawMessage // by name; null takes one away, and names that are no attributes are ignored
}

// Put adds contacts, and changes those that are there, all or none. Faults are named below users, by place. Fails with
// AGENT_NOT_FOUND or VALIDATION_INVALID_BODY.
func (b *Book) Put(ctx context.Context, account parley.AccountID, agent parley.AgentID, changes []Change) ([]parley.Contact, error) {
	p := &putting{account: account, agent: agent, changes: changes, now: b.Now(), field: func(i int, name string) string { return "users." + strconv.Itoa(i) + "." + name }}
	return b.put(ctx, p)
}

// Change changes a contact that is there. Fails with AGENT_NOT_FOUND, NOT_FOUND or VALIDATION_INVALID_BODY; faults are named below
// data.
func (b *Book) Change(ctx context.Context, account parley.AccountID, agent parley.AgentID, c Change) (*parley.Contact, error) {
	p := &putting{account: account, agent: agent, changes: []Change{c}, now: b.Now(), known: true, field: func(_ int, name string) string { return "data." + name }}
	list, err := b.put(ctx, p)
	if err != nil {
		return nil, err
	}
	return &list[0], nil
}

func (b *Book) put(ctx context.Context, p *putting) (list []parley.Contact, err error) {
	for range p.changes {
		p.ids = append(p.ids, parley.PersonID(parley.NewUUID()))
	}
	write := func(tx *store.DB) (err error) {
		list, err = p.write(ctx, tx)
		return err
	}
	err = b.DB.Transact(ctx, sqldb.Bulk, write)
	if sqldb.Duplicate(err) { // a ticket has brought one of them meanwhile: this time it is seen
		err = b.DB.Transact(ctx, sqldb.Bulk, write)
	}
	return list, err
}

// Remove takes a contact away and gives it. The customer of a ticket stays as such, with name and e-mail. Fails with
// AGENT_NOT_FOUND or NOT_FOUND.
func (b *Book) Remove(ctx context.Context, account parley.AccountID, agent parley.AgentID, external string) (gone *parley.Contact, err error) {
	err = b.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) (err error) {
		if err = tx.LockAgent(ctx, account, agent); err != nil {
			return err
		}
		if _, err = tx.LockHelpdesk(ctx, account, agent); err != nil {
			return err
		}
		if gone, err = tx.Contact(ctx, account, agent, external); err != nil {
			return err
		}
		return tx.DeleteContact(ctx, gone)
	})
	return gone, err
}

// putting is contacts on their way into the book, with all that does not come from the database.
type putting struct {
	account parley.AccountID
	agent   parley.AgentID
	changes []Change
	ids     []parley.PersonID // for those that are new
	now     time.Time
	known   bool // none may be new
	field   func(i int, name string) string
}

// write may run more than once, and leaves p as it is.
func (p *putting) write(ctx context.Context, tx *store.DB) ([]parley.Contact, error) {
	if err := tx.LockAgent(ctx, p.account, p.agent); err != nil {
		return nil, err
	}
	attributes, err := tx.Attributes(ctx, p.account, p.agent)
	if err != nil {
		return nil, err
	}
	found, err := tx.KnownPeople(ctx, p.account, p.agent, p.externals(), p.emails())
	if err != nil {
		return nil, err
	}
	l := newLedger(found)
	wrong := map[string]string{}
	list := make([]parley.Contact, len(p.changes))
	for i, c := range p.changes {
		known := l.find(c)
		if known == nil && p.known {
			return nil, parley.Failf(parley.CodeNotFound, "Contact not found.")
		}
		list[i] = p.merged(i, known, typesOf(attributes), wrong)
		if !l.take(list[i]) {
			wrong[p.field(i, "external_id")] = "is given twice"
		}
	}
	for i, c := range list {
		if l.clashes(c) {
			wrong[p.field(i, "email")] = "belongs to another contact"
		}
	}
	if err := invalid(wrong); err != nil {
		return nil, err
	}
	return list, tx.SaveContacts(ctx, p.account, p.agent, list, l.renamed())
}

func (p *putting) externals() (list []string) {
	for _, c := range p.changes {
		list = append(list, c.ExternalID)
	}
	return list
}

func (p *putting) emails() (list []string) {
	for _, c := range p.changes {
		if c.Email != nil && *c.Email != "" {
			list = append(list, *c.Email)
		}
	}
	return list
}

// merged is what a contact comes to: what is known, nil for nothing, and what is new.
func (p *putting) merged(i int, known *parley.Contact, types map[string]parley.Attribute, wrong map[string]string) parley.Contact {
	c := parley.Contact{Person: parley.Person{ID: p.ids[i], AccountID: p.account, AgentID: p.agent, CreatedAt: p.now}}
	if known != nil {
		c = *known
	}
	change := p.changes[i]
	c.ExternalID, c.UpdatedAt = change.ExternalID, p.now
	for _, f := range []struct{ into, from *string }{{&c.Name, change.Name}, {&c.Email, change.Email}, {&c.Phone, change.Phone}} {
		if f.from != nil {
			*f.into = *f.from
		}
	}
	if change.Stripe != nil {
		c.StripeAccounts = *change.Stripe
	}
	attributes, faults := mergedAttributes(c.Attributes, change.Attributes, types)
	for name, fault := range faults {
		wrong[p.field(i, "custom_attributes."+name)] = fault
	}
	c.Attributes = attributes
	return c
}

// mostFaults bounds what one reply lists.
const mostFaults = 50

func invalid(wrong map[string]string) error {
	if len(wrong) == 0 {
		return nil
	}
	e := parley.Fail(parley.CodeInvalidBody)
	e.Details = map[string]string{}
	for field, fault := range wrong {
		if len(e.Details) < mostFaults {
			e.Details[field] = fault
		}
	}
	return e
}

func folded(email string) string { return strings.ToLower(email) }
