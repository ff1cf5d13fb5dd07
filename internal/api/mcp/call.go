package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
)

// toolHandler returns what answers calls of a tool. A refusal is a result that says so, with the code in its text; nothing a tool does
// ends the protocol.
func (s *server) toolHandler(t *tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		out, err := s.runTool(ctx, t, req.Params.Arguments)
		if err == nil {
			return newToolResult(out, false)
		}
		failure := newRefusal(err)
		if failure.Code == parley.CodeInternal && failure.RequestID == "" { // REST has logged its own
			s.Logger.Error("a tool failed", "tool", t.name, "err", err)
		}
		return newToolResult(object{"error": failure}, true)
	}
}

func (s *server) runTool(ctx context.Context, t *tool, text jsonText) (out any, err error) {
	defer func() { // the protocol runs this in a goroutine of its own, where a panic would end the program
		if p := recover(); p != nil {
			out, err = nil, fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	args, err := parseArguments(text, t.input)
	if err != nil {
		return nil, err
	}
	if t.run != nil {
		return t.run(ctx, s, t, args)
	}
	if t.maxItems > 0 {
		return s.getPage(ctx, t, args)
	}
	req, err := t.operation.newRequest(args)
	if err != nil {
		return nil, err
	}
	reply, err := s.callREST(ctx, req, 0)
	return jsonText(reply), err
}

// newToolResult holds the JSON twice, as the protocol asks: as it is, and as text for clients that read nothing else. A refusal is text
// only, for it has not the shape of the tool's results.
func newToolResult(out any, refused bool) (*sdk.CallToolResult, error) {
	text, err := encodeJSON(out)
	if err != nil {
		return nil, err
	}
	r := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}, IsError: refused}
	if !refused {
		r.StructuredContent = jsonText(text)
	}
	return r, nil
}

// encodeJSON is json.Marshal without the escapes meant for HTML pages.
func encodeJSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("write a result: %w", err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
