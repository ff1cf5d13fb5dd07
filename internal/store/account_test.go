package store_test

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
)

func TestAccountIsStoredInFull(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		grant := parley.Credits(2500)
		a := &parley.Account{ID: "acc", Name: "Ärzte & Söhne", Plan: "standard", Credits: &grant, HIPAA: true,
			CreatedAt: testTime.Add(time.Minute)}
		fx.must(fx.CreateAccount(fx, a))
		got, err := fx.DB.Account(fx, a.ID)
		fx.must(err)
		if diff := cmp.Diff(a, got); diff != "" {
			fx.Error(diff)
		}
		list, err := fx.Accounts(fx)
		fx.must(err)
		if got := joinNames(list, func(a parley.Account) string { return a.Name }); got != "[Acme Ärzte & Söhne]" {
			fx.Error(got)
		}
		_, err = fx.DB.Account(fx, "nobody")
		fx.wantCode(err, parley.CodeAccountNotFound)
	})
}

func TestAccountUpdatesAreNotLost(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		for _, err := range runConcurrently(16, func(int) error {
			return fx.UpdateAccount(fx, fx.Account.ID, testTime, func(a *parley.Account) error {
				n, _ := strconv.Atoi(a.Name)
				a.Name = strconv.Itoa(n + 1)
				return nil
			})
		}) {
			fx.must(err)
		}
		refused := errors.New("refused")
		if err := fx.UpdateAccount(fx, fx.Account.ID, testTime, func(a *parley.Account) error {
			a.Name = "no"
			return refused
		}); !errors.Is(err, refused) {
			fx.Error(err)
		}
		got, err := fx.DB.Account(fx, fx.Account.ID)
		fx.must(err)
		if got.Name != "16" || got.Credits != nil {
			fx.Errorf("%+v", got)
		}
	})
}

func TestKeyIdentifiesItsAccount(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		until := testTime.Add(time.Hour)
		k := &parley.APIKey{ID: "k1", AccountID: fx.Account.ID, Name: "ci", Hash: "h1", Hint: "pk_abc", Source: "cli",
			Scopes: []parley.Scope{parley.AgentsRead}, CreatedAt: testTime, ExpiresAt: &until}
		full := &parley.APIKey{ID: "k2", AccountID: fx.Account.ID, Name: "full", Hash: "h2",
			CreatedAt: testTime.Add(time.Second)}
		fx.must(fx.CreateKey(fx, k))
		fx.must(fx.CreateKey(fx, full))
		got, err := fx.Credential(fx, "h1")
		fx.must(err)
		if diff := cmp.Diff(*k, got.Key) + cmp.Diff(*fx.Account, got.Account); diff != "" {
			fx.Error(diff)
		}
		_, err = fx.Credential(fx, "h3")
		fx.wantCode(err, parley.CodeKeyNotFound)

		fx.must(fx.TouchKeys(fx, map[parley.KeyID]time.Time{"k1": testTime.Add(time.Minute), "k2": testTime}))
		fx.must(fx.TouchKeys(fx, map[parley.KeyID]time.Time{"k1": testTime, "unknown": testTime}))
		list, err := fx.Keys(fx, fx.Account.ID)
		fx.must(err)
		if len(list) != 2 || !list[0].LastUsedAt.Equal(testTime.Add(time.Minute)) || list[1].Scopes != nil {
			fx.Errorf("%+v", list)
		}

		revoked, isNew, err := fx.RevokeKey(fx, "", "k1", testTime)
		fx.must(err)
		again, isNewAgain, err := fx.RevokeKey(fx, "", "k1", testTime.Add(time.Hour))
		fx.must(err)
		if !isNew || isNewAgain || !revoked.RevokedAt.Equal(testTime) || !again.RevokedAt.Equal(testTime) {
			fx.Errorf("revoked at %v, then %v", revoked.RevokedAt, again.RevokedAt)
		}
		_, _, err = fx.RevokeKey(fx, "", "k3", testTime)
		fx.wantCode(err, parley.CodeKeyNotFound)
		others, err := fx.Keys(fx, fx.createAccount("Other").ID)
		if err != nil || len(others) != 0 {
			fx.Error(others, err)
		}
	})
}

func TestMemberIsFoundIgnoringCase(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		add := func(account parley.AccountID, id parley.UserID, email string) (*parley.Membership, error) {
			m := &parley.Membership{AccountID: account, User: parley.User{ID: id, Email: email, Name: string(id),
				CreatedAt: testTime}, Role: parley.RoleAdmin, CreatedAt: testTime}
			return m, fx.AddMember(fx, m)
		}
		_, err := add(fx.Account.ID, "u1", "Ann@Example.org")
		fx.must(err)
		_, err = add(fx.Account.ID, "u2", "ann@example.ORG")
		fx.wantCode(err, parley.CodeAlreadyExists)
		second, err := add(fx.createAccount("Other").ID, "u3", "ANN@example.org")
		fx.must(err)
		if second.User.ID != "u1" || second.User.Name != "u1" {
			fx.Errorf("%+v", second.User)
		}
		list, err := fx.Members(fx, fx.Account.ID)
		fx.must(err)
		all, err := fx.Members(fx, "")
		fx.must(err)
		if len(list) != 1 || list[0].User.Email != "Ann@Example.org" || list[0].Role != parley.RoleAdmin || len(all) != 2 {
			fx.Errorf("%+v %+v", list, all)
		}
		_, err = add(fx.Account.ID, "u4", "ÖZGÜR@Example.org")
		fx.must(err)
		if m, err := fx.MemberByEmail(fx, fx.Account.ID, "Özgür@example.org", parley.CodeMemberNotFound); err != nil ||
			m.User.ID != "u4" {
			fx.Error("letters beyond ASCII have a case, too:", m, err)
		}
	})
}

func TestSettingIsCreatedOnce(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		values := make([]string, 8)
		for _, err := range runConcurrently(8, func(i int) (err error) {
			values[i], err = fx.EnsureSetting(fx, "cursor_key", func() string { return strconv.Itoa(i) })
			return err
		}) {
			fx.must(err)
		}
		for _, v := range values {
			if v == "" || v != values[0] {
				fx.Fatal(values)
			}
		}
	})
}
