package mcp

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"parley"
	"parley/internal/httpapi"
)

// The codes of JSON-RPC 2.0 for invalid messages.
const (
	parseError     = -32700
	invalidRequest = -32600
	methodNotFound = -32601
	invalidParams  = -32602
)

// rpcError is the reply to an invalid message.
type rpcError struct {
	Version string       `json:"jsonrpc"`
	ID      jsonText     `json:"id"` // null if the message has no valid id
	Error   rpcErrorBody `json:"error"`
}

type rpcErrorBody struct {
	Code    int           `json:"code"`
	Message string        `json:"message"`
	Data    *rpcErrorData `json:"data,omitempty"`
}

// rpcErrorData holds the code of the failure in REST.
type rpcErrorData struct {
	Code parley.Code `json:"code"`
}

// renderFailure renders a failure: an invalid message as JSON-RPC asks, and everything else, such as a missing key,
// like REST v2.
func renderFailure(e *parley.Error) (int, any) {
	code := invalidRequest
	switch e.Code {
	case parley.CodeInvalidJSON:
		code = parseError
	case parley.CodeInvalidBody, parley.CodeTooLarge:
	default:
		return httpapi.RenderEnvelope(e)
	}
	return e.Code.Status(), rpcError{"2.0", jsonText("null"), rpcErrorBody{code, e.Message, &rpcErrorData{e.Code}}}
}

// rpcHead holds the members that distinguish the kinds of messages.
type rpcHead struct {
	ID     jsonText `json:"id"`
	Method *string  `json:"method"`
	Result jsonText `json:"result"`
	Error  jsonText `json:"error"`
}

// parseHead parses the head of a message. It fails with VALIDATION_INVALID_BODY for anything but a request, a
// notification or a response.
func parseHead(text []byte) (rpcHead, error) {
	var h rpcHead
	if bytes.HasPrefix(text, []byte("[")) {
		return h, parley.NewErrorf(parley.CodeInvalidBody, "Send one message in a request: batches are not taken.")
	}
	if json.Unmarshal(text, &h) != nil || h.Method == nil && h.Result == nil && h.Error == nil {
		return h, parley.NewErrorf(parley.CodeInvalidBody,
			"The message is no request, notification or response of JSON-RPC 2.0.")
	}
	return h, nil
}

// errorTranslator converts plain-text errors of the protocol library to JSON-RPC. It passes everything else through.
type errorTranslator struct {
	http.ResponseWriter
	head      rpcHead
	status    int // of a plain-text error; 0 for none
	plainText bytes.Buffer
}

func (et *errorTranslator) Unwrap() http.ResponseWriter { return et.ResponseWriter }

func (et *errorTranslator) WriteHeader(status int) {
	if status >= 400 && strings.HasPrefix(et.Header().Get("Content-Type"), "text/plain") {
		et.status = status
		return
	}
	et.ResponseWriter.WriteHeader(status)
}

func (et *errorTranslator) Write(b []byte) (int, error) {
	if et.status != 0 {
		return et.plainText.Write(b)
	}
	return et.ResponseWriter.Write(b)
}

// finish writes the error, if there was one. Like any other reply, the error of an unknown method or of missing
// parameters has status 200, if the message has an id.
func (et *errorTranslator) finish() {
	if et.status == 0 {
		return
	}
	out := rpcError{"2.0", jsonText("null"), et.errorBody()}
	if id := bytes.TrimSpace(et.head.ID); len(id) > 0 && (id[0] == '"' || id[0] == '-' || id[0] >= '0' && id[0] <= '9') {
		out.ID = jsonText(id)
		if out.Error.Code != invalidRequest {
			et.status = http.StatusOK
		}
	}
	text, err := httpapi.Marshal(out)
	if err != nil {
		et.status, text = http.StatusInternalServerError, nil
	}
	et.Header().Set("Content-Type", "application/json")
	et.ResponseWriter.WriteHeader(et.status)
	_, _ = et.ResponseWriter.Write(text) // fails if the client is gone
}

// errorBody converts the plain-text error.
func (et *errorTranslator) errorBody() rpcErrorBody {
	text := strings.TrimSpace(et.plainText.String())
	switch {
	case strings.HasPrefix(text, "JSON RPC not handled: "):
		return rpcErrorBody{Code: methodNotFound, Message: "method not found: " + *et.head.Method}
	case strings.Contains(text, `missing required "params"`):
		return rpcErrorBody{Code: invalidParams, Message: "invalid params: they are missing"}
	}
	return rpcErrorBody{Code: invalidRequest, Message: strings.TrimPrefix(text, "Bad Request: ")}
}
