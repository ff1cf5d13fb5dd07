package movein_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/server"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit"
	"parley/internal/testkit/clock"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.Main(m) }

// moveTest moves from one running server to another through the public interface.
type moveTest struct {
	t     testing.TB
	from  *testkit.Server
	to    *testkit.Server
	clock *clock.Clock // of the server that takes over
	agent string       // of the other one, with most conversations
}

func openMoveTest(t testing.TB, options ...testkit.Option) *moveTest {
	t.Helper()
	mt := &moveTest{t: t, clock: clock.At(time.Now().Add(time.Hour)), from: testkit.Open(t)}
	quiet := testkit.WithConfig(func(c *server.Config) { c.InsightWait = 10_000 * time.Hour }) // no titles are made
	mt.to = testkit.Open(t, append(options, testkit.WithClock(mt.clock), quiet)...)
	return mt
}

func (mt *moveTest) must(err error) {
	mt.t.Helper()
	if err != nil {
		mt.t.Fatal(err, parley.AsError(err).Details)
	}
}

// fill writes two agents into the other service, with settings, sources of each kind and conversations.
func (mt *moveTest) fill(conversations int) {
	mt.t.Helper()
	mt.agent = mt.from.NewAgent(mt.t, mt.from.Key, "# Sky\n\nThe sky is blue.")
	other := mt.from.NewAgent(mt.t, mt.from.Key)
	var done any
	mt.from.Do(mt.t, "PUT", "/agents/"+mt.agent, mt.from.Key, map[string]any{"name": "Shop \"A\" ü", "temp": 0.25,
		"instructions": "Be brief.\nBe kind.", "suggestedMessages": []any{map[string]any{"text": "Hi", "type": "single",
			"order": 0}}, "initialMessages": []string{"Hello", "What now?"}, "creditLimit": 500, "visibility": "public",
		"allowedDomains": []string{"shop.example"}, "ipRateLimits": map[string]any{"limit": 7},
		"voiceSettings": map[string]any{"temperature": 0.5}}).Decode(mt.t, http.StatusOK, &done)
	mt.from.Do(mt.t, "PUT", "/agents/"+mt.agent+"/styles", mt.from.Key, map[string]any{"styles": map[string]any{
		"chat":        map[string]any{"theme": "dark", "displayName": "Ann", "showFeedback": false},
		"centerStage": map[string]any{"accentColor": map[string]any{"enabled": true, "color": "#ff0000"}, "width": "large"},
	}}).Decode(mt.t, http.StatusOK, &done)
	for _, source := range []map[string]any{
		{"type": "qna", "name": "Vouchers", "questions": []string{"Vouchers?"}, "answer": "Yes."},
		{"type": "link", "url": "https://shop.example/help", "linkType": "crawl", "excludePaths": []string{"^/old"}},
	} {
		mt.from.Do(mt.t, "POST", "/agents/"+mt.agent+"/sources", mt.from.Key, source).Decode(mt.t, http.StatusCreated, &done)
	}
	mt.from.Do(mt.t, "POST", "/agents/"+mt.agent+"/chat", mt.from.Key, map[string]any{
		"message": "What colour is the sky?", "userId": "jo", "stream": false}).Decode(mt.t, http.StatusOK, &done)
	for i := range conversations {
		mt.plant(parley.AgentID(mt.agent), i)
	}
	mt.plant(parley.AgentID(other), 0)
}

// plant writes a conversation into the other service, of one origin, state and content after the other.
func (mt *moveTest) plant(agent parley.AgentID, i int) {
	mt.t.Helper()
	at := time.Date(2025, 1, 1, 0, 0, i/3, 0, time.UTC) // several have the same time
	statuses := parley.ConversationStatuses()
	c := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AgentID: agent,
		AccountID: parley.AccountID(mt.from.Account), API: parley.APIV2, Channel: parley.Channels()[i%len(parley.Channels())],
		Title: fmt.Sprintf("No. %d <b>\u2028 \\u0000", i), Status: statuses[i%len(statuses)], CreatedAt: at,
		UpdatedAt: at.Add(time.Hour)}
	if i%2 == 0 {
		c.UserID, c.EmbedOrigin = parley.EndUserID(fmt.Sprint("user-", i)), "https://shop.example/a"
	}
	interval := time.Minute
	if i%2 == 0 {
		interval = 100 * time.Millisecond // the interface tells whole seconds
	}
	var list []parley.Message
	for j := range 1 + i%5 {
		m := parley.Message{ID: parley.NewMessageID(), ConversationID: c.ID, Author: parley.AuthorUser,
			State: parley.MessageComplete, Parts: []parley.Part{{Type: "text", Text: fmt.Sprint("Text ", i, " ", j)}},
			CreatedAt: at.Add(time.Duration(j) * interval)}
		if j%2 == 1 {
			score := float64(i%11) / 10
			m.Author, m.Score, m.AnswerState = parley.AuthorAssistant, &score, parley.AnswerUnsure
			m.Feedback = []string{"", "positive", "negative"}[i%3]
			m.Parts = append(m.Parts, parley.Part{Type: "tool-call", ToolCallID: "call_1", ToolName: "look"},
				parley.Part{Type: "tool-result", ToolCallID: "call_1", ToolName: "look",
					Output: json.RawMessage(`{"status":"success","data":{"a":[1,2.50,"\\u0000\\\\u0000"]}}`)})
		}
		list = append(list, m)
	}
	mt.must(mt.from.DB.Transact(mt.t.Context(), sqldb.Bulk, func(tx *store.DB) error {
		return tx.AddMovedConversation(mt.t.Context(), c, "", list)
	}))
}

// step takes a step, through the operation of the operator.
func (mt *moveTest) step(ctx context.Context, url string, begin bool) (admin.MoveInState, error) {
	return admin.RunOn(ctx, mt.to.AdminService, admin.MoveIn, admin.MoveInRequest{AccountID: mt.to.Account, URL: url,
		Key: mt.from.Key, Begin: begin})
}

// moveIn takes steps until all is taken over. Waits turn the clock.
func (mt *moveTest) moveIn(url string) admin.MoveInState {
	mt.t.Helper()
	for begin := true; ; begin = false {
		state, err := mt.step(mt.t.Context(), url, begin)
		mt.must(err)
		if state.Done {
			return state
		}
		mt.clock.Advance(time.Duration(state.WaitMillis) * time.Millisecond)
	}
}

// exported returns all conversations that a server exports of an agent, by their ids.
func (mt *moveTest) exported(s *testkit.Server, key, agent string) map[string]string {
	mt.t.Helper()
	found := map[string]string{}
	for cursor := ""; ; {
		var page struct {
			Data       []json.RawMessage
			Pagination struct {
				Cursor *string
				Total  int
			}
		}
		s.Do(mt.t, "GET", "/agents/"+agent+"/conversations/export?limit=50&cursor="+url.QueryEscape(cursor), key, nil).
			Decode(mt.t, http.StatusOK, &page)
		for _, c := range page.Data {
			var named struct{ ID string }
			mt.must(json.Unmarshal(c, &named))
			if found[named.ID] != "" {
				mt.t.Errorf("%s is there twice", named.ID)
			}
			found[named.ID] = string(c)
		}
		if page.Pagination.Cursor == nil {
			if len(found) != page.Pagination.Total {
				mt.t.Errorf("%d conversations, counted as %d", len(found), page.Pagination.Total)
			}
			return found
		}
		cursor = *page.Pagination.Cursor
	}
}

// checkSame fails unless both servers export the same conversations of an agent.
func (mt *moveTest) checkSame(agent string) {
	mt.t.Helper()
	want, got := mt.exported(mt.from, mt.from.Key, agent), mt.exported(mt.to, mt.to.Key, agent)
	if len(got) != len(want) {
		mt.t.Errorf("%d conversations, want %d", len(got), len(want))
	}
	for _, id := range slices.Sorted(maps.Keys(want)) {
		if got[id] != want[id] {
			mt.t.Fatalf("a conversation was\n%s\nand is\n%s", want[id], got[id])
		}
	}
}

func TestTheSameAfterwards(t *testing.T) {
	for name, options := range map[string][]testkit.Option{"sqlite": nil, "postgres": {testkit.WithPostgres()}} {
		t.Run(name, func(t *testing.T) {
			mt := openMoveTest(t, options...)
			mt.fill(45)
			state := mt.moveIn(mt.from.URL)
			if state.Agents != 2 || state.AgentsDone != 2 || state.Conversations != 47 || state.Total != 47 ||
				state.Present != 0 {
				t.Errorf("%+v", state)
			}
			mt.checkSame(mt.agent)
			mt.checkAgents()
			mt.checkLeftOut(state)
			mt.checkFound()
			again := mt.moveIn(mt.from.URL + "/api/v2/")
			if again.Conversations != 0 || again.Present != 47 || len(again.LeftOut) != len(state.LeftOut) {
				t.Errorf("again: %+v", again)
			}
			mt.checkSame(mt.agent)
		})
	}
}

// checkAgents compares the records of the agents, but for what counts here.
func (mt *moveTest) checkAgents() {
	mt.t.Helper()
	read := func(s *testkit.Server, key string) map[string]any {
		var record map[string]any
		s.Do(mt.t, "GET", "/agents/"+mt.agent, key, nil).Decode(mt.t, http.StatusOK, &record)
		for _, name := range []string{"status", "size", "creditsUsed", "lastTrainedAt", "lastMessageAt"} {
			delete(record, name)
		}
		return record
	}
	want, got := read(mt.from, mt.from.Key), read(mt.to, mt.to.Key)
	for name := range want {
		if a, b := fmt.Sprint(want[name]), fmt.Sprint(got[name]); a != b {
			mt.t.Errorf("%s was %s and is %s", name, a, b)
		}
	}
}

// checkLeftOut checks that sources whose content nobody tells are named, and that the website is read here.
func (mt *moveTest) checkLeftOut(state admin.MoveInState) {
	mt.t.Helper()
	var kinds []string
	for _, l := range state.LeftOut {
		kinds = append(kinds, l.Kind+" "+l.Type)
	}
	slices.Sort(kinds)
	if got := strings.Join(kinds, ", "); got != "source qna, source text" {
		mt.t.Errorf("left out: %s, %+v", got, state.LeftOut)
	}
	var sources struct{ Data []map[string]any }
	mt.to.Do(mt.t, "GET", "/agents/"+mt.agent+"/sources", mt.to.Key, nil).Decode(mt.t, http.StatusOK, &sources)
	if len(sources.Data) != 1 || sources.Data[0]["name"] != "https://shop.example/help" ||
		!strings.Contains(fmt.Sprint(sources.Data[0]["metadata"]), "excludePaths:[^/old]") {
		mt.t.Errorf("sources: %v", sources.Data)
	}
}

// checkFound waits until the search finds what was taken over, of the last year.
func (mt *moveTest) checkFound() {
	mt.t.Helper()
	testkit.Eventually(mt.t, "the search finds what was taken over", func() bool {
		var page struct{ Data []any }
		mt.clock.Advance(time.Second) // there is a limit to searches
		mt.to.Do(mt.t, "GET", "/agents/"+mt.agent+"/conversations/search?query=colour", mt.to.Key, nil).
			Decode(mt.t, http.StatusOK, &page)
		return len(page.Data) == 1
	})
}

// A move-in that is killed at any moment goes on where it was, and nothing is there twice.
func TestACutMoveInGoesOn(t *testing.T) {
	mt := openMoveTest(t)
	mt.fill(60)
	front := mt.newFront(nil)
	random := rand.New(rand.NewPCG(1, 2))
	cuts := 0
	for begin := true; ; begin = false {
		ctx, kill := context.WithCancel(t.Context())
		front.cut(kill, random.IntN(4), random.IntN(2) == 0)
		state, err := mt.step(ctx, front.URL, begin)
		kill()
		if err != nil {
			cuts++
			continue
		}
		if state.Done {
			if state.Conversations != 62 || state.Present != 0 || state.Total != 62 {
				t.Errorf("%+v", state)
			}
			break
		}
		mt.clock.Advance(time.Duration(state.WaitMillis) * time.Millisecond)
	}
	if cuts < 3 {
		t.Errorf("only %d cuts", cuts)
	}
	mt.checkSame(mt.agent)
}

// front is a server before the other service.
type front struct {
	*httptest.Server
	mu     sync.Mutex
	kill   func()
	after  int  // requests that are answered before the cut
	before bool // whether the request at the cut is not answered
}

// newFront returns a server that answers as the other service does, unless refuse does.
func (mt *moveTest) newFront(refuse func(w http.ResponseWriter, r *http.Request) bool) *front {
	target, err := url.Parse(mt.from.URL)
	mt.must(err)
	proxy := httputil.NewSingleHostReverseProxy(target)
	f := &front{}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refuse != nil && refuse(w, r) {
			return
		}
		kill, isBefore := f.isCut()
		if isBefore {
			kill()
			return
		}
		proxy.ServeHTTP(w, r)
		if kill != nil {
			kill()
		}
	}))
	mt.t.Cleanup(f.Close)
	return f
}

func (f *front) cut(kill func(), after int, before bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kill, f.after, f.before = kill, after, before
}

func (f *front) isCut() (kill func(), isBefore bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.after--; f.after == -1 && f.kill != nil {
		return f.kill, f.before
	}
	return nil, false
}

// The limits of the service are kept: after a refusal, and after the last request that is allowed, nothing is sent
// before the time that it names.
func TestLimitsAreKept(t *testing.T) {
	mt := openMoveTest(t)
	mt.fill(60)
	var mu sync.Mutex
	var until time.Time
	requests, refused := 0, 0
	front := mt.newFront(func(w http.ResponseWriter, _ *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		now := mt.clock.Now()
		if now.Before(until) {
			t.Errorf("request %d comes %s too early", requests, until.Sub(now))
		}
		requests++
		switch requests % 4 {
		case 1:
			refused++
			until = now.Add(7 * time.Second)
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
		case 2:
			refused++
			until = now.Add(20 * time.Second).Truncate(time.Second)
			w.Header().Set("X-RateLimit-Reset", strconv.FormatInt(until.Unix(), 10))
			w.WriteHeader(http.StatusTooManyRequests)
		case 3:
			w.WriteHeader(http.StatusBadGateway)
		default:
			return false
		}
		return true
	})
	if state := mt.moveIn(front.URL); state.Conversations != 62 {
		t.Errorf("%+v", state)
	}
	if refused < 10 {
		t.Errorf("only %d refusals", refused)
	}
	mt.checkSame(mt.agent)
}

// An agent that is deleted at the service meanwhile does not hold up the others, and the list says so.
func TestAnAgentThatIsGoneIsLeftOut(t *testing.T) {
	mt := openMoveTest(t)
	mt.fill(25)
	front := mt.newFront(func(w http.ResponseWriter, r *http.Request) bool {
		isGone := strings.HasSuffix(r.URL.Path, "/agents/"+mt.agent+"/conversations/export")
		if isGone {
			answerWith(http.StatusNotFound, "application/json", `{"error":{"code":"AGENT_NOT_FOUND","message":"No."}}`)(w, r)
		}
		return isGone
	})
	state := mt.moveIn(front.URL)
	if state.Agents != 2 || state.AgentsDone != 2 || state.Conversations != 1 {
		t.Errorf("%+v", state)
	}
	if !slices.ContainsFunc(state.LeftOut, func(l admin.MoveInLeftOut) bool {
		return l.Kind == "conversation" && strings.Contains(l.Reason, "does not have the agent any more")
	}) {
		t.Errorf("left out: %+v", state.LeftOut)
	}
}

// Where the service does not take a cursor any more, a while later, the list is read from its beginning.
func TestACursorThatIsOver(t *testing.T) {
	mt := openMoveTest(t)
	mt.fill(60)
	var isRefused atomic.Bool
	front := mt.newFront(func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Query().Get("cursor") == "" || !isRefused.CompareAndSwap(false, true) {
			return false
		}
		mt.clock.Advance(time.Hour)
		answerWith(http.StatusBadRequest, "application/json",
			`{"error":{"code":"VALIDATION_INVALID_BODY","message":"The cursor is over."}}`)(w, r)
		return true
	})
	if state := mt.moveIn(front.URL); state.Conversations != 62 || state.Present == 0 {
		t.Errorf("%+v", state)
	}
	mt.checkSame(mt.agent)
}

// What is in the account stays as it is, and so do the things of others that have the same ids.
func TestNothingIsOverwritten(t *testing.T) {
	mt := openMoveTest(t)
	mt.fill(25)
	mt.to = mt.from // into another account of the same server: all ids are taken
	into := func() admin.MoveInState {
		for begin := true; ; begin = false {
			state, err := admin.RunOn(t.Context(), mt.from.AdminService, admin.MoveIn, admin.MoveInRequest{
				AccountID: mt.from.OtherAccount, URL: mt.from.URL, Key: mt.from.Key, Begin: begin})
			mt.must(err)
			if state.Done {
				return state
			}
		}
	}
	before := mt.exported(mt.from, mt.from.Key, mt.agent)
	if state := into(); state.Conversations != 27 {
		t.Errorf("%+v", state)
	}
	agent := mt.agentCalled(mt.from.OtherKey, `Shop "A" ü`)
	copies := mt.exported(mt.from, mt.from.OtherKey, agent)
	if agent == mt.agent || len(copies) != len(before) {
		t.Errorf("%d of %d conversations of the agent %s", len(copies), len(before), agent)
	}
	if after := mt.exported(mt.from, mt.from.Key, mt.agent); !maps.Equal(before, after) {
		t.Error("the conversations that were copied have changed")
	}
	var done any
	mt.from.Do(t, "PUT", "/agents/"+agent, mt.from.OtherKey, map[string]any{"temp": 0.75}).Decode(t, http.StatusOK, &done)
	mt.plant(parley.AgentID(mt.agent), 99) // a new one
	if state := into(); state.Conversations != 1 || state.Present != 27 || state.Agents != 2 {
		t.Errorf("%+v", state)
	}
	var record struct{ Temp float64 }
	mt.from.Do(t, "GET", "/agents/"+agent, mt.from.OtherKey, nil).Decode(t, http.StatusOK, &record)
	if record.Temp != 0.75 {
		t.Error("a setting that was changed here is", record.Temp)
	}
	if n := mt.countRuns(mt.from, mt.from.OtherAccount); n != 2 {
		t.Errorf("%d entries of two runs", n)
	}
}

func (mt *moveTest) agentCalled(key, name string) string {
	mt.t.Helper()
	var page struct{ Data []struct{ ID, Name string } }
	mt.from.Do(mt.t, "GET", "/agents?limit=100", key, nil).Decode(mt.t, http.StatusOK, &page)
	for _, a := range page.Data {
		if a.Name == name {
			return a.ID
		}
	}
	mt.t.Fatalf("no agent is called %s: %+v", name, page.Data)
	return ""
}

// countRuns returns how many runs the audit log of an account has.
func (mt *moveTest) countRuns(s *testkit.Server, account string) (n int) {
	mt.t.Helper()
	events, err := s.DB.AuditEvents(mt.t.Context(), parley.AccountID(account), 0, 100)
	mt.must(err)
	for _, e := range events {
		if e.Action == "account.move_in" {
			n++
		}
		if strings.Contains(e.Details, mt.from.Key) {
			mt.t.Error("the audit log holds the key")
		}
	}
	return n
}
