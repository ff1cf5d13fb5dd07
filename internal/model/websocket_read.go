package model

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// readMessage returns the next text or binary message. It answers pings; the server's close is io.EOF, with what it said for a reason.
func (s *webSocket) readMessage() ([]byte, error) {
	var message []byte
	hasStarted := false
	for {
		kind, last, payload, err := s.readFrame(maxMessageBytes - len(message))
		if err != nil {
			return nil, err
		}
		switch kind {
		case framePing:
			if err := s.write(framePong, payload); err != nil {
				return nil, err
			}
		case framePong:
		case frameClose:
			return nil, closeError(payload)
		case frameText, frameBinary, frameContinuation:
			if hasStarted == (kind != frameContinuation) {
				return nil, errInvalidFrame
			}
			hasStarted = true
			if message = append(message, payload...); last {
				return message, nil
			}
		default:
			return nil, errInvalidFrame
		}
	}
}

// readFrame reads one frame of at most so many bytes.
func (s *webSocket) readFrame(most int) (kind byte, last bool, payload []byte, err error) {
	var head [2]byte
	if _, err := io.ReadFull(s.r, head[:]); err != nil {
		return 0, false, nil, eofToStreamCut(err)
	}
	kind, last = head[0]&0x0F, head[0]&0x80 != 0
	size := uint64(head[1] & 0x7F)
	if head[0]&0x70 != 0 || head[1]&0x80 != 0 || kind >= frameClose && (size > 125 || !last) {
		return 0, false, nil, errInvalidFrame // an extension, a mask, or a control frame that is none
	}
	if size >= 126 {
		wide := make([]byte, 2+6*(size-126))
		if _, err := io.ReadFull(s.r, wide); err != nil {
			return 0, false, nil, eofToStreamCut(err)
		}
		size = 0
		for _, b := range wide {
			size = size<<8 | uint64(b)
		}
	}
	if size > uint64(most) {
		return 0, false, nil, errLineTooLong
	}
	payload = make([]byte, size)
	if _, err := io.ReadFull(s.r, payload); err != nil {
		return 0, false, nil, eofToStreamCut(err)
	}
	return kind, last, payload, nil
}

// eofToStreamCut tells a connection that ended without a word from one that was closed properly.
func eofToStreamCut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errStreamCut
	}
	return err
}

func closeError(payload []byte) error {
	const normal, goingAway = 1000, 1001
	if len(payload) < 2 {
		return io.EOF
	}
	code := binary.BigEndian.Uint16(payload)
	if code == normal || code == goingAway {
		return io.EOF
	}
	return fmt.Errorf("the speech server closed with %d: %s", code, payload[2:])
}
