package httpapi

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"parley"
)

// OpenAPI returns the OpenAPI 3.1 document of the face: the same bytes for the same operations.
func (f *API) OpenAPI(about Info) ([]byte, error) {
	c := &schemas{components: object{}, types: map[string]reflect.Type{}, errorResponses: object{}, info: about, keyless: f.Keyless,
		renderError: f.RenderError}
	c.failure = c.schemaFor(newShape(c.failureType(), ""))
	paths := map[string]object{}
	for _, o := range f.endpoints {
		if o.Unlisted {
			continue
		}
		if paths[o.Path] == nil {
			paths[o.Path] = object{}
		}
		paths[o.Path][strings.ToLower(o.Method)] = c.operation(o)
	}
	components := object{"schemas": c.components, "responses": c.errorResponses, "headers": c.headers()}
	doc := object{
		"openapi":    "3.1.0",
		"info":       about.infoObject(),
		"servers":    about.Servers,
		"tags":       about.Tags,
		"paths":      paths,
		"components": components,
	}
	if !f.Keyless {
		bearer := object{"type": "http", "scheme": "bearer", "description": "An API key of the account."}
		components["securitySchemes"] = object{"bearer": bearer}
		doc["security"] = []any{object{"bearer": []string{}}}
	}
	return indented(doc)
}

func indented(doc any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return nil, fmt.Errorf("render OpenAPI: %w", err)
	}
	return b.Bytes(), nil
}

func (c *schemas) operation(o *endpoint) object {
	doc := object{"operationId": o.Name, "summary": o.Summary, "tags": []string{o.Tag}, "responses": c.responses(o)}
	words := c.info.Docs[o.Name]
	if words.Text != "" {
		doc["description"] = words.Text
	}
	if o.Deprecated {
		doc["deprecated"] = true
	}
	if o.Public && !c.keyless {
		doc["security"] = []any{}
	}
	if o.Scope != "" {
		doc["x-scope"] = o.Scope
	}
	if o.Permission != "" {
		doc["x-permission"] = o.Permission
	}
	if o.AdditionalScope != "" {
		doc["x-scope-also"] = o.AdditionalScope
	}
	if list := append(c.parameters(&o.input), o.idempotencyParameter()...); list != nil {
		doc["parameters"] = list
	}
	if b := o.input.body; b != nil {
		content := object{"application/json": mediaType(c.schemaFor(b.shape), exampleJSON(words.RequestExample))}
		if o.Form != nil {
			content["multipart/form-data"] = o.Form.mediaTypeObject(c, b.shape)
		}
		doc["requestBody"] = object{"required": !o.BodyOptional, "content": content}
	}
	return doc
}

func (c *schemas) parameters(in *input) []any {
	var list []any
	for i := range in.params {
		p := &in.params[i]
		place := "query"
		if p.inPath {
			place = "path"
		}
		schema := c.schemaFor(p.shape)
		doc := object{"name": p.name, "in": place, "required": p.required}
		if text, ok := schema["description"]; ok {
			doc["description"] = text
			delete(schema, "description")
		}
		if p.shape.kind == kindList {
			doc["style"], doc["explode"] = "form", false // comma-separated
		}
		doc["schema"] = schema
		c.info.addExample(doc)
		list = append(list, doc)
	}
	return list
}

func (c *schemas) responses(o *endpoint) object {
	words := c.info.Docs[o.Name]
	content := object{}
	if o.outType != reflect.TypeFor[EventStream]() {
		content["application/json"] = mediaType(c.schemaFor(o.result), exampleJSON(words.ReplyExample))
	}
	if o.Streaming {
		content["text/event-stream"] = mediaType(object{"type": "string"}, words.EventsExample)
	}
	all := object{strconv.Itoa(o.Status): object{"description": http.StatusText(o.Status), "headers": c.headerRefs(nil), "content": content}}
	byStatus := map[int][]string{}
	for _, code := range o.Codes() {
		status, _ := c.renderError(parley.NewError(code))
		byStatus[status] = append(byStatus[status], string(code))
	}
	for status, codes := range byStatus {
		all[strconv.Itoa(status)] = c.errorResponse(status, codes)
	}
	addUnreadableResponse(all)
	return all
}

// errorResponse refers to the response of the status, which all operations share, and tells the codes that this operation
// gives with it: a client that was generated has one type for each status.
func (c *schemas) errorResponse(status int, codes []string) object {
	name := strings.ReplaceAll(http.StatusText(status), " ", "")
	r, ok := c.errorResponses[name].(object)
	if !ok {
		var extra []string
		if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
			extra = []string{"Retry-After"}
		}
		r = object{"headers": c.headerRefs(extra), "content": object{"application/json": object{"schema": c.failure, "examples": object{}}}}
		c.errorResponses[name] = r
	}
	examples := r["content"].(object)["application/json"].(object)["examples"].(object)
	maps.Copy(examples, c.failureExamples(codes))
	r["description"] = strings.Join(slices.Sorted(maps.Keys(examples)), ", ")
	return object{"$ref": "#/components/responses/" + name, "description": strings.Join(codes, ", ")}
}

// failureType is the type of what a face says when it fails.
func (c *schemas) failureType() reflect.Type {
	_, body := c.renderError(parley.NewError(parley.CodeInternal))
	return reflect.TypeOf(body)
}

// Codes lists every code that the operation may give, in alphabetical order.
func (o *endpoint) Codes() []parley.Code {
	codes := append(slices.Clone(o.Errors), parley.CodeTooManyRequests, parley.CodeInternal, parley.CodeUnderMaintenance)
	if o.RateExempt {
		codes = append(slices.Clone(o.Errors), parley.CodeInternal, parley.CodeUnderMaintenance)
	}
	if !o.Public {
		codes = append(codes, parley.CodeMissingKey, parley.CodeInvalidKey, parley.CodeExpiredKey, cmp.Or(o.NoAPICode, parley.CodePlanWithoutAPI))
	}
	if o.Scope != "" {
		codes = append(codes, parley.CodeInsufficientScope)
	}
	if o.input.query || o.input.body != nil {
		codes = append(codes, parley.CodeInvalidBody)
	}
	if o.input.body != nil {
		codes = append(codes, parley.CodeInvalidJSON, parley.CodeTooLarge)
	}
	codes = append(codes, o.idempotencyCodes()...)
	slices.Sort(codes)
	return slices.Compact(codes)
}

func (c *schemas) headers() object {
	integer := object{"type": "integer"}
	all := object{
		"x-request-id":          object{"description": "Names this request; quote it to the operator.", "required": true, "schema": object{"type": "string"}},
		"X-RateLimit-Limit":     object{"description": "Requests allowed in the window.", "required": true, "schema": integer},
		"X-RateLimit-Remaining": object{"description": "Requests left in the window.", "required": true, "schema": integer},
		"X-RateLimit-Reset":     object{"description": "When the window is free again, in epoch seconds.", "required": true, "schema": integer},
		"Retry-After":           object{"description": "Seconds to wait before trying again.", "required": true, "schema": integer},
	}
	if c.keyless {
		maps.DeleteFunc(all, func(name string, _ any) bool { return strings.HasPrefix(name, rateHeaderPrefix) })
	}
	return all
}

const rateHeaderPrefix = "X-RateLimit-"

func (c *schemas) headerRefs(extra []string) object {
	refs := object{}
	for _, name := range append([]string{"x-request-id", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"}, extra...) {
		if c.keyless && strings.HasPrefix(name, rateHeaderPrefix) {
			continue
		}
		refs[name] = object{"$ref": "#/components/headers/" + name}
	}
	return refs
}
