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
	"sync"

	"parley"
)

// OpenAPI returns the OpenAPI 3.1 document of the API: the same bytes for the same operations.
func (a *API) OpenAPI(info Info) ([]byte, error) {
	c := &schemas{components: object{}, types: map[string]reflect.Type{}, errorResponses: object{}, info: info,
		keyless: a.Keyless, renderError: a.RenderError}
	c.failure = c.schemaFor(newShape(c.failureType(), ""))
	paths := map[string]object{}
	for _, o := range a.endpoints {
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
		"info":       info.infoObject(),
		"servers":    info.Servers,
		"tags":       info.Tags,
		"paths":      paths,
		"components": components,
	}
	if !a.Keyless {
		name, scheme := a.securityScheme()
		components["securitySchemes"] = object{name: scheme}
		doc["security"] = []any{object{name: []string{}}}
	}
	return indented(doc)
}

// securityScheme describes how callers show who they are.
func (a *API) securityScheme() (name string, scheme object) {
	if a.Scheme == nil {
		return "bearer", object{"type": "http", "scheme": "bearer", "description": "An API key of the account."}
	}
	return a.Scheme.Name, object{"type": "apiKey", "in": "header", "name": "Authorization",
		"description": a.Scheme.Description}
}

// Document is an OpenAPI document. It is rendered when it is first asked for: that takes longer than opening the
// database.
type Document func() []byte

// NewDocument returns the document that render returns.
func NewDocument(render func() ([]byte, error)) Document {
	return sync.OnceValue(func() []byte {
		text, err := render()
		if err != nil {
			panic(err) // the document is generated from our own types
		}
		return text
	})
}

func (d Document) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(d()) // fails if the client is gone
}

// WithDocuments returns a handler of documents by their paths, and of everything else as the API answers it.
func (a *API) WithDocuments(documents map[string]http.Handler) http.Handler {
	mux, handlers := http.NewServeMux(), map[string]http.Handler{}
	for path, document := range documents {
		mux.Handle("GET "+path, document)
		handlers[path] = LoggedHandler(path, mux, a.Now, a.Logger)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h := handlers[r.URL.Path]; h != nil {
			h.ServeHTTP(w, r)
			return
		}
		a.ServeHTTP(w, r)
	})
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

func (sc *schemas) operation(o *endpoint) object {
	doc := object{"operationId": o.Name, "summary": o.Summary, "tags": []string{o.Tag}, "responses": sc.responses(o)}
	words := sc.info.Docs[o.Name]
	if words.Text != "" {
		doc["description"] = words.Text
	}
	if o.Deprecated {
		doc["deprecated"] = true
	}
	if o.Public && !sc.keyless {
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
	if list := append(sc.parameters(o.input), o.idempotencyParameter()...); list != nil {
		doc["parameters"] = list
	}
	switch b := o.input.body; {
	case b != nil:
		content := object{"application/json": mediaType(sc.schemaFor(b.shape), exampleJSON(words.RequestExample))}
		if o.Form != nil {
			content["multipart/form-data"] = o.Form.mediaTypeObject(sc, b.shape)
		}
		doc["requestBody"] = object{"required": !o.BodyOptional, "content": content}
	case o.Form != nil:
		content := object{"multipart/form-data": o.Form.mediaTypeObject(sc, nil)}
		doc["requestBody"] = object{"required": true, "content": content}
	}
	return doc
}

func (sc *schemas) parameters(in *input) []any {
	var list []any
	for i := range in.params {
		p := &in.params[i]
		place := "query"
		if p.inPath {
			place = "path"
		}
		schema := sc.schemaFor(p.shape)
		doc := object{"name": p.name, "in": place, "required": p.required}
		if text, ok := schema["description"]; ok {
			doc["description"] = text
			delete(schema, "description")
		}
		if p.shape.kind == kindList {
			doc["style"], doc["explode"] = "form", false // comma-separated
		}
		doc["schema"] = schema
		sc.info.addExample(doc)
		list = append(list, doc)
	}
	return list
}

func (sc *schemas) responses(o *endpoint) object {
	words := sc.info.Docs[o.Name]
	content := object{}
	switch o.outType {
	case reflect.TypeFor[EventStream]():
	case reflect.TypeFor[File]():
		for _, mediaTypeName := range o.MediaTypes {
			content[mediaTypeName] = mediaType(object{"type": "string"}, words.ReplyExample)
		}
	default:
		content["application/json"] = mediaType(sc.schemaFor(newShape(o.outType, "")), exampleJSON(words.ReplyExample))
	}
	if o.Streaming {
		content["text/event-stream"] = mediaType(object{"type": "string"}, words.EventsExample)
	}
	all := object{strconv.Itoa(o.Status): object{"description": http.StatusText(o.Status), "headers": sc.headerRefs(nil),
		"content": content}}
	byStatus := map[int][]string{}
	for _, code := range o.Codes() {
		status, _ := sc.renderError(parley.NewError(code))
		byStatus[status] = append(byStatus[status], string(code))
	}
	for status, codes := range byStatus {
		all[strconv.Itoa(status)] = sc.errorResponse(status, codes)
	}
	addUnreadableResponse(all)
	return all
}

// errorResponse returns a reference to the response of the status, which all operations share, so that a generated
// client has one type for each status. The description lists the operation's own codes.
func (sc *schemas) errorResponse(status int, codes []string) object {
	name := strings.ReplaceAll(http.StatusText(status), " ", "")
	r, ok := sc.errorResponses[name].(object)
	if !ok {
		var extra []string
		if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
			extra = []string{"Retry-After"}
		}
		r = object{"headers": sc.headerRefs(extra),
			"content": object{"application/json": object{"schema": sc.failure, "examples": object{}}}}
		sc.errorResponses[name] = r
	}
	examples := r["content"].(object)["application/json"].(object)["examples"].(object)
	maps.Copy(examples, sc.failureExamples(codes))
	r["description"] = strings.Join(slices.Sorted(maps.Keys(examples)), ", ")
	return object{"$ref": "#/components/responses/" + name, "description": strings.Join(codes, ", ")}
}

// failureType returns the type of the body of failures.
func (sc *schemas) failureType() reflect.Type {
	_, body := sc.renderError(parley.NewError(parley.CodeInternal))
	return reflect.TypeOf(body)
}

// Codes lists every code with which the operation may fail, in alphabetical order.
func (e *endpoint) Codes() []parley.Code {
	codes := append(slices.Clone(e.Errors), parley.CodeTooManyRequests, parley.CodeInternal, parley.CodeUnderMaintenance)
	if e.RateExempt {
		codes = append(slices.Clone(e.Errors), parley.CodeInternal, parley.CodeUnderMaintenance)
	}
	switch {
	case e.Public:
	case e.scheme != nil:
		codes = append(codes, e.scheme.Codes...)
	default:
		codes = append(codes, parley.CodeMissingKey, parley.CodeInvalidKey, parley.CodeExpiredKey,
			cmp.Or(e.NoAPICode, parley.CodePlanWithoutAPI))
	}
	if e.Scope != "" {
		codes = append(codes, parley.CodeInsufficientScope)
	}
	if e.input.query || e.input.body != nil {
		codes = append(codes, parley.CodeInvalidBody)
	}
	if e.input.body != nil {
		codes = append(codes, parley.CodeInvalidJSON, parley.CodeTooLarge)
	}
	codes = append(codes, e.idempotencyCodes()...)
	slices.Sort(codes)
	return slices.Compact(codes)
}

func (sc *schemas) headers() object {
	integer := object{"type": "integer"}
	all := object{
		"x-request-id": object{"description": "Names this request; quote it to the operator.",
			"required": true, "schema": object{"type": "string"}},
		HeaderRateLimit: object{"description": "Requests allowed in the window.", "required": true,
			"schema": integer},
		HeaderRateRemaining: object{"description": "Requests left in the window.", "required": true, "schema": integer},
		HeaderRateReset: object{"description": "When the window is free again, in epoch seconds.",
			"required": true, "schema": integer},
		"Retry-After": object{"description": "Seconds to wait before trying again.", "required": true,
			"schema": integer},
	}
	if sc.keyless {
		maps.DeleteFunc(all, func(name string, _ any) bool { return slices.Contains(RateHeaders, name) })
	}
	return all
}

func (sc *schemas) headerRefs(extra []string) object {
	refs := object{}
	names := append([]string{"x-request-id"}, extra...)
	if !sc.keyless {
		names = append(names, RateHeaders...)
	}
	for _, name := range names {
		refs[name] = object{"$ref": "#/components/headers/" + name}
	}
	return refs
}

// Info is what the OpenAPI document holds besides the operations.
type Info struct {
	Title         string
	Description   string
	Version       string
	Contact       string
	Servers       []Server
	Tags          []Tag              // in the order of the document
	Docs          map[string]Doc     // by the name of the operation
	ParamExamples map[string]Example // by the name of the parameter, for parameters that have no doc tag
}

// Server is a base address of the API.
type Server struct {
	URL         string `json:"url"`
	Description string `json:"description"`
}

// Tag is a group of operations.
type Tag struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// UsedTags returns the tags in use, in the order of the operations, with their descriptions.
func (a *API) UsedTags(descriptions map[string]string) (list []Tag) {
	for _, o := range a.endpoints {
		tag := Tag{o.Tag, descriptions[o.Tag]}
		if !slices.Contains(list, tag) {
			list = append(list, tag)
		}
	}
	return list
}

// Doc documents one operation. The examples are JSON, except for EventsExample.
type Doc struct {
	Text           string // Markdown: what it does, and what to watch out for
	RequestExample string // of an operation with a body
	ReplyExample   string // of a success
	EventsExample  string // of a success as a stream
}

// Example describes a parameter.
type Example struct {
	Text  string
	Value string
}

func (in Info) infoObject() object {
	return object{"title": in.Title, "description": in.Description, "version": in.Version,
		"contact": object{"name": in.Contact}, "license": object{"name": "Apache-2.0", "identifier": "Apache-2.0"}}
}

// mediaType returns a media type object with an example.
func mediaType(schema object, example any) object {
	m := object{"schema": schema}
	if example != nil && example != "" {
		m["example"] = example
	}
	return m
}

// exampleJSON returns a JSON text as a value of the document; nil for no text.
func exampleJSON(text string) any {
	if text == "" {
		return nil
	}
	return json.RawMessage(text)
}

// addExample adds the description and the example of a parameter that has none.
func (in Info) addExample(doc object) {
	s, ok := in.ParamExamples[doc["name"].(string)]
	if !ok {
		return
	}
	if _, exists := doc["description"]; !exists {
		doc["description"] = s.Text
	}
	if s.Value != "" {
		doc["example"] = s.Value
		if schema, _ := doc["schema"].(object); schema["type"] == "integer" {
			doc["example"] = json.RawMessage(s.Value)
		}
	}
}

// failureExamples returns an example of each code, with its default message.
func (sc *schemas) failureExamples(codes []string) object {
	all := object{}
	for _, code := range codes {
		failure := parley.NewError(parley.Code(code))
		if failure.Code == parley.CodeInvalidBody {
			failure.Details = map[string]string{"limit": "must be from 1 to 100"}
		}
		_, body := sc.renderError(failure)
		all[code] = object{"summary": failure.Message, "value": body}
	}
	return all
}

// addUnreadableResponse adds the response to what is not a valid HTTP request, which reaches no operation, to an
// operation that has no other response for a fault of the caller.
func addUnreadableResponse(all object) {
	for status := range all {
		if status[0] == '4' {
			return
		}
	}
	all["4XX"] = object{"description": "The request is not readable as HTTP; it is refused before it reaches the " +
		"service, as plain text.",
		"content": object{"text/plain": object{"schema": object{"type": "string"},
			"example": "400 " + http.StatusText(http.StatusBadRequest)}}}
}
