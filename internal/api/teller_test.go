package api_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"parley/internal/api"
	"parley/internal/llm"
	"parley/internal/rig"
	"parley/internal/rig/dbs"
	"parley/internal/rig/expect"
)

func TestMain(m *testing.M) { dbs.Main(m) }

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
	t        *testing.T
	house    *rig.House
	known    expect.Known
	listed   map[string][]string // the codes of each route
	gate     *llm.Gate           // where the model waits
	database *dbs.Server         // of a story on PostgreSQL
	waiting  []call              // requests that are under way
	site     string              // address of the story's website
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
	if err := tl.join(); err != nil {
		tl.t.Fatal(err)
	}
}

func (tl *teller) one(x exchange) error {
	switch {
	case x.Method == "HOUSE":
		return tl.does(x.Path)
	case x.Method == "EVERY":
		return tl.every(x)
	case x.Meanwhile:
		return tl.begin(x)
	}
	return tl.act(x)
}

// every sends the request to all routes that it is for.
func (tl *teller) every(x exchange) error {
	routes := routesOf(x, tl.listed)
	if len(routes) == 0 {
		return fmt.Errorf("no route below this path lists %s", codeIn(x.Want))
	}
	for _, route := range routes {
		one := x
		one.Method, one.Path = route.method, things(tl.known).in(tl.known.Expand(route.path))
		if x.Body == "" {
			one.Body = things(tl.known).in(route.body)
		}
		if err := tl.act(one); err != nil {
			return fmt.Errorf("%s %s: %w", one.Method, one.Path, err)
		}
	}
	return nil
}

// call is a request that waits at the model's gate.
type call struct {
	exchange exchange
	ended    chan outcome
}

type outcome struct {
	reply *reply
	err   error
}

// begin sends the request and goes on once the model has it.
func (tl *teller) begin(x exchange) error {
	req, err := tl.request(x)
	if err != nil {
		return err
	}
	c := call{x, make(chan outcome, 1)}
	go func() {
		r, err := tl.send(req)
		c.ended <- outcome{r, err}
	}()
	tl.waiting = append(tl.waiting, c)
	select {
	case <-tl.gate.Reached():
		return nil
	case end := <-c.ended:
		return fmt.Errorf("it did not wait: %v %v", end.reply, end.err)
	}
}

// join waits for the requests that are under way and compares their replies.
func (tl *teller) join() error {
	for _, c := range tl.waiting {
		end := <-c.ended
		if end.err != nil {
			return end.err
		}
		if err := tl.check(c.exchange, end.reply); err != nil {
			return fmt.Errorf("%s: %w", c.exchange.Title, err)
		}
	}
	tl.waiting = nil
	return nil
}

// act sends one request and compares its reply.
func (tl *teller) act(x exchange) error {
	req, err := tl.request(x)
	if err != nil {
		return err
	}
	r, err := tl.send(req)
	if err != nil {
		return err
	}
	return tl.check(x, r)
}

type reply struct {
	status int
	header http.Header
	body   string
}

func (tl *teller) request(x exchange) (*http.Request, error) {
	req, err := http.NewRequest(x.Method, tl.house.URL+api.Base+tl.known.Expand(x.Path), strings.NewReader(tl.known.Expand(x.Body)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+tl.house.Key)
	for _, line := range x.Headers {
		name, value, _ := strings.Cut(line, ":")
		req.Header.Set(name, tl.known.Expand(strings.TrimSpace(value)))
		if strings.TrimSpace(value) == "" {
			req.Header.Del(name)
		}
	}
	return req, nil
}

func (tl *teller) send(req *http.Request) (*reply, error) {
	resp, err := tl.house.Client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	return &reply{resp.StatusCode, resp.Header, string(body)}, err
}

func (tl *teller) check(x exchange, r *reply) error {
	if r.status != x.Status {
		return fmt.Errorf("status %d, want %d\n%s", r.status, x.Status, r.body)
	}
	for _, line := range x.WantHeaders {
		name, value, _ := strings.Cut(line, ":")
		if got, want := r.header.Get(name), tl.known.Expand(strings.TrimSpace(value)); got != want && (want != "{{*}}" || got == "") {
			return fmt.Errorf("header %s: %q, want %q", name, got, want)
		}
	}
	if r.header.Get("Access-Control-Allow-Origin") != "" {
		return fmt.Errorf("a CORS header")
	}
	return tl.compare(r.body, x.Want)
}
