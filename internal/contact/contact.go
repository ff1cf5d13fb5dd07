// Package contact manages the people whom a client knows by ids of its own. They are rows of the same table as the
// customers of tickets: a customer known by e-mail alone becomes the contact with that e-mail.
package contact

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Service manages contacts and their attributes.
type Service struct {
	DB  *store.DB
	Now func() time.Time
	// DeleteUnusedFiles deletes the files of an agent that nothing refers to; may be nil.
	DeleteUnusedFiles func(context.Context, parley.AgentRef) error
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
	cs := &changeSet{ref: ref, changes: changes, now: s.Now(),
		fieldPath: func(i int, name string) string { return "users." + strconv.Itoa(i) + "." + name }}
	return s.putChanges(ctx, cs)
}

// Change changes an existing contact. Fails with AGENT_NOT_FOUND, NOT_FOUND or VALIDATION_INVALID_BODY; faults are
// named below data.
func (s *Service) Change(ctx context.Context, ref parley.AgentRef, c Change) (*parley.Contact, error) {
	cs := &changeSet{ref: ref, changes: []Change{c}, now: s.Now(), mustExist: true,
		fieldPath: func(_ int, name string) string { return "data." + name }}
	list, err := s.putChanges(ctx, cs)
	if err != nil {
		return nil, err
	}
	return &list[0], nil
}

func (s *Service) putChanges(ctx context.Context, cs *changeSet) (list []parley.Contact, err error) {
	for range cs.changes {
		cs.ids = append(cs.ids, parley.PersonID(parley.NewUUID()))
	}
	write := func(tx *store.DB) (err error) {
		list, err = cs.write(ctx, tx)
		return err
	}
	err = s.DB.Transact(ctx, sqldb.Bulk, write)
	if sqldb.IsDuplicate(err) { // a ticket has created one of them meanwhile: the second try finds it
		err = s.DB.Transact(ctx, sqldb.Bulk, write)
	}
	return list, err
}

// Remove removes a contact and returns it, and forgets the browsers in which the contact has used the widget. The
// customer of a ticket stays as such, with name and e-mail. Fails with AGENT_NOT_FOUND or NOT_FOUND.
func (s *Service) Remove(ctx context.Context, ref parley.AgentRef,
	external string) (removed *parley.Contact, err error) {
	var files int64
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
		if err = tx.DeleteContact(ctx, removed); err != nil {
			return err
		}
		files, err = tx.ForgetVisitors(ctx, ref, parley.EndUserID(external))
		return err
	})
	if err == nil && files > 0 && s.DeleteUnusedFiles != nil {
		err = s.DeleteUnusedFiles(ctx, ref)
	}
	return removed, err
}

// changeSet is a set of changes to write, with all that does not come from the database.
type changeSet struct {
	ref       parley.AgentRef
	changes   []Change
	ids       []parley.PersonID // for those that are new
	now       time.Time
	mustExist bool // none may be new
	fieldPath func(i int, name string) string
}

// write may run more than once, and leaves the set as it is.
func (cs *changeSet) write(ctx context.Context, tx *store.DB) ([]parley.Contact, error) {
	if err := tx.LockAgent(ctx, cs.ref); err != nil {
		return nil, err
	}
	attributes, err := tx.Attributes(ctx, cs.ref)
	if err != nil {
		return nil, err
	}
	types := attributesByName(attributes)
	externalIDs, emails := cs.identifiers()
	found, err := tx.PeopleByExternalIDOrEmail(ctx, cs.ref, externalIDs, emails)
	if err != nil {
		return nil, err
	}
	index := newContactIndex(found)
	details := map[string]string{}
	list := make([]parley.Contact, len(cs.changes))
	for i, c := range cs.changes {
		known := index.find(c)
		if known == nil && cs.mustExist {
			return nil, parley.NewErrorf(parley.CodeNotFound, "Contact not found.")
		}
		list[i] = cs.mergeContact(i, known, types, details)
		if !index.add(list[i]) {
			details[cs.fieldPath(i, "external_id")] = "is given twice"
		}
	}
	for i, c := range list {
		if index.hasEmailConflict(c) {
			details[cs.fieldPath(i, "email")] = "belongs to another contact"
		}
	}
	if err := parley.InvalidFields(details); err != nil {
		return nil, err
	}
	return list, tx.SaveContacts(ctx, cs.ref, list, index.withChangedEmail())
}

func (cs *changeSet) identifiers() (externalIDs, emails []string) {
	for _, c := range cs.changes {
		externalIDs = append(externalIDs, c.ExternalID)
		if c.Email != nil && *c.Email != "" {
			emails = append(emails, *c.Email)
		}
	}
	return externalIDs, emails
}

// mergeContact returns a contact with its change applied; known is nil for a new one.
func (cs *changeSet) mergeContact(i int, known *parley.Contact, types map[string]parley.Attribute,
	wrong map[string]string) parley.Contact {
	c := parley.Contact{Person: parley.Person{ID: cs.ids[i], AccountID: cs.ref.Account, AgentID: cs.ref.Agent,
		CreatedAt: cs.now}}
	if known != nil {
		c = *known
	}
	change := cs.changes[i]
	c.ExternalID, c.UpdatedAt = change.ExternalID, cs.now
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
		wrong[cs.fieldPath(i, "custom_attributes."+name)] = fault
	}
	c.Attributes = attributes
	return c
}

func foldEmail(email string) string { return strings.ToLower(norm.NFC.String(email)) }

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
	ci := &contactIndex{before: map[parley.PersonID]parley.Contact{}, after: map[parley.PersonID]parley.Contact{},
		byExternalID: map[string]parley.PersonID{}, byEmail: map[string]parley.PersonID{},
		usedExternalIDs: map[string]bool{}}
	for _, c := range found {
		ci.before[c.ID], ci.after[c.ID] = c, c
		if c.ExternalID != "" {
			ci.byExternalID[c.ExternalID] = c.ID
		}
		if c.Email != "" {
			ci.byEmail[foldEmail(c.Email)] = c.ID
		}
	}
	return ci
}

// find returns the person of a change: the contact with its id, else the person known by its e-mail alone, or nil.
func (ci *contactIndex) find(c Change) *parley.Contact {
	if id, ok := ci.byExternalID[c.ExternalID]; ok {
		known := ci.before[id]
		return &known
	}
	if c.Email == nil || *c.Email == "" {
		return nil
	}
	id, ok := ci.byEmail[foldEmail(*c.Email)]
	if known := ci.before[id]; ok && known.ExternalID == "" && ci.after[id].ExternalID == "" {
		return &known
	}
	return nil
}

// add records a person as it will be, and reports whether its id is not used by an earlier change.
func (ci *contactIndex) add(c parley.Contact) bool {
	fresh := !ci.usedExternalIDs[c.ExternalID]
	ci.usedExternalIDs[c.ExternalID] = true
	ci.after[c.ID] = c
	return fresh
}

// hasEmailConflict reports whether another person will have the e-mail too. All changes must have been added.
func (ci *contactIndex) hasEmailConflict(c parley.Contact) bool {
	if ci.emailCounts == nil {
		ci.emailCounts = map[string]int{}
		for _, one := range ci.after {
			if one.Email != "" {
				ci.emailCounts[foldEmail(one.Email)]++
			}
		}
	}
	return c.Email != "" && ci.emailCounts[foldEmail(c.Email)] > 1
}

// withChangedEmail returns the people whose e-mail changes: another person may get the old one.
func (ci *contactIndex) withChangedEmail() (list []parley.PersonID) {
	for id, previous := range ci.before {
		if previous.Email != "" && foldEmail(previous.Email) != foldEmail(ci.after[id].Email) {
			list = append(list, id)
		}
	}
	return list
}
