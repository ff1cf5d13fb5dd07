package console

import (
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/api/admin"
	"parley/internal/httpapi"
)

var updateGolden = flag.Bool("update", false, "rewrite golden files")

// TestOpenAPIGolden makes every change of the API visible. web/console generates types from the file.
func TestOpenAPIGolden(t *testing.T) {
	got, err := NewAPI(Config{Admin: &admin.Service{}}).renderDocument()
	if err != nil {
		t.Fatal(err)
	}
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
		t.Errorf("openapi.json differs from the routes (-golden +routes):\n%s", diff)
	}
}

// headersFile holds the headers of the console's pages, for the tests in a browser that run without this server.
const headersFile = "testdata/headers.json"

func TestHeadersGolden(t *testing.T) {
	h, values := http.Header{}, map[string]string{}
	policy.Set(h, false)
	for name := range h {
		values[name] = h.Get(name)
	}
	got, err := json.MarshalIndent(values, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *updateGolden {
		if err := os.WriteFile(headersFile, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(headersFile)
	if err != nil || string(want) != string(got) {
		t.Errorf("%s is not what is served (-golden +policy): %v\n%s", headersFile, err, cmp.Diff(string(want), string(got)))
	}
}

// routesFile lists side by side what members call at /console/api/v1 and the operations of REST v2 at the same path,
// with the reason for the former.
const routesFile = "testdata/routes.txt"

func TestRoutesGolden(t *testing.T) {
	a := NewAPI(Config{Admin: &admin.Service{}, Live: NewLive(LiveConfig{})})
	rest := map[string][]string{}
	for _, op := range a.rest.Operations() {
		rest[plainPath(op.Path)] = append(rest[plainPath(op.Path)], op.Method)
		if op.Reason != "" {
			t.Errorf("%s %s is REST v2 and has the reason %q", op.Method, op.Path, op.Reason)
		}
	}
	var lines []string
	for _, op := range a.members.Operations() {
		if op.Reason == "" {
			t.Errorf("%s %s: why is it not REST v2?", op.Method, op.Path)
		}
		atSamePath := strings.Join(rest[plainPath(op.Path)], ", ")
		lines = append(lines, op.Path+"\n\t"+op.Method+": "+op.Reason+". REST v2: "+strings.ToLower(atSamePath))
	}
	slices.Sort(lines)
	got := strings.Join(lines, "\n") + "\n"
	if *updateGolden {
		if err := os.WriteFile(routesFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(routesFile)
	if err != nil || string(want) != got {
		t.Errorf("%s (-golden +routes): %v\n%s", routesFile, err, cmp.Diff(string(want), got))
	}
}

// plainPath is a path without the names of its parameters, and as it would be if REST v2 had no group for the helpdesk.
func plainPath(path string) string {
	return parameter.ReplaceAllString(strings.ReplaceAll(path, "/helpdesk/", "/"), "{}")
}

var parameter = regexp.MustCompile(`\{[^}]+\}`)

// The console's own operations are those without a permission, and every other one has one.
func TestOperationsAreDescribed(t *testing.T) {
	a := NewAPI(Config{Admin: &admin.Service{}})
	for _, op := range a.members.Operations() {
		if (op.Tag == signInTag) != (op.Permission == "") || op.Summary == "" || a.open[op.Name] && op.Tag != signInTag {
			t.Errorf("%s %s: tag %s, permission %q, summary %q", op.Method, op.Path, op.Tag, op.Permission, op.Summary)
		}
	}
	all := slices.Concat(a.members.Operations(), a.rest.Operations())
	for name := range sensitiveOperations {
		if !slices.ContainsFunc(all, func(op httpapi.Operation) bool { return op.Name == name }) {
			t.Errorf("there is no operation %s", name)
		}
	}
}

// boundedLists are the lists that services bound, who know what else takes them.
var boundedLists = []string{"all", "any", "days", "enum", "hours", "values"}

// What a request lists is bounded, so that no statement gets more arguments than a database takes.
func TestListsOfRequestsAreBounded(t *testing.T) {
	text, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc documentLists
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	for path, operations := range doc.Paths {
		for method, op := range operations {
			for _, p := range op.Parameters {
				doc.check(t, method+" "+path, p.Name, p.Schema, nil)
			}
			for _, body := range op.RequestBody.Content {
				doc.check(t, method+" "+path, "", body.Schema, nil)
			}
		}
	}
}

// documentLists is what of a document says what may be listed.
type documentLists struct {
	Paths map[string]map[string]struct {
		Parameters []struct {
			Name   string
			Schema documentSchema
		}
		RequestBody struct {
			Content map[string]struct{ Schema documentSchema }
		}
	}
	Components struct{ Schemas map[string]documentSchema }
}

type documentSchema struct {
	Ref        string `json:"$ref"`
	Items      *documentSchema
	MaxItems   *int
	Properties map[string]documentSchema
	AnyOf      []documentSchema
}

// check follows a schema, but not into one that it comes from.
func (d *documentLists) check(t *testing.T, operation, name string, s documentSchema, from []string) {
	t.Helper()
	if ref := strings.TrimPrefix(s.Ref, "#/components/schemas/"); ref != "" && !slices.Contains(from, ref) {
		d.check(t, operation, name, d.Components.Schemas[ref], append(from, ref))
	}
	if s.Items != nil {
		if s.MaxItems == nil && !slices.Contains(boundedLists, name) {
			t.Errorf("%s: %s has no bound", operation, name)
		}
		d.check(t, operation, name, *s.Items, from)
	}
	for property, schema := range s.Properties {
		d.check(t, operation, property, schema, from)
	}
	for _, one := range s.AnyOf {
		d.check(t, operation, name, one, from)
	}
}
