package httpapi

import (
	"bytes"
	"cmp"
	"mime"
	"net/http"
	"strconv"
)

// streamBufferBytes is how much of a streamed reply is buffered before it is sent.
const streamBufferBytes = 32 << 10

// JSONStream is a reply of one JSON text that is sent while it is produced, so that it may be larger than memory.
// Until the first bytes are sent, a failure is an ordinary error; after that the connection is cut, so that no
// client takes a part for the whole. It must not be used by several goroutines.
//
//	out := c.JSON()
//	out.Text(`{"data":[`)
//	…
//	return nil, out.End(err)
type JSONStream struct {
	rec       *recorder
	status    int
	mediaType string // empty for JSON
	fileName  string // under which browsers save the reply; empty if they show it
	buf       bytes.Buffer
	err       error // of the first write or value that failed
}

// StreamJSON begins a streamed reply with the operation's status. The handler must return the result of End.
func (c *Call) StreamJSON() *JSONStream { return &JSONStream{rec: c.rec, status: c.Operation.Status} }

// Text adds encoded JSON.
func (s *JSONStream) Text(json string) {
	s.buf.WriteString(json)
	s.flushIfFull()
}

// Value adds a value. It fails when the client is gone or too slow; then the handler should stop.
func (s *JSONStream) Value(v any) error {
	b, err := Marshal(v)
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

// Open adds an object without its closing brace, so that Text can add further members.
func (s *JSONStream) Open(object any) error {
	b, err := Marshal(object)
	if err != nil {
		return err
	}
	s.buf.Write(bytes.TrimSuffix(b, []byte("}")))
	s.flushIfFull()
	return s.err
}

// flushIfFull sends the buffer once it is large enough.
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
	s.setHeaders(s.rec.Header())
	s.rec.streamed = true
	s.rec.WriteHeader(s.status)
}

func (s *JSONStream) setHeaders(h http.Header) {
	h.Set("Content-Type", cmp.Or(s.mediaType, "application/json")+"; charset=utf-8")
	if s.fileName != "" {
		h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": s.fileName}))
	}
}

// End ends the reply, or aborts it if err is not nil. The handler returns its result.
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
		panic(http.ErrAbortHandler) // API.finish logs the request and has the connection cut
	}
	return nil
}

// File is the output type of an operation that answers with a file of text, of one of its media types.
type File struct{}

// FileStream is a reply of text that browsers save as a file. It is sent as a JSONStream is.
type FileStream struct{ stream JSONStream }

// StreamFile begins a streamed reply of a media type. The handler must return the result of End.
func (c *Call) StreamFile(mediaType, name string) *FileStream {
	return &FileStream{JSONStream{rec: c.rec, status: c.Operation.Status, mediaType: mediaType, fileName: name}}
}

// Write adds a part of the file. It fails when the client is gone or too slow; then the handler should stop.
func (f *FileStream) Write(part []byte) (int, error) {
	f.stream.buf.Write(part)
	f.stream.flushIfFull()
	return len(part), f.stream.err
}

// End ends the reply, or aborts it if err is not nil. The handler returns its result.
func (f *FileStream) End(err error) error { return f.stream.End(err) }
