package anthropic

import (
	"parley/internal/model/stream"
	"slices"
)

// decoder reads the events of Anthropic's stream, which come as blocks: text, calls of tools, thoughts and more. Only
// text and the calls of our own tools count; every other kind of event or block is passed over, as the API asks of its
// clients.
type decoder struct {
	callIndexes     []int // indexes of the blocks that are calls of our tools
	completeIndexes []int // of them, those whose input came with their beginning
}

// decode reports whether data is one valid JSON object, and adds what it says to d. An object is either an event of the
// stream or, of a server that does not stream, the whole message.
func (de *decoder) decode(d *stream.Delta, data []byte) bool {
	e := event{index: -1}
	s := stream.JSONScanner{Data: data}
	s.ReadObject(func(key []byte) { e.readMember(&s, d, key) })
	if !s.IsAtEnd() || s.FirstByte != '{' {
		return false
	}
	switch string(e.kind) {
	case "content_block_start":
		de.startBlock(d, e.block, e.index)
	case "content_block_delta":
		de.extendBlock(d, e.block, e.index)
	case "message":
		for i, block := range e.content {
			de.startBlock(d, block, i)
		}
		d.IsLast = true
	case "message_stop":
		d.IsLast = true
	case "error":
		d.ErrorJSON = data
	}
	if e.errorJSON != nil {
		d.ErrorJSON = e.errorJSON
	}
	return true
}

// event is one event of the stream as it was read: its members come in any order.
type event struct {
	kind      []byte
	index     int
	block     contentBlock
	content   []contentBlock // of a whole message
	errorJSON []byte
}

// contentBlock is the beginning of a block, or what one event adds to it.
type contentBlock struct {
	kind         []byte
	id, name     []byte
	text         []byte
	partialInput []byte // of a call's input
	input        []byte // the whole of it
}

func (e *event) readMember(s *stream.JSONScanner, d *stream.Delta, key []byte) {
	switch string(key) {
	case "type":
		e.kind = s.ReadText()
	case "index":
		e.index = s.ReadInt(-1)
	case "delta", "content_block":
		s.ReadObject(func(key []byte) { e.block.readMember(s, d, key) })
	case "message":
		s.ReadObject(func(key []byte) {
			if string(key) == "usage" {
				readUsage(d, s)
				return
			}
			s.Skip()
		})
	case "content":
		s.ReadArray(func() {
			var b contentBlock
			s.ReadObject(func(key []byte) { b.readMember(s, d, key) })
			e.content = append(e.content, b)
		})
	case "usage":
		readUsage(d, s)
	case "stop_reason":
		d.FinishReason = s.ReadText()
	case "error":
		if raw := s.ReadRaw(); string(raw) != "null" {
			e.errorJSON = raw
		}
	default:
		s.Skip()
	}
}

func (b *contentBlock) readMember(s *stream.JSONScanner, d *stream.Delta, key []byte) {
	switch string(key) {
	case "type":
		b.kind = s.ReadText()
	case "id":
		b.id = s.ReadText()
	case "name":
		b.name = s.ReadText()
	case "text":
		b.text = s.ReadText()
	case "partial_json":
		b.partialInput = s.ReadText()
	case "input":
		b.input = s.ReadRaw()
	case "stop_reason":
		d.FinishReason = s.ReadText()
	default:
		s.Skip()
	}
}

func (de *decoder) startBlock(d *stream.Delta, from contentBlock, index int) {
	switch string(from.kind) {
	case "text":
		d.Text = append(d.Text, from.text...)
	case "tool_use":
		part := stream.ToolCallPart{Index: index, ID: from.id, Name: from.name}
		if len(from.input) > 0 && string(from.input) != "{}" && string(from.input) != "null" {
			part.Input = from.input
			de.completeIndexes = append(de.completeIndexes, index)
		}
		de.callIndexes = append(de.callIndexes, index)
		d.Calls = append(d.Calls, part)
	}
}

func (de *decoder) extendBlock(d *stream.Delta, from contentBlock, index int) {
	switch string(from.kind) {
	case "text_delta":
		d.Text = append(d.Text, from.text...)
	case "input_json_delta":
		if slices.Contains(de.callIndexes, index) && !slices.Contains(de.completeIndexes, index) {
			d.Calls = append(d.Calls, stream.ToolCallPart{Index: index, Input: from.partialInput})
		}
	}
}

// readUsage reads how many tokens there were. Those that the provider had in its cache were read as well.
func readUsage(d *stream.Delta, s *stream.JSONScanner) {
	sum := 0
	s.ReadObject(func(key []byte) {
		switch string(key) {
		case "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens":
			sum += max(s.ReadInt(0), 0)
		case "output_tokens":
			d.Usage.Output = s.ReadInt(0)
		default:
			s.Skip()
		}
	})
	d.Usage.Input = sum
}
