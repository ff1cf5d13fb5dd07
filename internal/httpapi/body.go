package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"strings"
	"sync"
	"time"

	"parley"
)

// bodyTimeout is the longest a client may take to send a body. Tests shorten it.
var bodyTimeout = 60 * time.Second

// bufferPool holds buffers for request and response bodies. Large ones are not returned to it.
var bufferPool = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const maxPooledBuffer = 64 << 10

func getBuffer() *bytes.Buffer { return bufferPool.Get().(*bytes.Buffer) }

func putBuffer(b *bytes.Buffer) {
	if b.Cap() <= maxPooledBuffer {
		b.Reset()
		bufferPool.Put(b)
	}
}

// readAndBind binds the JSON body into dst. Any content type but multipart is taken for JSON, so that a bare curl
// -d works.
func (b *bodyField) readAndBind(dst reflect.Value, rec *recorder, r *http.Request, limit int64, f *faults,
	once *IdempotentRequest) error {
	if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
		return parley.NewErrorf(parley.CodeInvalidJSON, "The request body must be JSON; files are uploaded elsewhere.")
	}
	buf := getBuffer()
	defer putBuffer(buf)
	if err := readBody(buf, rec, r, limit); err != nil {
		return err
	}
	once.hashBody(buf.Bytes())
	v, err := parseJSON(buf.Bytes())
	if err != nil {
		return jsonError(err)
	}
	body := dst.FieldByIndex(b.fieldIndex)
	if !b.shape.matchesKind(&v) {
		f.add("body", b.shape.expectation())
		return nil
	}
	var found faults
	b.shape.bind(body, &v, "", &found)
	lenient, _ := body.Addr().Interface().(LenientBody)
	for path, text := range found.details {
		if name, _, _ := strings.Cut(path, "."); lenient == nil || !lenient.AllowsInvalid(name) {
			f.add(path, text)
		}
	}
	return nil
}

// readBody reads the body up to limit bytes.
func readBody(buf *bytes.Buffer, rec *recorder, r *http.Request, limit int64) error {
	if r.ContentLength > limit {
		return bodyTooLargeError(limit)
	}
	if r.ContentLength > 0 {
		buf.Grow(int(min(r.ContentLength+bytes.MinRead, 1<<20)))
	}
	rc := http.NewResponseController(rec)
	_ = rc.SetReadDeadline(deadlineIn(bodyTimeout)) // fails only in tests, whose writers have no deadlines
	_, err := buf.ReadFrom(http.MaxBytesReader(rec, r.Body, limit))
	if err == nil {
		rec.bodyUnread = false
		_ = rc.SetReadDeadline(time.Time{})
	}
	return bodyReadError(err, limit)
}

// ReadBody reads the body of an operation with RawBody, up to MaxBodyBytes.
func (c *Call) ReadBody() ([]byte, error) {
	var buf bytes.Buffer
	err := readBody(&buf, c.rec, c.Request, c.Operation.MaxBodyBytes)
	return buf.Bytes(), err
}

// SaveBody writes the body of an operation with RawBody to a new file in a folder, which is for the caller to remove,
// and fails with REQUEST_TOO_LARGE beyond a limit. A client that sends on may take as long as it needs.
func (c *Call) SaveBody(dir string, limit int64) (path string, err error) {
	if c.Request.ContentLength > limit {
		return "", bodyTooLargeError(limit)
	}
	file, err := os.CreateTemp(dir, "body-*")
	if err != nil {
		return "", err
	}
	rc := http.NewResponseController(c.rec)
	read, write := copyBody(file, &patientReader{rc, http.MaxBytesReader(c.rec, c.Request.Body, limit)})
	_ = rc.SetReadDeadline(time.Time{})
	if err := errors.Join(bodyReadError(read, limit), write, file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	c.rec.bodyUnread = false
	return file.Name(), nil
}

// copyBody copies a body, and tells failures of the client from those of the disk.
func copyBody(to io.Writer, from io.Reader) (read, write error) {
	part := make([]byte, 1<<16)
	for {
		n, err := from.Read(part)
		if _, write = to.Write(part[:n]); write != nil || errors.Is(err, io.EOF) {
			return nil, write
		}
		if err != nil {
			return err, nil
		}
	}
}

// patientReader reads from a connection that may take its time as long as something comes.
type patientReader struct {
	rc   *http.ResponseController
	from io.Reader
}

func (r *patientReader) Read(p []byte) (int, error) {
	_ = r.rc.SetReadDeadline(deadlineIn(bodyTimeout)) // fails only in tests, whose writers have no deadlines
	return r.from.Read(p)
}

// maxSkippedBytes is how much is read of a body that an operation does not take.
const maxSkippedBytes = 64 << 10

// skipBody reads a body that the operation does not take, so that the connection can be reused. The read deadline of
// unauthenticated connections applies.
func skipBody(rec *recorder, r *http.Request) error {
	if !rec.bodyUnread || r.ContentLength > maxSkippedBytes {
		return nil
	}
	n, err := io.Copy(io.Discard, io.LimitReader(r.Body, maxSkippedBytes+1))
	rec.bodyUnread = err != nil || n > maxSkippedBytes
	return bodyReadError(err, maxSkippedBytes)
}

// bodyReadError returns the failure of a request whose body could not be read; nil for a nil error.
func bodyReadError(err error, limit int64) error {
	var tooLargeErr *http.MaxBytesError
	text := "The request body could not be read."
	switch {
	case err == nil:
		return nil
	case errors.As(err, &tooLargeErr):
		return bodyTooLargeError(limit)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return parley.NewErrorf(parley.CodeInvalidJSON, "The request body ended early.")
	case errors.Is(err, os.ErrDeadlineExceeded):
		text = "The request body took too long."
	}
	e := parley.WrapError(parley.CodeInvalidJSON, err)
	e.Message = text
	return e
}

func bodyTooLargeError(limit int64) error {
	return parley.NewErrorf(parley.CodeTooLarge, "The request body is too large: at most %d bytes are accepted here.",
		limit)
}

func jsonError(err error) error {
	var at *syntaxError
	if errors.As(err, &at) {
		return parley.NewErrorf(parley.CodeInvalidJSON, "The request body is not valid JSON: %s (byte %d).", at.reason,
			at.offset)
	}
	return fmt.Errorf("read JSON: %w", err)
}

// Decode binds a JSON text into the struct that dst points to, by the rules of request bodies, for JSON that does
// not come by HTTP. Unknown members are refused at every depth. Fails with VALIDATION_INVALID_BODY and dotted
// details, or with VALIDATION_INVALID_JSON.
func Decode(text json.RawMessage, dst any) error {
	v, err := parseJSON(text)
	if err != nil {
		return jsonError(err)
	}
	into := reflect.ValueOf(dst).Elem()
	s := newShape(into.Type(), "")
	s.makeStrict()
	if !s.matchesKind(&v) {
		return parley.NewErrorf(parley.CodeInvalidBody, "It %s.", s.expectation())
	}
	var f faults
	s.bind(into, &v, "", &f)
	return f.err()
}

// makeStrict makes every object of the shape strict.
func (s *shape) makeStrict() {
	s.strict = true
	for i := range s.fields {
		s.fields[i].shape.makeStrict()
	}
	for _, inner := range []*shape{s.elem, s.either[0], s.either[1]} {
		if inner != nil {
			inner.makeStrict()
		}
	}
}
