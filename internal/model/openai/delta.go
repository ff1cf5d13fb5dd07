package openai

import "parley/internal/model/stream"

// decodeDelta adds to d what one event of the stream says, and reports whether data is one valid JSON object.
func decodeDelta(d *stream.Delta, data []byte) bool {
	s := stream.JSONScanner{Data: data}
	var message []byte
	s.ReadObject(func(key []byte) {
		switch string(key) {
		case "choices":
			s.ReadArray(func() { readChoice(d, &s) })
		case "usage":
			s.ReadObject(func(key []byte) { readUsage(d, &s, key) })
		case "error":
			if raw := s.ReadRaw(); string(raw) != "null" {
				d.ErrorJSON = raw
			}
		case "object":
			if string(s.ReadText()) == "error" {
				message = data
			}
		default:
			s.Skip()
		}
	})
	if d.ErrorJSON == nil {
		d.ErrorJSON = message
	}
	return s.IsAtEnd() && len(data) > 0 && s.FirstByte == '{'
}

func readUsage(d *stream.Delta, s *stream.JSONScanner, key []byte) {
	switch string(key) {
	case "prompt_tokens":
		d.Usage.Input = s.ReadInt(0)
	case "completion_tokens":
		d.Usage.Output = s.ReadInt(0)
	default:
		s.Skip()
	}
}

func readChoice(d *stream.Delta, s *stream.JSONScanner) {
	s.ReadObject(func(key []byte) {
		switch string(key) {
		case "delta", "message":
			readMessage(d, s)
		case "finish_reason":
			d.FinishReason = s.ReadText()
		default:
			s.Skip()
		}
	})
}

func readMessage(d *stream.Delta, s *stream.JSONScanner) {
	s.ReadObject(func(key []byte) {
		switch string(key) {
		case "content":
			readContent(d, s)
		case "refusal":
			d.Text = s.AppendText(d.Text)
		case "tool_calls":
			s.ReadArray(func() { readToolCall(d, s) })
		default:
			s.Skip()
		}
	})
}

// readContent reads a string, null, or a list of parts of which those of type text count.
func readContent(d *stream.Delta, s *stream.JSONScanner) {
	if s.Peek() != '[' {
		d.Text = s.AppendText(d.Text)
		return
	}
	s.ReadArray(func() {
		s.ReadObject(func(key []byte) {
			if string(key) == "text" {
				d.Text = s.AppendText(d.Text)
				return
			}
			s.Skip()
		})
	})
}

func readToolCall(d *stream.Delta, s *stream.JSONScanner) {
	part := stream.ToolCallPart{Index: -1}
	s.ReadObject(func(key []byte) {
		switch string(key) {
		case "index":
			part.Index = s.ReadInt(-1)
		case "id":
			part.ID = s.ReadText()
		case "function":
			readFunction(&part, s)
		default:
			s.Skip()
		}
	})
	d.Calls = append(d.Calls, part)
}

func readFunction(p *stream.ToolCallPart, s *stream.JSONScanner) {
	s.ReadObject(func(key []byte) {
		switch {
		case string(key) == "name":
			p.Name = s.ReadText()
		case string(key) == "arguments" && s.Peek() == '{':
			p.Input = s.ReadRaw()
		case string(key) == "arguments":
			p.Input = s.ReadText()
		default:
			s.Skip()
		}
	})
}
