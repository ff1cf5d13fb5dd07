package httpapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Stream is a response of server-sent events. Send buffers events and Flush sends them, so that several can be sent
// in one write. It must not be used by several goroutines.
type Stream struct {
	rec *recorder
	rc  *http.ResponseController
	buf []byte
}

// StreamUIMessages begins a response of server-sent events in the "UI message stream" format, with status 200. From
// then on errors are events.
func (c *Call) StreamUIMessages() *Stream {
	c.rec.Header().Set("X-Vercel-Ai-Ui-Message-Stream", "v1")
	return c.StreamEvents()
}

// StreamEvents begins a response of server-sent events of any format, with status 200.
func (c *Call) StreamEvents() *Stream {
	h := c.rec.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // proxies must not buffer events
	c.rec.streamed = true
	c.rec.observer.streamOpened(c.rec)
	c.rec.WriteHeader(http.StatusOK)
	return &Stream{rec: c.rec, rc: http.NewResponseController(c.rec)}
}

// Send buffers an event with v as JSON.
func (s *Stream) Send(v any) error {
	b, err := Marshal(v)
	if err != nil {
		return fmt.Errorf("encode event: %w", err)
	}
	s.SendRaw(b)
	return nil
}

// SendRaw buffers an event whose data is one line of text.
func (s *Stream) SendRaw(data []byte) {
	s.buf = append(s.buf, "data: "...)
	s.buf = append(s.buf, data...)
	s.buf = append(s.buf, "\n\n"...)
}

// SendID buffers the id of the next event, which the client sends back as Last-Event-ID when it reconnects. It must not
// come from outside.
func (s *Stream) SendID(id string) {
	s.buf = append(s.buf, "id: "...)
	s.buf = append(s.buf, id...)
	s.buf = append(s.buf, '\n')
}

// SendText buffers an event {prefix…text"}, where prefix is JSON up to and including the quote that opens text. It
// is a fast path for the most frequent event.
func (s *Stream) SendText(prefix, text string) {
	s.buf = append(s.buf, "data: "...)
	s.buf = append(s.buf, prefix...)
	s.buf = appendString(s.buf, text)
	s.buf = append(s.buf, "\"}\n\n"...)
}

// Ping sends a comment, which keeps the connection alive.
func (s *Stream) Ping() error {
	s.buf = append(s.buf, ": ping\n\n"...)
	return s.Flush()
}

// Flush sends the buffered events. An error means that the client is gone or too slow.
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

// appendString appends text as the inside of a JSON string.
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

// EventStream is the output type of an operation that only answers with server-sent events.
type EventStream struct{}

// SendEvent buffers an event with a name and, unless it is 0, an id, which the client sends back as Last-Event-ID
// when it reconnects. The name must not come from outside.
func (s *Stream) SendEvent(name string, id int64, v any) error {
	if id == 0 {
		return s.SendEventAt(name, "", v)
	}
	return s.SendEventAt(name, strconv.FormatInt(id, 10), v)
}

// SendEventAt is SendEvent with an id that is no number, or empty. Neither it nor the name may come from outside.
func (s *Stream) SendEventAt(name, id string, v any) error {
	b, err := Marshal(v)
	if err != nil {
		return fmt.Errorf("encode event: %w", err)
	}
	s.buf = append(s.buf, "event: "...)
	s.buf = append(s.buf, name...)
	s.buf = append(s.buf, '\n')
	if id != "" {
		s.buf = append(s.buf, "id: "...)
		s.buf = append(s.buf, id...)
		s.buf = append(s.buf, '\n')
	}
	s.SendRaw(b)
	return nil
}

// Await calls wait with a deadline. It reports whether the deadline has passed before there was anything.
func Await(ctx context.Context, timeout time.Duration, wait func(context.Context) error) (isLate bool, err error) {
	waitCtx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err = wait(waitCtx)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return true, nil
	}
	return false, err
}
