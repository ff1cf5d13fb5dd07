package llm

import "slices"

// blocks reads the events of Anthropic's stream, which come as blocks: text, calls of tools, thoughts and more. Only text and the calls of
// our own tools count; every other kind of event or block is passed over, as the interface asks of its clients.
type blocks struct {
	calls []int // indexes of the blocks that are calls of our tools
	whole []int // of them, those whose input came with their beginning
}

// decode reports whether data is one valid JSON object, and adds what it says to d. An object is either an event of the stream or, of a
// server that does not stream, the whole message.
func (b *blocks) decode(d *delta, data []byte) bool {
	e := blockEvent{index: -1}
	s := scanner{b: data}
	s.object(func(key []byte) { e.member(&s, d, key) })
	if !s.end() || s.opened != '{' {
		return false
	}
	switch string(e.kind) {
	case "content_block_start":
		b.begin(d, e.block, e.index)
	case "content_block_delta":
		b.more(d, e.block, e.index)
	case "message":
		for i, block := range e.content {
			b.begin(d, block, i)
		}
		d.last = true
	case "message_stop":
		d.last = true
	case "error":
		d.failure = data
	}
	if e.failure != nil {
		d.failure = e.failure
	}
	return true
}

// blockEvent is one event of the stream as it was read: its members come in any order.
type blockEvent struct {
	kind    []byte
	index   int
	block   block
	content []block // of a whole message
	failure []byte
}

// block is the beginning of a block, or what one event adds to it.
type block struct {
	kind     []byte
	id, name []byte
	text     []byte
	partial  []byte // of a call's input
	input    []byte // the whole of it
}

func (e *blockEvent) member(s *scanner, d *delta, key []byte) {
	switch string(key) {
	case "type":
		e.kind = s.text()
	case "index":
		e.index = s.number(-1)
	case "delta", "content_block":
		s.object(func(key []byte) { e.block.member(s, d, key) })
	case "message":
		s.object(func(key []byte) {
			if string(key) == "usage" {
				d.inTokens(s)
				return
			}
			s.skip()
		})
	case "content":
		s.array(func() {
			var b block
			s.object(func(key []byte) { b.member(s, d, key) })
			e.content = append(e.content, b)
		})
	case "usage":
		d.inTokens(s)
	case "stop_reason":
		d.finish = s.text()
	case "error":
		if raw := s.raw(); string(raw) != "null" {
			e.failure = raw
		}
	default:
		s.skip()
	}
}

func (b *block) member(s *scanner, d *delta, key []byte) {
	switch string(key) {
	case "type":
		b.kind = s.text()
	case "id":
		b.id = s.text()
	case "name":
		b.name = s.text()
	case "text":
		b.text = s.text()
	case "partial_json":
		b.partial = s.text()
	case "input":
		b.input = s.raw()
	case "stop_reason":
		d.finish = s.text()
	default:
		s.skip()
	}
}

// begin takes the beginning of a block.
func (b *blocks) begin(d *delta, from block, index int) {
	switch string(from.kind) {
	case "text":
		d.text = append(d.text, from.text...)
	case "tool_use":
		part := callPart{index: index, id: from.id, name: from.name}
		if len(from.input) > 0 && string(from.input) != "{}" && string(from.input) != "null" {
			part.input = from.input
			b.whole = append(b.whole, index)
		}
		b.calls = append(b.calls, index)
		d.calls = append(d.calls, part)
	}
}

// more takes what an event adds to a block.
func (b *blocks) more(d *delta, from block, index int) {
	switch string(from.kind) {
	case "text_delta":
		d.text = append(d.text, from.text...)
	case "input_json_delta":
		if slices.Contains(b.calls, index) && !slices.Contains(b.whole, index) {
			d.calls = append(d.calls, callPart{index: index, input: from.partial})
		}
	}
}

// inTokens reads how many tokens there were. Those that the provider had in its cache were read as well.
func (d *delta) inTokens(s *scanner) {
	sum := 0
	s.object(func(key []byte) {
		switch string(key) {
		case "input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens":
			sum += max(s.number(0), 0)
		case "output_tokens":
			d.usage.out = s.number(0)
		default:
			s.skip()
		}
	})
	d.usage.in = sum
}
