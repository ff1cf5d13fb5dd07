package model

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
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

func (c *toolCallAssembler) add(part *toolCallPart) error {
	i := c.findIndex(part)
	if i < 0 {
		i = len(c.partialCalls)
		c.partialCalls = append(c.partialCalls, partialCall{index: part.index})
	}
	o := &c.partialCalls[i]
	if o.id == "" {
		o.id = string(part.id)
	}
	if o.name == "" {
		o.name = string(part.name)
	}
	o.input = append(o.input, part.input...)
	if c.inputBytes += len(part.input); c.inputBytes > maxTextBytes || len(c.partialCalls) > maxToolCalls {
		return errToolCallLimit
	}
	return nil
}

// findIndex returns the call a fragment belongs to, -1 for a new one. Some providers number every call 0, or none: there, a
// named fragment with another id begins a new call, and a nameless one goes on with the last.
func (c *toolCallAssembler) findIndex(part *toolCallPart) int {
	for i := len(c.partialCalls) - 1; i >= 0; i-- {
		o := &c.partialCalls[i]
		another := len(part.id) > 0 && string(part.id) != o.id || len(part.id) == 0 && part.index < 0
		if o.index == part.index && !(another && len(part.name) > 0 && o.name != "") {
			return i
		}
	}
	return -1
}

// finish returns the calls, each with an id and an input that is a JSON object.
func (c *toolCallAssembler) finish() ([]ToolCall, error) {
	ready := make([]ToolCall, 0, len(c.partialCalls))
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
			o.id = newToolCallID()
		}
		ready = append(ready, ToolCall{ID: o.id, Name: o.name, Input: (&utf8Repairer{}).appendValid(nil, input), InputError: fault})
	}
	return ready, nil
}

// newToolCallID makes an id for a call that has none.
func newToolCallID() string { return "call_" + rand.Text() }
