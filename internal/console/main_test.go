package console_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/access"
	"parley/internal/api/admin"
	"parley/internal/server"
	"parley/internal/testkit"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.Main(m) }

const (
	password = "a long password for tests"
	host     = "localhost:8080"
	v1Base   = "/console/api/v1"
	v2Base   = "/console/api/v2"
)

// consoleTest calls the console's API of a server.
type consoleTest struct {
	*testkit.Server
	t     *testing.T
	clock *clock.Clock
}

func openConsole(t *testing.T, options ...testkit.Option) *consoleTest {
	t.Helper()
	now := clock.New()
	address := testkit.WithConfig(func(c *server.Config) { c.SecretKey = "a key of the tests" })
	return &consoleTest{testkit.Open(t, append([]testkit.Option{testkit.WithClock(now), address}, options...)...), t, now}
}

func forEachConsole(t *testing.T, do func(ct *consoleTest)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { do(openConsole(t)) })
	t.Run("postgres", func(t *testing.T) { do(openConsole(t, testkit.WithPostgres())) })
}

func (ct *consoleTest) must(err error) {
	ct.t.Helper()
	if err != nil {
		ct.t.Fatal(err)
	}
}

// browser is a browser with the cookie of a session, as name=value; empty if it has none.
type browser struct {
	ct      *consoleTest
	cookie  string
	account string // sent in Parley-Account; empty for none
}

// newRequest returns a request as the console sends it.
func (b *browser) newRequest(method, path, body string) *http.Request {
	r := httptest.NewRequestWithContext(b.ct.t.Context(), method, path, strings.NewReader(body))
	r.Host = host
	r.RemoteAddr = "127.0.0.1:1234"
	if b.cookie != "" {
		r.Header.Set("Cookie", b.cookie)
	}
	if b.account != "" {
		r.Header.Set("Parley-Account", b.account)
	}
	r.Header.Set("Parley-Console", "1")
	if method != http.MethodGet {
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

type reply struct {
	status int
	header http.Header
	body   string
}

func (r reply) String() string { return fmt.Sprintf("%d %s", r.status, r.body) }

// code returns the status, and the code of a failure.
func (r reply) code() string {
	var failure struct{ Error struct{ Code string } }
	_ = json.Unmarshal([]byte(r.body), &failure) // a result has none
	return strings.TrimSpace(fmt.Sprint(r.status, " ", failure.Error.Code))
}

// serve sends a request, and keeps the cookie that is set.
func (b *browser) serve(r *http.Request) reply {
	w := httptest.NewRecorder()
	b.ct.Handler().ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		if c.Domain == "" {
			b.keep(c)
		}
	}
	return reply{w.Code, w.Result().Header, w.Body.String()}
}

// keep keeps a cookie in place of one with the same name, or drops that.
func (b *browser) keep(c *http.Cookie) {
	list := slices.DeleteFunc(strings.Split(b.cookie, "; "), func(cookie string) bool {
		return cookie == "" || strings.HasPrefix(cookie, c.Name+"=")
	})
	if c.MaxAge > 0 {
		list = append(list, c.Name+"="+c.Value)
	}
	b.cookie = strings.Join(list, "; ")
}

// send sends a request such as "GET /v1/session" below /console/api.
func (b *browser) send(route, body string) reply {
	method, path, _ := strings.Cut(route, " ")
	return b.serve(b.newRequest(method, "/console/api"+path, body))
}

// want fails unless the reply to a request has the status and code, such as "404 NOT_FOUND".
func (b *browser) want(code, route, body string) reply {
	b.ct.t.Helper()
	got := b.send(route, body)
	if got.code() != code {
		b.ct.t.Errorf("%s %s: %s, want %s", route, body, got, code)
	}
	return got
}

// newMember makes a member of an account who has signed in.
func (ct *consoleTest) newMember(account string, role parley.Role, email string) *browser {
	ct.t.Helper()
	out, err := admin.RunOn(ct.t.Context(), ct.AdminService, admin.AddMember,
		admin.NewMember{AccountID: account, Email: email, Name: "Kim", Role: string(role)})
	ct.must(err)
	return ct.signedIn(out.UserID)
}

// userID returns the id of a member of the account.
func (ct *consoleTest) userID(email string) string {
	ct.t.Helper()
	m, err := ct.DB.MemberByEmail(ct.t.Context(), parley.AccountID(ct.Account), email, parley.CodeMemberNotFound)
	ct.must(err)
	return string(m.User.ID)
}

// signedIn returns a browser with a new session of a user.
func (ct *consoleTest) signedIn(user string) *browser {
	ct.t.Helper()
	return ct.signedInBy("password", user)
}

// signedInBy returns a browser with a new session that has begun in a way.
func (ct *consoleTest) signedInBy(method, user string) *browser {
	ct.t.Helper()
	token, now := parley.NewUUID(), ct.clock.Now()
	ct.must(ct.DB.CreateWebSession(ct.t.Context(), &parley.WebSession{ID: parley.WebSessionID(parley.NewUUID()),
		UserID: parley.UserID(user), Hash: access.Hash(token), Method: method, CreatedAt: now, LastSeenAt: now,
		SteppedUpAt: now, ExpiresAt: now.Add(access.DefaultSessionLifetime)}))
	return &browser{ct: ct, cookie: "parley=" + token}
}

// newOwner makes the owner of an account, with a password, who has signed in with it.
func (ct *consoleTest) newOwner(account, email string) *browser {
	ct.t.Helper()
	ct.newMember(account, parley.RoleOwner, email)
	_, err := ct.Users.SetMemberPassword(ct.t.Context(),
		access.MemberRef{AccountID: parley.AccountID(account), Email: email}, password)
	ct.must(err)
	b := &browser{ct: ct}
	b.want("200", "POST /v1/session", signInBody(email, password))
	return b
}

func signInBody(email, password string) string {
	return fmt.Sprintf(`{"email":%q,"password":%q}`, email, password)
}
