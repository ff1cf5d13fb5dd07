package helpdesk

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// SetCustomerEmail stores the e-mail address that a customer names in a conversation, with the person and with the
// ticket, and returns the person. Who is known to the site keeps the address that is known of them: the site vouches
// for it. Fails with RESOURCE_NOT_FOUND.
func (s *Service) SetCustomerEmail(ctx context.Context, ref parley.ConversationRef,
	email string) (person *parley.Person, err error) {
	write := func(tx *store.DB) error {
		u := s.newUpdate(tx, s.now())
		c, err := tx.LockConversation(ctx, ref)
		if err == nil {
			person, err = u.setCustomerEmail(ctx, c, email)
		}
		return err
	}
	err = s.DB.Transact(ctx, sqldb.Interactive, write)
	if sqldb.IsDuplicate(err) { // somebody else has got the address meanwhile: the second try finds them
		err = s.DB.Transact(ctx, sqldb.Interactive, write)
	}
	return person, err
}

func (u *update) setCustomerEmail(ctx context.Context, c *parley.Conversation, email string) (*parley.Person, error) {
	t, err := u.lockTicketOf(ctx, c)
	if err != nil {
		return nil, err
	}
	known, err := u.customerOf(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := u.storeCustomer(ctx, &known); err != nil {
		return nil, err
	}
	person, err := u.personWithEmail(ctx, known, email)
	if err != nil {
		return nil, err
	}
	if err := u.tx.SetConversationCustomer(ctx, c.Ref(), person.ID); err != nil {
		return nil, err
	}
	if t == nil || t.Customer.ID == person.ID {
		return person, nil
	}
	return person, u.tx.SetTicketCustomer(ctx, t, person.ID)
}

// storeCustomer writes a customer who is not stored yet; p becomes who is known by the same address or id.
func (u *update) storeCustomer(ctx context.Context, p *parley.Person) error {
	_, err := u.tx.Person(ctx, p.AgentRef(), p.ID)
	if !parley.IsCode(err, parley.CodeNotFound) {
		return err
	}
	return u.addCustomer(ctx, p)
}

// addCustomer writes a new customer; p becomes who is known by the same address or id, who gets the name and the
// telephone number that were not known of them.
func (u *update) addCustomer(ctx context.Context, p *parley.Person) error {
	newPerson := *p
	if err := u.tx.AddPerson(ctx, p); err != nil || p.ID == newPerson.ID {
		return err
	}
	name, phone := cmp.Or(p.Name, newPerson.Name), cmp.Or(p.Phone, newPerson.Phone)
	if name == p.Name && phone == p.Phone {
		return nil
	}
	p.Name, p.Phone, p.UpdatedAt = name, phone, u.now
	return u.tx.UpdatePerson(ctx, p)
}

// personWithEmail returns who a customer is who has named an address: the same person, who gets it, or another one who
// is known by it.
func (u *update) personWithEmail(ctx context.Context, p parley.Person, email string) (*parley.Person, error) {
	if strings.EqualFold(p.Email, email) || p.ExternalID != "" && p.Email != "" {
		return &p, nil
	}
	owner, err := u.tx.PersonByEmail(ctx, p.AgentRef(), email)
	switch {
	case err == nil && p.ExternalID == "":
		return owner, nil
	case err == nil: // the address is another one's, and who the site knows stays who they are
		return &p, nil
	case !parley.IsCode(err, parley.CodeNotFound):
		return nil, err
	case p.ExternalID == "" && p.Email != "": // was known by another address alone
		p = parley.Person{ID: parley.PersonID(parley.NewUUID()), AccountID: p.AccountID, AgentID: p.AgentID, Name: p.Name,
			Email: email, CreatedAt: u.now, UpdatedAt: u.now}
		return &p, u.tx.AddPerson(ctx, &p)
	}
	p.Email, p.UpdatedAt = email, u.now
	return &p, u.tx.UpdatePerson(ctx, &p)
}

// MergeCustomers makes one customer of two: into stays, with what from wrote and is known by besides, and from is no
// more. Fails with AGENT_NOT_FOUND and NOT_FOUND, and with VALIDATION_INVALID_BODY of one and the same customer, and of
// two whom the client knows by ids of its own.
func (s *Service) MergeCustomers(ctx context.Context, ref parley.AgentRef,
	into, from parley.PersonID) (merged *parley.Person, err error) {
	if into == from {
		return nil, parley.Invalid("from", "must be another customer")
	}
	now := s.now()
	err = s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		if err := tx.LockAgent(ctx, ref); err != nil {
			return err
		}
		if _, err := tx.LockHelpdesk(ctx, ref); err != nil {
			return err
		}
		p, err := tx.Person(ctx, ref, into)
		if err != nil {
			return err
		}
		other, err := tx.Person(ctx, ref, from)
		if err != nil {
			return err
		}
		if p.ExternalID != "" && other.ExternalID != "" {
			return parley.Invalid("from", "must not have a user id where the other customer has one")
		}
		p.UpdatedAt, merged = now, p
		if err := addKnown(p, other); err != nil {
			return err
		}
		return tx.MergePeople(ctx, p, other)
	})
	if err != nil {
		return nil, err
	}
	return merged, nil
}

// addKnown adds to a person what is known of another one and not of them.
func addKnown(p, other *parley.Person) error {
	p.Email, p.ExternalID = cmp.Or(p.Email, other.Email), cmp.Or(p.ExternalID, other.ExternalID)
	p.Name, p.Phone = cmp.Or(p.Name, other.Name), cmp.Or(p.Phone, other.Phone)
	attributes := map[string]json.RawMessage{}
	for _, known := range []json.RawMessage{other.Attributes, p.Attributes} {
		if len(known) == 0 {
			continue
		}
		if err := json.Unmarshal(known, &attributes); err != nil {
			return fmt.Errorf("attributes of a customer: %w", err)
		}
	}
	all, err := json.Marshal(attributes)
	p.Attributes = all
	return err
}

// IsAway reports whether nobody of a team works now; an empty team is the default one. A team without members has its
// own hours. Where there is no help desk yet, nobody says when they are away.
func (s *Service) IsAway(ctx context.Context, ref parley.AgentRef, team parley.TeamID) (bool, error) {
	t, members, err := s.DB.TeamWithWorkload(ctx, ref, team)
	if parley.IsCode(err, parley.CodeTicketTeam) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	now := s.now()
	for _, m := range members {
		hours := m.Hours
		if len(hours) == 0 {
			hours = t.Hours
		}
		if !m.IsAway && isOnShift(hours, now) {
			return false, nil
		}
	}
	return len(members) > 0 || !isOnShift(t.Hours, now), nil
}
