package v2_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"parley/internal/api/v2"
	"parley/internal/model/scripted"
	"parley/internal/testkit"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/expect"
)

func TestMain(m *testing.M) { dbs.Main(m) }

func TestStories(t *testing.T) {
	for _, s := range expect.ReadStories(t) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			newStoryRunner(t, s).runStory(s)
		})
	}
}

// A client that closes its half of the connection when it has sent its request gets the same answers, on every route.
func TestStoriesOfClientsThatCloseTheirHalf(t *testing.T) {
	for _, s := range expect.ReadStories(t) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			tl := newStoryRunner(t, s)
			tl.server.UseHalfClosing(t)
			tl.runStory(s)
		})
	}
}

// storyRunner tells one story and keeps what its placeholders stand for.
type storyRunner struct {
	t            *testing.T
	server       *testkit.Server
	placeholders expect.Placeholders
	listedCodes  map[string][]string // the codes of each route
	modelGate    *scripted.Barrier   // where the model waits
	database     *dbs.Server         // of a story on PostgreSQL
	pendingCalls []pendingCall       // requests that are under way
	siteURL      string              // address of the story's website
}

func (tl *storyRunner) runStory(s story) {
	tl.t.Helper()
	for _, x := range s.Exchanges {
		err := tl.runExchange(x)
		if x.RetryUntilMatch {
			testkit.Eventually(tl.t, x.Title, func() bool { err = tl.runExchange(x); return err == nil })
		}
		if err != nil {
			tl.t.Fatalf("%s\n%s %s\n%v", x.Title, x.Method, x.Path, err)
		}
	}
	if err := tl.finishCalls(); err != nil {
		tl.t.Fatal(err)
	}
}

func (tl *storyRunner) runExchange(x exchange) error {
	switch {
	case x.Method == "HOUSE":
		return tl.runEvent(x.Path)
	case x.Method == "EVERY":
		return tl.runOnEveryRoute(x)
	case x.Concurrent:
		return tl.beginExchange(x)
	}
	return tl.sendExchange(x)
}

// runOnEveryRoute sends the request to all routes that it is for.
func (tl *storyRunner) runOnEveryRoute(x exchange) error {
	routes := routeTargets(x, tl.listedCodes)
	if len(routes) == 0 {
		return fmt.Errorf("no route below this path lists %s", expectedCode(x.Want))
	}
	for _, route := range routes {
		one := x
		one.Method, one.Path = route.method, resourceIDs(tl.placeholders).substitute(tl.placeholders.Expand(route.path))
		if x.Body == "" {
			one.Body = resourceIDs(tl.placeholders).substitute(route.body)
		}
		if err := tl.sendExchange(one); err != nil {
			return fmt.Errorf("%s %s: %w", one.Method, one.Path, err)
		}
	}
	return nil
}

// pendingCall is a request that waits at the model's gate.
type pendingCall struct {
	exchange exchange
	result   chan outcome
}

type outcome struct {
	reply *reply
	err   error
}

// beginExchange sends the request and goes on once the model has it.
func (tl *storyRunner) beginExchange(x exchange) error {
	req, err := tl.newRequest(x)
	if err != nil {
		return err
	}
	c := pendingCall{x, make(chan outcome, 1)}
	go func() {
		r, err := tl.sendRequest(req)
		c.result <- outcome{r, err}
	}()
	tl.pendingCalls = append(tl.pendingCalls, c)
	select {
	case <-tl.modelGate.Reached():
		return nil
	case end := <-c.result:
		return fmt.Errorf("it did not wait: %v %v", end.reply, end.err)
	}
}

// finishCalls waits for the requests that are under way and compares their replies.
func (tl *storyRunner) finishCalls() error {
	for _, c := range tl.pendingCalls {
		end := <-c.result
		if end.err != nil {
			return end.err
		}
		if err := tl.checkReply(c.exchange, end.reply); err != nil {
			return fmt.Errorf("%s: %w", c.exchange.Title, err)
		}
	}
	tl.pendingCalls = nil
	return nil
}

// sendExchange sends one request and compares its reply.
func (tl *storyRunner) sendExchange(x exchange) error {
	req, err := tl.newRequest(x)
	if err != nil {
		return err
	}
	r, err := tl.sendRequest(req)
	if err != nil {
		return err
	}
	return tl.checkReply(x, r)
}

type reply struct {
	status int
	header http.Header
	body   string
}

func (tl *storyRunner) newRequest(x exchange) (*http.Request, error) {
	req, err := http.NewRequest(x.Method, tl.server.URL+v2.Base+tl.placeholders.Expand(x.Path),
		strings.NewReader(tl.placeholders.Expand(x.Body)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+tl.server.Key)
	for _, line := range x.Headers {
		name, value, _ := strings.Cut(line, ":")
		req.Header.Set(name, tl.placeholders.Expand(strings.TrimSpace(value)))
		if strings.TrimSpace(value) == "" {
			req.Header.Del(name)
		}
	}
	return req, nil
}

func (tl *storyRunner) sendRequest(req *http.Request) (*reply, error) {
	resp, err := tl.server.Client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	return &reply{resp.StatusCode, resp.Header, string(body)}, err
}

func (tl *storyRunner) checkReply(x exchange, r *reply) error {
	if r.status != x.Status {
		return fmt.Errorf("status %d, want %d\n%s", r.status, x.Status, r.body)
	}
	for _, line := range x.WantHeaders {
		name, value, _ := strings.Cut(line, ":")
		if got, want := r.header.Get(name), tl.placeholders.Expand(strings.TrimSpace(value)); got != want &&
			(want != "{{*}}" || got == "") {
			return fmt.Errorf("header %s: %q, want %q", name, got, want)
		}
	}
	if r.header.Get("Access-Control-Allow-Origin") != "" {
		return fmt.Errorf("a CORS header")
	}
	return tl.compareReply(r.body, x.Want)
}

// The stories in testdata are told as package expect says, with paths below /api/v2 and {{key}} sent unless an
// Authorization header is given. Besides, there are
//
//	@plan free                               the plan of the account "free", whose key is {{free}}
//	@rate 5                                  requests per 10 s
//	@scopes reader agents:read               a key {{reader}} of our account; the other settings are in server_test.go
//
//	=== title [meanwhile]                    a request that waits at the model's gate (see moody) while the story goes on
//	EVERY /agents/nobody?limit=1             a request to every route below the path that lists the code of the
//	                                         reply: with
//	                                         {{agentId}} and so on for its ids, and the body of the isolation test
//	an event with its arguments              what happens without a request; see storyEvents
type (
	story    = expect.Story
	exchange = expect.Exchange
)
