package provider

import (
	"encoding/json"
	"fmt"
	"strings"
)

// The behaviours below use Anthropic's wire format. Behaviours that send raw bytes, stall, refuse or break the
// connection work for both.

// AnthropicText writes the pieces as one text block of an answer and ends it with the reason.
func AnthropicText(reason string, pieces ...string) Behaviour {
	return func(x *Exchange) {
		x.Begin()
		x.Block(0, pieces...)
		x.End(reason)
	}
}

// Begin sends the beginning of an answer.
func (x *Exchange) Begin() {
	x.NamedEvent(`{"type":"message_start","message":{"id":"msg_01","type":"message","role":"assistant",` +
		`"model":"m","content":[],` +
		`"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":5,"cache_creation_input_tokens":2,` +
		`"cache_read_input_tokens":4,"output_tokens":1}}}`)
	x.NamedEvent(`{"type":"ping"}`)
}

// Block sends a whole block of text.
func (x *Exchange) Block(index int, pieces ...string) {
	x.openBlock(index, pieces...)
	x.NamedEvent(fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index))
}

// openBlock sends a block of text and leaves it open.
func (x *Exchange) openBlock(index int, pieces ...string) {
	x.NamedEvent(fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":"text","text":""}}`, index))
	for _, p := range pieces {
		x.NamedEvent(TextDelta(index, p))
	}
}

// ToolBlock sends a block that calls a tool, its input in fragments.
func (x *Exchange) ToolBlock(index int, id, name string, fragments ...string) {
	x.NamedEvent(fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":"tool_use",`+
		`"id":%q,"name":%q,"input":{}}}`,
		index, id, name))
	x.NamedEvent(fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"input_json_delta",`+
		`"partial_json":""}}`, index))
	for _, f := range fragments {
		x.NamedEvent(fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"input_json_delta",`+
			`"partial_json":%s}}`,
			index, encodeJSON(f)))
	}
	x.NamedEvent(fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index))
}

// End sends the reason, the usage and the end of the stream.
func (x *Exchange) End(reason string) {
	x.NamedEvent(fmt.Sprintf(`{"type":"message_delta","delta":{"stop_reason":%q,"stop_sequence":null},`+
		`"usage":{"output_tokens":7}}`, reason))
	x.NamedEvent(`{"type":"message_stop"}`)
}

// NamedEvent sends an event under the name of its type.
func (x *Exchange) NamedEvent(data string) bool {
	var e struct{ Type string }
	if err := json.Unmarshal([]byte(data), &e); err != nil {
		return x.Event(data) // invalid on purpose
	}
	return x.Write("event: " + e.Type + "\ndata: " + data + "\n\n")
}

// AnthropicToolCall asks for one call of a tool, its input in fragments.
func AnthropicToolCall(id, name string, fragments ...string) Behaviour {
	return func(x *Exchange) {
		x.Begin()
		x.ToolBlock(0, id, name, fragments...)
		x.End("tool_use")
	}
}

// AnthropicError sends the pieces and then an error of that type inside the stream.
func AnthropicError(kind string, pieces ...string) Behaviour {
	return func(x *Exchange) {
		x.Begin()
		x.Block(0, pieces...)
		x.NamedEvent(fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":"Overloaded"}}`, kind))
	}
}

// AnthropicTextThen sends the pieces, leaves the block open, and goes on as the behaviour does.
func AnthropicTextThen(then Behaviour, pieces ...string) Behaviour {
	return func(x *Exchange) {
		x.Begin()
		x.openBlock(0, pieces...)
		then(x)
	}
}

// RepeatRaw sends the raw text endlessly.
func RepeatRaw(raw string) Behaviour {
	return func(x *Exchange) {
		for x.Write(strings.Repeat(raw, 1+4096/len(raw))) && x.r.Context().Err() == nil {
		}
	}
}

// CutConnection cuts the connection.
func CutConnection() Behaviour { return func(x *Exchange) { x.Cut() } }

// TextDelta returns the data of an event with text.
func TextDelta(index int, text string) string {
	return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"text_delta","text":%s}}`, index,
		encodeJSON(text))
}

// encodeJSON encodes a string or numbers, which cannot fail.
func encodeJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}
