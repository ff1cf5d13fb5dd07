package expect

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// actionPrefix is at the beginning of the line of an action.
const actionPrefix = "HOUSE "

// A Story is a text file in testdata: requests with their expected replies, sent to a whole server one after the other.
//
//	# a comment                              @plan free             a setting of the server
//
//	=== what happens [until]                 "until" asks again and again until the reply is the one that is due
//	POST /agents                             "meanwhile", instead, goes on with the story while the request waits
//	Content-Type: text/plain
//
//	{"name": "Shop"}
//	---
//	201
//	Allow: GET
//
//	{"id": "{{agent}}", "...": 0}            see Placeholders
//
// A reply that is a stream is written as its lines. A line that begins with actionPrefix, in place of a request, is an
// action of the test, which has no reply.
type Story struct {
	Name      string
	Settings  []string
	Exchanges []Exchange
}

// Exchange is a request and its expected reply.
type Exchange struct {
	Title           string
	RetryUntilMatch bool
	Concurrent      bool
	Method          string
	Path            string
	Headers         []string
	Body            string

	Status      int
	WantHeaders []string
	Want        string
}

// StoryText is a story whose exchanges have not been parsed.
type StoryText struct {
	Name     string
	Settings []string
	Sections []string // of one exchange each: its title is the first line
}

// ReadStoryTexts reads the stories of the package under test.
func ReadStoryTexts(t *testing.T) []StoryText {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no stories", err)
	}
	var list []StoryText
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sections := strings.Split("\n"+string(text), "\n=== ")
		s := StoryText{Name: strings.TrimSuffix(filepath.Base(file), ".txt"), Sections: sections[1:]}
		for line := range strings.Lines(sections[0]) {
			if set, ok := strings.CutPrefix(strings.TrimSpace(line), "@"); ok {
				s.Settings = append(s.Settings, set)
			}
		}
		list = append(list, s)
	}
	return list
}

// ReadStories reads and parses the stories of the package under test.
func ReadStories(t *testing.T) []Story {
	t.Helper()
	var list []Story
	for _, text := range ReadStoryTexts(t) {
		s := Story{Name: text.Name, Settings: text.Settings}
		for _, section := range text.Sections {
			s.Exchanges = append(s.Exchanges, parseExchange(t, s.Name, section))
		}
		list = append(list, s)
	}
	return list
}

func parseExchange(t *testing.T, story, text string) Exchange {
	t.Helper()
	title, text, _ := strings.Cut(text, "\n")
	request, reply, ok := strings.Cut(text, "\n---\n")
	if !ok && !strings.HasPrefix(text, actionPrefix) {
		t.Fatalf("%s: %q has no reply", story, title)
	}
	var x Exchange
	x.Title, x.RetryUntilMatch = strings.CutSuffix(title, " [until]")
	x.Title, x.Concurrent = strings.CutSuffix(x.Title, " [meanwhile]")
	var first string
	first, x.Headers, x.Body = splitSection(request)
	x.Method, x.Path, _ = strings.Cut(first, " ")
	first, x.WantHeaders, x.Want = splitSection(reply)
	x.Status, _ = strconv.Atoi(first)
	return x
}

// splitSection splits a section into its first line, headers and body.
func splitSection(text string) (first string, headers []string, body string) {
	top, body, _ := strings.Cut(text, "\n\n")
	lines := strings.Split(strings.TrimSpace(top), "\n")
	return lines[0], lines[1:], strings.TrimSpace(body)
}
