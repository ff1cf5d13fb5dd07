package apiv1_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"parley/internal/apiv1"
	"parley/internal/llm"
	"parley/internal/rig"
	"parley/internal/rig/dbs"
	"parley/internal/rig/expect"
)

func TestMain(m *testing.M) { dbs.Main(m) }

// A story is a text file in testdata, written as those of REST v2 are (internal/api/story_test.go): requests with the replies
// that are due, told to a whole house one after the other.
//
//	@plan free                               the plan of the account "free", whose key is {{free}}; see house_test.go
//
//	=== what happens [until]                 "until" asks again and again until the reply is the one that is due
//	POST /chat                               paths are below /api/v1; {{key}} is sent unless an Authorization header is given.
//	                                         One that begins with /api/ or /openapi is whole
//	{"chatbotId": "{{bot}}"}                 what is known
//	---
//	200
//
//	{"text": "{{*}}"}                        {{*}} is anything, {{name}} is kept; "..." lets an object have more members
//
// A reply that is a stream is written as its lines; a blank at the end of one is written {{blank}}. EVERY stands for all routes
// that list the status of the reply, with the query and body of the isolation test. "HOUSE does this to {{x}}" is a deed.
type story struct {
	name      string
	settings  []string
	exchanges []exchange
}

type exchange struct {
	title   string
	until   bool
	method  string
	path    string
	headers []string
	body    string

	status      int
	wantHeaders []string
	want        string
}

func TestStories(t *testing.T) {
	for _, s := range stories(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			newTeller(t, s).tell(s)
		})
	}
}

func stories(t *testing.T) []story {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no stories", err)
	}
	var list []story
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, parseStory(t, strings.TrimSuffix(filepath.Base(file), ".txt"), string(text)))
	}
	return list
}

func parseStory(t *testing.T, name, text string) story {
	t.Helper()
	head, rest, _ := strings.Cut("\n"+text, "\n=== ")
	s := story{name: name}
	for line := range strings.Lines(head) {
		if set, ok := strings.CutPrefix(strings.TrimSpace(line), "@"); ok {
			s.settings = append(s.settings, set)
		}
	}
	for part := range strings.SplitSeq(rest, "\n=== ") {
		s.exchanges = append(s.exchanges, parseExchange(t, name, part))
	}
	return s
}

func parseExchange(t *testing.T, story, text string) exchange {
	t.Helper()
	title, text, _ := strings.Cut(text, "\n")
	request, reply, ok := strings.Cut(text, "\n---\n")
	if !ok && !strings.HasPrefix(text, "HOUSE ") {
		t.Fatalf("%s: %q has no reply", story, title)
	}
	var x exchange
	x.title, x.until = strings.CutSuffix(title, " [until]")
	var first string
	first, x.headers, x.body = section(request)
	x.method, x.path, _ = strings.Cut(first, " ")
	first, x.wantHeaders, x.want = section(reply)
	x.status, _ = strconv.Atoi(first)
	return x
}

// section parts a first line, headers and a body.
func section(text string) (first string, headers []string, body string) {
	top, body, _ := strings.Cut(text, "\n\n")
	lines := strings.Split(strings.TrimSpace(top), "\n")
	return lines[0], lines[1:], strings.TrimSpace(body)
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
	for _, x := range s.exchanges {
		err := tl.one(x)
		if x.until {
			rig.Eventually(tl.t, x.title, func() bool { err = tl.one(x); return err == nil })
		}
		if err != nil {
			tl.t.Fatalf("%s\n%s %s\n%v", x.title, x.method, x.path, err)
		}
	}
}

func (tl *teller) one(x exchange) error {
	switch x.method {
	case "HOUSE":
		return tl.does(x.path)
	case "EVERY":
		return tl.every(x)
	}
	return tl.act(x)
}

// every sends the request to all routes that list the status.
func (tl *teller) every(x exchange) error {
	routes := routesListing(tl.t, x.status)
	if len(routes) == 0 {
		return fmt.Errorf("no route lists %d", x.status)
	}
	for _, row := range routes {
		one := x
		one.method, one.path, _ = strings.Cut(row.target(), " ")
		one.path, one.body = things(tl.known).in(one.path), things(tl.known).in(row.body)
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
	url := tl.house.URL + apiv1.Base + tl.known.Expand(x.path)
	if strings.HasPrefix(x.path, "/api/") || strings.HasPrefix(x.path, "/openapi") {
		url = tl.house.URL + tl.known.Expand(x.path)
	}
	req, err := http.NewRequestWithContext(tl.t.Context(), x.method, url, strings.NewReader(tl.known.Expand(x.body)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+tl.house.Key)
	declare(req, x.body)
	for _, line := range x.headers {
		name, value, _ := strings.Cut(line, ":")
		req.Header.Set(name, tl.known.Expand(strings.TrimSpace(value)))
		if strings.TrimSpace(value) == "" {
			req.Header.Del(name)
		}
	}
	return req, nil
}

func (tl *teller) check(x exchange, resp *http.Response, body string) error {
	if resp.StatusCode != x.status {
		return fmt.Errorf("status %d, want %d\n%s", resp.StatusCode, x.status, body)
	}
	for _, line := range x.wantHeaders {
		name, value, _ := strings.Cut(line, ":")
		if got, want := resp.Header.Get(name), tl.known.Expand(strings.TrimSpace(value)); got != want && (want != "{{*}}" || got == "") {
			return fmt.Errorf("header %s: %q, want %q", name, got, want)
		}
	}
	return tl.compare(body, x.want)
}
