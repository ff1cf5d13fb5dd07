package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
)

type orderForm struct {
	Body struct {
		Grade    string         `json:"grade" enum:"low,high" name:"Grade" default:"low"`
		Before   Opt[string]    `json:"before,omitzero" nullable:"true" enum:"low,high" name:"Grade" doc:"The last one."`
		Grades   []string       `json:"grades" item:"enum=low|high,name=Grade"`
		Animal   anyAnimal      `json:"animal" name:"Animal"`
		Settings orderSettings  `json:"settings" doc:"How." default:"{\"fast\":true}"`
		Other    Opt[otherForm] `json:"other,omitzero" nullable:"true"`
	}
}

type (
	anyAnimal     = Either[catForm, dogForm]
	orderSettings struct {
		Fast bool `json:"fast"`
	}
	otherForm struct {
		Text string `json:"text"`
	}
)

// openAPIDocument returns the document of an API with one operation.
func openAPIDocument[In any](t *testing.T) map[string]any {
	t.Helper()
	f := New(Config{RenderError: func(e *parley.Error) (int, any) { return e.Code.Status(), Envelope{} }})
	Handle(f, TypedOperation[In, orderSettings]{Operation: Operation{Name: "order", Method: http.MethodPost,
		Path: "/orders", Errors: []parley.Code{parley.CodeAgentNotFound}},
		Handler: func(context.Context, *Call, *In) (*orderSettings, error) { return &orderSettings{}, nil }})
	text, err := f.OpenAPI(Info{})
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// valueAt returns the value at a path.
func valueAt(v any, path ...string) any {
	for _, name := range path {
		v = v.(map[string]any)[name]
	}
	return v
}

func refTo(name string) map[string]any {
	return map[string]any{"$ref": "#/components/schemas/" + name}
}

func TestNamedSchemasAreComponents(t *testing.T) {
	doc := openAPIDocument[orderForm](t)
	body := valueAt(doc, "paths", "/orders", "post", "requestBody", "content", "application/json", "schema", "properties")
	for name, want := range map[string]any{
		"grade": map[string]any{"$ref": "#/components/schemas/Grade", "default": "low"},
		"before": map[string]any{"oneOf": []any{refTo("Grade"), map[string]any{"type": "null"}},
			"description": "The last one."},
		"grades": map[string]any{"type": "array", "items": refTo("Grade")},
		"animal": refTo("Animal"),
		"settings": map[string]any{"$ref": "#/components/schemas/OrderSettings",
			"description": `How. By default {"fast":true}.`},
		"other": map[string]any{"oneOf": []any{refTo("OtherForm"), map[string]any{"type": "null"}}},
	} {
		if diff := cmp.Diff(want, valueAt(body, name)); diff != "" {
			t.Error(name, diff)
		}
	}
	for name, want := range map[string]any{
		"Grade": map[string]any{"type": "string", "enum": []any{"low", "high"}},
		"Animal": map[string]any{"oneOf": []any{refTo("CatForm"), refTo("DogForm")},
			"discriminator": map[string]any{"propertyName": "type",
				"mapping": map[string]any{"cat": "#/components/schemas/CatForm", "dog": "#/components/schemas/DogForm"}}},
	} {
		if diff := cmp.Diff(want, valueAt(doc, "components", "schemas", name)); diff != "" {
			t.Error(name, diff)
		}
	}
}

// Operations share one response for each status; each lists the codes it returns.
func TestErrorResponsesAreSharedByStatus(t *testing.T) {
	doc := openAPIDocument[orderForm](t)
	want := map[string]any{"$ref": "#/components/responses/NotFound", "description": "AGENT_NOT_FOUND"}
	if diff := cmp.Diff(want, valueAt(doc, "paths", "/orders", "post", "responses", "404")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(any(refTo("Envelope")),
		valueAt(doc, "components", "responses", "NotFound", "content", "application/json", "schema")); diff != "" {
		t.Error(diff)
	}
}

func TestSchemaNamesAreUnique(t *testing.T) {
	type twice struct {
		Body struct {
			A string `json:"a" enum:"x,y" name:"Same"`
			B string `json:"b" enum:"x,z" name:"Same"`
		}
	}
	type asType struct {
		Body struct {
			A orderSettings `json:"a"`
			B string        `json:"b" enum:"x,z" name:"OrderSettings"`
		}
	}
	for name, document := range map[string]func(*testing.T) map[string]any{"two enums": openAPIDocument[twice],
		"a type and an enum": openAPIDocument[asType]} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s share a name", name)
				}
			}()
			document(t)
		}()
	}
}

type square struct {
	Type string `json:"type" enum:"square"`
	Side int    `json:"side" min:"1"`
}

type circle struct {
	Type   string `json:"type" enum:"circle"`
	Radius int    `json:"radius" min:"1"`
}

type dot struct {
	Type string `json:"type" enum:"dot"`
}

// A choice of three types is a choice of two, the second of which is a choice of two.
func TestOneOfThree(t *testing.T) {
	type figure struct {
		Body Either[square, Either[circle, dot]] `json:"body"`
	}
	var f figure
	if err := Decode(json.RawMessage(`{"body": {"type": "circle", "radius": 2}}`), &f); err != nil || f.Body.A != nil ||
		f.Body.B.A.Radius != 2 {
		t.Errorf("%+v %v", f, err)
	}
	for text, want := range map[string]map[string]string{
		`{"body": {"type": "circle"}}`: {"body.radius": "is required"},
		`{"body": {"type": "line"}}`:   {"body.type": "must be one of: square, circle, dot"},
		`{"body": {}}`:                 {"body.type": "must be one of: square, circle, dot"},
		`{"body": []}`:                 {"body": "must be an object whose type is square or circle or dot"},
	} {
		err := Decode(json.RawMessage(text), &figure{})
		if diff := cmp.Diff(want, parley.AsError(err).Details); diff != "" {
			t.Error(text, diff)
		}
	}
}

type documentedForm struct {
	Limit gradeLimit `query:"limit" max:"50"`
	Pace  string     `query:"pace" doc:"In the tag."`
	Body  struct{ documentedFields }
}

func (documentedForm) FieldDocs() map[string]string {
	return map[string]string{"limit": "How many.", "pace": "In the method."}
}

type documentedFields struct {
	Grades gradeNames `json:"grades"`
	Plain  string     `json:"plain"`
}

func (documentedFields) FieldDocs() map[string]string {
	return map[string]string{"grades": "All of them."}
}

type (
	gradeLimit int
	gradeNames []string
)

func (gradeLimit) Rules() reflect.StructTag { return `min:"1" max:"100"` }

func (gradeNames) Rules() reflect.StructTag { return `item:"enum=low|high"` }

// Docs may be in a method of the struct, and rules in a method of the type; the tag of the field comes first.
func TestDocsAndRulesInMethods(t *testing.T) {
	operation := valueAt(openAPIDocument[documentedForm](t), "paths", "/orders", "post").(map[string]any)
	params := []any{
		map[string]any{"name": "limit", "in": "query", "required": false, "description": "How many.",
			"schema": map[string]any{"type": "integer", "minimum": 1.0, "maximum": 50.0}},
		map[string]any{"name": "pace", "in": "query", "required": false, "description": "In the tag.",
			"schema": map[string]any{"type": "string"}},
	}
	if diff := cmp.Diff(params, operation["parameters"].([]any)[:2]); diff != "" {
		t.Error(diff)
	}
	members := map[string]any{
		"grades": map[string]any{"type": "array", "description": "All of them.",
			"items": map[string]any{"type": "string", "enum": []any{"low", "high"}}},
		"plain": map[string]any{"type": "string"},
	}
	body := valueAt(operation, "requestBody", "content", "application/json", "schema", "properties")
	if diff := cmp.Diff(members, body); diff != "" {
		t.Error(diff)
	}
}
