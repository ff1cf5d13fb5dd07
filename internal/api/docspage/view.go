package docspage

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"parley"
)

// What the page shows.
type (
	pageView struct {
		Title, Version, Text, Server string
		Groups                       []groupView
		Shapes                       []shapeView
		Errors                       []errorView
		Style                        template.CSS
		Script                       template.JS
	}
	groupView struct {
		ID, Name, Text string
		Operations     []operationView
	}
	operationView struct {
		ID, Method, Path, Summary, Text, Scope string
		Open, Deprecated                       bool
		Params                                 []rowView
		Bodies                                 []contentView // a request has one of them
		Replies                                []contentView
		Errors                                 []errorView
		Curl                                   []string // for each body
	}
	// contentView is one kind of body.
	contentView struct {
		Title, Kind string
		Type        []piece
		Rows        []rowView
		Example     string
	}
	errorView struct {
		Status        int
		Code, Message string
	}
	shapeView struct {
		Name  string
		Rows  []rowView
		Type  []piece // of a shape without members
		Rules string
	}
)

func (d *openDocument) newPageView(base string) *pageView {
	d.describeAllEnums()
	v := &pageView{Title: d.Info.Title, Version: d.Info.Version, Text: d.Info.Description,
		Server: "http://127.0.0.1:8080" + base}
	if len(d.Servers) > 0 && strings.HasPrefix(d.Servers[0].URL, "http") {
		v.Server = d.Servers[0].URL
	}
	for _, tag := range d.Tags {
		v.Groups = append(v.Groups, groupView{ID: "tag-" + strings.ReplaceAll(tag.Name, " ", "-"), Name: tag.Name,
			Text: tag.Description, Operations: d.operationViews(tag.Name, v.Server)})
	}
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		s := d.Components.Schemas[name]
		shape := shapeView{Name: name, Rows: memberRows(s, "", optional)}
		if len(shape.Rows) == 0 {
			shape.Type, shape.Rules = typePieces(s), describeRules(s)
		}
		v.Shapes = append(v.Shapes, shape)
	}
	for _, code := range d.errorCodes() {
		v.Errors = append(v.Errors, newErrorView(code))
	}
	slices.SortStableFunc(v.Errors, func(a, b errorView) int { return cmp.Compare(a.Status, b.Status) })
	return v
}

// errorCodes lists every code of some operation, and those of requests that reach no operation.
func (d *openDocument) errorCodes() []string {
	all := map[string]bool{string(parley.CodeNotFound): true, string(parley.CodeMethodNotAllowed): true}
	for _, r := range d.Components.Responses {
		for code := range r.Content["application/json"].Examples {
			all[code] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

func newErrorView(code string) errorView {
	c := parley.Code(code)
	return errorView{c.Status(), code, c.DefaultMessage()}
}

// methods is the order in which the operations of a path are shown.
var methods = []string{"get", "post", "put", "patch", "delete"}

func (d *openDocument) operationViews(tag, server string) []operationView {
	var list []operationView
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range methods {
			if op := d.Paths[path][method]; op != nil && slices.Contains(op.Tags, tag) {
				list = append(list, d.newOperationView(op, strings.ToUpper(method), path, server))
			}
		}
	}
	return list
}

func (d *openDocument) newOperationView(op *openOperation, method, path, server string) operationView {
	v := operationView{ID: op.OperationID, Method: method, Path: path, Summary: op.Summary, Text: op.Description,
		Scope: op.Scope, Open: op.Security != nil && len(*op.Security) == 0, Deprecated: op.Deprecated}
	for _, p := range op.Parameters {
		row := rowView{Name: p.Name, Place: p.In, Type: typePieces(p.Schema), Rules: describeRules(p.Schema),
			Text: p.Description}
		if p.Required {
			row.Mark = required
		}
		v.Params = append(v.Params, row)
	}
	if op.RequestBody != nil {
		for _, kind := range slices.Sorted(maps.Keys(op.RequestBody.Content)) {
			m := op.RequestBody.Content[kind]
			v.Bodies = append(v.Bodies, *d.newContentView("Body", kind, m, required))
			v.Curl = append(v.Curl, curlCommand(v, server, kind, m))
		}
	} else {
		v.Curl = []string{curlCommand(v, server, "", openMedia{})}
	}
	for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
		d.addReply(&v, status, op.Responses[status])
	}
	slices.SortStableFunc(v.Errors, func(a, b errorView) int { return cmp.Compare(a.Status, b.Status) })
	return v
}

// addReply adds the responses of one status: the bodies of a success, or the codes of a failure.
func (d *openDocument) addReply(v *operationView, status string, r *openResponse) {
	if n, err := strconv.Atoi(status); err == nil && n < 400 {
		for _, kind := range slices.Sorted(maps.Keys(r.Content)) {
			v.Replies = append(v.Replies, *d.newContentView(status+" "+http.StatusText(n), kind, r.Content[kind], optional))
		}
		return
	}
	if r.Ref == "" { // of requests that never reached the service
		return
	}
	for code := range strings.SplitSeq(r.Description, ", ") {
		v.Errors = append(v.Errors, newErrorView(code))
	}
}

// newContentView describes a body: the members of its shape, or its type if it has none.
func (d *openDocument) newContentView(title, kind string, m openMedia, mark string) *contentView {
	v := &contentView{Title: title, Kind: kind, Type: typePieces(m.Schema), Example: indentExample(m.Example)}
	s := m.Schema
	if s != nil && s.Ref != "" {
		s = d.Components.Schemas[schemaName(s.Ref)]
	}
	if s != nil {
		v.Rows = memberRows(s, "", mark)
	}
	return v
}

// indentExample indents an example of JSON and returns any other text unchanged.
func indentExample(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return strings.TrimRight(text, "\n")
	}
	var b bytes.Buffer
	if len(raw) == 0 || json.Indent(&b, raw, "", "  ") != nil {
		return ""
	}
	return b.String()
}

// curlCommand returns the request as a command line.
func curlCommand(v operationView, server, kind string, m openMedia) string {
	var b strings.Builder
	b.WriteString("curl ")
	if v.Method != http.MethodGet && (v.Method != http.MethodPost || m.Example == nil && kind != multipartForm) {
		b.WriteString("-X " + v.Method + " ")
	}
	path := strings.NewReplacer("{agentId}", "$AGENT", "{conversationId}", "$CONVERSATION", "{", "$", "}",
		"").Replace(v.Path)
	fmt.Fprintf(&b, "%q", server+path)
	if !v.Open {
		b.WriteString(" \\\n  -H \"Authorization: Bearer $KEY\"")
	}
	if kind == multipartForm {
		b.WriteString(" \\\n " + curlFormParts(m.Schema) + " -F file=@handbook.pdf")
	}
	var flat bytes.Buffer
	if m.Example != nil && json.Compact(&flat, m.Example) == nil {
		b.WriteString(" \\\n  -d '" + strings.ReplaceAll(flat.String(), "'", `'\''`) + "'")
	}
	return b.String()
}

// curlFormParts returns the parts of a form other than its file: the name, or those that are required.
func curlFormParts(s *openSchema) (parts string) {
	if s.Properties["name"] != nil {
		return " -F name=Handbook"
	}
	for _, name := range s.Required {
		parts += " -F " + name + "=…"
	}
	return parts
}

// multipartForm is the media type of bodies with files.
const multipartForm = "multipart/form-data"
