package httpclient

import (
	"bytes"
	"io"
	"sync"
)

const (
	maxLineBytes       = 1 << 20  // bytes of one line of a stream
	maxStreamBytes     = 64 << 20 // bytes of one stream, framing included
	initialBufferBytes = 4 << 10
	firstReadBytes     = 64 // bytes of a read that may have to wait: a silent stream holds no larger buffer
)

// LineReader splits a stream into lines. The lines that one read brought are returned before the next read, so that
// what arrived together can be passed on together.
type LineReader struct {
	src        io.Reader
	buf        []byte
	r, w       int // unread bytes are buf[r:w]
	scanned    int // of them, those known to hold no line end
	totalBytes int
	pooledBuf  *[]byte // nil while first is enough
	first      [firstReadBytes]byte
}

var bufferPool = sync.Pool{New: func() any { b := make([]byte, initialBufferBytes); return &b }}

// NewLineReader returns a reader of the lines of src. Release must be called after the last use.
func NewLineReader(src io.Reader) *LineReader {
	l := &LineReader{src: src}
	l.buf = l.first[:]
	return l
}

// Release returns the reader's buffer to the pool.
func (l *LineReader) Release() {
	if l.pooledBuf != nil {
		bufferPool.Put(l.pooledBuf)
	}
	l.buf, l.pooledBuf = nil, nil
}

// Fill reads once. Bytes that came with an error are kept, as io.Reader demands.
func (l *LineReader) Fill() error {
	if err := l.makeSpace(); err != nil {
		return err
	}
	n, err := l.src.Read(l.buf[l.w:])
	l.w += n
	l.totalBytes += n
	if err == nil && l.totalBytes > maxStreamBytes {
		err = ErrStreamTooLong
	}
	return err
}

// makeSpace makes space for the next read. Between two events it is little, since the read may wait for long; the rest
// of an event follows at once.
func (l *LineReader) makeSpace() error {
	unread := l.buf[l.r:l.w]
	switch {
	case len(unread) == 0:
		l.Release()
		l.buf = l.first[:]
	case l.pooledBuf == nil:
		l.takeBuffer()
	case l.r > 0:
	case l.w < len(l.buf):
		return nil
	case l.w >= maxLineBytes:
		return ErrLineTooLong
	default:
		l.buf = make([]byte, min(2*len(l.buf), maxLineBytes))
	}
	l.r, l.w = 0, copy(l.buf, unread)
	return nil
}

func (l *LineReader) takeBuffer() {
	l.pooledBuf = bufferPool.Get().(*[]byte)
	l.buf = *l.pooledBuf
}

// Buffered returns the unread bytes; they stay valid until Fill.
func (l *LineReader) Buffered() []byte { return l.buf[l.r:l.w] }

// Discard skips n unread bytes.
func (l *LineReader) Discard(n int) { l.r, l.scanned = l.r+n, 0 }

// NextLine returns the next complete line without its end; it stays valid until Fill.
func (l *LineReader) NextLine() ([]byte, bool) {
	i := bytes.IndexByte(l.buf[l.r+l.scanned:l.w], '\n')
	if i < 0 {
		l.scanned = l.w - l.r
		return nil, false
	}
	line := l.buf[l.r : l.r+l.scanned+i]
	l.Discard(len(line) + 1)
	return bytes.TrimSuffix(line, []byte{'\r'}), true
}

// LastLine returns the last line of a stream that does not end with a line end.
func (l *LineReader) LastLine() []byte {
	line := l.Buffered()
	l.Discard(len(line))
	return line
}

// Drain reads the few bytes between the last event and the end of the body: only then is the connection reusable.
func (l *LineReader) Drain() {
	if l.pooledBuf == nil {
		l.takeBuffer()
	}
	for range 4 {
		if _, err := l.src.Read(l.buf); err != nil {
			return
		}
	}
}

// ParseEventLine splits one line of an event stream into the name of its field and the field's data. Fields other than
// data have no name; the name of a line that belongs to no event stream is "garbage". Providers send one line of data
// per event.
func ParseEventLine(line []byte) (name string, data []byte) {
	switch {
	case len(line) == 0 || line[0] == ':':
		return "", nil
	case bytes.HasPrefix(line, []byte("data:")):
		return "data", bytes.TrimSpace(line[len("data:"):])
	case bytes.HasPrefix(line, []byte("event:")), bytes.HasPrefix(line, []byte("id:")),
		bytes.HasPrefix(line, []byte("retry:")), string(line) == "data":
		return "", nil
	}
	return "garbage", line
}
