package console_test

import (
	"net/http"
	"strings"
	"testing"

	"parley"
)

// A page that was drawn for one person never asks or writes anything as another, whoever has signed in meanwhile.
func TestPagesOfAnotherPersonAreRefused(t *testing.T) {
	forEachConsole(t, func(ct *consoleTest) {
		kim := ct.newMember(ct.Account, parley.RoleOwner, "kim@shop.example")
		lee := ct.newMember(ct.Account, parley.RoleOwner, "lee@shop.example")
		kimID := kim.userID()
		want := func(code, route, body, user string) {
			t.Helper()
			method, path, _ := strings.Cut(route, " ")
			r := lee.newRequest(method, "/console/api"+path, body)
			r.Header.Set("Parley-User", user)
			ct.clock.Advance(time10s / 100)
			if got := lee.serve(r).code(); got != code {
				t.Errorf("%s for %s: %s, want %s", route, user, got, code)
			}
		}
		const refused = "409 AUTH_USER_CHANGED"
		for _, address := range writingAddresses() {
			want(refused, strings.Replace(address, "/console/api", "", 1), "{}", kimID)
		}
		want(refused, "POST /v2/agents", `{"name":"Not there"}`, kimID)
		want(refused, "GET /v2/agents", "", kimID)
		want(refused, "GET /v1/me", "", kimID)
		want("200", "GET /v1/session", "", kimID) // says who is signed in now
		want("200", "GET /v1/me", "", lee.userID())
		want("201", "POST /v2/agents", `{"name":"There"}`, lee.userID())
		list := kim.want("200", "GET /v2/agents", "").body
		if strings.Contains(list, "Not there") || !strings.Contains(list, "There") {
			t.Error(list)
		}
		lee.want("200", "DELETE /v1/session", "")
		want("401 AUTH_SIGN_IN_REQUIRED", "GET /v1/me", "", kimID)
		if got := lee.send("GET /v1/session", ""); got.status != http.StatusOK {
			t.Error(got)
		}
	})
}

// userID returns the id of who is signed in.
func (b *browser) userID() string {
	b.ct.t.Helper()
	return b.session().User.ID
}
