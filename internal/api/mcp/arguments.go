package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"parley"
)

// arguments are those of a call, by name.
type arguments map[string]jsonText

// parseArguments reads the arguments of a call and refuses those that the tool does not know: a filter with a slip in its name would
// be no filter at all. What the arguments hold is judged by REST.
func parseArguments(text jsonText, schema object) (arguments, error) {
	args := arguments{}
	if len(text) > 0 {
		if err := json.Unmarshal(text, &args); err != nil {
			return nil, parley.NewErrorf(parley.CodeInvalidBody, "The arguments must be an object.")
		}
	}
	if args == nil { // they were null
		args = arguments{}
	}
	wrong := map[string]string{}
	known := schema["properties"].(object)
	for name, value := range args {
		if known[name] == nil {
			wrong[name] = "is not an argument of this tool"
		} else if string(value) == "null" && !isNullable(known[name].(object)) {
			delete(args, name) // as assistants write what they leave out
		}
	}
	required, _ := schema["required"].([]string)
	for _, name := range required {
		if args[name] == nil {
			wrong[name] = "is required"
		}
	}
	return args, parley.InvalidFields(wrong)
}

// isNullable reports whether null is a value of its own: a choice is one that null is part of.
func isNullable(schema object) bool { return schema["anyOf"] != nil }

// restRequest is one to REST.
type restRequest struct {
	method, path string // path is escaped
	query        url.Values
	body         []byte // nil for none
}

// newRequest puts the arguments where the operation takes them: in its path, its query, and else its body.
func (op *operation) newRequest(args arguments) (restRequest, error) {
	req := restRequest{method: op.method, path: op.path, query: url.Values{}}
	body := arguments{}
	for name, value := range args {
		body[name] = value
	}
	wrong := map[string]string{}
	for _, p := range op.params {
		value, isSet := body[p.Name]
		delete(body, p.Name)
		switch {
		case p.In == "path":
			id, fault := p.parseID(value)
			if fault != "" {
				wrong[p.Name] = fault
			}
			req.path = strings.ReplaceAll(req.path, "{"+p.Name+"}", escapeSegment(id))
		case p.In == "query" && isSet:
			req.query.Set(p.Name, queryValue(value))
		}
	}
	if err := parley.InvalidFields(wrong); err != nil || op.bodies == nil {
		return req, err
	}
	var err error
	if req.body, err = json.Marshal(body); err != nil {
		return req, fmt.Errorf("write the body: %w", err)
	}
	return req, nil
}

// parseID reads what stands in a path: a text, or a number where the operation counts, which may come as a text, too.
func (p *parameter) parseID(value jsonText) (id, fault string) {
	if json.Unmarshal(value, &id) == nil {
		return id, ""
	}
	if p.Schema["type"] != "integer" {
		return "", "must be a string"
	}
	var n json.Number
	if json.Unmarshal(value, &n) != nil {
		return "", "must be an integer"
	}
	return n.String(), ""
}

// escapeSegment escapes an id for a path in which no part may be empty or lead elsewhere. What it makes of "", "." and ".." is the id of
// nothing, as they are.
func escapeSegment(id string) string {
	switch id {
	case "":
		return "%00"
	case ".", "..":
		return strings.ReplaceAll(id, ".", "%2E")
	}
	return url.PathEscape(id)
}

// queryValue writes a value as a query has it: a text without its quotes, a list with commas.
func queryValue(value jsonText) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	var list []string
	if json.Unmarshal(value, &list) == nil {
		return strings.Join(list, ",")
	}
	return string(value)
}

// httpRequest is the request as REST's handler takes it.
func (req restRequest) httpRequest() *http.Request {
	path, err := url.PathUnescape(req.path)
	if err != nil {
		path = req.path
	}
	r := &http.Request{Method: req.method, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Body: http.NoBody,
		URL: &url.URL{Path: restBase + path, RawPath: restBase + req.path, RawQuery: req.query.Encode()}}
	return r
}

// restBase is where REST v2 lives.
const restBase = "/api/v2"
