package v1_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"parley/internal/api/v1"
	"parley/internal/model/scripted"
	"parley/internal/testkit"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/expect"
)

func TestMain(m *testing.M) { dbs.Main(m) }

// The stories in testdata are told as package expect says.
//
//	@plan free                               the plan of the account "free", whose key is {{free}}; see server_test.go
//
//	POST /chat                               paths are below /api/v1; {{key}} is sent unless there is an
//	                                         Authorization header
//	                                         One that begins with /api/ or /openapi is whole
//
// A blank at the end of a stream's line is written {{blank}}. EVERY stands for all routes that list the status of the
// reply, with the query and body of the isolation test. storyEvents are what happens without a request.
type (
	story    = expect.Story
	exchange = expect.Exchange
)

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
	modelGate    *scripted.Barrier // where the model waits
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
}

func (tl *storyRunner) runExchange(x exchange) error {
	switch x.Method {
	case "HOUSE":
		return tl.runEvent(x.Path)
	case "EVERY":
		return tl.runOnEveryRoute(x)
	}
	return tl.sendExchange(x)
}

// runOnEveryRoute sends the request to all routes that list the status.
func (tl *storyRunner) runOnEveryRoute(x exchange) error {
	routes := routesListing(tl.t, x.Status)
	if len(routes) == 0 {
		return fmt.Errorf("no route lists %d", x.Status)
	}
	for _, row := range routes {
		one := x
		one.Method, one.Path, _ = strings.Cut(row.target(), " ")
		one.Path, one.Body = resourceIDs(tl.placeholders).substitute(one.Path),
			resourceIDs(tl.placeholders).substitute(row.body)
		if err := tl.sendExchange(one); err != nil {
			return fmt.Errorf("%s: %w", row.route, err)
		}
	}
	return nil
}

// sendExchange sends one request and compares its reply.
func (tl *storyRunner) sendExchange(x exchange) error {
	req, err := tl.newRequest(x)
	if err != nil {
		return err
	}
	resp, err := tl.server.Client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	return tl.checkReply(x, resp, string(body))
}

func (tl *storyRunner) newRequest(x exchange) (*http.Request, error) {
	url := tl.server.URL + v1.Base + tl.placeholders.Expand(x.Path)
	if strings.HasPrefix(x.Path, "/api/") || strings.HasPrefix(x.Path, "/openapi") {
		url = tl.server.URL + tl.placeholders.Expand(x.Path)
	}
	req, err := http.NewRequestWithContext(tl.t.Context(), x.Method, url,
		strings.NewReader(tl.placeholders.Expand(x.Body)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+tl.server.Key)
	setFormContentType(req, x.Body)
	for _, line := range x.Headers {
		name, value, _ := strings.Cut(line, ":")
		req.Header.Set(name, tl.placeholders.Expand(strings.TrimSpace(value)))
		if strings.TrimSpace(value) == "" {
			req.Header.Del(name)
		}
	}
	return req, nil
}

func (tl *storyRunner) checkReply(x exchange, resp *http.Response, body string) error {
	if resp.StatusCode != x.Status {
		return fmt.Errorf("status %d, want %d\n%s", resp.StatusCode, x.Status, body)
	}
	for _, line := range x.WantHeaders {
		name, value, _ := strings.Cut(line, ":")
		if got, want := resp.Header.Get(name), tl.placeholders.Expand(strings.TrimSpace(value)); got != want &&
			(want != "{{*}}" || got == "") {
			return fmt.Errorf("header %s: %q, want %q", name, got, want)
		}
	}
	return tl.compareReply(body, x.Want)
}
