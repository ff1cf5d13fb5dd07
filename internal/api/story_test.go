package api_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A story is a text file in testdata: requests with the replies that are due, told to a whole house one after the other.
//
//	# a comment                              @plan free             the plan of the account "free", whose key is {{free}}
//	@rate 5                                  requests per 10 s      @scopes reader agents:read   a key {{reader}} of our account
//
// The other settings are in house_test.go.
//
//	=== what happens [until]                 "until" asks again and again until the reply is the one that is due
//	POST /agents                             paths are below /api/v2; {{key}} is sent unless an Authorization header is given
//	Content-Type: text/plain
//
//	{"name": "Shop"}
//	---
//	201
//	Allow: GET
//
//	{"id": "{{agent}}", "...": 0}            {{agent}} is kept; later it must be the same. {{*}} is anything. "..." lets an
//	                                         object have more members. {{x*100}} is a hundred x.
//
// A reply that is a stream is written as its lines. Besides, there are
//
//	=== title [meanwhile]                    a request that waits at the model's gate (see moody) while the story goes on
//	EVERY /agents/nobody?limit=1             a request to every route below the path that lists the code of the reply: with
//	                                         {{agentId}} and so on for its ids, and the body of the isolation test
//	HOUSE ends {{conversation}}              what no request does; see deeds
type story struct {
	name      string
	settings  []string
	exchanges []exchange
}

type exchange struct {
	title     string
	until     bool
	meanwhile bool
	method    string
	path      string
	headers   []string
	body      string

	status      int
	wantHeaders []string
	want        string
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
	x.title, x.meanwhile = strings.CutSuffix(x.title, " [meanwhile]")
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
