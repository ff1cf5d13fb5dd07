package mcp_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// runExchange makes a call and compares its result.
func (tl *storyRunner) runExchange(x exchange) error {
	if x.tool == "INDEXED" {
		return tl.updateIndex()
	}
	key := tl.server.Key
	if x.as != "" {
		key = tl.placeholders[x.as]
	}
	args := cmp.Or(tl.placeholders.Expand(x.args), "{}")
	out, err := tl.session(key).CallTool(tl.t.Context(),
		&sdk.CallToolParams{Name: x.tool, Arguments: json.RawMessage(args)})
	if err != nil {
		return err
	}
	text := out.Content[0].(*sdk.TextContent).Text
	want, refused := strings.CutPrefix(x.want, "REFUSED")
	if refused != out.IsError || refused != (out.StructuredContent == nil) {
		return fmt.Errorf("refused: %v, structured: %v\n%s", out.IsError, out.StructuredContent, text)
	}
	return errors.Join(tl.checkSchemas(x, args, out), tl.placeholders.Compare(text, want))
}

func (tl *storyRunner) updateIndex() error {
	for {
		if more, err := tl.server.Indexer.StepAll(tl.t.Context()); err != nil || !more {
			return err
		}
	}
}

// checkSchemas holds a result that is no refusal, and what was asked for, to the tool's schemas.
func (tl *storyRunner) checkSchemas(x exchange, args string, out *sdk.CallToolResult) error {
	if out.IsError {
		return nil
	}
	err := tl.schemas[x.tool].out.Validate(toJSONValue(tl.t, out.StructuredContent))
	if !x.violatesInputSchema {
		err = errors.Join(err, tl.schemas[x.tool].in.Validate(toJSONValue(tl.t, json.RawMessage(args))))
	}
	return err
}
