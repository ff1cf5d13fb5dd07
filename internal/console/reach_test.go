package console_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"parley"
	"parley/internal/access"
	"parley/internal/api/admin"
)

const otherSignIn = "403 AUTH_OTHER_SIGN_IN_REQUIRED"

// join makes a user who is a member of one account a member of another.
func (ct *consoleTest) join(account, email string, role parley.Role) {
	ct.t.Helper()
	_, err := admin.RunOn(ct.t.Context(), ct.AdminService, admin.AddMember,
		admin.NewMember{AccountID: account, Email: email, Name: "Kim", Role: string(role)})
	ct.must(err)
}

// A session that the provider of an account has vouched for reaches no operation of another account, in both
// directions; one that has begun with a password reaches both.
func TestSessionsByTheProviderOfAnAccountReachItAlone(t *testing.T) {
	forEachConsole(t, func(ct *consoleTest) {
		ct.newMember(ct.Account, parley.RoleOwner, "kim@shop.example")
		ct.join(ct.OtherAccount, "kim@shop.example", parley.RoleOwner)
		user := ct.userID("kim@shop.example")
		both := ct.signedIn(user)
		for _, c := range [][2]string{{ct.Account, ct.OtherAccount}, {ct.OtherAccount, ct.Account}} {
			own, foreign := c[0], c[1]
			b := ct.signedInBy(parley.AccountSSO(parley.AccountID(own)), user)
			b.checkReach(own, foreign)
			both.account = foreign
			both.want("200", "GET /v2/agents", "")
		}
	})
}

func (b *browser) checkReach(own, foreign string) {
	b.ct.t.Helper()
	b.account = own
	b.want("200", "GET /v2/agents", "")
	b.want("200", "GET /v1/members?accountId="+own, "")
	b.account = foreign
	for _, op := range roleOperations() {
		if got := op.send(b, unknownIDs); got.code() != otherSignIn {
			b.ct.t.Errorf("%s %s: %s", op.Method, op.address, got)
		}
	}
	b.account = ""
	var s struct {
		Memberships []struct {
			AccountID        string
			NeedsOtherSignIn bool
		}
	}
	b.ct.must(json.Unmarshal([]byte(b.want("200", "GET /v1/session", "").body), &s))
	for _, m := range s.Memberships {
		if m.NeedsOtherSignIn != (m.AccountID == foreign) {
			b.ct.t.Errorf("%+v", m)
		}
	}
	b.checkOwnWays()
}

// checkOwnWays checks that a session that is good for one of several accounts changes no way of signing in.
func (b *browser) checkOwnWays() {
	b.ct.t.Helper()
	b.want("200", "GET /v1/me", "")
	b.want("200", "GET /v1/me/single-sign-on", "")
	for _, c := range [][2]string{
		{"PUT /v1/me/password", fmt.Sprintf(`{"password":%q}`, password)},
		{"POST /v1/me/passkeys/begin", ""},
		{"POST /v1/me/passkeys/finish", `{"id":"x","response":{}}`},
		{"DELETE /v1/me/passkeys/x", ""},
		{"PUT /v1/me/second-step", `{"required":false}`},
		{"POST /v1/me/recovery-codes", ""},
		{"DELETE /v1/me/single-sign-on?account=" + b.ct.Account, ""},
	} {
		b.want(otherSignIn, c[0], c[1])
	}
}

// Where single sign-on is the only way in, a password is refused with a sentence and the way that works, and the owner
// who needs it not signs in.
func TestPasswordsAreRefusedWhereSingleSignOnIsTheOnlyWay(t *testing.T) {
	forEachConsole(t, func(ct *consoleTest) {
		ct.newOwner(ct.Account, "owner@shop.example")
		ct.newMember(ct.Account, parley.RoleAgent, "bo@shop.example")
		_, err := ct.Users.SetMemberPassword(t.Context(), access.MemberRef{AccountID: parley.AccountID(ct.Account),
			Email: "bo@shop.example"}, password)
		ct.must(err)
		ct.must(ct.DB.SaveSSOProvider(t.Context(), &parley.SSOProvider{AccountID: parley.AccountID(ct.Account),
			Issuer: "https://id.shop.example", ClientID: "parley", Name: "Shop ID", TestedAt: new(ct.clock.Now()),
			CreatedAt: ct.clock.Now(), UpdatedAt: ct.clock.Now()}))
		_, err = ct.DB.SQL().Exec(t.Context(), `update accounts set only_sso = 1, exempt_owner = ? where id = ?`,
			ct.userID("owner@shop.example"), ct.Account)
		ct.must(err)
		b := &browser{ct: ct}
		refused := b.want("403 AUTH_SINGLE_SIGN_ON_REQUIRED", "POST /v1/session", signInBody("bo@shop.example", password))
		for _, text := range []string{"sign in by single sign-on alone: continue with Shop ID.", `"provider":"Shop ID"`,
			`"accountId":"` + ct.Account + `"`} {
			if !strings.Contains(refused.body, text) {
				t.Errorf("%q is not in %s", text, refused)
			}
		}
		if b.cookie != "" {
			t.Error("there is a session all the same")
		}
		b.want("401 AUTH_SIGN_IN_FAILED", "POST /v1/session", signInBody("bo@shop.example", "a wrong password"))
		b.want("200", "POST /v1/session", signInBody("owner@shop.example", password))
		b.want("200", "GET /v2/agents", "")
	})
}

// Where owners and admins need a passkey, whoever has signed in without one is led to it and does nothing else.
func TestOwnersAndAdminsAreLedToAPasskey(t *testing.T) {
	forEachConsole(t, func(ct *consoleTest) {
		ct.Accounts.HasPasskeys = true
		account := "PATCH /v1/accounts/" + ct.Account
		owner := ct.newOwner(ct.Account, "owner@shop.example")
		adm := ct.newMember(ct.Account, parley.RoleAdmin, "admin@shop.example")
		agent := ct.newMember(ct.Account, parley.RoleAgent, "agent@shop.example")
		owner.want("400 VALIDATION_INVALID_BODY", account, `{"adminsNeedPasskey":true}`)
		shown := ct.signedInBy("password+passkey", ct.userID("owner@shop.example"))
		shown.want("200", account, `{"adminsNeedPasskey":true}`)
		byProvider := ct.signedInBy(parley.MethodSSO, ct.userID("admin@shop.example"))
		for _, route := range []string{"GET /v1/accounts", "GET /v2/agents"} {
			for _, b := range []*browser{owner, adm} {
				b.want("403 AUTH_PASSKEY_REQUIRED", route, "")
			}
			for _, b := range []*browser{shown, agent, byProvider} {
				b.want("200", route, "")
			}
		}
		for _, b := range []*browser{owner, adm} {
			b.want("200", "GET /v1/me", "")
			if got := b.want("200", "GET /v1/session", ""); !strings.Contains(got.body, `"passkeyStep":"add"`) {
				t.Error(got)
			}
			for _, c := range [][2]string{
				{"PUT /v1/me/password", fmt.Sprintf(`{"password":%q}`, password)},
				{"DELETE /v1/me/passkeys/x", ""},
				{"PUT /v1/me/second-step", `{"required":false}`},
				{"POST /v1/me/recovery-codes", ""},
				{"DELETE /v1/me/single-sign-on?account=" + ct.Account, ""},
			} {
				b.want("403 AUTH_PASSKEY_REQUIRED", c[0], c[1])
			}
		}
		if got := shown.want("200", "GET /v1/session", ""); strings.Contains(got.body, "passkeyStep") {
			t.Error(got)
		}
		shown.want("200", account, `{"adminsNeedPasskey":false}`)
		owner.want("200", "GET /v2/agents", "")
	})
}

// Where a company takes no passwords, whoever has come with one alone is told how to get in, of whatever role.
func TestPasswordsAreRefusedByACompany(t *testing.T) {
	forEachConsole(t, func(ct *consoleTest) {
		ct.Accounts.HasPasskeys = true
		account := "PATCH /v1/accounts/" + ct.Account
		owner := ct.newOwner(ct.Account, "owner@shop.example")
		id := ct.userID("owner@shop.example")
		shown := ct.signedInBy("password+passkey", id)
		shown.want("400 VALIDATION_INVALID_BODY", account, `{"noPasswords":true}`) // no owner has a passkey
		ct.must(ct.DB.CreatePasskey(t.Context(), &parley.Passkey{ID: "p", UserID: parley.UserID(id), CredentialID: "c",
			PublicKey: "k", Name: "Phone", CreatedAt: ct.clock.Now()}))
		owner.want("400 VALIDATION_INVALID_BODY", account, `{"noPasswords":true}`)
		viewer := ct.newMember(ct.Account, parley.RoleViewer, "viewer@shop.example")
		if got := shown.want("200", account, `{"noPasswords":true}`); !strings.Contains(got.body, `"noPasswords":true`) {
			t.Error(got)
		}
		for b, step := range map[*browser]string{owner: "use", viewer: "link"} {
			b.want("403 AUTH_PASSKEY_REQUIRED", "GET /v2/agents", "")
			b.want("403 AUTH_PASSKEY_REQUIRED", "PUT /v1/me/password", fmt.Sprintf(`{"password":%q}`, password))
			if got := b.want("200", "GET /v1/session", ""); !strings.Contains(got.body, `"passkeyStep":"`+step+`"`) {
				t.Error(got)
			}
		}
		shown.want("200", "GET /v2/agents", "")
		shown.want("200", account, `{"noPasswords":false}`)
		viewer.want("200", "GET /v2/agents", "")
	})
}
