package mcp_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"parley/internal/api/mcp"
	"parley/internal/model"
	"parley/internal/server"
	"parley/internal/testkit"
	"parley/internal/testkit/expect"
	"parley/internal/testkit/scripted"
)

// A story is a text file in testdata: calls of tools with their expected results.
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
// Placeholders are those of the stories of REST (internal/api/v2/story_test.go). INDEXED in place of a tool waits until
// the search index is up to date. Results are checked against the tool's output schema, and accepted calls against its
// input schema.
type exchange struct {
	title, as, tool, args, want string

	violatesInputSchema bool
}

func TestStories(t *testing.T) { runAllStories(t, http.DefaultTransport) }

// A client that closes its half of the connection after sending a message gets the same answers.
func TestStoriesOfClientsThatCloseTheirHalf(t *testing.T) {
	runAllStories(t, testkit.HalfClosingTransport{})
}

func runAllStories(t *testing.T, by http.RoundTripper) {
	for _, s := range expect.ReadStoryTexts(t) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			r := newStoryRunner(t, by, s.Settings)
			for _, section := range s.Sections {
				x := parseExchange(t, section)
				if err := r.runExchange(x); err != nil {
					t.Fatalf("%s: %v", x.title, err)
				}
			}
		})
	}
}

func parseExchange(t *testing.T, part string) exchange {
	t.Helper()
	var x exchange
	var question string
	x.title, part, _ = strings.Cut(part, "\n")
	question, x.want, _ = strings.Cut(part, "\n---\n")
	x.tool, x.args, _ = strings.Cut(strings.TrimSpace(question), "\n")
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
	*testkit.StoryRunner
	transport http.RoundTripper
	sessions  map[string]*sdk.ClientSession // by key
	schemas   map[string]*toolSchemas       // by tool
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
	r := &storyRunner{StoryRunner: testkit.NewStoryRunner(t, mcp.Path), transport: by,
		sessions: map[string]*sdk.ClientSession{}}
	r.Open(options...)
	for _, set := range settings {
		r.CreateFixture(strings.Fields(set))
	}
	if slices.Contains(settings, "member") {
		addMember(t, r.Server, r.Server.Account)
	}
	r.Server.Search.Allow = nil // no limit of searches
	r.schemas = compileSchemas(t, r.session(r.Server.Key))
	return r
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

func (r *storyRunner) session(key string) *sdk.ClientSession {
	if r.sessions[key] == nil {
		r.sessions[key] = connectVia(r.T, r.transport, r.Server, key)
	}
	return r.sessions[key]
}

// runExchange makes a call and compares its result.
func (r *storyRunner) runExchange(x exchange) error {
	if x.tool == "INDEXED" {
		return r.UpdateIndex()
	}
	key := r.Server.Key
	if x.as != "" {
		key = r.Placeholders[x.as]
	}
	args := cmp.Or(r.Placeholders.Expand(x.args), "{}")
	out, err := r.session(key).CallTool(r.T.Context(),
		&sdk.CallToolParams{Name: x.tool, Arguments: json.RawMessage(args)})
	if err != nil {
		return err
	}
	text := out.Content[0].(*sdk.TextContent).Text
	want, refused := strings.CutPrefix(x.want, "REFUSED")
	if refused != out.IsError || refused != (out.StructuredContent == nil) {
		return fmt.Errorf("refused: %v, structured: %v\n%s", out.IsError, out.StructuredContent, text)
	}
	return errors.Join(r.checkSchemas(x, args, out), r.Placeholders.Compare(text, want))
}

// checkSchemas checks a successful call and its result against the tool's schemas.
func (r *storyRunner) checkSchemas(x exchange, args string, out *sdk.CallToolResult) error {
	if out.IsError {
		return nil
	}
	err := r.schemas[x.tool].out.Validate(toJSONValue(r.T, out.StructuredContent))
	if !x.violatesInputSchema {
		err = errors.Join(err, r.schemas[x.tool].in.Validate(toJSONValue(r.T, json.RawMessage(args))))
	}
	return err
}
