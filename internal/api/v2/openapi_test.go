package v2_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"parley/internal/api/v2"
	"parley/internal/testkit"
)

var updateGolden = flag.Bool("update", false, "rewrite golden files")

func fetchDocument(t *testing.T) []byte {
	t.Helper()
	doc, err := v2.Document("https://parley.example", "https://files.parley.example")
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestOpenAPIGolden makes every change of what is promised visible: read the difference before you run with -update.
func TestOpenAPIGolden(t *testing.T) {
	got := fetchDocument(t)
	if *updateGolden {
		if err := os.WriteFile("openapi.json", got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("openapi.json is not what the routes say (-golden +routes):\n%s", diff)
	}
	if !bytes.Equal(got, fetchDocument(t)) {
		t.Error("two documents of the same routes differ")
	}
}

type openAPI struct {
	OpenAPI string
	Info    struct{ Title, Version string }
	Paths   map[string]map[string]struct {
		OperationID string
		Scope       *string `json:"x-scope"`
		Security    *[]any
		Parameters  []struct {
			Name, In string
			Required bool
		}
		Responses map[string]response
	}
	Components struct{ Responses map[string]response }
}

type response struct {
	Description string
	Ref         string `json:"$ref"`
	Headers     map[string]any
	Content     map[string]any
}

func TestOpenAPIIsConsistent(t *testing.T) {
	var doc openAPI
	if err := json.Unmarshal(fetchDocument(t), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.OpenAPI != "3.1.0" || doc.Info.Version != "2.0.0" {
		t.Errorf("OpenAPI %q, version %q", doc.OpenAPI, doc.Info.Version)
	}
	ids := map[string]bool{}
	for path, item := range doc.Paths {
		for method, op := range item {
			where := method + " " + path
			if op.OperationID == "" || ids[op.OperationID] {
				t.Errorf("%s: operationId %q is missing or taken", where, op.OperationID)
			}
			ids[op.OperationID] = true
			var declared, named []string
			for _, p := range op.Parameters {
				if p.In == "path" && p.Required {
					declared = append(declared, p.Name)
				}
			}
			for _, m := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(path, -1) {
				named = append(named, m[1])
			}
			if !slices.Equal(declared, named) {
				t.Errorf("%s: the path names %v, the parameters %v", where, named, declared)
			}
			if op.Scope == nil && op.Security == nil && path != "/me" {
				t.Errorf("%s: neither a scope nor open to all", where)
			}
			for status, r := range op.Responses {
				if status == "4XX" { // what never reached the service
					continue
				}
				if r.Ref != "" {
					r = doc.Components.Responses[strings.TrimPrefix(r.Ref, "#/components/responses/")]
				}
				for _, header := range []string{"x-request-id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} {
					if r.Headers[header] == nil {
						t.Errorf("%s: %s lacks the header %s", where, status, header)
					}
				}
				if (status == "429" || status == "503") && r.Headers["Retry-After"] == nil {
					t.Errorf("%s: %s lacks Retry-After", where, status)
				}
			}
		}
	}
}

func TestOpenAPISchemasCompile(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(fetchDocument(t)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("openapi.json", doc); err != nil {
		t.Fatal(err)
	}
	for name := range doc.(map[string]any)["components"].(map[string]any)["schemas"].(map[string]any) {
		if _, err := c.Compile("openapi.json#/components/schemas/" + name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOpenAPISuitsGenerators: clients/check generates clients and runs them; this finds the same faults without
// the tools.
func TestOpenAPISuitsGenerators(t *testing.T) {
	faults, err := testkit.CheckForGenerators(fetchDocument(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range faults {
		t.Error(fault)
	}
}

type documentedOperation struct {
	OperationID string
	Summary     string
	Description string
	Tags        []string
	RequestBody *struct {
		Content map[string]documentedMedia
	}
	Responses map[string]struct {
		Content map[string]documentedMedia
	}
}

type documentedMedia struct{ Example json.RawMessage }

// TestEveryOperationIsDocumented holds the document to its readers: each operation says what it does, shows a request
// and a reply, and what it shows is what its schema allows.
func TestEveryOperationIsDocumented(t *testing.T) {
	text := fetchDocument(t)
	var doc struct {
		Tags  []struct{ Name, Description string }
		Paths map[string]map[string]documentedOperation
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	for _, tag := range doc.Tags {
		if tag.Description == "" {
			t.Errorf("the tag %s says nothing: document.go", tag.Name)
		}
	}
	shown := exampleChecker(t, text)
	for path, item := range doc.Paths {
		for method, op := range item {
			if op.Description == "" || op.Summary == "" {
				t.Errorf("%s says nothing: add its words to examples_*.go", op.OperationID)
			}
			at := "/paths/" + jsonPointer(path) + "/" + method
			if op.RequestBody != nil {
				shown(op.OperationID+" request", op.RequestBody.Content["application/json"],
					at+"/requestBody/content/application~1json/schema")
			}
			for status, r := range op.Responses {
				if !strings.HasPrefix(status, "2") {
					continue
				}
				for kind, m := range r.Content {
					shown(op.OperationID+" "+kind, m, at+"/responses/"+status+"/content/"+jsonPointer(kind)+"/schema")
				}
			}
		}
	}
}

// exampleChecker returns the check of one example.
func exampleChecker(t *testing.T, text []byte) func(name string, m documentedMedia, at string) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	if err := c.AddResource("openapi.json", doc); err != nil {
		t.Fatal(err)
	}
	return func(name string, m documentedMedia, at string) {
		if m.Example == nil {
			t.Errorf("%s shows no example: add its words to examples_*.go", name)
			return
		}
		schema, err := c.Compile("openapi.json#" + at)
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(m.Example))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("the example of %s: %v", name, err)
		}
	}
}

func jsonPointer(s string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(s)
}

func newDocumentedAPI() http.Handler {
	return v2.New(v2.Config{BaseURL: "https://parley.example", Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
}

func getDocsPage(t *testing.T) (*http.Response, string) {
	t.Helper()
	w := httptest.NewRecorder()
	newDocumentedAPI().ServeHTTP(w,
		httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/docs", nil))
	body, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Result(), string(body)
}

// TestDocsPageShowsEveryOperation: what the document says is on the page.
func TestDocsPageShowsEveryOperation(t *testing.T) {
	resp, page := getDocsPage(t)
	if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		t.Fatalf("%d %s", resp.StatusCode, resp.Header.Get("Content-Type"))
	}
	var doc struct {
		Paths      map[string]map[string]documentedOperation
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(fetchDocument(t), &doc); err != nil {
		t.Fatal(err)
	}
	for path, item := range doc.Paths {
		for method, op := range item {
			for _, want := range []string{`<article id="` + op.OperationID + `"`, `href="#` + op.OperationID + `"`,
				"<code>" + path + "</code>", strings.ToUpper(method)} {
				if !strings.Contains(page, want) {
					t.Errorf("the page lacks %s", want)
				}
			}
		}
	}
	for name := range doc.Components.Schemas {
		if !strings.Contains(page, `<article id="shape-`+name+`"`) {
			t.Errorf("the page lacks the shape %s", name)
		}
	}
}

// TestDocsPageLoadsNothing: it loads nothing, links lead to what is on it, and only its own script may run.
func TestDocsPageLoadsNothing(t *testing.T) {
	resp, page := getDocsPage(t)
	policy := resp.Header.Get("Content-Security-Policy")
	for _, tag := range []string{"style", "script"} {
		found := regexp.MustCompile(`(?s)<`+tag+`>(.*?)</`+tag+`>`).FindAllStringSubmatch(page, -1)
		if len(found) != 1 {
			t.Fatalf("%d times %s", len(found), tag)
		}
		sum := sha256.Sum256([]byte(found[0][1]))
		if want := tag + "-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) {
			t.Errorf("the policy %q does not allow the %s (%s)", policy, tag, want)
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none'") {
		t.Errorf("the policy is %q", policy)
	}
	for _, m := range regexp.MustCompile(` (?:src|href)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		id, inside := strings.CutPrefix(m[1], "#")
		switch {
		case inside && !strings.Contains(page, ` id="`+id+`"`):
			t.Errorf("the link to #%s leads nowhere", id)
		case !inside && m[1] != "/openapi.json" && m[1] != "/docs/manual" && m[1] != "data:,":
			t.Errorf("the page asks for %s", m[1])
		}
	}
	if m := regexp.MustCompile(` (?:style|on\w+)="`).FindString(page); m != "" {
		t.Errorf("the page has an attribute that its policy forbids: %s", m)
	}
}

// TestDocsPageIsCached: an unchanged page is not sent again.
func TestDocsPageIsCached(t *testing.T) {
	resp, _ := getDocsPage(t)
	r := httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/docs", nil)
	r.Header.Set("If-None-Match", resp.Header.Get("ETag"))
	w := httptest.NewRecorder()
	newDocumentedAPI().ServeHTTP(w, r)
	if w.Code != http.StatusNotModified || w.Body.Len() > 0 {
		t.Errorf("%d, %d bytes", w.Code, w.Body.Len())
	}
}

// TestDocsPageShowsUploads: an operation that takes files shows both of its bodies, each with a request.
func TestDocsPageShowsUploads(t *testing.T) {
	_, page := getDocsPage(t)
	for _, id := range []string{"createSource", "updateSource"} {
		_, rest, _ := strings.Cut(page, `<article id="`+id+`"`)
		article, _, _ := strings.Cut(rest, "</article>")
		for _, want := range []string{"<small>application/json</small>", "<small>multipart/form-data</small>",
			"<code>file</code>", "-F name=Handbook -F file=@handbook.pdf", " -d &#39;{"} {
			if !strings.Contains(article, want) {
				t.Errorf("%s lacks %q", id, want)
			}
		}
	}
}
