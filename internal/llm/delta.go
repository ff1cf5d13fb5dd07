package llm

// delta is what one event of the stream adds. The decoder is written out by hand because it runs for every token of
// every answer, and because encoding/json would replace the halves of a code point that a provider split over two events.
type delta struct {
	text    []byte // appended to what it held before
	calls   []callPart
	finish  []byte
	usage   usage
	failure []byte // the raw error, nil where there is none
	last    bool   // nothing follows
}

type usage struct{ in, out int }

// take keeps what a later event says: providers count up.
func (u *usage) take(later usage) {
	if later.in > 0 {
		u.in = later.in
	}
	if later.out > 0 {
		u.out = later.out
	}
}

// callPart is a fragment of a tool call; index is -1 where the provider gives none.
type callPart struct {
	index    int
	id, name []byte
	input    []byte
}

// decode reports whether data is one valid JSON object.
func (d *delta) decode(data []byte) bool {
	s := scanner{b: data}
	var message []byte
	s.object(func(key []byte) {
		switch string(key) {
		case "choices":
			s.array(func() { d.choice(&s) })
		case "usage":
			s.object(func(key []byte) { d.tokens(&s, key) })
		case "error":
			if raw := s.raw(); string(raw) != "null" {
				d.failure = raw
			}
		case "object":
			if string(s.text()) == "error" {
				message = data
			}
		default:
			s.skip()
		}
	})
	if d.failure == nil {
		d.failure = message
	}
	return s.end() && len(data) > 0 && s.opened == '{'
}

func (d *delta) tokens(s *scanner, key []byte) {
	switch string(key) {
	case "prompt_tokens":
		d.usage.in = s.number(0)
	case "completion_tokens":
		d.usage.out = s.number(0)
	default:
		s.skip()
	}
}

func (d *delta) choice(s *scanner) {
	s.object(func(key []byte) {
		switch string(key) {
		case "delta", "message":
			d.message(s)
		case "finish_reason":
			d.finish = s.text()
		default:
			s.skip()
		}
	})
}

func (d *delta) message(s *scanner) {
	s.object(func(key []byte) {
		switch string(key) {
		case "content":
			d.content(s)
		case "refusal":
			d.text = s.appendText(d.text)
		case "tool_calls":
			s.array(func() { d.call(s) })
		default:
			s.skip()
		}
	})
}

// content is a string, null, or a list of parts of which those of type text count.
func (d *delta) content(s *scanner) {
	if s.peek() != '[' {
		d.text = s.appendText(d.text)
		return
	}
	s.array(func() {
		s.object(func(key []byte) {
			if string(key) == "text" {
				d.text = s.appendText(d.text)
				return
			}
			s.skip()
		})
	})
}

func (d *delta) call(s *scanner) {
	part := callPart{index: -1}
	s.object(func(key []byte) {
		switch string(key) {
		case "index":
			part.index = s.number(-1)
		case "id":
			part.id = s.text()
		case "function":
			part.function(s)
		default:
			s.skip()
		}
	})
	d.calls = append(d.calls, part)
}

func (p *callPart) function(s *scanner) {
	s.object(func(key []byte) {
		switch {
		case string(key) == "name":
			p.name = s.text()
		case string(key) == "arguments" && s.peek() == '{':
			p.input = s.raw()
		case string(key) == "arguments":
			p.input = s.text()
		default:
			s.skip()
		}
	})
}
