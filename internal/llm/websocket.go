package llm

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

// socket is the client's end of a WebSocket (RFC 6455), as much of it as speech servers need: no extensions.
type socket struct {
	conn    io.ReadWriteCloser
	r       *bufio.Reader
	patient time.Duration // longest time for one write

	mu     sync.Mutex // of writing
	closed bool
}

// The kinds of frames.
const (
	frameMore   = 0
	frameText   = 1
	frameBinary = 2
	frameClose  = 8
	framePing   = 9
	framePong   = 10
)

const (
	maxMessage    = 1 << 20
	socketGUID    = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
	socketPatient = 5 * time.Second
)

var errFrame = errors.New("the speech server sent a frame that makes no sense")

// dialSocket opens a WebSocket at an address of http:, https:, ws: or wss:. A refusal is what the server answered in its place.
func dialSocket(ctx context.Context, client *http.Client, address string, h http.Header) (*socket, error) {
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
		said, _ := io.ReadAll(io.LimitReader(resp.Body, maxHeard)) // what there is of it is enough
		return nil, &refusal{status: resp.StatusCode, body: said, after: retryAfter(resp.Header)}
	}
	if resp.Header.Get("Sec-WebSocket-Accept") != acceptance(key) {
		return nil, errors.Join(errFrame, conn.Close())
	}
	return &socket{conn: conn, r: bufio.NewReader(conn), patient: socketPatient}, nil
}

func acceptance(key string) string {
	sum := sha1.Sum([]byte(key + socketGUID)) //nolint:gosec // see above
	return base64.StdEncoding.EncodeToString(sum[:])
}

// write sends one message. A server that does not take it in time loses the connection.
func (s *socket) write(kind byte, payload []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return io.ErrClosedPipe
	}
	s.closed = kind == frameClose
	timer := time.AfterFunc(s.patient, func() { _ = s.conn.Close() })
	defer timer.Stop()
	_, err := s.conn.Write(masked(kind, payload))
	return err
}

// masked makes a frame as clients send it.
func masked(kind byte, payload []byte) []byte {
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
func (s *socket) close() { _ = s.conn.Close() }

// withQuery adds parameters to an address.
func withQuery(address string, q url.Values) string {
	if strings.Contains(address, "?") {
		return address + "&" + q.Encode()
	}
	return address + "?" + q.Encode()
}
