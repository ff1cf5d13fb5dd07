package stream

import (
	"bytes"
	"encoding/json"
	"errors"

	"parley/internal/httpclient"
	"parley/internal/model"
)

const maxToolCalls = 64

var errToolCallLimit = errors.New("the provider asks for too many or too large tool calls")

// toolCallAssembler puts tool calls together from fragments.
type toolCallAssembler struct {
	partialCalls []partialCall
	inputBytes   int
}

type partialCall struct {
	index    int
	id, name string
	input    []byte
}

func (c *toolCallAssembler) add(part *ToolCallPart) error {
	i := c.findIndex(part)
	if i < 0 {
		i = len(c.partialCalls)
		c.partialCalls = append(c.partialCalls, partialCall{index: part.Index})
	}
	o := &c.partialCalls[i]
	if o.id == "" {
		o.id = string(part.ID)
	}
	if o.name == "" {
		o.name = string(part.Name)
	}
	o.input = append(o.input, part.Input...)
	if c.inputBytes += len(part.Input); c.inputBytes > httpclient.MaxTextBytes || len(c.partialCalls) > maxToolCalls {
		return errToolCallLimit
	}
	return nil
}

// findIndex returns the call a fragment belongs to, -1 for a new one. Some providers number every call 0, or none:
// there, a named fragment with another id begins a new call, and a nameless one goes on with the last.
func (c *toolCallAssembler) findIndex(part *ToolCallPart) int {
	for i := len(c.partialCalls) - 1; i >= 0; i-- {
		o := &c.partialCalls[i]
		another := len(part.ID) > 0 && string(part.ID) != o.id || len(part.ID) == 0 && part.Index < 0
		if o.index == part.Index && !(another && len(part.Name) > 0 && o.name != "") {
			return i
		}
	}
	return -1
}

// finish returns the calls, each with an id and an input that is a JSON object.
func (c *toolCallAssembler) finish() ([]model.ToolCall, error) {
	ready := make([]model.ToolCall, 0, len(c.partialCalls))
	for _, o := range c.partialCalls {
		input := bytes.TrimSpace(o.input)
		if len(input) == 0 {
			input = []byte("{}")
		}
		if o.name == "" {
			return nil, errors.New("the provider asks for a tool without a name")
		}
		fault := ""
		if input[0] != '{' || !json.Valid(input) {
			input, fault = []byte("{}"), "the arguments are not a JSON object"
		}
		if o.id == "" {
			o.id = model.NewToolCallID()
		}
		ready = append(ready,
			model.ToolCall{ID: o.id, Name: o.name, Input: (&utf8Repairer{}).appendValid(nil, input), InputError: fault})
	}
	return ready, nil
}

// ToolArguments returns a call's input as a JSON object: some providers refuse a whole conversation for one broken call
// in it.
func ToolArguments(input json.RawMessage) string {
	if text := bytes.TrimSpace(input); len(text) > 0 && text[0] == '{' && json.Valid(text) {
		return string(text)
	}
	return "{}"
}
