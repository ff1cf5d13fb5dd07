package mcp

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"parley"
	"parley/internal/wire"
)

// The codes of JSON-RPC 2.0 for what is wrong with a message.
const (
	parseError     = -32700
	invalidRequest = -32600
	methodNotFound = -32601
	invalidParams  = -32602
)

// fault is a message that says what is wrong with another.
type fault struct {
	Version string     `json:"jsonrpc"`
	ID      jsonText   `json:"id"` // null where the message has none, or none that can be read
	Error   faultError `json:"error"`
}

type faultError struct {
	Code    int        `json:"code"`
	Message string     `json:"message"`
	Data    *faultData `json:"data,omitempty"`
}

// faultData holds what REST says of the same failure.
type faultData struct {
	Code parley.Code `json:"code"`
}

// render words a refusal: what is wrong with the message itself as JSON-RPC, who may not send it as REST does.
func render(e *parley.Error) (int, any) {
	code := invalidRequest
	switch e.Code {
	case parley.CodeInvalidJSON:
		code = parseError
	case parley.CodeInvalidBody, parley.CodeTooLarge:
	default:
		return wire.RenderEnvelope(e)
	}
	return e.Code.Status(), fault{"2.0", jsonText("null"), faultError{code, e.Message, &faultData{e.Code}}}
}

// head is what tells one kind of message from another.
type head struct {
	ID     jsonText `json:"id"`
	Method *string  `json:"method"`
	Result jsonText `json:"result"`
	Error  jsonText `json:"error"`
}

// headOf reads the head of a message. Fails with VALIDATION_INVALID_BODY for what is no request, notification or
// response.
func headOf(text []byte) (head, error) {
	var h head
	if bytes.HasPrefix(text, []byte("[")) {
		return h, parley.Failf(parley.CodeInvalidBody, "Send one message in a request: batches are not taken.")
	}
	if json.Unmarshal(text, &h) != nil || h.Method == nil && h.Result == nil && h.Error == nil {
		return h, parley.Failf(parley.CodeInvalidBody, "The message is no request, notification or response of JSON-RPC 2.0.")
	}
	return h, nil
}

// translator turns what the protocol refuses in plain text into JSON-RPC. Everything else passes.
type translator struct {
	http.ResponseWriter
	head   head
	status int // of a refusal in plain text; 0 where there is none
	said   bytes.Buffer
}

func (t *translator) Unwrap() http.ResponseWriter { return t.ResponseWriter }

func (t *translator) WriteHeader(status int) {
	if status >= 400 && strings.HasPrefix(t.Header().Get("Content-Type"), "text/plain") {
		t.status = status
		return
	}
	t.ResponseWriter.WriteHeader(status)
}

func (t *translator) Write(b []byte) (int, error) {
	if t.status != 0 {
		return t.said.Write(b)
	}
	return t.ResponseWriter.Write(b)
}

// finish writes the refusal, if there was one. A call of a method that there is not, or without what it needs, has an
// answer like any other call; its session goes on.
func (t *translator) finish() {
	if t.status == 0 {
		return
	}
	out := fault{"2.0", jsonText("null"), t.reason()}
	if id := bytes.TrimSpace(t.head.ID); len(id) > 0 && (id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9') {
		out.ID = jsonText(id)
		if out.Error.Code != invalidRequest {
			t.status = http.StatusOK
		}
	}
	text, err := encode(out)
	if err != nil {
		t.status, text = http.StatusInternalServerError, nil
	}
	t.Header().Set("Content-Type", "application/json")
	t.ResponseWriter.WriteHeader(t.status)
	_, _ = t.ResponseWriter.Write(text) // who has gone needs no answer
}

// reason words the refusal.
func (t *translator) reason() faultError {
	said := strings.TrimSpace(t.said.String())
	switch {
	case strings.HasPrefix(said, "JSON RPC not handled: "):
		return faultError{Code: methodNotFound, Message: "method not found: " + *t.head.Method}
	case strings.Contains(said, `missing required "params"`):
		return faultError{Code: invalidParams, Message: "invalid params: they are missing"}
	}
	return faultError{Code: invalidRequest, Message: strings.TrimPrefix(said, "Bad Request: ")}
}
