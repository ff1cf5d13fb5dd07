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

	"parley/internal/api/admin"
	"parley/internal/model"
	"parley/internal/model/scripted"
	"parley/internal/server"
	"parley/internal/testkit"
	"parley/internal/testkit/expect"
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
// Placeholders are those of the stories of REST (internal/api/v2/story_test.go). INDEXED in place of a tool waits
// until searches know everything. Results are held to the tool's output schema, and what is not refused to its
// input schema.
type exchange struct {
	title, as, tool, args, want string

	violatesInputSchema bool
}

func TestStories(t *testing.T) { runAllStories(t, http.DefaultTransport) }

// A client that closes its half of the connection when it has sent a message gets the same answers.
func TestStoriesOfClientsThatCloseTheirHalf(t *testing.T) {
	runAllStories(t, testkit.HalfClosingTransport{})
}

func runAllStories(t *testing.T, by http.RoundTripper) {
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
			runStory(t, by, string(text))
		})
	}
}

func runStory(t *testing.T, by http.RoundTripper, text string) {
	parts := strings.Split("\n"+text, "\n=== ")
	var settings []string
	for line := range strings.Lines(parts[0]) {
		if set, ok := strings.CutPrefix(strings.TrimSpace(line), "@"); ok {
			settings = append(settings, set)
		}
	}
	tl := newStoryRunner(t, by, settings)
	for _, part := range parts[1:] {
		x := parseExchange(t, part)
		if err := tl.runExchange(x); err != nil {
			t.Fatalf("%s: %v", x.title, err)
		}
	}
}

func parseExchange(t *testing.T, part string) exchange {
	t.Helper()
	var x exchange
	var asked string
	x.title, part, _ = strings.Cut(part, "\n")
	asked, x.want, _ = strings.Cut(part, "\n---\n")
	x.tool, x.args, _ = strings.Cut(strings.TrimSpace(asked), "\n")
	if x.want = strings.TrimSpace(x.want); x.want == "" && x.tool != "INDEXED" {
		t.Fatalf("%s: no result is due", x.title)
	}
	x.title, x.violatesInputSchema = strings.CutSuffix(x.title, " [loosely]")
	if title, as, ok := strings.Cut(strings.TrimSuffix(x.title, "]"), " [as "); ok {
		x.title, x.as = title, as
	}
	return x
}

type storyRunner struct {
	t            *testing.T
	transport    http.RoundTripper
	server       *testkit.Server
	placeholders expect.Placeholders
	sessions     map[string]*sdk.ClientSession // by key
	schemas      map[string]*toolSchemas       // by tool
}

type toolSchemas struct{ in, out *jsonschema.Schema }

func newStoryRunner(t *testing.T, by http.RoundTripper, settings []string) *storyRunner {
	options := []testkit.Option{testkit.WithModel(&scripted.Model{StepsFor: func(req model.Request) []scripted.Step {
		return []scripted.Step{scripted.Text(req.Messages[len(req.Messages)-1].Text), scripted.Stop()}
	}})}
	for _, set := range settings {
		if n, ok := strings.CutPrefix(set, "rate "); ok {
			options = append(options, testkit.WithConfig(func(c *server.Config) { c.RateLimit, _ = strconv.Atoi(n) }))
		}
	}
	tl := &storyRunner{t: t, transport: by, server: testkit.Open(t, options...), sessions: map[string]*sdk.ClientSession{}}
	tl.placeholders = expect.Placeholders{"key": tl.server.Key, "account": tl.server.Account}
	for _, set := range settings {
		if words := strings.Fields(set); words[0] == "scopes" {
			out, err := admin.RunOn(t.Context(), tl.server.AdminService, admin.CreateKey,
				admin.NewKey{AccountID: tl.server.Account, Name: words[1], Scopes: strings.Split(words[2], ",")})
			if err != nil {
				t.Fatal(err)
			}
			tl.placeholders[words[1]] = out.APIKey
		}
	}
	if slices.Contains(settings, "member") {
		addMember(t, tl.server, tl.server.Account)
	}
	tl.server.Search.Allow = nil // as many searches as one likes
	tl.schemas = compileSchemas(t, tl.session(tl.server.Key))
	return tl
}

func compileSchemas(t *testing.T, session *sdk.ClientSession) map[string]*toolSchemas {
	t.Helper()
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*toolSchemas{}
	for _, tool := range list.Tools {
		c := jsonschema.NewCompiler()
		c.DefaultDraft(jsonschema.Draft2020)
		c.AssertFormat()
		if err := c.AddResource("in.json", toJSONValue(t, tool.InputSchema)); err != nil {
			t.Fatal(tool.Name, err)
		}
		if err := c.AddResource("out.json", toJSONValue(t, tool.OutputSchema)); err != nil {
			t.Fatal(tool.Name, err)
		}
		all[tool.Name] = &toolSchemas{c.MustCompile("in.json"), c.MustCompile("out.json")}
	}
	return all
}

func toJSONValue(t *testing.T, v any) any {
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

func (tl *storyRunner) session(key string) *sdk.ClientSession {
	if tl.sessions[key] == nil {
		tl.sessions[key] = connectVia(tl.t, tl.transport, tl.server, key)
	}
	return tl.sessions[key]
}
