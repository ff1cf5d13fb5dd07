package wire

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"time"

	"parley"
)

// bodyTime is the longest a client may take to send a body.
const bodyTime = 60 * time.Second

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
func (b *bodyField) read(dst reflect.Value, w http.ResponseWriter, r *http.Request, limit int64, f *faults, once *Once) error {
	if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/") {
		return parley.Failf(parley.CodeInvalidJSON, "The request body must be JSON; files are uploaded elsewhere.")
	}
	buf := getBuffer()
	defer putBuffer(buf)
	if err := slurp(buf, w, r, limit); err != nil {
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
func slurp(buf *bytes.Buffer, w http.ResponseWriter, r *http.Request, limit int64) error {
	if r.ContentLength > limit {
		w.Header().Set("Connection", "close") // the rest of the body is not worth reading
		return tooLarge(limit)
	}
	if r.ContentLength > 0 {
		buf.Grow(int(min(r.ContentLength+bytes.MinRead, 1<<20)))
	}
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(inTime(bodyTime)) // a writer that has no deadlines is a test's
	_, err := buf.ReadFrom(http.MaxBytesReader(w, r.Body, limit))
	if err == nil {
		_ = rc.SetReadDeadline(time.Time{})
	} else { // net/http would wait for the rest of the body: the deadline stays, and the connection goes
		w.Header().Set("Connection", "close")
	}
	var over *http.MaxBytesError
	switch {
	case errors.As(err, &over):
		return tooLarge(limit)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return parley.Failf(parley.CodeInvalidJSON, "The request body ended early.")
	case err != nil:
		e := parley.Because(parley.CodeInvalidJSON, err)
		e.Message = "The request body could not be read."
		return e
	}
	return nil
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
