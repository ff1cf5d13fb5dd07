package docspage

import (
	"encoding/json"
	"strings"
)

// What the page reads of the OpenAPI document.
type (
	openDocument struct {
		Info       struct{ Title, Description, Version string }
		Servers    []struct{ URL string }
		Tags       []struct{ Name, Description string }
		Paths      map[string]map[string]*openOperation
		Components struct {
			Schemas   map[string]*openSchema
			Responses map[string]*openResponse
		}
	}
	openOperation struct {
		OperationID string
		Summary     string
		Description string
		Tags        []string
		Scope       string `json:"x-scope"`
		Security    *[]any
		Deprecated  bool
		Parameters  []openParameter
		RequestBody *struct{ Content map[string]openMedia }
		Responses   map[string]*openResponse
	}
	openParameter struct {
		Name, In, Description string
		Required              bool
		Schema                *openSchema
	}
	openResponse struct {
		Ref         string `json:"$ref"`
		Description string // of a refusal: its codes
		Content     map[string]openMedia
	}
	openMedia struct {
		Schema   *openSchema
		Example  json.RawMessage
		Examples map[string]struct{ Summary string }
	}
	openSchema struct {
		Ref                  string `json:"$ref"`
		Type                 any
		Description          string
		Enum                 []any
		Const                any
		Format, Pattern      string
		Default              json.RawMessage
		Minimum, Maximum     *float64
		MinLength, MaxLength *float64
		MinItems, MaxItems   *float64
		Items                *openSchema
		Properties           map[string]*openSchema
		Required             []string
		OneOf                []*openSchema
		AdditionalProperties json.RawMessage
	}
)

// describeEnums copies the values of each enum that is a component to the places that refer to it, so that they are
// shown there.
func (d *openDocument) describeEnums(s *openSchema) {
	if s == nil {
		return
	}
	if named := d.Components.Schemas[schemaName(s.Ref)]; named != nil {
		s.Enum = named.Enum
	}
	for _, p := range s.Properties {
		d.describeEnums(p)
	}
	d.describeEnums(s.Items)
	for _, each := range s.OneOf {
		d.describeEnums(each)
		s.Enum = append(s.Enum, each.Enum...)
	}
}

// describeAllEnums calls describeEnums for all schemas of the document.
func (d *openDocument) describeAllEnums() {
	for _, s := range d.Components.Schemas {
		d.describeEnums(s)
	}
	for _, item := range d.Paths {
		for _, op := range item {
			for _, p := range op.Parameters {
				d.describeEnums(p.Schema)
			}
			if op.RequestBody == nil {
				continue
			}
			for _, m := range op.RequestBody.Content {
				d.describeEnums(m.Schema)
			}
		}
	}
}

// schemaName returns the component that a reference names.
func schemaName(ref string) string { return strings.TrimPrefix(ref, "#/components/schemas/") }
