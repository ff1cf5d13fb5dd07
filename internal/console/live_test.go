package console_test

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/api/admin"
	"parley/internal/server"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit"
	"parley/internal/testkit/clock"
)

// liveTest is a running server with people who sign in.
type liveTest struct {
	*testkit.Server
	*testing.T
}

func forEachLiveTest(t *testing.T, f func(lt *liveTest), options ...testkit.Option) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { f(&liveTest{testkit.Open(t, options...), t}) })
	t.Run("postgres", func(t *testing.T) {
		f(&liveTest{testkit.Open(t, append(options, testkit.WithPostgres())...), t})
	})
}

// person is somebody who has signed in, in a browser of their own.
type person struct {
	lt     *liveTest
	client *http.Client
	member parley.UserID
	email  string
}

func (lt *liveTest) signIn(account string, role parley.Role) *person {
	lt.Helper()
	email := fmt.Sprintf("%s-%d@shop.example", role, time.Now().UnixNano())
	added := runAdmin(lt, admin.AddMember,
		admin.NewMember{AccountID: account, Email: email, Name: "Kim", Role: string(role)})
	runAdmin(lt, admin.SetMemberPassword, admin.NewPassword{
		MemberRef: admin.MemberRef{AccountID: account, Email: email}, Password: password,
	})
	jar, _ := cookiejar.New(nil)
	p := &person{lt, &http.Client{Jar: jar}, parley.UserID(added.UserID), email}
	p.do("POST", "/session", http.StatusOK, map[string]string{"email": email, "password": password})
	return p
}

func runAdmin[In, Out any](lt *liveTest, op admin.Operation[In, Out], in In) Out {
	lt.Helper()
	out, err := admin.RunOn(lt.Context(), lt.AdminService, op, in)
	if err != nil {
		lt.Fatal(op.Name, err)
	}
	return out
}

func (p *person) send(method, path string, body any, header ...string) *http.Response {
	p.lt.Helper()
	text, _ := json.Marshal(body)
	r, err := http.NewRequestWithContext(p.lt.Context(), method, p.lt.URL+"/console/api/v1"+path, bytes.NewReader(text))
	if err != nil || body == nil {
		r, _ = http.NewRequestWithContext(p.lt.Context(), method, p.lt.URL+"/console/api/v1"+path, http.NoBody)
	}
	r.Header.Set("Parley-Console", "1")
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	reply, err := p.client.Do(r)
	if err != nil {
		p.lt.Fatal(err)
	}
	return reply
}

func (p *person) do(method, path string, status int, body any, header ...string) string {
	p.lt.Helper()
	reply := p.send(method, path, body, header...)
	defer func() { _ = reply.Body.Close() }()
	text, _ := io.ReadAll(reply.Body)
	if reply.StatusCode != status {
		p.lt.Fatalf("%s %s: %d %s", method, path, reply.StatusCode, text)
	}
	return string(text)
}

// event is one of a stream.
type event struct{ id, name, data string }

// stream is a stream of events.
type stream struct {
	lt     *liveTest
	body   io.Closer
	events chan event // closed at the end
	lastID string
	text   strings.Builder // of all events that were read
}

func (p *person) follow(lastID string) *stream {
	p.lt.Helper()
	var header []string
	if lastID != "" {
		header = []string{"Last-Event-ID", lastID}
	}
	reply := p.send("GET", "/events", nil, header...)
	if reply.StatusCode != http.StatusOK || reply.Header.Get("Content-Type") != "text/event-stream" {
		p.lt.Fatalf("%d %v", reply.StatusCode, reply.Header)
	}
	s := &stream{lt: p.lt, body: reply.Body, events: make(chan event, 10_000), lastID: lastID}
	p.lt.Cleanup(func() { _ = s.body.Close() })
	go s.read(reply.Body)
	return s
}

func (s *stream) read(body io.Reader) {
	defer close(s.events)
	var e event
	for lines := bufio.NewScanner(body); lines.Scan(); {
		field, value, _ := strings.Cut(lines.Text(), ": ")
		switch field {
		case "event":
			e.name = value
		case "id":
			e.id = value
		case "data":
			e.data = value
		case "":
			if e.name != "" {
				s.events <- e
			}
			e = event{}
		}
	}
}

// next returns the next event. ok is false at the end of the stream.
func (s *stream) next() (e event, ok bool) {
	s.lt.Helper()
	select {
	case e, ok = <-s.events:
		s.lastID = cmp.Or(e.id, s.lastID)
		s.text.WriteString(e.name + " " + e.data + "\n")
		return e, ok
	case <-time.After(testkit.WaitTimeout):
		s.lt.Fatalf("nothing has come for %v after:\n%s", testkit.WaitTimeout, s.text.String())
		return e, false
	}
}

// await reads until an event of the name whose data has all of the texts.
func (s *stream) await(name string, texts ...string) event {
	s.lt.Helper()
	for {
		e, ok := s.next()
		if !ok {
			s.lt.Fatalf("the stream has ended before %s %v:\n%s", name, texts, s.text.String())
		}
		if e.name == name && !slices.ContainsFunc(texts, func(t string) bool { return !strings.Contains(e.data, t) }) {
			return e
		}
	}
}

// wantEnd fails unless the stream ends.
func (s *stream) wantEnd() {
	s.lt.Helper()
	for isOpen := true; isOpen; {
		_, isOpen = s.next()
	}
}

func TestEventsAreToldWhileTheyHappen(t *testing.T) {
	forEachLiveTest(t, func(lt *liveTest) {
		owner, viewer := lt.signIn(lt.Account, parley.RoleOwner), lt.signIn(lt.Account, parley.RoleViewer)
		stranger := lt.signIn(lt.OtherAccount, parley.RoleOwner)
		streams := []*stream{owner.follow(""), viewer.follow(""), stranger.follow("")}
		for i, role := range []string{"owner", "viewer", "owner"} {
			streams[i].await("hello", `"position":"`, `"role":"`+role+`"`)
		}
		const secret = "The sky is blue over Lisbon."
		agent := lt.NewAgent(lt.T, lt.Key, secret)
		lt.Do(lt.T, "POST", "/agents/"+agent+"/chat", lt.Key, map[string]any{"message": "Sky in Lisbon?", "stream": false})
		lt.Do(lt.T, "PUT", "/agents/"+agent, lt.Key, map[string]any{"name": "Portugal"})
		member := lt.signIn(lt.Account, parley.RoleAgent)
		for _, s := range streams[:2] {
			s.await("agent", agent, `"created"`)
			s.await("source", `"agentId":"`+agent+`"`, `"created"`)
			s.await("source", `"agentId":"`+agent+`"`, `"trained"`)
			s.await("message", `"agentId":"`+agent+`"`, `"conversationId":"`)
			s.await("agent", agent, `"changed"`)
			if s == streams[0] {
				s.await("member", string(member.member), `"added"`)
			}
		}
		// With the agent goes what has not been told of it yet.
		lt.Do(lt.T, "DELETE", "/agents/"+agent, lt.Key, nil)
		for _, s := range streams[:2] {
			s.await("agent", agent, `"deleted"`)
		}
		for _, text := range []string{"Lisbon", "sky", "Portugal", "Kim", "shop.example"} {
			if strings.Contains(streams[0].text.String(), text) {
				lt.Errorf("an event holds %q:\n%s", text, streams[0].text.String())
			}
		}
		if strings.Contains(streams[1].text.String(), "member ") {
			lt.Errorf("a viewer is told of members:\n%s", streams[1].text.String())
		}
		lt.record(lt.OtherAccount, 1)
		if e, _ := streams[2].next(); !strings.Contains(e.data, `"n0"`) {
			lt.Errorf("another account is told %s %s", e.name, e.data)
		}
	})
}

// record records events of agents named n0, n1 and so on.
func (lt *liveTest) record(account string, n int) {
	lt.Helper()
	list := make([]store.NewEvent, n)
	for i := range list {
		list[i] = store.NewEvent{Kind: parley.EventAgentUpdated, Subject: fmt.Sprintf("n%d", i)}
	}
	err := lt.DB.Transact(lt.Context(), sqldb.Interactive, func(tx *store.DB) error {
		return tx.RecordEvents(lt.Context(), parley.AccountID(account), time.Now(), list...)
	})
	if err != nil {
		lt.Fatal(err)
	}
}

// TestStreamsGoOnWhereTheyWereCut cuts a stream after each of its events. What is told must be all there is.
func TestStreamsGoOnWhereTheyWereCut(t *testing.T) {
	forEachLiveTest(t, func(lt *liveTest) {
		owner := lt.signIn(lt.Account, parley.RoleOwner)
		first := owner.follow("")
		first.await("hello")
		id := first.lastID
		_ = first.body.Close()
		lt.record(lt.Account, 20)
		seen := map[string]bool{}
		for cut := range 12 {
			s := owner.follow(id)
			for range cut + 2 { // the greeting and some events, if there are so many
				if len(seen) == 20 {
					break
				}
				e, _ := s.next()
				if e.name == "reset" {
					lt.Fatal("a reset")
				}
				if e.name == "agent" {
					seen[e.data] = true
				}
			}
			id = s.lastID
			_ = s.body.Close()
		}
		s := owner.follow(id)
		lt.record(lt.Account, 1)
		for len(seen) < 20 {
			e := s.await("agent")
			seen[e.data] = true
		}
		lt.record(lt.Account, 1001)
		late := owner.follow(id)
		if late.await("reset"); late.lastID == id {
			lt.Error("the position is the old one")
		}
		owner.follow("nonsense").await("reset")
	})
}

func TestStreamsEndWithTheirSessions(t *testing.T) {
	forEachLiveTest(t, func(lt *liveTest) {
		one := lt.signIn(lt.Account, parley.RoleOwner)
		s := one.follow("")
		s.await("hello")
		one.do("DELETE", "/session", http.StatusOK, nil)
		s.wantEnd()
		if reply := one.send("GET", "/events", nil); reply.StatusCode != http.StatusUnauthorized {
			lt.Errorf("after the end: %d", reply.StatusCode)
		}
		two := lt.signIn(lt.Account, parley.RoleAgent)
		s = two.follow("")
		s.await("hello")
		ref := admin.MemberRef{AccountID: lt.Account, Email: two.email}
		runAdmin(lt, admin.ChangeMember, admin.MemberChange{MemberRef: ref, Role: "admin"})
		s.wantEnd()
		s = two.follow(s.lastID)
		s.await("hello", `"role":"admin"`)
		_, err := lt.DB.SQL().Exec(lt.Context(), `update web_sessions set revoked_at = 1 where user_id = ?`, two.member)
		if err != nil {
			lt.Fatal(err)
		}
		s.wantEnd()
		three := lt.signIn(lt.Account, parley.RoleAgent)
		s = three.follow("")
		s.await("hello")
		ref.Email = three.email
		runAdmin(lt, admin.RemoveMember, admin.MemberRemoval{MemberRef: ref})
		s.wantEnd()
	})
}

// An open stream is no use of a session: a page that nobody looks at does not keep it alive.
func TestStreamsEndWithTheIdleTime(t *testing.T) {
	for name, options := range map[string][]testkit.Option{"sqlite": nil, "postgres": {testkit.WithPostgres()}} {
		t.Run(name, func(t *testing.T) {
			now := clock.New()
			lt := &liveTest{testkit.Open(t, append(options, testkit.WithClock(now))...), t}
			owner := lt.signIn(lt.Account, parley.RoleOwner)
			s := owner.follow("")
			s.await("hello")
			now.Advance(access.DefaultSessionIdle - time.Minute)
			owner.do("GET", "/me", http.StatusOK, nil)
			now.Advance(access.DefaultSessionIdle - time.Minute)
			owner.do("POST", "/presence", http.StatusOK, map[string]string{"type": "agent", "id": "x", "state": "looking"})
			now.Advance(access.DefaultSessionIdle + time.Minute)
			s.wantEnd()
			if reply := owner.send("GET", "/events", nil); reply.StatusCode != http.StatusUnauthorized {
				t.Errorf("after the end: %d", reply.StatusCode)
			}
		})
	}
}

// TestPagesThatAreGoneMakeWay checks that whoever loads the page again and again is not refused.
func TestPagesThatAreGoneMakeWay(t *testing.T) {
	forEachLiveTest(t, func(lt *liveTest) {
		owner := lt.signIn(lt.Account, parley.RoleOwner)
		for range 25 {
			s := owner.follow("")
			s.await("hello")
			_ = s.body.Close()
		}
		for range 10 {
			owner.follow("").await("hello")
		}
		if reply := owner.send("GET", "/events", nil); reply.StatusCode != http.StatusTooManyRequests {
			lt.Errorf("the eleventh: %d", reply.StatusCode)
		}
	})
}

func TestPresenceIsToldToOthers(t *testing.T) {
	forEachLiveTest(t, func(lt *liveTest) {
		owner, viewer := lt.signIn(lt.Account, parley.RoleOwner), lt.signIn(lt.Account, parley.RoleViewer)
		stranger := lt.signIn(lt.OtherAccount, parley.RoleOwner)
		s := owner.follow("")
		s.await("hello")
		at := map[string]string{"type": "conversation", "id": "c1", "agentId": "a1", "state": "looking"}
		stranger.do("POST", "/presence", http.StatusOK, at)
		if got := viewer.do("POST", "/presence", http.StatusOK, at); got != `{"seconds":20}`+"\n" {
			lt.Errorf("the reply is %s", got)
		}
		if e := s.await("presence"); e.id != "" || e.data != `{"userId":"`+string(viewer.member)+
			`","type":"conversation","id":"c1","agentId":"a1","state":"looking"}` {
			lt.Errorf("told %+v", e)
		}
		at["state"] = "typing"
		viewer.do("POST", "/presence", http.StatusForbidden, at)
		owner.do("POST", "/presence", http.StatusOK, at)
		for _, bad := range []map[string]string{
			{"type": "message", "id": "c1", "state": "looking"},
			{"type": "conversation", "id": "<script>", "state": "looking"},
			{"type": "conversation", "id": strings.Repeat("a", 65), "state": "looking"},
			{"type": "conversation", "id": "c1", "state": "sleeping"},
			{"type": "conversation", "id": "c1", "state": "looking", "text": "Hello"},
		} {
			viewer.do("POST", "/presence", http.StatusBadRequest, bad)
		}
		viewer.do("POST", "/presence", http.StatusNotFound, at, "Parley-Account", lt.OtherAccount)
	})
}

// TestIdleStreamsAskNothing checks that what idle streams ask of the database does not grow with their number: no query
// is asked more than a few times a second, in the best of three spans, since what began before may still ask something.
func TestIdleStreamsAskNothing(t *testing.T) {
	var statements statementCounter
	option := testkit.WithConfig(func(c *server.Config) { c.OnStatement = statements.add })
	forEachLiveTest(t, func(lt *liveTest) {
		for range 3 {
			p := lt.signIn(lt.Account, parley.RoleAgent)
			for range 8 {
				p.follow("").await("hello")
			}
		}
		var tooMany []string
		for range 3 {
			counts, seconds := statements.countFor(2200 * time.Millisecond)
			if tooMany = frequentQueries(counts, seconds); len(tooMany) == 0 {
				return
			}
		}
		lt.Error(strings.Join(tooMany, "\n"))
	}, option)
}

// frequentQueries returns the queries that are asked too often in a time.
func frequentQueries(counts map[string]int, seconds float64) (list []string) {
	for query, n := range counts {
		limit := 6 * seconds
		if strings.Contains(query, "from web_sessions") || strings.Contains(query, "event_seq from accounts where id in") {
			limit = 3 * seconds
		}
		if float64(n) > limit {
			list = append(list, fmt.Sprintf("%d times in %.1f seconds: %s", n, seconds, query))
		}
	}
	return list
}

// statementCounter counts the statements of a server by their text.
type statementCounter struct {
	mu     sync.Mutex
	counts map[string]int
}

func (c *statementCounter) add(query string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts != nil {
		c.counts[strings.Join(strings.Fields(query), " ")]++
	}
}

// countFor counts for about as long, and returns for how long it really was.
func (c *statementCounter) countFor(d time.Duration) (counts map[string]int, seconds float64) {
	began := time.Now()
	c.mu.Lock()
	c.counts = map[string]int{}
	c.mu.Unlock()
	time.Sleep(d)
	c.mu.Lock()
	defer c.mu.Unlock()
	counts, c.counts = c.counts, nil
	return counts, time.Since(began).Seconds()
}
