package access_test

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
)

func TestAccountsAreCreatedAndChanged(t *testing.T) {
	forEachStore(t, func(d *fixture) {
		grant := 10 * parley.Credit
		a, key, err := d.CreateAccount(d.Context(), access.NewAccount{Name: " Acme ", Credits: &grant, HIPAA: true})
		d.must(err)
		if a.Plan != access.DefaultPlan || a.Name != "Acme" || !strings.HasPrefix(key, "pk_") {
			d.Errorf("%+v %q", a, key)
		}
		plan, no := "free", false
		changed, err := d.UpdateAccount(d.Context(), a.ID, access.AccountChange{Plan: &plan, HIPAA: &no})
		d.must(err)
		list, err := d.List(d.Context())
		d.must(err)
		if len(list) != 1 || list[0].Plan != changed.Plan || changed.Plan != "free" || changed.HIPAA ||
			*changed.Credits != grant {
			d.Errorf("%+v %+v", list, changed)
		}
		rows, _, err := d.DB.VerifyAuditChain(d.Context(), a.ID)
		d.must(err)
		acts, err := d.DB.AuditEvents(d.Context(), a.ID, 0, 10)
		d.must(err)
		if rows != 3 || acts[0].Action != "account.create" || acts[1].Action != "key.create" ||
			acts[2].Action != "account.update" || acts[0].Actor != "operator" {
			d.Errorf("%+v", acts)
		}
		for _, act := range acts {
			if strings.Contains(act.Details, key) || strings.Contains(act.Details, access.Hash(key)) {
				d.Error("the audit chain tells the key:", act.Details)
			}
		}
	})
}

func TestAccountsNameEveryFault(t *testing.T) {
	forEachStore(t, func(d *fixture) {
		minus := -parley.Credit
		_, _, err := d.CreateAccount(d.Context(),
			access.NewAccount{Name: strings.Repeat("é", 101), Plan: "gold", Credits: &minus})
		d.wantCode(err, parley.CodeInvalidBody, "name", "plan", "credits")
		_, _, err = d.CreateAccount(d.Context(), access.NewAccount{Name: "a\x00b"})
		d.wantCode(err, parley.CodeInvalidBody, "name")
		_, err = d.UpdateAccount(d.Context(), "nobody", access.AccountChange{})
		d.wantCode(err, parley.CodeAccountNotFound)

		a, _ := d.createAccount("")
		gold := "gold"
		_, err = d.UpdateAccount(d.Context(), a.ID, access.AccountChange{Plan: &gold})
		d.wantCode(err, parley.CodeInvalidBody, "plan")
		now := d.now()
		_, _, err = d.CreateKey(d.Context(),
			access.NewKeyRequest{AccountID: a.ID, Scopes: []parley.Scope{"agents:all"}, ExpiresAt: &now})
		d.wantCode(err, parley.CodeInvalidBody, "scopes", "expires")
		_, _, err = d.CreateKey(d.Context(), access.NewKeyRequest{AccountID: a.ID, Scopes: []parley.Scope{}})
		d.wantCode(err, parley.CodeInvalidBody, "scopes")
		_, _, err = d.CreateKey(d.Context(), access.NewKeyRequest{AccountID: "nobody"})
		d.wantCode(err, parley.CodeAccountNotFound)
		_, err = d.RevokeKey(d.Context(), "nobody")
		d.wantCode(err, parley.CodeKeyNotFound)
		_, err = d.Keys(d.Context(), "nobody")
		d.wantCode(err, parley.CodeAccountNotFound)
		for _, email := range []string{"", "ann", "ann@", "ann@host", "@a.org", "Ann <ann@a.org>", "an n@a.org",
			"änn@a.org", "ann@a.org\n", strings.Repeat("a", 250) + "@a.org"} {
			_, err = d.AddMember(d.Context(), access.NewMember{AccountID: a.ID, Email: email, Name: "Ann", Role: "king"})
			d.wantCode(err, parley.CodeInvalidBody, "role")
			if email != "ann@a.org\n" { // trimmed
				d.wantCode(err, parley.CodeInvalidBody, "email")
			}
		}
	})
}

func TestAccountsKeepKeysAndMembers(t *testing.T) {
	forEachStore(t, func(d *fixture) {
		a, _ := d.createAccount("")
		until := d.now().Add(time.Hour)
		record, key, err := d.CreateKey(d.Context(), access.NewKeyRequest{AccountID: a.ID, Name: "ci", ExpiresAt: &until,
			Scopes: []parley.Scope{parley.SourcesRead, parley.AgentsRead, parley.SourcesRead}})
		d.must(err)
		if record.Hash != access.Hash(key) || !strings.HasPrefix(key, record.Hint) || len(record.Hint) > 10 ||
			len(record.Scopes) != 2 {
			d.Errorf("%+v", record)
		}
		m, err := d.AddMember(d.Context(), access.NewMember{AccountID: a.ID, Email: "ann.o'neil+x@example.org", Name: "Ann"})
		d.must(err)
		if m.Role != parley.RoleAgent || !parley.IsUUID(string(m.User.ID)) {
			d.Errorf("%+v", m)
		}
		_, err = d.AddMember(d.Context(), access.NewMember{AccountID: a.ID, Email: "ANN.o'neil+x@example.org", Name: "Ann"})
		d.wantCode(err, parley.CodeAlreadyExists)
		keys, err := d.Keys(d.Context(), a.ID)
		d.must(err)
		members, err := d.Members(d.Context(), a.ID)
		d.must(err)
		if len(keys) != 2 || len(members) != 1 {
			d.Errorf("%d keys, %d members", len(keys), len(members))
		}
	})
}
