package model

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // RFC 6455 asks for it; nothing depends on its strength
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// webSocket is the client's end of a WebSocket (RFC 6455), as much of it as speech servers need: no extensions.
type webSocket struct {
	conn         io.ReadWriteCloser
	r            *bufio.Reader
	writeTimeout time.Duration // longest time for one write

	mu     sync.Mutex // of writing
	closed bool
}

// The kinds of frames.
const (
	frameContinuation = 0
	frameText         = 1
	frameBinary       = 2
	frameClose        = 8
	framePing         = 9
	framePong         = 10
)

const (
	maxMessageBytes     = 1 << 20
	webSocketGUID       = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
	defaultWriteTimeout = 5 * time.Second
)

var errInvalidFrame = errors.New("the speech server sent a frame that makes no sense")

// dialWebSocket opens a WebSocket at an address of http:, https:, ws: or wss:. A refusal is what the server answered in its place.
func dialWebSocket(ctx context.Context, client *http.Client, address string, h http.Header) (*webSocket, error) {
	if rest, ok := strings.CutPrefix(address, "ws"); ok {
		address = "http" + rest
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	var nonce [16]byte
	_, _ = rand.Read(nonce[:]) // it never fails
	key := base64.StdEncoding.EncodeToString(nonce[:])
	r.Header = h.Clone()
	r.Header.Set("Connection", "Upgrade")
	r.Header.Set("Upgrade", "websocket")
	r.Header.Set("Sec-WebSocket-Version", "13")
	r.Header.Set("Sec-WebSocket-Key", key)
	resp, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	conn, ok := resp.Body.(io.ReadWriteCloser)
	if resp.StatusCode != http.StatusSwitchingProtocols || !ok {
		defer func() { _ = resp.Body.Close() }()
		response, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBodyBytes)) // what there is of it is enough
		return nil, &statusError{status: resp.StatusCode, body: response, retryAfter: parseRetryAfter(resp.Header)}
	}
	if resp.Header.Get("Sec-WebSocket-Accept") != acceptKey(key) {
		return nil, errors.Join(errInvalidFrame, conn.Close())
	}
	return &webSocket{conn: conn, r: bufio.NewReader(conn), writeTimeout: defaultWriteTimeout}, nil
}

func acceptKey(key string) string {
	sum := sha1.Sum([]byte(key + webSocketGUID)) //nolint:gosec // see above
	return base64.StdEncoding.EncodeToString(sum[:])
}

// write sends one message. A server that does not take it in time loses the connection.
func (s *webSocket) write(kind byte, payload []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return io.ErrClosedPipe
	}
	s.closed = kind == frameClose
	timer := time.AfterFunc(s.writeTimeout, func() { _ = s.conn.Close() })
	defer timer.Stop()
	_, err := s.conn.Write(maskedFrame(kind, payload))
	return err
}

// maskedFrame makes a frame as clients send it.
func maskedFrame(kind byte, payload []byte) []byte {
	b := make([]byte, 0, len(payload)+14)
	b = append(b, 0x80|kind)
	switch n := len(payload); {
	case n < 126:
		b = append(b, 0x80|byte(n))
	case n < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, 0x80|126), uint16(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, 0x80|127), uint64(n))
	}
	var mask [4]byte
	_, _ = rand.Read(mask[:]) // it never fails
	b = append(b, mask[:]...)
	for i, c := range payload {
		b = append(b, c^mask[i%4])
	}
	return b
}

// close ends the connection at once; a reader and a writer return.
func (s *webSocket) close() { _ = s.conn.Close() }

// withQuery adds parameters to an address.
func withQuery(address string, q url.Values) string {
	if strings.Contains(address, "?") {
		return address + "&" + q.Encode()
	}
	return address + "?" + q.Encode()
}
