package mcp_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// one makes a call and compares its result.
func (tl *teller) one(x exchange) error {
	if x.tool == "INDEXED" {
		return tl.index()
	}
	key := tl.house.Key
	if x.as != "" {
		key = tl.known[x.as]
	}
	args := cmp.Or(tl.known.Expand(x.args), "{}")
	out, err := tl.session(key).CallTool(tl.t.Context(), &sdk.CallToolParams{Name: x.tool, Arguments: json.RawMessage(args)})
	if err != nil {
		return err
	}
	text := out.Content[0].(*sdk.TextContent).Text
	want, refused := strings.CutPrefix(x.want, "REFUSED")
	if refused != out.IsError || refused != (out.StructuredContent == nil) {
		return fmt.Errorf("refused: %v, structured: %v\n%s", out.IsError, out.StructuredContent, text)
	}
	return errors.Join(tl.fits(x, args, out), tl.known.Compare(text, want))
}

func (tl *teller) index() error {
	for {
		if more, err := tl.house.Indexer.Round(tl.t.Context()); err != nil || !more {
			return err
		}
	}
}

// fits holds a result that is no refusal, and what was asked for, to the tool's schemas.
func (tl *teller) fits(x exchange, args string, out *sdk.CallToolResult) error {
	if out.IsError {
		return nil
	}
	err := tl.schemas[x.tool].out.Validate(plainJSON(tl.t, out.StructuredContent))
	if !x.loosely {
		err = errors.Join(err, tl.schemas[x.tool].in.Validate(plainJSON(tl.t, json.RawMessage(args))))
	}
	return err
}
