package httpapi

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Stream is a response of server-sent events. Events are gathered by Send and leave with Flush, so that those that wait
// together travel together. It is not for use by several goroutines.
type Stream struct {
	rec *recorder
	rc  *http.ResponseController
	buf []byte
}

// StreamUIMessages begins a response of server-sent events in the "UI message stream" form, with status 200. From here on errors are
// events.
func (c *Call) StreamUIMessages() *Stream {
	c.rec.Header().Set("X-Vercel-Ai-Ui-Message-Stream", "v1")
	return c.StreamEvents()
}

// StreamEvents begins a response of server-sent events of a form of its own, with status 200.
func (c *Call) StreamEvents() *Stream {
	h := c.rec.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // proxies must not hold events back
	c.rec.streamed = true
	c.rec.observer.streamOpened(c.rec)
	c.rec.WriteHeader(http.StatusOK)
	return &Stream{rec: c.rec, rc: http.NewResponseController(c.rec)}
}

// Send gathers an event: one line "data: " and JSON, and an empty line.
func (s *Stream) Send(v any) error {
	b, err := marshal(v)
	if err != nil {
		return fmt.Errorf("encode event: %w", err)
	}
	s.SendRaw(b)
	return nil
}

// SendRaw gathers an event whose data is one line of text.
func (s *Stream) SendRaw(data []byte) {
	s.buf = append(s.buf, "data: "...)
	s.buf = append(s.buf, data...)
	s.buf = append(s.buf, "\n\n"...)
}

// SendText gathers an event {prefix…text"}: prefix is JSON up to and with the quote that opens text. It is the fast way for
// the event a stream sends most.
func (s *Stream) SendText(prefix, text string) {
	s.buf = append(s.buf, "data: "...)
	s.buf = append(s.buf, prefix...)
	s.buf = appendString(s.buf, text)
	s.buf = append(s.buf, "\"}\n\n"...)
}

// Ping sends a comment, which keeps the connection from being taken for dead.
func (s *Stream) Ping() error {
	s.buf = append(s.buf, ": ping\n\n"...)
	return s.Flush()
}

// Flush sends what was gathered. An error means that the client is gone, or too slow to be served.
func (s *Stream) Flush() error {
	if len(s.buf) == 0 {
		return nil
	}
	setWriteDeadline(s.rc)
	_, err := s.rec.Write(s.buf)
	s.buf = s.buf[:0]
	if err == nil {
		err = s.rc.Flush()
	}
	if err != nil {
		s.rec.failure = err
	}
	return err
}

// appendString appends the inside of a JSON string that holds text.
func appendString(b []byte, text string) []byte {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	done := 0
	for i := range len(text) {
		c := text[i]
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		b = append(b, text[done:i]...)
		done = i + 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\t':
			b = append(b, `\t`...)
		default:
			b = fmt.Appendf(b, `\u%04x`, c)
		}
	}
	return append(b, text[done:]...)
}

// EventStream is the reply of an operation that answers with server-sent events and nothing else.
type EventStream struct{}

// SendEvent gathers an event with a name and, unless it is 0, a number that a client sends back as Last-Event-ID when it comes
// again. The name is a word of ours.
func (s *Stream) SendEvent(name string, id int64, v any) error {
	b, err := marshal(v)
	if err != nil {
		return fmt.Errorf("encode event: %w", err)
	}
	s.buf = append(s.buf, "event: "...)
	s.buf = append(s.buf, name...)
	s.buf = append(s.buf, '\n')
	if id != 0 {
		s.buf = append(s.buf, "id: "...)
		s.buf = strconv.AppendInt(s.buf, id, 10)
		s.buf = append(s.buf, '\n')
	}
	s.SendRaw(b)
	return nil
}
