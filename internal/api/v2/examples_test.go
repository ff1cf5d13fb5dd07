package v2_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

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

// TestEveryOperationIsTold holds the document to its readers: each operation says what it does, shows a request and a reply,
// and what it shows is what its schema allows.
func TestEveryOperationIsTold(t *testing.T) {
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
				shown(op.OperationID+" request", op.RequestBody.Content["application/json"], at+"/requestBody/content/application~1json/schema")
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
func exampleChecker(t *testing.T, text []byte) func(what string, m documentedMedia, at string) {
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
	return func(what string, m documentedMedia, at string) {
		if m.Example == nil {
			t.Errorf("%s shows no example: add its words to examples_*.go", what)
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
			t.Errorf("the example of %s: %v", what, err)
		}
	}
}

func jsonPointer(s string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(s)
}
