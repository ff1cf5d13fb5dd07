package model

// streamDelta is what one event of the stream adds. The decoder is written out by hand because it runs for every token of
// every answer, and because encoding/json would replace the halves of a code point that a provider split over two events.
type streamDelta struct {
	text         []byte // appended to what it held before
	calls        []toolCallPart
	finishReason []byte
	usage        tokenUsage
	errorJSON    []byte // the raw error, nil where there is none
	isLast       bool   // nothing follows
}

type tokenUsage struct{ input, output int }

// merge keeps what a later event says: providers count up.
func (u *tokenUsage) merge(later tokenUsage) {
	if later.input > 0 {
		u.input = later.input
	}
	if later.output > 0 {
		u.output = later.output
	}
}

// toolCallPart is a fragment of a tool call; index is -1 where the provider gives none.
type toolCallPart struct {
	index    int
	id, name []byte
	input    []byte
}

// decode reports whether data is one valid JSON object.
func (d *streamDelta) decode(data []byte) bool {
	s := jsonScanner{data: data}
	var message []byte
	s.readObject(func(key []byte) {
		switch string(key) {
		case "choices":
			s.readArray(func() { d.readChoice(&s) })
		case "usage":
			s.readObject(func(key []byte) { d.readUsage(&s, key) })
		case "error":
			if raw := s.readRaw(); string(raw) != "null" {
				d.errorJSON = raw
			}
		case "object":
			if string(s.readText()) == "error" {
				message = data
			}
		default:
			s.skip()
		}
	})
	if d.errorJSON == nil {
		d.errorJSON = message
	}
	return s.isAtEnd() && len(data) > 0 && s.firstByte == '{'
}

func (d *streamDelta) readUsage(s *jsonScanner, key []byte) {
	switch string(key) {
	case "prompt_tokens":
		d.usage.input = s.readInt(0)
	case "completion_tokens":
		d.usage.output = s.readInt(0)
	default:
		s.skip()
	}
}

func (d *streamDelta) readChoice(s *jsonScanner) {
	s.readObject(func(key []byte) {
		switch string(key) {
		case "delta", "message":
			d.readMessage(s)
		case "finish_reason":
			d.finishReason = s.readText()
		default:
			s.skip()
		}
	})
}

func (d *streamDelta) readMessage(s *jsonScanner) {
	s.readObject(func(key []byte) {
		switch string(key) {
		case "content":
			d.readContent(s)
		case "refusal":
			d.text = s.appendText(d.text)
		case "tool_calls":
			s.readArray(func() { d.readToolCall(s) })
		default:
			s.skip()
		}
	})
}

// readContent is a string, null, or a list of parts of which those of type text count.
func (d *streamDelta) readContent(s *jsonScanner) {
	if s.peek() != '[' {
		d.text = s.appendText(d.text)
		return
	}
	s.readArray(func() {
		s.readObject(func(key []byte) {
			if string(key) == "text" {
				d.text = s.appendText(d.text)
				return
			}
			s.skip()
		})
	})
}

func (d *streamDelta) readToolCall(s *jsonScanner) {
	part := toolCallPart{index: -1}
	s.readObject(func(key []byte) {
		switch string(key) {
		case "index":
			part.index = s.readInt(-1)
		case "id":
			part.id = s.readText()
		case "function":
			part.readFunction(s)
		default:
			s.skip()
		}
	})
	d.calls = append(d.calls, part)
}

func (p *toolCallPart) readFunction(s *jsonScanner) {
	s.readObject(func(key []byte) {
		switch {
		case string(key) == "name":
			p.name = s.readText()
		case string(key) == "arguments" && s.peek() == '{':
			p.input = s.readRaw()
		case string(key) == "arguments":
			p.input = s.readText()
		default:
			s.skip()
		}
	})
}
