package access_test

import (
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
)

func TestAccountsAreCreatedAndChanged(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		grant := 10 * parley.Credit
		a, key, err := f.CreateAccount(f.Context(), access.NewAccount{Name: " Acme ", Credits: &grant, HIPAA: true})
		f.Must(err)
		if a.Plan != access.DefaultPlan || a.Name != "Acme" || !strings.HasPrefix(key, "pk_") {
			f.Errorf("%+v %q", a, key)
		}
		plan, off := "free", false
		changed, err := f.UpdateAccount(f.Context(), a.ID, access.AccountChange{Plan: &plan, HIPAA: &off})
		f.Must(err)
		list, err := f.List(f.Context())
		f.Must(err)
		if len(list) != 1 || list[0].Plan != changed.Plan || changed.Plan != "free" || changed.HIPAA ||
			*changed.Credits != grant {
			f.Errorf("%+v %+v", list, changed)
		}
		rows, _, err := f.DB.VerifyAuditChain(f.Context(), a.ID)
		f.Must(err)
		acts, err := f.DB.AuditEvents(f.Context(), a.ID, 0, 10)
		f.Must(err)
		if rows != 3 || acts[0].Action != "account.create" || acts[1].Action != "key.create" ||
			acts[2].Action != "account.update" || acts[0].Actor != "operator" {
			f.Errorf("%+v", acts)
		}
		for _, act := range acts {
			if strings.Contains(act.Details, key) || strings.Contains(act.Details, access.Hash(key)) {
				f.Error("the audit chain contains the key:", act.Details)
			}
		}
	})
}

func TestInvalidAccountsNameEveryFault(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		minus := -parley.Credit
		_, _, err := f.CreateAccount(f.Context(),
			access.NewAccount{Name: strings.Repeat("é", 101), Plan: "gold", Credits: &minus})
		f.WantCode(err, parley.CodeInvalidBody, "name", "plan", "credits")
		_, _, err = f.CreateAccount(f.Context(), access.NewAccount{Name: "a\x00b"})
		f.WantCode(err, parley.CodeInvalidBody, "name")
		_, err = f.UpdateAccount(f.Context(), "nobody", access.AccountChange{})
		f.WantCode(err, parley.CodeAccountNotFound)

		a, _ := f.createAccount("")
		gold := "gold"
		_, err = f.UpdateAccount(f.Context(), a.ID, access.AccountChange{Plan: &gold})
		f.WantCode(err, parley.CodeInvalidBody, "plan")
		now := f.clock.Now()
		_, _, err = f.CreateKey(f.Context(),
			access.NewKeyRequest{AccountID: a.ID, Scopes: []parley.Scope{"agents:all"}, ExpiresAt: &now})
		f.WantCode(err, parley.CodeInvalidBody, "scopes", "expires")
		_, _, err = f.CreateKey(f.Context(), access.NewKeyRequest{AccountID: a.ID, Scopes: []parley.Scope{}})
		f.WantCode(err, parley.CodeInvalidBody, "scopes")
		_, _, err = f.CreateKey(f.Context(), access.NewKeyRequest{AccountID: "nobody"})
		f.WantCode(err, parley.CodeAccountNotFound)
		_, err = f.RevokeKey(f.Context(), "", "nobody")
		f.WantCode(err, parley.CodeKeyNotFound)
		_, err = f.Keys(f.Context(), "nobody")
		f.WantCode(err, parley.CodeAccountNotFound)
		for _, email := range []string{"", "ann", "ann@", "ann@host", "@a.org", "Ann <ann@a.org>", "an n@a.org",
			"änn@a.org", "ann@a.org\n", strings.Repeat("a", 250) + "@a.org"} {
			_, err = f.AddMember(f.Context(), access.NewMember{AccountID: a.ID, Email: email, Name: "Ann", Role: "king"})
			f.WantCode(err, parley.CodeInvalidBody, "role")
			if email != "ann@a.org\n" { // trimmed
				f.WantCode(err, parley.CodeInvalidBody, "email")
			}
		}
	})
}

func TestAccountKeysAndMembers(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		a, _ := f.createAccount("")
		until := f.clock.Now().Add(time.Hour)
		record, key, err := f.CreateKey(f.Context(), access.NewKeyRequest{AccountID: a.ID, Name: "ci", ExpiresAt: &until,
			Scopes: []parley.Scope{parley.SourcesRead, parley.AgentsRead, parley.SourcesRead}})
		f.Must(err)
		if record.Hash != access.Hash(key) || !strings.HasPrefix(key, record.Hint) || len(record.Hint) > 10 ||
			len(record.Scopes) != 2 {
			f.Errorf("%+v", record)
		}
		m, err := f.AddMember(f.Context(), access.NewMember{AccountID: a.ID, Email: "ann.o'neil+x@example.org", Name: "Ann"})
		f.Must(err)
		if m.Role != parley.RoleAgent || !parley.IsUUID(string(m.User.ID)) {
			f.Errorf("%+v", m)
		}
		_, err = f.AddMember(f.Context(), access.NewMember{AccountID: a.ID, Email: "ANN.o'neil+x@example.org", Name: "Ann"})
		f.WantCode(err, parley.CodeAlreadyExists)
		keys, err := f.Keys(f.Context(), a.ID)
		f.Must(err)
		members, err := f.Members(f.Context(), a.ID)
		f.Must(err)
		if len(keys) != 2 || len(members) != 1 {
			f.Errorf("%d keys, %d members", len(keys), len(members))
		}
	})
}

// On a server of several accounts, what an account may use is the operator's to say.
func TestOwnersDoNotGrantThemselvesCredits(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		a, _ := f.createAccount("")
		owner := *f.Accounts
		owner.KeepGrants = true
		plan, name, on := "free", " Shop ", true
		_, err := owner.UpdateAccount(f.Context(), a.ID, access.AccountChange{Plan: &plan, Credits: &access.CreditGrant{}})
		f.Must(err)
		f.createAccount("")
		_, err = owner.UpdateAccount(f.Context(), a.ID, access.AccountChange{Credits: &access.CreditGrant{}})
		f.WantCode(err, parley.CodeInsufficientScope)
		_, err = owner.UpdateAccount(f.Context(), a.ID, access.AccountChange{Plan: &plan})
		f.WantCode(err, parley.CodeInsufficientScope)
		wanted := access.AccountChange{Name: &name, ViewersSeePersonalData: &on}
		changed, err := owner.UpdateAccount(f.Context(), a.ID, wanted)
		f.Must(err)
		found, err := f.DB.Account(f.Context(), a.ID)
		f.Must(err)
		if changed.Name != "Shop" || *found != *changed || !found.ViewersSeePersonalData {
			f.Errorf("%+v %+v", changed, found)
		}
		empty := ""
		_, err = owner.UpdateAccount(f.Context(), a.ID, access.AccountChange{Name: &empty})
		f.WantCode(err, parley.CodeInvalidBody, "name")
	})
}

func TestTheTimeZoneOfAnAccountIsAKnownOne(t *testing.T) {
	forEachStore(t, func(f *fixture) {
		a, _ := f.createAccount("")
		for zone, isFine := range map[string]bool{"Europe/Berlin": true, "": true, "UTC": true, "Local": false,
			"Europe/Nowhere": false, "../etc/passwd": false, strings.Repeat("a", 70): false} {
			changed, err := f.UpdateAccount(f.Context(), a.ID, access.AccountChange{TimeZone: &zone})
			if !isFine {
				f.WantCode(err, parley.CodeInvalidBody, "timeZone")
				continue
			}
			f.Must(err)
			stored, err := f.DB.Account(f.Context(), a.ID)
			f.Must(err)
			if changed.TimeZone != zone || stored.TimeZone != zone {
				f.Errorf("%q is stored as %q", zone, stored.TimeZone)
			}
		}
	})
}
