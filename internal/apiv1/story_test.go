package apiv1_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"parley/internal/apiv1"
	"parley/internal/llm"
	"parley/internal/rig"
	"parley/internal/rig/dbs"
	"parley/internal/rig/expect"
)

func TestMain(m *testing.M) { dbs.Main(m) }

// The stories in testdata are told as package expect says.
//
//	@plan free                               the plan of the account "free", whose key is {{free}}; see house_test.go
//
//	POST /chat                               paths are below /api/v1; {{key}} is sent unless an Authorization header is given.
//	                                         One that begins with /api/ or /openapi is whole
//
// A blank at the end of a stream's line is written {{blank}}. EVERY stands for all routes that list the status of the reply, with the
// query and body of the isolation test. "HOUSE does this to {{x}}" is a deed.
type (
	story    = expect.Story
	exchange = expect.Exchange
)

func TestStories(t *testing.T) {
	for _, s := range expect.Stories(t) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			newTeller(t, s).tell(s)
		})
	}
}

// A client that closes its half of the connection when it has sent its request gets the same answers, on every route.
func TestStoriesOfClientsThatCloseTheirHalf(t *testing.T) {
	for _, s := range expect.Stories(t) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			tl := newTeller(t, s)
			tl.house.HalfClosing(t)
			tl.tell(s)
		})
	}
}

// teller tells one story and keeps what its placeholders stand for.
type teller struct {
	t     *testing.T
	house *rig.House
	known expect.Known
	gate  *llm.Gate // where the model waits
}

func (tl *teller) tell(s story) {
	tl.t.Helper()
	for _, x := range s.Exchanges {
		err := tl.one(x)
		if x.Until {
			rig.Eventually(tl.t, x.Title, func() bool { err = tl.one(x); return err == nil })
		}
		if err != nil {
			tl.t.Fatalf("%s\n%s %s\n%v", x.Title, x.Method, x.Path, err)
		}
	}
}

func (tl *teller) one(x exchange) error {
	switch x.Method {
	case "HOUSE":
		return tl.does(x.Path)
	case "EVERY":
		return tl.every(x)
	}
	return tl.act(x)
}

// every sends the request to all routes that list the status.
func (tl *teller) every(x exchange) error {
	routes := routesListing(tl.t, x.Status)
	if len(routes) == 0 {
		return fmt.Errorf("no route lists %d", x.Status)
	}
	for _, row := range routes {
		one := x
		one.Method, one.Path, _ = strings.Cut(row.target(), " ")
		one.Path, one.Body = things(tl.known).in(one.Path), things(tl.known).in(row.body)
		if err := tl.act(one); err != nil {
			return fmt.Errorf("%s: %w", row.route, err)
		}
	}
	return nil
}

// act sends one request and compares its reply.
func (tl *teller) act(x exchange) error {
	req, err := tl.request(x)
	if err != nil {
		return err
	}
	resp, err := tl.house.Client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	return tl.check(x, resp, string(body))
}

func (tl *teller) request(x exchange) (*http.Request, error) {
	url := tl.house.URL + apiv1.Base + tl.known.Expand(x.Path)
	if strings.HasPrefix(x.Path, "/api/") || strings.HasPrefix(x.Path, "/openapi") {
		url = tl.house.URL + tl.known.Expand(x.Path)
	}
	req, err := http.NewRequestWithContext(tl.t.Context(), x.Method, url, strings.NewReader(tl.known.Expand(x.Body)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+tl.house.Key)
	declare(req, x.Body)
	for _, line := range x.Headers {
		name, value, _ := strings.Cut(line, ":")
		req.Header.Set(name, tl.known.Expand(strings.TrimSpace(value)))
		if strings.TrimSpace(value) == "" {
			req.Header.Del(name)
		}
	}
	return req, nil
}

func (tl *teller) check(x exchange, resp *http.Response, body string) error {
	if resp.StatusCode != x.Status {
		return fmt.Errorf("status %d, want %d\n%s", resp.StatusCode, x.Status, body)
	}
	for _, line := range x.WantHeaders {
		name, value, _ := strings.Cut(line, ":")
		if got, want := resp.Header.Get(name), tl.known.Expand(strings.TrimSpace(value)); got != want && (want != "{{*}}" || got == "") {
			return fmt.Errorf("header %s: %q, want %q", name, got, want)
		}
	}
	return tl.compare(body, x.Want)
}
