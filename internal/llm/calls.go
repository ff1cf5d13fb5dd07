package llm

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
)

const maxCalls = 64

var errCalls = errors.New("the provider asks for too many or too large tool calls")

// calls puts tool calls together from fragments.
type calls struct {
	open []openCall
	size int
}

type openCall struct {
	index    int
	id, name string
	input    []byte
}

func (c *calls) add(part *callPart) error {
	i := c.find(part)
	if i < 0 {
		i = len(c.open)
		c.open = append(c.open, openCall{index: part.index})
	}
	o := &c.open[i]
	if o.id == "" {
		o.id = string(part.id)
	}
	if o.name == "" {
		o.name = string(part.name)
	}
	o.input = append(o.input, part.input...)
	if c.size += len(part.input); c.size > maxText || len(c.open) > maxCalls {
		return errCalls
	}
	return nil
}

// find gives the call a fragment belongs to, -1 for a new one. Some providers number every call 0, or none: there, a
// named fragment with another id begins a new call, and a nameless one goes on with the last.
func (c *calls) find(part *callPart) int {
	for i := len(c.open) - 1; i >= 0; i-- {
		o := &c.open[i]
		another := len(part.id) > 0 && string(part.id) != o.id || len(part.id) == 0 && part.index < 0
		if o.index == part.index && !(another && len(part.name) > 0 && o.name != "") {
			return i
		}
	}
	return -1
}

// done gives the calls, each with an id and an input that is a JSON object.
func (c *calls) done() ([]ToolCall, error) {
	ready := make([]ToolCall, 0, len(c.open))
	for _, o := range c.open {
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
			o.id = freshID()
		}
		ready = append(ready, ToolCall{ID: o.id, Name: o.name, Input: (&repair{}).append(nil, input), Fault: fault})
	}
	return ready, nil
}

// freshID makes an id for a call that has none.
func freshID() string { return "call_" + rand.Text() }
