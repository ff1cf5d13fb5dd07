package store_test

import (
	"testing"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

func (w *fixture) newPerson(email, external string) parley.Person {
	return parley.Person{ID: parley.PersonID(parley.NewUUID()), AccountID: w.Account.ID, AgentID: w.Agent.ID,
		Email: email, ExternalID: external, Name: "Ann", CreatedAt: testTime, UpdatedAt: testTime}
}

func (w *fixture) addPerson(p parley.Person) (parley.Person, error) {
	var added parley.Person
	err := w.Transact(w, sqldb.Interactive, func(tx *store.DB) error {
		added = p
		return tx.AddPerson(w, &added)
	})
	return added, err
}

func TestPeopleAreFoundOrCreated(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		ids := make([]parley.PersonID, 32)
		for _, err := range runConcurrently(32, func(i int) error {
			address, external := "Ann@Example.com", ""
			if i%2 == 1 {
				address, external = "", "user-1"
			}
			p, err := w.addPerson(w.newPerson(address, external))
			ids[i] = p.ID
			return err
		}) {
			w.must(err)
		}
		for i, id := range ids {
			if id != ids[i%2] {
				w.Fatal("two people for one identity")
			}
		}
		if ids[0] == ids[1] {
			w.Error("two people became one")
		}
		for _, anonymous := range []parley.Person{w.newPerson("", ""), w.newPerson("", "")} {
			if p, err := w.addPerson(anonymous); err != nil || p.ID != anonymous.ID {
				w.Error(p, err)
			}
		}
		found, err := w.PersonByEmail(w, w.Account.ID.AgentRef(w.Agent.ID), "ANN@example.COM")
		w.must(err)
		if found.ID != ids[0] || found.Email == "" || string(found.Attributes) != "{}" {
			w.Errorf("%+v", found)
		}
		known, err := w.PersonByExternalID(w, w.Account.ID.AgentRef(w.Agent.ID), "user-1")
		w.must(err)
		if known.ID != ids[1] {
			w.Errorf("%+v", known)
		}
		found.Phone, found.Name = "+49 30 1234", ""
		w.must(w.UpdatePerson(w, found))
		again, err := w.Person(w, w.Account.ID.AgentRef(w.Agent.ID), found.ID)
		w.must(err)
		if again.Phone != found.Phone || again.Name != "" {
			w.Errorf("%+v", again)
		}
		known.Email = "ann@EXAMPLE.com"
		w.wantCode(w.UpdatePerson(w, known), parley.CodeAlreadyExists)
		other := w.createAccount("Other")
		_, err = w.Person(w, other.ID.AgentRef(w.Agent.ID), found.ID)
		w.wantCode(err, parley.CodeNotFound)
		found.AccountID = other.ID
		w.wantCode(w.UpdatePerson(w, found), parley.CodeNotFound)
		if page, err := w.People(w, w.Account.ID.AgentRef(w.Agent.ID), parley.PageRequest{Limit: 3}); err != nil ||
			page.Total != 4 || len(page.Items) != 3 || page.Next == nil {
			w.Errorf("%+v %v", page, err)
		}
	})
}
