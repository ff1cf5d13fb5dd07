package testkit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"parley/internal/httpapi"
)

// NewValidatingTransport checks every response under base, such as /api/v2, against the OpenAPI document: its status
// must be one of the operation's, its headers must be present, its body must match the schema. Violations are reported,
// and the response is passed on.
func NewValidatingTransport(base string, doc []byte, next http.RoundTripper,
	report func(error)) (http.RoundTripper, error) {
	c, err := loadContract(doc)
	if err != nil {
		return nil, err
	}
	return &validator{contract: c, base: base, next: next, report: report}, nil
}

// loadContract reads a document. Contracts of the same document share their compiled schemas.
func loadContract(doc []byte) (*contract, error) {
	if known, ok := contracts.Load(string(doc)); ok {
		return known.(*contract), nil
	}
	v := &contract{compiled: map[string]*jsonschema.Schema{}, compiler: jsonschema.NewCompiler()}
	if err := json.Unmarshal(doc, &v.doc); err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		return nil, err
	}
	v.compiler.DefaultDraft(jsonschema.Draft2020)
	v.compiler.AssertFormat()
	if err := v.compiler.AddResource("openapi.json", tree); err != nil {
		return nil, err
	}
	known, _ := contracts.LoadOrStore(string(doc), v)
	return known.(*contract), nil
}

var contracts sync.Map // by their documents

type response struct {
	Ref         string `json:"$ref"`
	Description string // the text beside a reference: the codes that the operation returns
	Content     map[string]any
}

type validator struct {
	*contract
	base   string
	next   http.RoundTripper
	report func(error)
}

// contract is a document with the schemas that were compiled so far.
type contract struct {
	doc struct {
		Paths      map[string]map[string]struct{ Responses map[string]response }
		Components struct {
			Responses map[string]response
			Schemas   map[string]any
		}
	}
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[string]*jsonschema.Schema
}

func (v *validator) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := v.next.RoundTrip(r)
	path, ok := strings.CutPrefix(r.URL.EscapedPath(), v.base)
	if err != nil || !ok || path != "" && path[0] != '/' {
		return resp, err
	}
	if err := v.checkResponse(r.Method, path, resp); err != nil {
		v.report(fmt.Errorf("%s %s → %d: %w", r.Method, r.URL.Path, resp.StatusCode, err))
	}
	return resp, nil
}

func (v *validator) checkResponse(method, path string, resp *http.Response) error {
	if err := checkHeaders(resp); err != nil {
		return err
	}
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	where, err := v.responseSchema(method, path, resp.StatusCode, kind)
	if err != nil || kind != "application/json" || method == http.MethodHead {
		return err
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("read the body: %w", err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("the body is not JSON: %w", err)
	}
	schema, err := v.compileSchema(where)
	if err != nil {
		return err
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("%w\n%s", err, body)
	}
	return v.checkCode(method, path, resp.StatusCode, body)
}

// checkCode checks that the operation lists the code of an error with its status.
func (v *validator) checkCode(method, path string, status int, body []byte) error {
	op := v.doc.Paths[v.matchTemplate(path)][strings.ToLower(method)]
	listed := op.Responses[fmt.Sprint(status)]
	if listed.Ref == "" || v.doc.Components.Schemas["Envelope"] == nil {
		return nil
	}
	var reply struct{ Error struct{ Code string } }
	if err := json.Unmarshal(body, &reply); err != nil {
		return err
	}
	if !slices.Contains(strings.Split(listed.Description, ", "), reply.Error.Code) {
		return fmt.Errorf("the operation does not list the code %s", reply.Error.Code)
	}
	return nil
}

func checkHeaders(resp *http.Response) error {
	want := append([]string{"X-Request-Id"}, httpapi.RateHeaders...)
	if resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable {
		want = append(want, "Retry-After")
	}
	for _, name := range want {
		if resp.Header.Get(name) == "" {
			return fmt.Errorf("the header %s is missing", name)
		}
	}
	return nil
}

// refusalSchema returns the schema of the API's errors.
func (v *validator) refusalSchema() string {
	if v.doc.Components.Schemas["Envelope"] != nil {
		return "#/components/schemas/Envelope"
	}
	return "#/components/schemas/Failure"
}

// responseSchema finds the schema of the response in the document. Unknown paths and methods must return an error.
func (v *validator) responseSchema(method, path string, status int, kind string) (string, error) {
	template := v.matchTemplate(path)
	op, ok := v.doc.Paths[template][strings.ToLower(method)]
	if method == http.MethodHead {
		op, ok = v.doc.Paths[template]["get"]
	}
	if !ok {
		if status != http.StatusNotFound && status != http.StatusMethodNotAllowed && status != http.StatusTooManyRequests {
			return "", fmt.Errorf("no operation gives this status")
		}
		return v.refusalSchema(), nil
	}
	where := fmt.Sprintf("#/paths/%s/%s/responses/%d", jsonPointer(template), strings.ToLower(method), status)
	found, ok := op.Responses[fmt.Sprint(status)]
	if !ok {
		return "", fmt.Errorf("the operation does not document this status")
	}
	if found.Ref != "" {
		where = found.Ref
		found = v.doc.Components.Responses[found.Ref[strings.LastIndexByte(found.Ref, '/')+1:]]
	}
	if _, ok := found.Content[kind]; !ok {
		return "", fmt.Errorf("the operation does not document %q", kind)
	}
	return where + "/content/" + jsonPointer(kind) + "/schema", nil
}

func jsonPointer(s string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(s)
}

// matchTemplate finds the path of the document that a path matches, the one with the fewest parameters first.
func (v *validator) matchTemplate(path string) string {
	segments := strings.Split(path, "/")
	var found []string
	for template := range v.doc.Paths {
		if slices.EqualFunc(strings.Split(template, "/"), segments, func(t, s string) bool {
			return t == s || t != "" && t[0] == '{' && s != ""
		}) {
			found = append(found, template)
		}
	}
	if len(found) == 0 {
		return ""
	}
	return slices.MinFunc(found, func(a, b string) int { return strings.Count(a, "{") - strings.Count(b, "{") })
}

func (v *validator) compileSchema(where string) (*jsonschema.Schema, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if s := v.compiled[where]; s != nil {
		return s, nil
	}
	s, err := v.compiler.Compile("openapi.json" + where)
	if err != nil {
		return nil, fmt.Errorf("compile %s: %w", where, err)
	}
	v.compiled[where] = s
	return s, nil
}
