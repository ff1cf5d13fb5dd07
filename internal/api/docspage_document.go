package api

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
		Description string
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
		AnyOf                []*openSchema
		AdditionalProperties json.RawMessage
	}
)

// schemaName gives the component that a reference names.
func schemaName(ref string) string { return strings.TrimPrefix(ref, "#/components/schemas/") }

// response looks through a reference.
func (d *openDocument) response(r *openResponse) *openResponse {
	if name, ok := strings.CutPrefix(r.Ref, "#/components/responses/"); ok {
		return d.Components.Responses[name]
	}
	return r
}
