package store_test

import (
	"fmt"
	"strings"
	"testing"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/dbs"
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

func TestCustomersAreFoundByTheBeginningOfTheirNameAndAddress(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		anna, berg := fx.newPerson("anna@x.example", ""), fx.newPerson("berg@x.example", "")
		anna.Name, berg.Name = "Anna Berg", "Bert_ Anders"
		for _, p := range []parley.Person{anna, berg} {
			_, err := fx.addPerson(p)
			fx.must(err)
		}
		for text, want := range map[string]int{"an": 1, "ANNA@": 1, "berg": 1, "ber": 1, "bert_": 1, "bert%": 0, "nna": 0,
			"b": 1} {
			found, err := fx.FindCustomers(fx, fx.Account.ID.AgentRef(fx.Agent.ID), text, 10)
			if fx.must(err); len(found) != want {
				fx.Errorf("%q finds %d, want %d", text, len(found), want)
			}
		}
		if fx.SQL().Dialect() == sqldb.Postgres {
			fx.checkCustomersPlan()
		}
	})
	t.Run("steps", func(t *testing.T) {
		file := dbs.NewSQLitePath(t)
		dbs.WriteMigratedSQLite(t, file)
		fx := newFixture(t, store.New(dbs.Open(t, file)))
		count := func() (n int) {
			for _, column := range []string{"name", "email"} {
				query, args := fx.CustomersQuery(fx.Account.ID.AgentRef(fx.Agent.ID), column, "anna")
				n += dbs.CountSteps(t, file, query, args...)
			}
			query, args := store.ConversationsOfPersonQuery(fx.Account.ID.AgentRef(fx.Agent.ID), "nobody")
			return n + dbs.CountSteps(t, file, query, args...)
		}
		few := count()
		for i := range 200 {
			fx.must(fx.AddLead(fx, &parley.Lead{ID: parley.NewUUID(), AccountID: fx.Account.ID, AgentID: fx.Agent.ID,
				ConversationID: fx.createEmptyConversation(), Name: fmt.Sprint("Bob ", i),
				Email: fmt.Sprintf("bob%d@x.example", i), CreatedAt: testTime}))
		}
		if n := count(); n > few+50 {
			t.Errorf("%d steps with 200 others, %d without", n, few)
		}
	})
}

// checkCustomersPlan checks that PostgreSQL finds people by the beginning of a column in the column's index.
func (fx *fixture) checkCustomersPlan() {
	fx.Helper()
	for column, index := range map[string]string{"name": "people_names", "email": "people_addresses"} {
		query, args := fx.CustomersQuery(fx.Account.ID.AgentRef(fx.Agent.ID), column, "anna")
		fx.must(fx.Transact(fx, sqldb.Interactive, func(tx *store.DB) error {
			if _, err := tx.SQL().Exec(fx, `set local enable_seqscan = off`); err != nil {
				return err
			}
			plan, err := sqldb.All(fx, tx.SQL(), sqldb.Column[string], `explain (costs off) `+query, args...)
			if text := strings.Join(plan, "\n"); err == nil && !strings.Contains(text, index) {
				fx.Errorf("by %s: %s", column, text)
			}
			return err
		}))
	}
}
