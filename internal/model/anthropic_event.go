package model

import "slices"

// anthropicDecoder reads the events of Anthropic's stream, which come as blocks: text, calls of tools, thoughts and more. Only text and the calls of
// our own tools count; every other kind of event or block is passed over, as the interface asks of its clients.
type anthropicDecoder struct {
	callIndexes     []int // indexes of the blocks that are calls of our tools
	completeIndexes []int // of them, those whose input came with their beginning
}

// decode reports whether data is one valid JSON object, and adds what it says to d. An object is either an event of the stream or, of a
// server that does not stream, the whole message.
func (b *anthropicDecoder) decode(d *streamDelta, data []byte) bool {
	e := anthropicEvent{index: -1}
	s := jsonScanner{data: data}
	s.readObject(func(key []byte) { e.readMember(&s, d, key) })
	if !s.isAtEnd() || s.firstByte != '{' {
		return false
	}
	switch string(e.kind) {
	case "content_block_start":
		b.startBlock(d, e.block, e.index)
	case "content_block_delta":
		b.extendBlock(d, e.block, e.index)
	case "message":
		for i, block := range e.content {
			b.startBlock(d, block, i)
		}
		d.isLast = true
	case "message_stop":
		d.isLast = true
	case "error":
		d.errorJSON = data
	}
	if e.errorJSON != nil {
		d.errorJSON = e.errorJSON
	}
	return true
}

// anthropicEvent is one event of the stream as it was read: its members come in any order.
type anthropicEvent struct {
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

func (e *anthropicEvent) readMember(s *jsonScanner, d *streamDelta, key []byte) {
	switch string(key) {
	case "type":
		e.kind = s.readText()
	case "index":
		e.index = s.readInt(-1)
	case "delta", "content_block":
		s.readObject(func(key []byte) { e.block.readMember(s, d, key) })
	case "message":
		s.readObject(func(key []byte) {
			if string(key) == "usage" {
				d.readAnthropicUsage(s)
				return
			}
			s.skip()
		})
	case "content":
		s.readArray(func() {
			var b contentBlock
			s.readObject(func(key []byte) { b.readMember(s, d, key) })
			e.content = append(e.content, b)
		})
	case "usage":
		d.readAnthropicUsage(s)
	case "stop_reason":
		d.finishReason = s.readText()
	case "error":
		if raw := s.readRaw(); string(raw) != "null" {
			e.errorJSON = raw
		}
	default:
		s.skip()
	}
}

func (b *contentBlock) readMember(s *jsonScanner, d *streamDelta, key []byte) {
	switch string(key) {
	case "type":
		b.kind = s.readText()
	case "id":
		b.id = s.readText()
	case "name":
		b.name = s.readText()
	case "text":
		b.text = s.readText()
	case "partial_json":
		b.partialInput = s.readText()
	case "input":
		b.input = s.readRaw()
	case "stop_reason":
		d.finishReason = s.readText()
	default:
		s.skip()
	}
}

// startBlock takes the beginning of a block.
func (b *anthropicDecoder) startBlock(d *streamDelta, from contentBlock, index int) {
	switch string(from.kind) {
	case "text":
		d.text = append(d.text, from.text...)
	case "tool_use":
		part := toolCallPart{index: index, id: from.id, name: from.name}
		if len(from.input) > 0 && string(from.input) != "{}" && string(from.input) != "null" {
			part.input = from.input
			b.completeIndexes = append(b.completeIndexes, index)
		}
		b.callIndexes = append(b.callIndexes, index)
		d.calls = append(d.calls, part)
	}
}

// extendBlock takes what an event adds to a block.
func (b *anthropicDecoder) extendBlock(d *streamDelta, from contentBlock, index int) {
	switch string(from.kind) {
	case "text_delta":
		d.text = append(d.text, from.text...)
	case "input_json_delta":
		if slices.Contains(b.callIndexes, index) && !slices.Contains(b.completeIndexes, index) {
			d.calls = append(d.calls, toolCallPart{index: index, input: from.partialInput})
		}
	}
}

// readAnthropicUsage reads how many tokens there were. Those that the provider had in its cache were read as well.
func (d *streamDelta) readAnthropicUsage(s *jsonScanner) {
	sum := 0
	s.readObject(func(key []byte) {
		switch string(key) {
		case "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens":
			sum += max(s.readInt(0), 0)
		case "output_tokens":
			d.usage.output = s.readInt(0)
		default:
			s.skip()
		}
	})
	d.usage.input = sum
}
