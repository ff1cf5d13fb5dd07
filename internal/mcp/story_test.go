package mcp_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"parley/internal/admin"
	"parley/internal/house"
	"parley/internal/llm"
	"parley/internal/rig"
	"parley/internal/rig/expect"
)

// A story is a text file in testdata: calls of tools with the results that are due.
//
//	@scopes reader agents:read          a key {{reader}}         @rate 5      requests per 10 s
//	@member                             kim@shop.example is of the account's team
//
//	=== what happens [as reader]        with that key instead of the one that may do all
//	=== what happens [loosely]          taken although the input schema forbids it
//	service_get_agent
//	{"agentId": "{{agent}}"}
//	---
//	{"name": "Shop", "...": 0}          or a line REFUSED before the JSON
//
// Placeholders are those of the stories of REST (internal/api/story_test.go). INDEXED in place of a tool waits until searches
// know everything. Results are held to the tool's output schema, and what is not refused to its input schema.
type exchange struct {
	title, as, tool, args, want string

	loosely bool
}

func TestStories(t *testing.T) { tellAll(t, http.DefaultTransport) }

// A client that closes its half of the connection when it has sent a message gets the same answers.
func TestStoriesOfClientsThatCloseTheirHalf(t *testing.T) { tellAll(t, rig.HalfClosing{}) }

func tellAll(t *testing.T, by http.RoundTripper) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no stories", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tell(t, by, string(text))
		})
	}
}

func tell(t *testing.T, by http.RoundTripper, text string) {
	parts := strings.Split("\n"+text, "\n=== ")
	var settings []string
	for line := range strings.Lines(parts[0]) {
		if set, ok := strings.CutPrefix(strings.TrimSpace(line), "@"); ok {
			settings = append(settings, set)
		}
	}
	tl := newTeller(t, by, settings)
	for _, part := range parts[1:] {
		x := parse(t, part)
		if err := tl.one(x); err != nil {
			t.Fatalf("%s: %v", x.title, err)
		}
	}
}

func parse(t *testing.T, part string) exchange {
	t.Helper()
	var x exchange
	var asked string
	x.title, part, _ = strings.Cut(part, "\n")
	asked, x.want, _ = strings.Cut(part, "\n---\n")
	x.tool, x.args, _ = strings.Cut(strings.TrimSpace(asked), "\n")
	if x.want = strings.TrimSpace(x.want); x.want == "" && x.tool != "INDEXED" {
		t.Fatalf("%s: no result is due", x.title)
	}
	x.title, x.loosely = strings.CutSuffix(x.title, " [loosely]")
	if title, as, ok := strings.Cut(strings.TrimSuffix(x.title, "]"), " [as "); ok {
		x.title, x.as = title, as
	}
	return x
}

type teller struct {
	t        *testing.T
	by       http.RoundTripper
	house    *rig.House
	known    expect.Known
	sessions map[string]*sdk.ClientSession // by key
	schemas  map[string]*schemas           // by tool
}

type schemas struct{ in, out *jsonschema.Schema }

func newTeller(t *testing.T, by http.RoundTripper, settings []string) *teller {
	options := []rig.Option{rig.Speaking(&llm.Scripted{Answer: func(req llm.Request) []llm.Step {
		return []llm.Step{llm.Say(req.Messages[len(req.Messages)-1].Text), llm.Stop()}
	}})}
	for _, set := range settings {
		if n, ok := strings.CutPrefix(set, "rate "); ok {
			options = append(options, rig.With(func(c *house.Config) { c.RateLimit, _ = strconv.Atoi(n) }))
		}
	}
	tl := &teller{t: t, by: by, house: rig.Open(t, options...), sessions: map[string]*sdk.ClientSession{}}
	tl.known = expect.Known{"key": tl.house.Key, "account": tl.house.Account}
	for _, set := range settings {
		if words := strings.Fields(set); words[0] == "scopes" {
			out, err := admin.Do(t.Context(), tl.house.Operator, admin.CreateKey, admin.NewKey{AccountID: tl.house.Account, Name: words[1], Scopes: strings.Split(words[2], ",")})
			if err != nil {
				t.Fatal(err)
			}
			tl.known[words[1]] = out.APIKey
		}
	}
	if slices.Contains(settings, "member") {
		member(t, tl.house, tl.house.Account)
	}
	tl.house.Search.Take = nil // as many searches as one likes
	tl.schemas = compile(t, tl.session(tl.house.Key))
	return tl
}

func compile(t *testing.T, session *sdk.ClientSession) map[string]*schemas {
	t.Helper()
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*schemas{}
	for _, tool := range list.Tools {
		c := jsonschema.NewCompiler()
		c.DefaultDraft(jsonschema.Draft2020)
		c.AssertFormat()
		if err := c.AddResource("in.json", plainJSON(t, tool.InputSchema)); err != nil {
			t.Fatal(tool.Name, err)
		}
		if err := c.AddResource("out.json", plainJSON(t, tool.OutputSchema)); err != nil {
			t.Fatal(tool.Name, err)
		}
		all[tool.Name] = &schemas{c.MustCompile("in.json"), c.MustCompile("out.json")}
	}
	return all
}

func plainJSON(t *testing.T, v any) any {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	out, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (tl *teller) session(key string) *sdk.ClientSession {
	if tl.sessions[key] == nil {
		tl.sessions[key] = connectBy(tl.t, tl.by, tl.house, key)
	}
	return tl.sessions[key]
}
