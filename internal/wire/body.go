package wire

import (
	"bytes"
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

// bodyTime is the longest a client may take to send a body. Tests shorten it.
var bodyTime = 60 * time.Second

// buffers hold request and response bodies. Those that grew large are left to the collector.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const keptBuffer = 64 << 10

func getBuffer() *bytes.Buffer { return buffers.Get().(*bytes.Buffer) }

func putBuffer(b *bytes.Buffer) {
	if b.Cap() <= keptBuffer {
		b.Reset()
		buffers.Put(b)
	}
}

// read binds the JSON body into dst. Whatever the content type says, but multipart, it is JSON (a bare curl -d works).
func (b *bodyField) read(dst reflect.Value, rec *recorder, r *http.Request, limit int64, f *faults, once *Once) error {
	if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
		return parley.Failf(parley.CodeInvalidJSON, "The request body must be JSON; files are uploaded elsewhere.")
	}
	buf := getBuffer()
	defer putBuffer(buf)
	if err := slurp(buf, rec, r, limit); err != nil {
		return err
	}
	once.saw(buf.Bytes())
	v, err := parseJSON(buf.Bytes())
	if err != nil {
		return notJSON(err)
	}
	body := dst.FieldByIndex(b.at)
	if !b.shape.fits(&v) {
		f.add("body", b.shape.wants())
		return nil
	}
	var found faults
	b.shape.fill(body, &v, "", &found)
	forgiving, _ := body.Addr().Interface().(Forgiving)
	for path, text := range found.details {
		if name, _, _ := strings.Cut(path, "."); forgiving == nil || !forgiving.Forgives(name) {
			f.add(path, text)
		}
	}
	return nil
}

// slurp reads the body up to limit bytes.
func slurp(buf *bytes.Buffer, rec *recorder, r *http.Request, limit int64) error {
	if r.ContentLength > limit {
		return tooLarge(limit)
	}
	if r.ContentLength > 0 {
		buf.Grow(int(min(r.ContentLength+bytes.MinRead, 1<<20)))
	}
	rc := http.NewResponseController(rec)
	_ = rc.SetReadDeadline(inTime(bodyTime)) // a writer that has no deadlines is a test's
	_, err := buf.ReadFrom(http.MaxBytesReader(rec, r.Body, limit))
	if err == nil {
		rec.unread = false
		_ = rc.SetReadDeadline(time.Time{})
	}
	return cutShort(err, limit)
}

// mostSkipped is the most bytes that are read of a body which an operation does not take.
const mostSkipped = 64 << 10

// skip reads a body that the operation does not take, so that its connection can be kept. It has the time that
// strangers have.
func skip(rec *recorder, r *http.Request) error {
	if !rec.unread || r.ContentLength > mostSkipped {
		return nil
	}
	n, err := io.Copy(io.Discard, io.LimitReader(r.Body, mostSkipped+1))
	rec.unread = err != nil || n > mostSkipped
	return cutShort(err, mostSkipped)
}

// cutShort words what went wrong with a body.
func cutShort(err error, limit int64) error {
	var over *http.MaxBytesError
	text := "The request body could not be read."
	switch {
	case err == nil:
		return nil
	case errors.As(err, &over):
		return tooLarge(limit)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return parley.Failf(parley.CodeInvalidJSON, "The request body ended early.")
	case errors.Is(err, os.ErrDeadlineExceeded):
		text = "The request body took too long."
	}
	e := parley.Because(parley.CodeInvalidJSON, err)
	e.Message = text
	return e
}

func tooLarge(limit int64) error {
	return parley.Failf(parley.CodeTooLarge, "The request body is too large: at most %d bytes are accepted here.", limit)
}

func notJSON(err error) error {
	var at *syntaxError
	if errors.As(err, &at) {
		return parley.Failf(parley.CodeInvalidJSON, "The request body is not valid JSON: %s (byte %d).", at.reason, at.at)
	}
	return fmt.Errorf("read JSON: %w", err)
}
