package httpapi

import (
	"bytes"
	"net/http"
	"strconv"
)

// streamBufferBytes is how much of a streamed reply is gathered before it leaves.
const streamBufferBytes = 32 << 10

// JSONStream is a reply of one JSON text that is written while it is made, so that it may be larger than memory. Until the first
// bytes leave, a failure is an ordinary error; after that the connection is cut, so that nobody takes the part for the whole. It
// is not for use by several goroutines.
//
//	out := c.JSON()
//	out.Text(`{"data":[`)
//	…
//	return nil, out.End(err)
type JSONStream struct {
	rec    *recorder
	status int
	buf    bytes.Buffer
	err    error // of the first write or value that failed
}

// StreamJSON begins a streamed reply with the operation's status. The handler ends with End.
func (c *Call) StreamJSON() *JSONStream { return &JSONStream{rec: c.rec, status: c.Operation.Status} }

// Text adds JSON that is written out already.
func (s *JSONStream) Text(json string) {
	s.buf.WriteString(json)
	s.flushIfFull()
}

// Value adds a value. It fails when the client is gone or too slow to be served: then nothing more need be made.
func (s *JSONStream) Value(v any) error {
	b, err := marshal(v)
	if err != nil {
		if s.err == nil {
			s.err = err
		}
		return s.err
	}
	s.buf.Write(b)
	s.flushIfFull()
	return s.err
}

// Open adds an object without its closing brace: Text goes on with its further members.
func (s *JSONStream) Open(object any) error {
	b, err := marshal(object)
	if err != nil {
		return err
	}
	s.buf.Write(bytes.TrimSuffix(b, []byte("}")))
	s.flushIfFull()
	return s.err
}

// flushIfFull sends what was gathered once it is worth a packet.
func (s *JSONStream) flushIfFull() {
	if s.buf.Len() >= streamBufferBytes {
		s.flush()
	}
}

func (s *JSONStream) flush() {
	if s.err == nil {
		s.begin()
		setWriteDeadline(http.NewResponseController(s.rec))
		_, s.err = s.rec.Write(s.buf.Bytes())
	}
	s.buf.Reset()
}

func (s *JSONStream) begin() {
	if s.rec.streamed {
		return
	}
	s.rec.Header().Set("Content-Type", "application/json; charset=utf-8")
	s.rec.streamed = true
	s.rec.WriteHeader(s.status)
}

// End ends the reply, or gives up on it because of err. What it gives, the handler returns.
func (s *JSONStream) End(err error) error {
	if err == nil {
		err = s.err
	}
	if !s.rec.streamed {
		if err != nil {
			return err
		}
		s.rec.Header().Set("Content-Length", strconv.Itoa(s.buf.Len()))
	}
	if err == nil {
		s.flush()
		err = s.err
	}
	if err != nil {
		s.rec.failure = err
		panic(http.ErrAbortHandler) // the face writes the record and has the connection cut
	}
	return nil
}
