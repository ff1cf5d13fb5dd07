package model

import (
	"bytes"
	"io"
	"sync"
)

// lineReader splits a stream into lines. Everything one read brought is handed out before the next read, so that what
// arrived together can be passed on together.
type lineReader struct {
	src        io.Reader
	buf        []byte
	r, w       int // unread bytes are buf[r:w]
	scanned    int // of them, those known to hold no line end
	totalBytes int
	pooledBuf  *[]byte
}

const initialBufferBytes = 4 << 10

var bufferPool = sync.Pool{New: func() any { b := make([]byte, initialBufferBytes); return &b }}

func newLineReader(src io.Reader) *lineReader {
	b := bufferPool.Get().(*[]byte)
	return &lineReader{src: src, buf: *b, pooledBuf: b}
}

func (l *lineReader) release() {
	bufferPool.Put(l.pooledBuf)
	l.buf, l.pooledBuf = nil, nil
}

// fill reads once. Bytes that came with an error are kept, as io.Reader demands.
func (l *lineReader) fill() error {
	if err := l.makeSpace(); err != nil {
		return err
	}
	n, err := l.src.Read(l.buf[l.w:])
	l.w += n
	l.totalBytes += n
	if err == nil && l.totalBytes > maxStreamBytes {
		err = errStreamTooLong
	}
	return err
}

func (l *lineReader) makeSpace() error {
	if l.r > 0 {
		l.w = copy(l.buf, l.buf[l.r:l.w])
		l.r = 0
	}
	if l.w < len(l.buf) {
		return nil
	}
	if len(l.buf) >= maxLineBytes {
		return errLineTooLong
	}
	grown := make([]byte, min(2*len(l.buf), maxLineBytes))
	copy(grown, l.buf)
	l.buf = grown
	return nil
}

// nextLine returns the next complete line without its end; it stays valid until fill.
func (l *lineReader) nextLine() ([]byte, bool) {
	i := bytes.IndexByte(l.buf[l.r+l.scanned:l.w], '\n')
	if i < 0 {
		l.scanned = l.w - l.r
		return nil, false
	}
	line := l.buf[l.r : l.r+l.scanned+i]
	l.r, l.scanned = l.r+len(line)+1, 0
	return bytes.TrimSuffix(line, []byte{'\r'}), true
}

// lastLine returns the last line of a stream that does not end with a line end.
func (l *lineReader) lastLine() []byte {
	line := l.buf[l.r:l.w]
	l.r, l.scanned = l.w, 0
	return line
}

// drain reads the few bytes between the last event and the end of the body: only then is the connection reusable.
func (l *lineReader) drain() {
	for range 4 {
		if _, err := l.src.Read(l.buf); err != nil {
			return
		}
	}
}

// parseField is what one line of an event stream says. Providers send one line of data per event.
func parseField(line []byte) (name string, data []byte) {
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
