// Package contact manages the people whom a client knows by ids of its own. They are rows of the same table as the
// customers of tickets: a customer known by e-mail alone becomes the contact with that e-mail.
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

// Service manages contacts and their attributes.
type Service struct {
	DB  *store.DB
	Now func() time.Time
}

// Change describes a contact. Nil fields stay as they are, empty ones are cleared.
type Change struct {
	ExternalID     string
	Name           *string
	Email          *string
	Phone          *string
	StripeAccounts *json.RawMessage           // a list; nil inside clears
	Attributes     map[string]json.RawMessage // by name; null removes one, unknown names are ignored
}

// Put adds or changes contacts, all or none. Faults are named below users, by place. Fails with
// AGENT_NOT_FOUND or VALIDATION_INVALID_BODY.
func (s *Service) Put(ctx context.Context, ref parley.AgentRef, changes []Change) ([]parley.Contact, error) {
	p := &changeSet{account: ref.Account, agent: ref.Agent, changes: changes, now: s.Now(),
		fieldPath: func(i int, name string) string { return "users." + strconv.Itoa(i) + "." + name }}
	return s.putChanges(ctx, p)
}

// Change changes an existing contact. Fails with AGENT_NOT_FOUND, NOT_FOUND or VALIDATION_INVALID_BODY; faults are
// named below data.
func (s *Service) Change(ctx context.Context, ref parley.AgentRef, c Change) (*parley.Contact, error) {
	p := &changeSet{account: ref.Account, agent: ref.Agent, changes: []Change{c}, now: s.Now(), mustExist: true,
		fieldPath: func(_ int, name string) string { return "data." + name }}
	list, err := s.putChanges(ctx, p)
	if err != nil {
		return nil, err
	}
	return &list[0], nil
}

func (s *Service) putChanges(ctx context.Context, p *changeSet) (list []parley.Contact, err error) {
	for range p.changes {
		p.ids = append(p.ids, parley.PersonID(parley.NewUUID()))
	}
	write := func(tx *store.DB) (err error) {
		list, err = p.write(ctx, tx)
		return err
	}
	err = s.DB.Transact(ctx, sqldb.Bulk, write)
	if sqldb.IsDuplicate(err) { // a ticket has created one of them meanwhile: the second try finds it
		err = s.DB.Transact(ctx, sqldb.Bulk, write)
	}
	return list, err
}

// Remove removes a contact and returns it. The customer of a ticket stays as such, with name and e-mail. Fails with
// AGENT_NOT_FOUND or NOT_FOUND.
func (s *Service) Remove(ctx context.Context, ref parley.AgentRef, external string) (removed *parley.Contact,
	err error) {
	err = s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) (err error) {
		if err = tx.LockAgent(ctx, ref); err != nil {
			return err
		}
		if _, err = tx.LockHelpdesk(ctx, ref); err != nil {
			return err
		}
		if removed, err = tx.Contact(ctx, ref, external); err != nil {
			return err
		}
		return tx.DeleteContact(ctx, removed)
	})
	return removed, err
}

// changeSet is a set of changes to write, with all that does not come from the database.
type changeSet struct {
	account   parley.AccountID
	agent     parley.AgentID
	changes   []Change
	ids       []parley.PersonID // for those that are new
	now       time.Time
	mustExist bool // none may be new
	fieldPath func(i int, name string) string
}

// write may run more than once, and leaves p as it is.
func (p *changeSet) write(ctx context.Context, tx *store.DB) ([]parley.Contact, error) {
	if err := tx.LockAgent(ctx, p.account.AgentRef(p.agent)); err != nil {
		return nil, err
	}
	attributes, err := tx.Attributes(ctx, p.account.AgentRef(p.agent))
	if err != nil {
		return nil, err
	}
	found, err := tx.PeopleByExternalIDOrEmail(ctx, p.account.AgentRef(p.agent), p.externalIDs(), p.emails())
	if err != nil {
		return nil, err
	}
	l := newContactIndex(found)
	details := map[string]string{}
	list := make([]parley.Contact, len(p.changes))
	for i, c := range p.changes {
		known := l.find(c)
		if known == nil && p.mustExist {
			return nil, parley.NewErrorf(parley.CodeNotFound, "Contact not found.")
		}
		list[i] = p.mergeContact(i, known, attributesByName(attributes), details)
		if !l.add(list[i]) {
			details[p.fieldPath(i, "external_id")] = "is given twice"
		}
	}
	for i, c := range list {
		if l.hasEmailConflict(c) {
			details[p.fieldPath(i, "email")] = "belongs to another contact"
		}
	}
	if err := parley.InvalidFields(details); err != nil {
		return nil, err
	}
	return list, tx.SaveContacts(ctx, p.account.AgentRef(p.agent), list, l.withChangedEmail())
}

func (p *changeSet) externalIDs() (list []string) {
	for _, c := range p.changes {
		list = append(list, c.ExternalID)
	}
	return list
}

func (p *changeSet) emails() (list []string) {
	for _, c := range p.changes {
		if c.Email != nil && *c.Email != "" {
			list = append(list, *c.Email)
		}
	}
	return list
}

// mergeContact returns a contact with its change applied; known is nil for a new one.
func (p *changeSet) mergeContact(i int, known *parley.Contact, types map[string]parley.Attribute,
	wrong map[string]string) parley.Contact {
	c := parley.Contact{Person: parley.Person{ID: p.ids[i], AccountID: p.account, AgentID: p.agent, CreatedAt: p.now}}
	if known != nil {
		c = *known
	}
	change := p.changes[i]
	c.ExternalID, c.UpdatedAt = change.ExternalID, p.now
	for _, f := range []struct{ into, from *string }{{&c.Name, change.Name}, {&c.Email, change.Email},
		{&c.Phone, change.Phone}} {
		if f.from != nil {
			*f.into = *f.from
		}
	}
	if change.StripeAccounts != nil {
		c.StripeAccounts = *change.StripeAccounts
	}
	attributes, faults := mergeAttributes(c.Attributes, change.Attributes, types)
	for name, fault := range faults {
		wrong[p.fieldPath(i, "custom_attributes."+name)] = fault
	}
	c.Attributes = attributes
	return c
}

func foldEmail(email string) string { return strings.ToLower(email) }

// contactIndex finds people while contacts are written: as they were found, and as they will be.
type contactIndex struct {
	before          map[parley.PersonID]parley.Contact
	after           map[parley.PersonID]parley.Contact
	byExternalID    map[string]parley.PersonID // by the client's id
	byEmail         map[string]parley.PersonID // by e-mail, of those found
	emailCounts     map[string]int             // of each e-mail after all changes; computed when first needed
	usedExternalIDs map[string]bool            // the ids of the changes so far
}

func newContactIndex(found []parley.Contact) *contactIndex {
	l := &contactIndex{before: map[parley.PersonID]parley.Contact{}, after: map[parley.PersonID]parley.Contact{},
		byExternalID: map[string]parley.PersonID{},
		byEmail:      map[string]parley.PersonID{}, usedExternalIDs: map[string]bool{}}
	for _, c := range found {
		l.before[c.ID], l.after[c.ID] = c, c
		if c.ExternalID != "" {
			l.byExternalID[c.ExternalID] = c.ID
		}
		if c.Email != "" {
			l.byEmail[foldEmail(c.Email)] = c.ID
		}
	}
	return l
}

// find returns the person of a change: the contact with its id, else the person known by its e-mail alone, or nil.
func (l *contactIndex) find(c Change) *parley.Contact {
	if id, ok := l.byExternalID[c.ExternalID]; ok {
		known := l.before[id]
		return &known
	}
	if c.Email == nil || *c.Email == "" {
		return nil
	}
	id, ok := l.byEmail[foldEmail(*c.Email)]
	if known := l.before[id]; ok && known.ExternalID == "" && l.after[id].ExternalID == "" {
		return &known
	}
	return nil
}

// add records a person as it will be, and reports whether its id is not used by an earlier change.
func (l *contactIndex) add(c parley.Contact) bool {
	fresh := !l.usedExternalIDs[c.ExternalID]
	l.usedExternalIDs[c.ExternalID] = true
	l.after[c.ID] = c
	return fresh
}

// hasEmailConflict reports whether another person will have the e-mail too. All changes must have been added.
func (l *contactIndex) hasEmailConflict(c parley.Contact) bool {
	if l.emailCounts == nil {
		l.emailCounts = map[string]int{}
		for _, one := range l.after {
			if one.Email != "" {
				l.emailCounts[foldEmail(one.Email)]++
			}
		}
	}
	return c.Email != "" && l.emailCounts[foldEmail(c.Email)] > 1
}

// withChangedEmail returns the people whose e-mail changes: another person may get the old one.
func (l *contactIndex) withChangedEmail() (list []parley.PersonID) {
	for id, previous := range l.before {
		if previous.Email != "" && foldEmail(previous.Email) != foldEmail(l.after[id].Email) {
			list = append(list, id)
		}
	}
	return list
}
