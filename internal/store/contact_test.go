package store_test

import (
	"testing"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

func (fx *fixture) newPerson(email, external string) parley.Person {
	return parley.Person{ID: parley.PersonID(parley.NewUUID()), AccountID: fx.Account.ID, AgentID: fx.Agent.ID,
		Email: email, ExternalID: external, Name: "Ann", CreatedAt: testTime, UpdatedAt: testTime}
}

func (fx *fixture) addPerson(p parley.Person) (parley.Person, error) {
	var added parley.Person
	err := fx.Transact(fx, sqldb.Interactive, func(tx *store.DB) error {
		added = p
		return tx.AddPerson(fx, &added)
	})
	return added, err
}

func TestPeopleAreFoundOrCreated(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		ids := make([]parley.PersonID, 32)
		for _, err := range runConcurrently(32, func(i int) error {
			address, external := "Ann@Example.com", ""
			if i%2 == 1 {
				address, external = "", "user-1"
			}
			p, err := fx.addPerson(fx.newPerson(address, external))
			ids[i] = p.ID
			return err
		}) {
			fx.must(err)
		}
		for i, id := range ids {
			if id != ids[i%2] {
				fx.Fatal("two people for one identity")
			}
		}
		if ids[0] == ids[1] {
			fx.Error("two people became one")
		}
		for _, anonymous := range []parley.Person{fx.newPerson("", ""), fx.newPerson("", "")} {
			if p, err := fx.addPerson(anonymous); err != nil || p.ID != anonymous.ID {
				fx.Error(p, err)
			}
		}
		found, err := fx.PersonByEmail(fx, fx.Account.ID.AgentRef(fx.Agent.ID), "ANN@example.COM")
		fx.must(err)
		if found.ID != ids[0] || found.Email == "" || string(found.Attributes) != "{}" {
			fx.Errorf("%+v", found)
		}
		known, err := fx.PersonByExternalID(fx, fx.Account.ID.AgentRef(fx.Agent.ID), "user-1")
		fx.must(err)
		if known.ID != ids[1] {
			fx.Errorf("%+v", known)
		}
		found.Phone, found.Name = "+49 30 1234", ""
		fx.must(fx.UpdatePerson(fx, found))
		again, err := fx.Person(fx, fx.Account.ID.AgentRef(fx.Agent.ID), found.ID)
		fx.must(err)
		if again.Phone != found.Phone || again.Name != "" {
			fx.Errorf("%+v", again)
		}
		known.Email = "ann@EXAMPLE.com"
		fx.wantCode(fx.UpdatePerson(fx, known), parley.CodeAlreadyExists)
		other := fx.createAccount("Other")
		_, err = fx.Person(fx, other.ID.AgentRef(fx.Agent.ID), found.ID)
		fx.wantCode(err, parley.CodeNotFound)
		found.AccountID = other.ID
		fx.wantCode(fx.UpdatePerson(fx, found), parley.CodeNotFound)
		if page, err := fx.People(fx, fx.Account.ID.AgentRef(fx.Agent.ID), "", parley.PageRequest{Limit: 3}); err != nil ||
			page.Total != 4 || len(page.Items) != 3 || page.Next == nil {
			fx.Errorf("%+v %v", page, err)
		}
	})
}
