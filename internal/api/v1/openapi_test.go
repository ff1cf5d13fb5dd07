package v1_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"parley/internal/api/v1"
	"parley/internal/testkit"
)

var updateGolden = flag.Bool("update", false, "rewrite golden files")

func fetchDocument(t *testing.T) []byte {
	t.Helper()
	doc, err := v1.Document("https://parley.example")
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestOpenAPIGolden makes every change of the API visible. Read the difference before you run it with -update.
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
		t.Errorf("openapi.json differs from the routes (-golden +routes):\n%s", diff)
	}
}

type openAPI struct {
	OpenAPI string
	Info    struct{ Version string }
	Paths   map[string]map[string]struct {
		OperationID string
		Scope       *string `json:"x-scope"`
		Security    *[]any
		Description string
		RequestBody *struct {
			Content map[string]struct{ Example any }
		}
		Responses map[string]struct {
			Content map[string]struct{ Example any }
		}
	}
}

func readOperations(t *testing.T) openAPI {
	t.Helper()
	var doc openAPI
	if err := json.Unmarshal(fetchDocument(t), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
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
	schemas := doc.(map[string]any)["components"].(map[string]any)["schemas"].(map[string]any)
	for name := range schemas {
		if _, err := c.Compile("openapi.json#/components/schemas/" + name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if schemas["Envelope"] != nil || schemas["Failure"] == nil {
		t.Error("a refusal is not described as version 1 words it")
	}
}

// TestEveryOperationIsDocumented checks that each operation has a description, and examples of its request and reply.
func TestEveryOperationIsDocumented(t *testing.T) {
	for path, item := range readOperations(t).Paths {
		for method, op := range item {
			where := method + " " + path
			if op.Description == "" {
				t.Errorf("%s is not described", where)
			}
			if op.RequestBody != nil && op.RequestBody.Content["application/json"].Example == nil {
				t.Errorf("%s has no example of a request", where)
			}
			for status, r := range op.Responses {
				for kind, content := range r.Content {
					if status[0] == '2' && content.Example == nil {
						t.Errorf("%s has no example of %s %s", where, status, kind)
					}
				}
			}
		}
	}
}

// TestOpenAPISuitsGenerators finds without the tools what breaks clients/check, which generates clients and runs them.
func TestOpenAPISuitsGenerators(t *testing.T) {
	faults, err := testkit.CheckForGenerators(fetchDocument(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range faults {
		t.Error(fault)
	}
}
