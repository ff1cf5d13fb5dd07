package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"parley"
	"parley/internal/httpapi"
)

// arguments holds the arguments of a call by name.
type arguments map[string]jsonText

// parseArguments parses the arguments of a call. It refuses unknown ones, because a filter with a typo in its name
// would be ignored. The values are validated by REST.
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
	faults := map[string]string{}
	known := schema["properties"].(object)
	for name, value := range args {
		if known[name] == nil {
			faults[name] = "is not an argument of this tool"
		} else if string(value) == "null" && !isNullable(known[name].(object)) {
			delete(args, name) // assistants send null for what they leave out
		} else {
			args[name] = readAs(value, known[name].(object))
		}
	}
	required, _ := schema["required"].([]string)
	for _, name := range required {
		if args[name] == nil {
			faults[name] = "is required"
		}
	}
	return args, parley.InvalidFields(faults)
}

// readAs returns a value as its schema has it: assistants write 12 as 12.0 or "12", true as "true", and a list or an
// object as a text that holds it. What cannot be read so is left to REST, which says what it must be.
func readAs(value jsonText, schema object) jsonText {
	want, _ := schema["type"].(string)
	if choices, ok := schema["anyOf"].([]any); ok && len(choices) == 2 { // the other one is null
		first, _ := choices[0].(object)
		want, _ = first["type"].(string)
	}
	if want == "" || want == "string" {
		return value
	}
	var text string
	if json.Unmarshal(value, &text) == nil {
		text = strings.TrimSpace(text)
		if !json.Valid([]byte(text)) || jsonTypeOf(text) != jsonTypes[want] {
			return value
		}
		value = jsonText(text)
	}
	if want == "integer" {
		return wholeNumber(value)
	}
	return value
}

// jsonTypes are the first characters of values by their types; digits stand for all numbers.
var jsonTypes = map[string]byte{"integer": '0', "number": '0', "boolean": 't', "array": '[', "object": '{'}

// jsonTypeOf returns what jsonTypes has for the type of a value.
func jsonTypeOf(value string) byte {
	switch c := value[0]; c {
	case '[', '{', '"':
		return c
	case 't', 'f':
		return 't'
	case 'n':
		return 'n'
	}
	return '0'
}

// wholeNumber writes a whole number without its fraction or exponent: 12.0 and 1.2e1 are 12.
func wholeNumber(value jsonText) jsonText {
	f, err := strconv.ParseFloat(string(value), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
		return value
	}
	return jsonText(strconv.FormatFloat(f, 'f', -1, 64))
}

// isNullable reports whether null is a valid value. Schemas that allow it are choices (nullableSchema).
func isNullable(schema object) bool { return schema["anyOf"] != nil }

// restRequest is a request to REST.
type restRequest struct {
	method, path string // path is escaped
	query        url.Values
	body         []byte // nil for none
}

// newRequest puts each argument where the operation takes it: in the path, the query, or otherwise the body.
func (op *operation) newRequest(args arguments) (restRequest, error) {
	req := restRequest{method: op.method, path: op.path, query: url.Values{}}
	body := maps.Clone(args)
	faults := map[string]string{}
	for _, p := range op.params {
		value, isSet := body[p.Name]
		delete(body, p.Name)
		switch {
		case p.In == "path":
			id, fault := p.parseID(value)
			if fault != "" {
				faults[p.Name] = fault
			}
			req.path = strings.ReplaceAll(req.path, "{"+p.Name+"}", httpapi.EscapeSegment(id))
		case p.In == "query" && isSet:
			req.query.Set(p.Name, queryValue(value))
		}
	}
	if err := parley.InvalidFields(faults); err != nil || op.bodies == nil {
		return req, err
	}
	var err error
	if req.body, err = json.Marshal(body); err != nil {
		return req, fmt.Errorf("write the body: %w", err)
	}
	return req, nil
}

// parseID parses a parameter of the path: a text, or for an integer a number or a text.
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

// queryValue returns a value in the form of a query: a text without quotes, a list with commas.
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

// httpRequest returns the request for REST's handler.
func (req restRequest) httpRequest() *http.Request {
	path, err := url.PathUnescape(req.path)
	if err != nil {
		path = req.path
	}
	r := &http.Request{Method: req.method, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{},
		Body: http.NoBody,
		URL:  &url.URL{Path: restBase + path, RawPath: restBase + req.path, RawQuery: req.query.Encode()}}
	return r
}

// restBase is the path of REST v2.
const restBase = "/api/v2"
