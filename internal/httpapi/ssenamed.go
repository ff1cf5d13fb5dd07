package httpapi

import (
	"fmt"
	"strconv"
)

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
