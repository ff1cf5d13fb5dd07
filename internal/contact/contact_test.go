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
	"parley/internal/testkit"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.Main(m) }

// fixture is a book of an agent's contacts.
type fixture struct {
	testing.TB
	context.Context
	*contact.Service
	clock   *testkit.Clock
	account parley.AccountID
	agent   parley.AgentID
}

func forEachStore(t *testing.T, f func(w *fixture)) {
	t.Helper()
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) {
		w := &fixture{TB: t, Context: t.Context(), clock: testkit.NewClock(),
			account: parley.AccountID(parley.NewUUID()), agent: parley.NewAgentID()}
		w.Service = &contact.Service{DB: db, Now: w.clock.Now}
		now := w.clock.Now()
		w.must(db.CreateAccount(w, &parley.Account{ID: w.account, Name: "Acme", Plan: "unlimited", CreatedAt: now}))
		w.must(db.CreateAgent(w, &parley.Agent{ID: w.agent, AccountID: w.account, Name: "Guide", Model: "auto",
			Visibility: "private", RateLimit: parley.DefaultDeviceLimit(),
			IdentitySecret: "s", ConfigVersion: 1, CreatedAt: now, UpdatedAt: now}))
		f(w)
	})
}

func (w *fixture) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err, parley.AsError(err).Details)
	}
}

// newChange returns a change of the e-mail; an empty one leaves it.
func newChange(id, email string) contact.Change {
	c := contact.Change{ExternalID: id}
	if email != "" {
		c.Email = &email
	}
	return c
}

func (w *fixture) putContacts(changes ...contact.Change) []parley.Contact {
	w.Helper()
	list, err := w.Put(w, w.account.AgentRef(w.agent), changes)
	w.must(err)
	return list
}

// helpdeskService opens tickets of the same agent.
func (w *fixture) helpdeskService() *helpdesk.Service {
	return &helpdesk.Service{DB: w.DB, Secret: []byte("a secret of the helpdesk"), Now: w.clock.Now}
}

func (w *fixture) openTicket(email string) parley.Person {
	w.Helper()
	t, err := w.helpdeskService().Open(w, w.account.AgentRef(w.agent),
		helpdesk.NewTicket{Subject: "Help", Description: "It is broken.", Email: email, Name: "Ann"})
	w.must(err)
	return t.Customer
}

// The customer of a ticket becomes the contact that has the e-mail, and a contact the customer of its tickets.
func TestContactsAreCustomers(t *testing.T) {
	forEachStore(t, func(w *fixture) {
		customer := w.openTicket("ann@example.org")
		if _, total, err := w.DB.Contacts(w, w.account.AgentRef(w.agent), 0, 10); err != nil || total != 0 {
			t.Errorf("a customer without an id of the client's is a contact: %d %v", total, err)
		}
		ann := w.putContacts(newChange("u1", "ANN@example.org"))[0]
		if ann.ID != customer.ID || ann.Name != "Ann" || ann.ExternalID != "u1" {
			t.Errorf("%+v", ann)
		}
		bob := w.putContacts(newChange("u2", "bob@example.org"))[0]
		if got := w.openTicket("Bob@Example.org"); got.ID != bob.ID {
			t.Errorf("%+v", got)
		}
		_, err := w.Put(w, w.account.AgentRef(w.agent), []contact.Change{newChange("u2", "ann@example.org")})
		if !parley.IsCode(err, parley.CodeInvalidBody) {
			t.Errorf("two contacts with one e-mail: %v", err)
		}
	})
}

// A deleted contact is gone; the customer of a ticket stays with name and e-mail, and may become a contact again.
func TestADeletedContactLeavesItsTickets(t *testing.T) {
	forEachStore(t, func(w *fixture) {
		w.openTicket("ann@example.org")
		phone := "+44 1"
		change := newChange("u1", "ann@example.org")
		change.Phone = &phone
		ann, bob := w.putContacts(change)[0], w.putContacts(newChange("u2", "bob@example.org"))[0]
		for _, id := range []string{"u1", "u2"} {
			removed, err := w.Remove(w, w.account.AgentRef(w.agent), id)
			w.must(err)
			if removed.ExternalID != id {
				t.Errorf("%+v", removed)
			}
			if _, err := w.DB.Contact(w, w.account.AgentRef(w.agent), id); !parley.IsCode(err, parley.CodeNotFound) {
				t.Errorf("%s: %v", id, err)
			}
		}
		left, err := w.DB.Person(w, w.account.AgentRef(w.agent), ann.ID)
		w.must(err)
		if left.Email != "ann@example.org" || left.Name != "Ann" || left.ExternalID != "" || left.Phone != "" {
			t.Errorf("%+v", left)
		}
		if _, err := w.DB.Person(w, w.account.AgentRef(w.agent), bob.ID); !parley.IsCode(err, parley.CodeNotFound) {
			t.Errorf("%v", err)
		}
		if again := w.putContacts(newChange("u9", "ann@example.org"))[0]; again.ID != ann.ID {
			t.Errorf("%+v", again)
		}
	})
}

// A thousand contacts in a ring pass their e-mails on, each to the next, in one request.
func TestAThousandPassTheirAddressesOn(t *testing.T) {
	forEachStore(t, func(w *fixture) {
		const n = 1000
		list := make([]contact.Change, n)
		for i := range list {
			list[i] = newChange(fmt.Sprint("u", i), fmt.Sprintf("u%d@example.org", i))
		}
		before := w.putContacts(list...)
		for i := range list {
			list[i] = newChange(fmt.Sprint("u", i), fmt.Sprintf("U%d@example.org", (i+1)%n))
		}
		after := w.putContacts(list...)
		for i := range list {
			stored, err := w.DB.Contact(w, w.account.AgentRef(w.agent), fmt.Sprint("u", i))
			w.must(err)
			if want := fmt.Sprintf("U%d@example.org", (i+1)%n); stored.Email != want || stored.ID != before[i].ID ||
				after[i].ID != before[i].ID {
				t.Fatalf("%+v, want %s", stored, want)
			}
		}
		if _, total, err := w.DB.Contacts(w, w.account.AgentRef(w.agent), 0, 1); err != nil || total != n {
			t.Errorf("%d %v", total, err)
		}
	})
}

// Tickets and contacts for the same addresses at the same time: one person each, no failure, no ticket without its
// customer.
func TestContactsAndTicketsTogether(t *testing.T) {
	forEachStore(t, func(w *fixture) {
		const people, rounds = 8, 6
		errs := make(chan error, 3*people*rounds)
		tickets := w.helpdeskService()
		for range rounds {
			for i := range people {
				email := fmt.Sprintf("p%d@example.org", i)
				go func() {
					_, err := w.Put(w, w.account.AgentRef(w.agent), []contact.Change{newChange(fmt.Sprint("u", i), email)})
					errs <- err
				}()
				go func() {
					_, err := tickets.Open(w, w.account.AgentRef(w.agent), helpdesk.NewTicket{Subject: "Help",
						Description: "It is broken.", Email: strings.ToUpper(email)})
					errs <- err
				}()
				go func() {
					_, err := w.Remove(w, w.account.AgentRef(w.agent), fmt.Sprint("u", rand.IntN(people)))
					if parley.IsCode(err, parley.CodeNotFound) {
						err = nil
					}
					errs <- err
				}()
			}
		}
		for range 3 * people * rounds {
			w.must(<-errs)
		}
		orphans, err := sqldb.One(w, w.DB.SQL(), sqldb.Column[int],
			`select count(*) from tickets where person_id not in (select id from people)`)
		w.must(err)
		doubles, err := sqldb.One(w, w.DB.SQL(), sqldb.Column[int],
			`select count(*) - count(distinct lower(email)) from people`)
		w.must(err)
		if orphans+doubles > 0 {
			t.Errorf("%d tickets without a customer, %d people twice", orphans, doubles)
		}
	})
}

// What is known stays when an attribute is archived or unknown; a value of another kind is refused by name.
func TestAttributesOfAContact(t *testing.T) {
	forEachStore(t, func(w *fixture) {
		for name, kind := range map[string]parley.AttributeType{"plan": parley.AttributeText,
			"seats": parley.AttributeNumber, "paying": parley.AttributeBoolean, "since": parley.AttributeDate} {
			_, err := w.AddAttribute(w,
				parley.Attribute{AccountID: w.account, AgentID: w.agent, Name: name, Label: name, Type: kind})
			w.must(err)
		}
		set := func(values string) ([]parley.Contact, error) {
			c := contact.Change{ExternalID: "u1"}
			w.must(json.Unmarshal([]byte(values), &c.Attributes))
			return w.Put(w, w.account.AgentRef(w.agent), []contact.Change{c})
		}
		list, err := set(`{"plan": "gold\u0000", "seats": -1.5e3, "paying": false, "since": ` +
			`"2026-01-31T10:00:00Z", "unknown": {"a": 1}}`)
		w.must(err)
		if got := string(list[0].Attributes); got != `{"paying":false,"plan":"gold","seats":-1.5e3,`+
			`"since":"2026-01-31T10:00:00Z"}` {
			t.Error(got)
		}
		archived := true
		_, err = w.ChangeAttribute(w, w.account.AgentRef(w.agent), "plan", contact.AttributeChange{Archived: &archived})
		w.must(err)
		for name, value := range map[string]string{"plan": `null`, "seats": `"5"`, "paying": `0`, "since": `"2026-02-30"`} {
			_, err := set(fmt.Sprintf(`{%q: %s}`, name, value))
			if !parley.IsCode(err, parley.CodeInvalidBody) ||
				parley.AsError(err).Details["users.0.custom_attributes."+name] == "" {
				t.Errorf("%s %s: %v", name, value, err)
			}
		}
		list, err = set(`{"seats": null, "unknown": 1}`)
		w.must(err)
		if got := string(list[0].Attributes); got != `{"paying":false,"plan":"gold","since":"2026-01-31T10:00:00Z"}` {
			t.Error(got)
		}
	})
}

// Nobody reaches the contacts or attributes of another agent or account.
func TestContactsOfOthers(t *testing.T) {
	forEachStore(t, func(w *fixture) {
		w.putContacts(newChange("u1", "ann@example.org"))
		for name, owner := range map[string]struct {
			account parley.AccountID
			agent   parley.AgentID
		}{"another account": {parley.AccountID(parley.NewUUID()), w.agent}, "another agent": {w.account, "nobody"}} {
			_, putErr := w.Put(w, owner.account.AgentRef(owner.agent), []contact.Change{newChange("u1", "")})
			_, changeErr := w.Change(w, owner.account.AgentRef(owner.agent), newChange("u1", ""))
			_, removeErr := w.Remove(w, owner.account.AgentRef(owner.agent), "u1")
			_, addErr := w.AddAttribute(w, parley.Attribute{AccountID: owner.account, AgentID: owner.agent,
				Name: "plan", Type: parley.AttributeText})
			for _, err := range []error{putErr, changeErr, removeErr, addErr} {
				if !parley.IsCode(err, parley.CodeAgentNotFound) {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
		if _, err := w.Change(w, w.account.AgentRef(w.agent), newChange("u2", "")); !parley.IsCode(err, parley.CodeNotFound) {
			t.Errorf("one that is not there: %v", err)
		}
	})
}
