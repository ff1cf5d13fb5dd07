package contact_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"parley"
	"parley/internal/contact"
	"parley/internal/helpdesk"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.Main(m) }

// fixture is the contact service of an agent.
type fixture struct {
	check.T
	context.Context
	*contact.Service
	clock   *clock.Clock
	account parley.AccountID
	agent   parley.AgentID
}

func forEachStore(t *testing.T, do func(f *fixture)) {
	t.Helper()
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) {
		f := &fixture{T: check.T{TB: t}, Context: t.Context(), clock: clock.New()}
		f.Service = &contact.Service{DB: db, Now: f.clock.Now}
		now := f.clock.Now()
		f.account = dbs.CreateAccount(t, db, "unlimited", now).ID
		f.agent = dbs.CreateAgent(t, db, dbs.NewAgent(f.account, now))
		do(f)
	})
}

// newChange returns a change of the e-mail; an empty one leaves it.
func newChange(id, email string) contact.Change {
	c := contact.Change{ExternalID: id}
	if email != "" {
		c.Email = &email
	}
	return c
}

func (f *fixture) putContacts(changes ...contact.Change) []parley.Contact {
	f.Helper()
	list, err := f.Put(f, f.account.AgentRef(f.agent), changes)
	f.Must(err)
	return list
}

// helpdeskService opens tickets of the same agent.
func (f *fixture) helpdeskService() *helpdesk.Service {
	return &helpdesk.Service{DB: f.DB, Secret: []byte("a secret of the helpdesk"), Now: f.clock.Now}
}

func (f *fixture) openTicket(email string) parley.Person {
	f.Helper()
	t, err := f.helpdeskService().Open(f, f.account.AgentRef(f.agent),
		helpdesk.NewTicket{Subject: "Help", Description: "It is broken.", Email: email, Name: "Ann"})
	f.Must(err)
	return t.Customer
}

// The customer of a ticket becomes the contact with the same e-mail address, and a contact the customer of its tickets.
func TestContactsAreCustomers(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		customer := f.openTicket("ann@example.org")
		if _, total, err := f.DB.Contacts(f, f.account.AgentRef(f.agent), 0, 10); err != nil || total != 0 {
			t.Errorf("a customer without an id of the client's is a contact: %d %v", total, err)
		}
		ann := f.putContacts(newChange("u1", "ANN@example.org"))[0]
		if ann.ID != customer.ID || ann.Name != "Ann" || ann.ExternalID != "u1" {
			t.Errorf("%+v", ann)
		}
		bob := f.putContacts(newChange("u2", "bob@example.org"))[0]
		if got := f.openTicket("Bob@Example.org"); got.ID != bob.ID {
			t.Errorf("%+v", got)
		}
		_, err := f.Put(f, f.account.AgentRef(f.agent), []contact.Change{newChange("u2", "ann@example.org")})
		if !parley.IsCode(err, parley.CodeInvalidBody) {
			t.Errorf("two contacts with one e-mail: %v", err)
		}
	})
}

// When a contact is deleted, the customer of its tickets stays with name and e-mail, and may become a contact again.
func TestDeletedContactKeepsItsTickets(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		f.openTicket("ann@example.org")
		phone := "+44 1"
		change := newChange("u1", "ann@example.org")
		change.Phone = &phone
		ann, bob := f.putContacts(change)[0], f.putContacts(newChange("u2", "bob@example.org"))[0]
		for _, id := range []string{"u1", "u2"} {
			removed, err := f.Remove(f, f.account.AgentRef(f.agent), id)
			f.Must(err)
			if removed.ExternalID != id {
				t.Errorf("%+v", removed)
			}
			if _, err := f.DB.Contact(f, f.account.AgentRef(f.agent), id); !parley.IsCode(err, parley.CodeNotFound) {
				t.Errorf("%s: %v", id, err)
			}
		}
		left, err := f.DB.Person(f, f.account.AgentRef(f.agent), ann.ID)
		f.Must(err)
		if left.Email != "ann@example.org" || left.Name != "Ann" || left.ExternalID != "" || left.Phone != "" {
			t.Errorf("%+v", left)
		}
		if _, err := f.DB.Person(f, f.account.AgentRef(f.agent), bob.ID); !parley.IsCode(err, parley.CodeNotFound) {
			t.Errorf("%v", err)
		}
		if again := f.putContacts(newChange("u9", "ann@example.org"))[0]; again.ID != ann.ID {
			t.Errorf("%+v", again)
		}
	})
}

// In one request a thousand contacts each take the e-mail of the one before them.
func TestContactsExchangeEmailsInOneRequest(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		const n = 1000
		list := make([]contact.Change, n)
		for i := range list {
			list[i] = newChange(fmt.Sprint("u", i), fmt.Sprintf("u%d@example.org", i))
		}
		before := f.putContacts(list...)
		for i := range list {
			list[i] = newChange(fmt.Sprint("u", i), fmt.Sprintf("U%d@example.org", (i+1)%n))
		}
		after := f.putContacts(list...)
		for i := range list {
			stored, err := f.DB.Contact(f, f.account.AgentRef(f.agent), fmt.Sprint("u", i))
			f.Must(err)
			if want := fmt.Sprintf("U%d@example.org", (i+1)%n); stored.Email != want || stored.ID != before[i].ID ||
				after[i].ID != before[i].ID {
				t.Fatalf("%+v, want %s", stored, want)
			}
		}
		if _, total, err := f.DB.Contacts(f, f.account.AgentRef(f.agent), 0, 1); err != nil || total != n {
			t.Errorf("%d %v", total, err)
		}
	})
}

// If tickets and contacts for the same addresses are created at the same time, there is one person for each address, no
// failure, and no ticket without its customer.
func TestConcurrentContactsAndTickets(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		const people, rounds = 8, 6
		errs := make(chan error, 3*people*rounds)
		tickets := f.helpdeskService()
		for range rounds {
			for i := range people {
				email := fmt.Sprintf("p%d@example.org", i)
				go func() {
					_, err := f.Put(f, f.account.AgentRef(f.agent), []contact.Change{newChange(fmt.Sprint("u", i), email)})
					errs <- err
				}()
				go func() {
					_, err := tickets.Open(f, f.account.AgentRef(f.agent), helpdesk.NewTicket{Subject: "Help",
						Description: "It is broken.", Email: strings.ToUpper(email)})
					errs <- err
				}()
				go func() {
					_, err := f.Remove(f, f.account.AgentRef(f.agent), fmt.Sprint("u", rand.IntN(people)))
					if parley.IsCode(err, parley.CodeNotFound) {
						err = nil
					}
					errs <- err
				}()
			}
		}
		for range 3 * people * rounds {
			f.Must(<-errs)
		}
		orphans, err := sqldb.One(f, f.DB.SQL(), sqldb.Column[int],
			`select count(*) from tickets where person_id not in (select id from people)`)
		f.Must(err)
		duplicates, err := sqldb.One(f, f.DB.SQL(), sqldb.Column[int],
			`select count(*) - count(distinct lower(email)) from people`)
		f.Must(err)
		if orphans+duplicates > 0 {
			t.Errorf("%d tickets without a customer, %d people twice", orphans, duplicates)
		}
	})
}

// Values are kept if their attribute is archived or unknown; a value of another type is a fault of the attribute.
func TestAttributesOfAContact(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		for name, kind := range map[string]parley.AttributeType{"plan": parley.AttributeText,
			"seats": parley.AttributeNumber, "paying": parley.AttributeBoolean, "since": parley.AttributeDate} {
			_, err := f.AddAttribute(f,
				parley.Attribute{AccountID: f.account, AgentID: f.agent, Name: name, Label: name, Type: kind})
			f.Must(err)
		}
		set := func(values string) ([]parley.Contact, error) {
			c := contact.Change{ExternalID: "u1"}
			f.Must(json.Unmarshal([]byte(values), &c.Attributes))
			return f.Put(f, f.account.AgentRef(f.agent), []contact.Change{c})
		}
		list, err := set(`{"plan": "gold\u0000", "seats": -1.5e3, "paying": false, "since": ` +
			`"2026-01-31T10:00:00Z", "unknown": {"a": 1}}`)
		f.Must(err)
		if got := string(list[0].Attributes); got != `{"paying":false,"plan":"gold","seats":-1.5e3,`+
			`"since":"2026-01-31T10:00:00Z"}` {
			t.Error(got)
		}
		archived := true
		_, err = f.ChangeAttribute(f, f.account.AgentRef(f.agent), "plan", contact.AttributeChange{Archived: &archived})
		f.Must(err)
		for name, value := range map[string]string{"plan": `null`, "seats": `"5"`, "paying": `0`, "since": `"2026-02-30"`} {
			_, err := set(fmt.Sprintf(`{%q: %s}`, name, value))
			if !parley.IsCode(err, parley.CodeInvalidBody) ||
				parley.AsError(err).Details["users.0.custom_attributes."+name] == "" {
				t.Errorf("%s %s: %v", name, value, err)
			}
		}
		list, err = set(`{"seats": null, "unknown": 1}`)
		f.Must(err)
		if got := string(list[0].Attributes); got != `{"paying":false,"plan":"gold","since":"2026-01-31T10:00:00Z"}` {
			t.Error(got)
		}
	})
}

// Contacts and attributes of another agent or account are not found.
func TestContactsOfOtherAgentsAreNotFound(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		f.putContacts(newChange("u1", "ann@example.org"))
		for name, owner := range map[string]struct {
			account parley.AccountID
			agent   parley.AgentID
		}{"another account": {parley.AccountID(parley.NewUUID()), f.agent}, "another agent": {f.account, "nobody"}} {
			_, putErr := f.Put(f, owner.account.AgentRef(owner.agent), []contact.Change{newChange("u1", "")})
			_, changeErr := f.Change(f, owner.account.AgentRef(owner.agent), newChange("u1", ""))
			_, removeErr := f.Remove(f, owner.account.AgentRef(owner.agent), "u1")
			_, addErr := f.AddAttribute(f, parley.Attribute{AccountID: owner.account, AgentID: owner.agent,
				Name: "plan", Type: parley.AttributeText})
			for _, err := range []error{putErr, changeErr, removeErr, addErr} {
				if !parley.IsCode(err, parley.CodeAgentNotFound) {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
		if _, err := f.Change(f, f.account.AgentRef(f.agent), newChange("u2", "")); !parley.IsCode(err, parley.CodeNotFound) {
			t.Errorf("a missing contact: %v", err)
		}
	})
}
