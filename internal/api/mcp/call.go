package mcp

import (
	"context"
	"fmt"
	"runtime/debug"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
	"parley/internal/httpapi"
)

// toolHandler returns the handler of a tool. A failure is a result that is marked as an error and holds the code;
// it never is an error of the protocol.
func (s *server) toolHandler(t *tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		out, err := s.runTool(ctx, t, req.Params.Arguments)
		if err == nil {
			return newToolResult(out, false)
		}
		failure := newRefusal(err)
		if failure.Code == parley.CodeInternal && failure.RequestID == "" { // REST logs its own failures
			s.Logger.Error("a tool failed", "tool", t.name, "err", err)
		}
		return newToolResult(object{"error": failure}, true)
	}
}

func (s *server) runTool(ctx context.Context, t *tool, text jsonText) (out any, err error) {
	defer func() { // this runs in a goroutine of the protocol, where a panic would end the program
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
	reply, err := s.callOperation(ctx, t.operation, args, 0)
	return jsonText(reply), err
}

// newToolResult returns a result that holds the JSON twice, as the protocol asks: as structured content, and as
// text for clients that read nothing else. A failure is only text, since it does not match the output schema of the
// tool.
func newToolResult(out any, refused bool) (*sdk.CallToolResult, error) {
	text, err := httpapi.Marshal(out)
	if err != nil {
		return nil, err
	}
	r := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(text)}}, IsError: refused}
	if !refused {
		r.StructuredContent = jsonText(text)
	}
	return r, nil
}
