package extract

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// A message between a Pool and its children is a number of parts, each behind its length in four bytes, big-endian.
//
//	request:  what to do ("file" or "page"), kind or content type, name or address, bytes
//	reply:    "", the document as JSON, its text; or the reason of a refusal, its cause, "";
//	          and behind it "tired" from a child that should read no more
//
// A child begins with one part: what keeps it from anything but computing, or why nothing does.

const maxMessageBytes = maxFileBytes + maxTextBytes

func writeMessage(w io.Writer, parts ...[]byte) error {
	var size [4]byte
	for _, p := range parts {
		if len(p) > maxMessageBytes {
			return fmt.Errorf("a part of %d bytes", len(p))
		}
		binary.BigEndian.PutUint32(size[:], uint32(len(p)))
		if _, err := w.Write(size[:]); err != nil {
			return err
		}
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	if b, ok := w.(*bufio.Writer); ok {
		return b.Flush()
	}
	return nil
}

// readMessage reads so many parts. The length that the other side claims is not trusted with memory before the bytes are there.
func readMessage(r io.Reader, count int) ([][]byte, error) {
	parts := make([][]byte, count)
	var size [4]byte
	for i := range parts {
		if _, err := io.ReadFull(r, size[:]); err != nil {
			if i > 0 && errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		n := int64(binary.BigEndian.Uint32(size[:]))
		if n > maxMessageBytes {
			return nil, fmt.Errorf("a part of %d bytes", n)
		}
		part, err := readMessagePart(r, n)
		if err != nil {
			return nil, err
		}
		parts[i] = part
	}
	return parts, nil
}

func readMessagePart(r io.Reader, n int64) ([]byte, error) {
	const step = 1 << 20
	part := make([]byte, 0, min(n, step))
	for int64(len(part)) < n {
		from := len(part)
		more := min(n-int64(from), step)
		if int64(cap(part)-from) < more {
			part = append(make([]byte, 0, min(n, int64(2*from)+step)), part...)
		}
		part = part[:from+int(more)]
		if _, err := io.ReadFull(r, part[from:]); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
	return part, nil
}

// What a child is asked to do.
const (
	requestFile = "file"
	requestPage = "page"
)

const (
	stateTired  = "tired"
	stateFenced = "fenced"
)

func writeReply(w io.Writer, page WebPage, failed error, state string) error {
	if failed != nil {
		known := toError(failed)
		cause := ""
		if inner := errors.Unwrap(known); inner != nil {
			cause = inner.Error()
		}
		return writeMessage(w, []byte(known.Error()), []byte(cause), nil, []byte(state))
	}
	about, err := json.Marshal(page)
	if err != nil {
		return err
	}
	return writeMessage(w, nil, about, []byte(page.Text), []byte(state))
}

func readReply(r io.Reader) (page WebPage, tiredOut bool, refused, err error) {
	parts, err := readMessage(r, 4)
	if err != nil {
		return page, false, nil, err
	}
	tiredOut = string(parts[3]) == stateTired
	if len(parts[0]) > 0 {
		var cause error
		if len(parts[1]) > 0 {
			cause = errors.New(shortLine(string(parts[1])))
		}
		return page, tiredOut, &Error{Reason: shortLine(string(parts[0])), Err: cause}, nil
	}
	if err := json.Unmarshal(parts[1], &page); err != nil {
		return page, false, nil, err
	}
	page.Text = string(parts[2])
	return page, tiredOut, nil, nil
}
