package store_test

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
)

func TestAccountKeepsWhatItWasGiven(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		grant := parley.Credits(2500)
		a := &parley.Account{ID: "acc", Name: "Ärzte & Söhne", Plan: "standard", Credits: &grant, HIPAA: true,
			CreatedAt: testTime.Add(time.Minute)}
		w.must(w.CreateAccount(w, a))
		got, err := w.DB.Account(w, a.ID)
		w.must(err)
		if diff := cmp.Diff(a, got); diff != "" {
			w.Error(diff)
		}
		list, err := w.Accounts(w)
		w.must(err)
		if got := joinNames(list, func(a parley.Account) string { return a.Name }); got != "[Acme Ärzte & Söhne]" {
			w.Error(got)
		}
		_, err = w.DB.Account(w, "nobody")
		w.wantCode(err, parley.CodeAccountNotFound)
	})
}

func TestAccountUpdatesAreNotLost(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		for _, err := range runConcurrently(16, func(int) error {
			return w.UpdateAccount(w, w.Account.ID, testTime, func(a *parley.Account) error {
				n, _ := strconv.Atoi(a.Name)
				a.Name = strconv.Itoa(n + 1)
				return nil
			})
		}) {
			w.must(err)
		}
		refused := errors.New("refused")
		if err := w.UpdateAccount(w, w.Account.ID, testTime, func(a *parley.Account) error {
			a.Name = "no"
			return refused
		}); !errors.Is(err, refused) {
			w.Error(err)
		}
		got, err := w.DB.Account(w, w.Account.ID)
		w.must(err)
		if got.Name != "16" || got.Credits != nil {
			w.Errorf("%+v", got)
		}
	})
}

func TestKeyOpensItsAccount(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		until := testTime.Add(time.Hour)
		k := &parley.APIKey{ID: "k1", AccountID: w.Account.ID, Name: "ci", Hash: "h1", Hint: "pk_abc", Source: "cli",
			Scopes: []parley.Scope{parley.AgentsRead}, CreatedAt: testTime, ExpiresAt: &until}
		full := &parley.APIKey{ID: "k2", AccountID: w.Account.ID, Name: "full", Hash: "h2",
			CreatedAt: testTime.Add(time.Second)}
		w.must(w.CreateKey(w, k))
		w.must(w.CreateKey(w, full))
		got, err := w.Credential(w, "h1")
		w.must(err)
		if diff := cmp.Diff(*k, got.Key) + cmp.Diff(*w.Account, got.Account); diff != "" {
			w.Error(diff)
		}
		_, err = w.Credential(w, "h3")
		w.wantCode(err, parley.CodeKeyNotFound)

		w.must(w.TouchKeys(w, map[parley.KeyID]time.Time{"k1": testTime.Add(time.Minute), "k2": testTime}))
		w.must(w.TouchKeys(w, map[parley.KeyID]time.Time{"k1": testTime, "unknown": testTime}))
		list, err := w.Keys(w, w.Account.ID)
		w.must(err)
		if len(list) != 2 || !list[0].LastUsedAt.Equal(testTime.Add(time.Minute)) || list[1].Scopes != nil {
			w.Errorf("%+v", list)
		}

		revoked, err := w.RevokeKey(w, "k1", testTime)
		w.must(err)
		again, err := w.RevokeKey(w, "k1", testTime.Add(time.Hour))
		w.must(err)
		if !revoked.RevokedAt.Equal(testTime) || !again.RevokedAt.Equal(testTime) {
			w.Errorf("revoked at %v, then %v", revoked.RevokedAt, again.RevokedAt)
		}
		_, err = w.RevokeKey(w, "k3", testTime)
		w.wantCode(err, parley.CodeKeyNotFound)
		others, err := w.Keys(w, w.createAccount("Other").ID)
		if err != nil || len(others) != 0 {
			w.Error(others, err)
		}
	})
}

func TestMemberIsFoundWhateverTheCase(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		add := func(account parley.AccountID, id parley.UserID, email string) (*parley.Membership, error) {
			m := &parley.Membership{AccountID: account, User: parley.User{ID: id, Email: email, Name: string(id),
				CreatedAt: testTime}, Role: parley.RoleAdmin, CreatedAt: testTime}
			return m, w.AddMember(w, m)
		}
		_, err := add(w.Account.ID, "u1", "Ann@Example.org")
		w.must(err)
		_, err = add(w.Account.ID, "u2", "ann@example.ORG")
		w.wantCode(err, parley.CodeAlreadyExists)
		second, err := add(w.createAccount("Other").ID, "u3", "ANN@example.org")
		w.must(err)
		if second.User.ID != "u1" || second.User.Name != "u1" {
			w.Errorf("%+v", second.User)
		}
		list, err := w.Members(w, w.Account.ID)
		w.must(err)
		all, err := w.Members(w, "")
		w.must(err)
		if len(list) != 1 || list[0].User.Email != "Ann@Example.org" || list[0].Role != parley.RoleAdmin || len(all) != 2 {
			w.Errorf("%+v %+v", list, all)
		}
		_, err = add(w.Account.ID, "u4", "ÖZGÜR@Example.org")
		w.must(err)
		if m, err := w.MemberByEmail(w, w.Account.ID, "Özgür@example.org", parley.CodeMemberNotFound); err != nil ||
			m.User.ID != "u4" {
			w.Error("letters beyond ASCII have a case, too:", m, err)
		}
	})
}

func TestSettingIsMadeOnce(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		values := make([]string, 8)
		for _, err := range runConcurrently(8, func(i int) (err error) {
			values[i], err = w.EnsureSetting(w, "cursor_key", func() string { return strconv.Itoa(i) })
			return err
		}) {
			w.must(err)
		}
		for _, v := range values {
			if v == "" || v != values[0] {
				w.Fatal(values)
			}
		}
	})
}
