package console_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/api/admin"
	"parley/internal/console"
	"parley/internal/server"
	"parley/internal/testkit"
)

type sessionReply struct {
	User        *struct{ ID, Email, Locale, Name string }
	Memberships []struct {
		AccountID, AccountName, Role string
		Permissions                  []parley.Permission
	}
	NeedsSetup bool
	Insecure   bool
}

func (b *browser) session() (s sessionReply) {
	b.ct.t.Helper()
	b.ct.must(json.Unmarshal([]byte(b.want("200", "GET /v1/session", "").body), &s))
	return s
}

func TestFirstPerson(t *testing.T) {
	forEachConsole(t, func(ct *consoleTest) {
		link, err := ct.SetUpLink(t.Context())
		ct.must(err)
		_, token, _ := strings.Cut(link, "#")
		b := &browser{ct: ct}
		if s := b.session(); s.User != nil || !s.NeedsSetup {
			t.Errorf("%+v", s)
		}
		state := b.want("200", "POST /v1/session/link-state", `{"token":"`+token+`"}`).body
		if !strings.Contains(state, `"kind":"setup"`) || !strings.Contains(state, `"needsCompany":true`) {
			t.Error(state)
		}
		b.want("410 AUTH_INVALID_LINK", "POST /v1/session/link-state", `{"token":"x"}`)
		b.want("400 VALIDATION_INVALID_BODY", "POST /v1/session/redeem", `{"token":"`+token+`","name":"Kim"}`)
		b.want("200", "POST /v1/session/redeem", fmt.Sprintf(
			`{"token":%q,"name":"Kim","email":"kim@shop.example","company":"Shop","password":%q}`, token, password))
		s := b.session()
		if s.User == nil || s.User.Email != "kim@shop.example" || len(s.Memberships) != 1 ||
			s.Memberships[0].Role != "owner" || s.Memberships[0].AccountName != "Shop" {
			t.Errorf("%+v", s)
		}
		b.want("200", "GET /v2/agents", "")
		other := &browser{ct: ct}
		other.want("410 AUTH_INVALID_LINK", "POST /v1/session/redeem", fmt.Sprintf(
			`{"token":%q,"name":"Eve","email":"eve@shop.example","company":"Eve","password":%q}`, token, password))
		other.want("401 AUTH_SIGN_IN_REQUIRED", "GET /v2/agents", "")
	})
}

// A token that the browser had before signing in, whoever planted it, is worth nothing afterwards.
func TestSignInMakesANewToken(t *testing.T) {
	forEachConsole(t, func(ct *consoleTest) {
		victim, planted := ct.newOwner(ct.Account, "kim@shop.example"), ct.newOwner(ct.OtherAccount, "eve@other.example")
		b := &browser{ct: ct, cookie: planted.cookie}
		b.want("200", "POST /v1/session", signInBody("kim@shop.example", password))
		if b.cookie == planted.cookie || b.cookie == victim.cookie {
			t.Error("the token was taken over")
		}
		planted.want("401 AUTH_SIGN_IN_REQUIRED", "GET /v1/me", "")
		unknown := &browser{ct: ct, cookie: "parley=chosen-by-somebody-else"}
		unknown.want("200", "POST /v1/session", signInBody("kim@shop.example", password))
		if strings.Contains(unknown.cookie, "chosen") {
			t.Error("the token was chosen by the browser")
		}
		before := unknown.cookie
		unknown.want("200", "POST /v1/session/step-up", `{"password":"`+password+`"}`)
		if stale := (&browser{ct: ct, cookie: before}); unknown.cookie == before {
			t.Error("stepping up has left the token as it was")
		} else {
			stale.want("401 AUTH_SIGN_IN_REQUIRED", "GET /v1/me", "")
		}
		two := &browser{ct: ct, cookie: unknown.cookie + "; " + victim.cookie}
		if got := two.want("401 AUTH_SIGN_IN_REQUIRED", "GET /v1/me", ""); !strings.Contains(got.body, "two sessions") {
			t.Error(got)
		}
		two.want("200", "GET /v1/session", "")
		if two.cookie != "" {
			t.Error("the browser keeps", two.cookie)
		}
		tossed := &browser{ct: ct, cookie: "parley=tossed; " + unknown.cookie}
		tossed.want("200", "GET /v1/me", "")
	})
}

func TestSessionsExpire(t *testing.T) { forEachConsole(t, checkSessionsExpire) }

func checkSessionsExpire(ct *consoleTest) {
	b := ct.newOwner(ct.Account, "kim@shop.example")
	ct.clock.Advance(access.DefaultSessionIdle - time.Minute)
	b.want("200", "GET /v1/me", "")
	ct.clock.Advance(access.DefaultSessionIdle + time.Minute)
	b.want("401 AUTH_SIGN_IN_REQUIRED", "GET /v1/me", "")
	b.want("401 AUTH_SIGN_IN_REQUIRED", "GET /v2/agents", "")
	b.want("200", "POST /v1/session", signInBody("kim@shop.example", password))
	for range 80 {
		ct.clock.Advance(access.DefaultSessionIdle - time.Hour)
		b.send("GET /v1/me", "")
	}
	b.want("401 AUTH_SIGN_IN_REQUIRED", "GET /v1/me", "")
}

// The clock stands still, so nothing here is in force because time went by.
func TestRevocationIsInForceAtOnce(t *testing.T) {
	forEachConsole(t, func(ct *consoleTest) {
		kim, other := ct.newOwner(ct.Account, "kim@shop.example"), &browser{ct: ct}
		signIn := func() { other.want("200", "POST /v1/session", signInBody("kim@shop.example", password)) }
		ended := func(reason string) {
			t.Helper()
			for _, route := range []string{"GET /v1/me", "GET /v1/members", "GET /v2/agents"} {
				if got := other.send(route, ""); got.code() != "401 AUTH_SIGN_IN_REQUIRED" {
					t.Errorf("%s: %s: %s", reason, route, got)
				}
			}
		}
		signIn()
		other.want("200", "GET /v2/agents", "")
		var list struct {
			Data []struct {
				ID      string
				Current bool
			}
		}
		ct.must(json.Unmarshal([]byte(kim.want("200", "GET /v1/me/sessions", "").body), &list))
		for _, s := range list.Data {
			if !s.Current {
				kim.want("200", "DELETE /v1/me/sessions/"+s.ID, "")
			}
		}
		ended("ended from elsewhere")
		signIn()
		cookie := other.cookie
		other.want("200", "DELETE /v1/session", "")
		other.cookie = cookie
		ended("signed out")
		signIn()
		kim.want("401 AUTH_SIGN_IN_FAILED", "PUT /v1/me/password", `{"present":"wrong","password":"another long password"}`)
		kim.want("200", "PUT /v1/me/password", `{"present":"`+password+`","password":"another long password"}`)
		ended("another password")
		kim.want("200", "GET /v1/me", "")
	})
}

func TestRoleIsInForceAtOnce(t *testing.T) { forEachConsole(t, checkRoleIsInForceAtOnce) }

func checkRoleIsInForceAtOnce(ct *consoleTest) {
	owner := ct.newOwner(ct.Account, "kim@shop.example")
	lee := ct.newMember(ct.Account, parley.RoleAdmin, "lee@shop.example")
	lee.want("200", "GET /v1/members", "")
	if got := lee.session().Memberships[0].Permissions; !slices.Equal(got, access.Permissions(parley.RoleAdmin)) {
		ct.t.Error(got)
	}
	member := "/v1/accounts/" + ct.Account + "/members?email=lee%40shop.example"
	owner.want("200", "PATCH "+member, `{"role":"viewer"}`)
	lee.want("403 AUTH_INSUFFICIENT_PERMISSIONS", "GET /v1/members", "")
	lee.want("403 AUTH_INSUFFICIENT_PERMISSIONS", "POST /v2/agents", `{"name":"New"}`)
	if got := lee.session().Memberships[0].Permissions; !slices.Equal(got, access.Permissions(parley.RoleViewer)) {
		ct.t.Error(got)
	}
	owner.want("200", "DELETE "+member, "")
	lee.want("404 ACCOUNT_NOT_FOUND", "GET /v2/agents", "")
}

func TestOwnSessionsAlone(t *testing.T) { forEachConsole(t, checkOwnSessionsAlone) }

func checkOwnSessionsAlone(ct *consoleTest) {
	kim, lee := ct.newOwner(ct.Account, "kim@shop.example"), ct.newOwner(ct.Account, "lee@shop.example")
	var list struct{ Data []struct{ ID string } }
	ct.must(json.Unmarshal([]byte(lee.want("200", "GET /v1/me/sessions", "").body), &list))
	for _, id := range []string{list.Data[0].ID, parley.NewUUID(), "x", "%00", strings.Repeat("a", 3000)} {
		kim.want("404 NOT_FOUND", "DELETE /v1/me/sessions/"+id, "")
		kim.want("404 NOT_FOUND", "DELETE /v1/me/passkeys/"+id, "")
		kim.want("404 NOT_FOUND", "PATCH /v1/me/passkeys/"+id, `{"name":"Mine"}`)
	}
	lee.want("200", "GET /v1/me", "")
}

// needStepUp lists what must not be done by whoever finds a browser open, and why.
var needStepUp = map[string]string{
	"getIdentitySecret":      "signs who users are",
	"rotateIdentitySecret":   "signs who users are",
	"createKey":              "a key",
	"linkMember":             "lets somebody in as a member",
	"inviteMember":           "may make an owner",
	"renewInvitation":        "shows the link of an invitation, perhaps of an owner",
	"changeMember":           "may make or unmake an owner",
	"removeMember":           "may remove an owner",
	"updateAccount":          "the rules of the account",
	"setSingleSignOn":        "says who people are",
	"trySingleSignOn":        "sends to where an owner says",
	"removeSingleSignOn":     "a way in",
	"addSignInDomain":        "says who people are",
	"proveSignInDomain":      "says who people are",
	"removeSignInDomain":     "a way in",
	"addWebhook":             "sends out what happens from then on",
	"changeWebhook":          "sends out what happens from then on",
	"rotateWebhookSecret":    "a secret",
	"exportConversations":    "everything that was said",
	"exportPerson":           "everything about somebody",
	"erasePerson":            "cannot be undone",
	"exportAccount":          "everything",
	"importAccount":          "makes owners",
	"exportAudit":            "who has done what, all of it",
	"deleteConversations":    "cannot be undone",
	"deleteAgent":            "cannot be undone",
	"beginNewPasskey":        "a way in for good",
	"deletePasskey":          "a way in",
	"createRecoveryCodes":    "ways in",
	"changePassword":         "a way in; who has a password tells it instead",
	"disconnectSingleSignOn": "a way in",
	"createModelServer":      "answers customers from then on",
	"changeModelServer":      "answers customers from then on",
	"approvePairing":         "a key",
	"addChannel":             "sends out what happens from then on",
	"changeChannel":          "sends out what happens from then on",
}

// TestStepUpIsNeededForWhatIsListed calls every operation eleven minutes after signing in.
func TestStepUpIsNeededForWhatIsListed(t *testing.T) {
	ct := openConsole(t)
	b := ct.newMember(ct.Account, parley.RoleOwner, "kim@shop.example")
	kim, err := ct.DB.FindUserByEmail(t.Context(), "kim@shop.example")
	ct.must(err)
	link := parley.SSOLink{Issuer: "https://id.example", Subject: "kim", UserID: kim.User.ID}
	ct.must(ct.DB.CreateSSOLink(t.Context(), &link))
	ct.clock.Advance(11 * time.Minute)
	own, _, _ := console.Operations()
	list := roleOperations()
	for _, op := range own {
		address := "/v1" + strings.NewReplacer("{passkeyId}", "x", "{sessionId}", "x").Replace(op.Path)
		if !op.Streaming && !console.IsOpen(op.Name) {
			list = append(list, consoleOperation{op, address, nil})
		}
	}
	bodies := map[string]string{"changePassword": `{"password":"another long password"}`}
	found := map[string]bool{}
	for _, op := range list {
		got := b.send(op.Method+" "+unknownIDs.Substitute(op.address), cmp.Or(bodies[op.Name], "{}"))
		isRefused := got.code() == "403 AUTH_STEP_UP_REQUIRED"
		if isRefused != (needStepUp[op.Name] != "") {
			t.Errorf("%s %s: %s", op.Method, op.address, got)
		}
		found[op.Name] = found[op.Name] || isRefused
		ct.clock.Advance(time10s / 100)
	}
	for name := range needStepUp {
		if !found[name] {
			t.Error("there is no operation", name)
		}
	}
}

func TestStepUp(t *testing.T) {
	forEachConsole(t, func(ct *consoleTest) {
		b := ct.newOwner(ct.Account, "kim@shop.example")
		agent := ct.NewAgent(t, ct.Key, "# Sky\n\nThe sky is blue.")
		key := "POST /v1/accounts/" + ct.Account + "/keys"
		isFresh := func() bool {
			return strings.Contains(b.want("200", "GET /v1/session", "").body, `"steppedUp":true`)
		}
		if b.want("201", key, `{"name":"New"}`); !isFresh() {
			t.Error("a new session is not stepped up")
		}
		ct.clock.Advance(11 * time.Minute)
		if b.want("403 AUTH_STEP_UP_REQUIRED", key, `{"name":"New"}`); isFresh() {
			t.Error("a session is stepped up for ever")
		}
		b.want("401 AUTH_SIGN_IN_FAILED", "POST /v1/session/step-up", `{"password":"wrong"}`)
		b.want("200", "POST /v1/session/step-up", `{"password":"`+password+`"}`)
		b.want("201", key, `{"name":"New"}`)
		b.want("200", "DELETE /v2/agents/"+agent, "")
	})
}

// Whoever tries an unknown address waits as long as for a known one, and learns nothing.
func TestUnknownAddressesCostTheSame(t *testing.T) {
	forEachConsole(t, checkUnknownAddressesCostTheSame)
}

func checkUnknownAddressesCostTheSame(ct *consoleTest) {
	t := ct.t
	ct.newOwner(ct.Account, "kim@shop.example")
	ct.newMember(ct.Account, parley.RoleAgent, "no-password@shop.example")
	var replies []string
	for _, email := range []string{"kim@shop.example", "nobody@shop.example", "no-password@shop.example"} {
		before := ct.Users.Passwords.Computations()
		got := (&browser{ct: ct}).want("401 AUTH_SIGN_IN_FAILED", "POST /v1/session", signInBody(email, "a wrong password"))
		if n := ct.Users.Passwords.Computations() - before; n != 1 {
			t.Errorf("%s: %d hashes", email, n)
		}
		replies = append(replies, got.body)
	}
	if replies[0] != replies[1] || replies[0] != replies[2] {
		t.Error(replies)
	}
}

func TestGuessesAreSlowedDown(t *testing.T) { forEachConsole(t, checkGuessesAreSlowedDown) }

func checkGuessesAreSlowedDown(ct *consoleTest) {
	t := ct.t
	b := ct.newOwner(ct.Account, "kim@shop.example")
	wrong, right := signInBody("kim@shop.example", "a wrong password"), signInBody("kim@shop.example", password)
	for range 5 {
		(&browser{ct: ct}).want("401 AUTH_SIGN_IN_FAILED", "POST /v1/session", wrong)
	}
	before := ct.Users.Passwords.Computations()
	got := (&browser{ct: ct}).want("429 RATE_LIMIT_TOO_MANY_REQUESTS", "POST /v1/session", right)
	if got.header.Get("Retry-After") != "60" || ct.Users.Passwords.Computations() != before {
		t.Errorf("%v, %d hashes", got.header, ct.Users.Passwords.Computations()-before)
	}
	b.want("429 RATE_LIMIT_TOO_MANY_REQUESTS", "POST /v1/session/step-up", `{"password":"`+password+`"}`)
	b.want("429 RATE_LIMIT_TOO_MANY_REQUESTS", "POST /v1/session/recovery-code",
		`{"email":"kim@shop.example","code":"0000-0000-0000-0000"}`)
	another := &browser{ct: ct}
	r := another.newRequest("POST", v1Base+"/session", right)
	r.RemoteAddr = "127.0.0.2:1234"
	if got := another.serve(r); got.status != 200 {
		t.Error(got)
	}
	ct.clock.Advance(time.Minute)
	(&browser{ct: ct}).want("200", "POST /v1/session", right)
}

func TestRequestsOfAPersonAreLimited(t *testing.T) {
	forEachConsole(t, checkRequestsOfAPersonAreLimited)
}

func checkRequestsOfAPersonAreLimited(ct *consoleTest) {
	t := ct.t
	kim := ct.newOwner(ct.Account, "kim@shop.example")
	lee := ct.newMember(ct.Account, parley.RoleAgent, "lee@shop.example")
	for i := range 600 {
		if got := kim.send([]string{"GET /v1/me", "GET /v2/me"}[i%2], ""); got.status != 200 {
			t.Fatal(i, got)
		}
	}
	if got := kim.want("429 RATE_LIMIT_TOO_MANY_REQUESTS", "GET /v2/agents", ""); got.header.Get("Retry-After") == "" {
		t.Error(got.header)
	}
	lee.want("200", "GET /v2/agents", "")
}

func TestRecoveryCodes(t *testing.T) {
	forEachConsole(t, func(ct *consoleTest) {
		b := ct.newOwner(ct.Account, "kim@shop.example")
		var created struct{ Codes []string }
		ct.must(json.Unmarshal([]byte(b.want("200", "POST /v1/me/recovery-codes", "").body), &created))
		body := fmt.Sprintf(`{"email":"kim@shop.example","code":%q}`, created.Codes[3])
		other := &browser{ct: ct}
		other.want("200", "POST /v1/session/recovery-code", body)
		other.want("200", "GET /v1/me", "")
		other.want("401 AUTH_SIGN_IN_FAILED", "POST /v1/session/recovery-code", body)
	})
}

// An invitation makes a member, and whoever has a sign-in accepts it with that alone.
func TestInvitations(t *testing.T) {
	forEachConsole(t, func(ct *consoleTest) {
		owner := ct.newOwner(ct.Account, "kim@shop.example")
		invite := func(email string) string {
			t.Helper()
			var created struct{ Link string }
			body := `{"email":"` + email + `","role":"agent"}`
			got := owner.want("201", "POST /v1/accounts/"+ct.Account+"/invitations", body)
			ct.must(json.Unmarshal([]byte(got.body), &created))
			_, token, _ := strings.Cut(created.Link, "#")
			return token
		}
		lee := &browser{ct: ct}
		lee.want("200", "POST /v1/session/redeem",
			fmt.Sprintf(`{"token":%q,"name":"Lee","password":%q}`, invite("lee@shop.example"), password))
		if s := lee.session(); len(s.Memberships) != 1 || s.Memberships[0].Role != "agent" {
			t.Errorf("%+v", s)
		}
		joe := ct.newOwner(ct.OtherAccount, "joe@other.example")
		token := `{"token":"` + invite("joe@other.example") + `"}`
		lee.want("401 AUTH_SIGN_IN_REQUIRED", "POST /v1/session/redeem", token)
		joe.want("200", "POST /v1/session/redeem", token)
		if s := joe.session(); len(s.Memberships) != 2 {
			t.Errorf("%+v", s)
		}
		for _, account := range []string{ct.Account, ct.OtherAccount} {
			joe.account = account
			if got := joe.want("200", "GET /v2/me", ""); !strings.Contains(got.body, account) {
				t.Errorf("%s: %s", account, got)
			}
		}
	})
}

func TestProfile(t *testing.T) {
	ct := openConsole(t)
	b := ct.newOwner(ct.Account, "kim@shop.example")
	b.want("400 VALIDATION_INVALID_BODY", "PATCH /v1/me", `{"theme":"pink"}`)
	b.want("200", "PATCH /v1/me", `{"name":"Kim Lee","locale":"de","notifications":{"tickets":true}}`)
	if s := b.session(); s.User.Name != "Kim Lee" || s.User.Locale != "de" {
		t.Errorf("%+v", s.User)
	}
}

// A company on a plan without API access has a console.
func TestEveryPlanHasAConsole(t *testing.T) {
	ct := openConsole(t)
	account, key := ct.NewAccount(t, admin.NewAccount{Name: "Small", Plan: "free"})
	if got := ct.Do(t, "GET", "/agents", key, nil); got.Status != 403 {
		t.Fatal(got.Status)
	}
	ct.newOwner(account, "kim@small.example").want("201", "POST /v2/agents", `{"name":"New"}`)
}

func TestMaintenanceClosesTheConsole(t *testing.T) {
	ct := openConsole(t)
	b := ct.newOwner(ct.Account, "kim@shop.example")
	_, err := admin.RunOn(t.Context(), ct.AdminService, admin.SetMaintenance, admin.MaintenanceState{Enabled: true})
	ct.must(err)
	b.want("503 SERVICE_UNDER_MAINTENANCE", "GET /v2/agents", "")
	b.want("503 SERVICE_UNDER_MAINTENANCE", "GET /v1/me", "")
	b.want("200", "GET /v1/session", "")
}

// The cookie is no way into REST v2 as programs call it, and a key is none into the console.
func TestCookiesAreTheConsolesAlone(t *testing.T) {
	ct := openConsole(t)
	b := ct.newOwner(ct.Account, "kim@shop.example")
	if got := b.serve(b.newRequest("GET", "/api/v2/agents", "")); got.code() != "401 AUTH_MISSING_API_KEY" {
		t.Error(got)
	}
	r := (&browser{ct: ct}).newRequest("GET", v2Base+"/agents", "")
	r.Header.Set("Authorization", "Bearer "+ct.Key)
	if got := b.serve(r); got.code() != "401 AUTH_SIGN_IN_REQUIRED" {
		t.Error(got)
	}
}

// Another host of the domain can set the cookie of a session, its own for one, but not the one that goes with it.
func TestCookiesOfOtherHostsAreRefused(t *testing.T) {
	ct := openConsole(t, testkit.WithConfig(func(cfg *server.Config) { cfg.TrustProxy = true }))
	send := func(b *browser, method, path, body string) reply {
		r := b.newRequest(method, v1Base+path, body)
		r.Host = "console.shop.example"
		r.Header.Set("X-Forwarded-Proto", "https")
		return b.serve(r)
	}
	signIn := func(account, email string) *browser {
		ct.newOwner(account, email)
		b := &browser{ct: ct}
		if got := send(b, "POST", "/session", signInBody(email, password)); got.status != 200 {
			t.Fatal(got)
		}
		return b
	}
	kim, eve := signIn(ct.Account, "kim@shop.example"), signIn(ct.OtherAccount, "eve@other.example")
	eves, _, _ := strings.Cut(eve.cookie, "; ")
	both := &browser{ct: ct, cookie: eves + "; " + kim.cookie}
	if got := send(both, "GET", "/me", ""); !strings.Contains(got.body, "kim@shop.example") {
		t.Error("locked out by another host:", got)
	}
	planted := &browser{ct: ct, cookie: eves}
	if got := send(planted, "GET", "/me", ""); got.code() != "401 AUTH_SIGN_IN_REQUIRED" {
		t.Error("signed in by another host:", got)
	}
	got := send(planted, "GET", "/session", "")
	if dropped := strings.Join(got.header.Values("Set-Cookie"), "\n"); planted.cookie != "" ||
		!strings.Contains(dropped, "Domain=shop.example;") || strings.Contains(dropped, "Domain=example;") {
		t.Errorf("%q is kept: %s", planted.cookie, dropped)
	}
}

func TestPlainHTTPIsRefused(t *testing.T) {
	const network, loopback = "192.0.2.1:1234", "127.0.0.1:1234"
	proto := func(value string) []string { return []string{"X-Forwarded-Proto", value} }
	for _, c := range []struct {
		name, from, host          string
		headers                   []string
		trustProxy, allowInsecure bool
		baseURL                   string
		cookie                    string // empty if the console is refused
	}{
		{"loopback", loopback, "localhost:8080", nil, false, false, "", "parley"},
		{"an address of loopback", "[::1]:1234", "[::1]:8080", nil, false, false, "", "parley"},
		{"loopback of an https site", loopback, "localhost:8080", nil, true, false, "https://console.example", "parley"},
		{"a network", network, "console.example", nil, false, false, "", ""},
		{"another machine that says localhost", network, "localhost:8080", nil, false, false, "", ""},
		{"the machine of a container", "172.17.0.1:1234", "localhost:8080", nil, false, false, "", "parley"},
		{"a private network", "172.17.0.1:1234", "console.example", nil, false, false, "", ""},
		{"a name that was bent to loopback", loopback, "console.example", nil, false, false, "", ""},
		{"a proxy with its own name for the host", loopback, "localhost:8080", []string{"X-Real-IP", "192.0.2.1"},
			false, false, "", ""},
		{"a lie", network, "console.example", proto("https"), false, false, "", ""},
		{"a lie on loopback", loopback, "localhost:8080", proto("https"), false, false, "", ""},
		{"a proxy", network, "console.example", proto("https"), true, false, "", "__Secure-parley"},
		{"a proxy that speaks HTTP", network, "console.example", proto("https, http"), true, false, "", ""},
		{"past the proxy", network, "console.example", nil, false, false, "https://console.example", ""},
		{"past a proxy that is trusted", network, "console.example", nil, true, false, "https://console.example", ""},
		{"allowed", network, "console.example", nil, false, true, "", "parley"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ct := openConsole(t, testkit.WithConfig(func(cfg *server.Config) {
				cfg.TrustProxy, cfg.BaseURL = c.trustProxy, c.baseURL
				if c.allowInsecure {
					cfg.InsecureConsole = "on"
				}
			}))
			ct.newOwner(ct.Account, "kim@shop.example")
			b := &browser{ct: ct}
			send := func(method, body string) reply {
				r := b.newRequest(method, v1Base+"/session", body)
				r.RemoteAddr, r.Host = c.from, c.host
				for i := 0; i+1 < len(c.headers); i += 2 {
					r.Header.Set(c.headers[i], c.headers[i+1])
				}
				return b.serve(r)
			}
			isRefused := c.cookie == ""
			if got := send("GET", ""); strings.Contains(got.body, `"insecure":true`) != isRefused {
				t.Error(got)
			}
			got := send("POST", signInBody("kim@shop.example", password))
			if (got.status == 403) != isRefused || isRefused && !strings.Contains(got.body, "PARLEY_TRUST_PROXY=true") {
				t.Error(got)
			}
			checkCookie(t, b, c.cookie, got.header.Get("Set-Cookie"))
		})
	}
}

func checkCookie(t *testing.T, b *browser, want, attributes string) {
	t.Helper()
	name, rest, _ := strings.Cut(b.cookie, "=")
	if isBound := strings.Contains(rest, "; __Host-parley-binding="); name != want ||
		isBound != (want == "__Secure-parley") {
		t.Errorf("the cookie is %q", b.cookie)
	}
	for _, attribute := range []string{"Path=/console", "HttpOnly", "SameSite=Strict"} {
		if want != "" && !strings.Contains(attributes, attribute) {
			t.Errorf("%s has no %s", attributes, attribute)
		}
	}
	if strings.Contains(attributes, "Secure;") != (want == "__Secure-parley") {
		t.Error(attributes)
	}
}

// A proxy on this machine that adds nothing, and sends its own name for this server, looks like loopback but for the
// Origin.
func TestSilentProxyIsNotLoopback(t *testing.T) {
	ct := openConsole(t)
	ct.newOwner(ct.Account, "kim@shop.example")
	for origin, want := range map[string]string{
		"http://console.example": "403 AUTH_ORIGIN_NOT_ALLOWED", "http://" + host: "200",
	} {
		b := &browser{ct: ct}
		r := b.newRequest("POST", v1Base+"/session", signInBody("kim@shop.example", password))
		r.Header.Set("Origin", origin)
		if got := b.serve(r); got.code() != want || (b.cookie != "") != (want == "200") {
			t.Errorf("%s: %s %q", origin, got, b.cookie)
		}
	}
}
