package deepgram

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"parley/internal/httpclient"
)

const (
	maxMessageBytes     = 1 << 20
	defaultWriteTimeout = 5 * time.Second
)

// webSocket is the client's end of a WebSocket.
type webSocket struct {
	conn         *websocket.Conn
	writeTimeout time.Duration // longest time for one write

	mu sync.Mutex // of writing
}

// dialWebSocket opens a WebSocket at an address of http:, https:, ws: or wss:, through the proxy and with the
// certificates of client. A refusal is a *httpclient.StatusError with what the server answered instead.
func dialWebSocket(ctx context.Context, client *http.Client, address string, h http.Header) (*webSocket, error) {
	if rest, ok := strings.CutPrefix(address, "http"); ok {
		address = "ws" + rest
	}
	dialer := websocket.Dialer{WriteBufferSize: 2 * maxMessageSamples} // a message is one frame
	dial := new(net.Dialer).DialContext
	if t, ok := client.Transport.(*http.Transport); ok {
		dialer.Proxy = t.Proxy
		if t.TLSClientConfig != nil {
			dialer.TLSClientConfig = t.TLSClientConfig.Clone()
			dialer.TLSClientConfig.NextProtos = []string{"http/1.1"} // HTTP/2 has no WebSockets of this kind
		}
		if t.DialContext != nil {
			dial = t.DialContext
		}
	}
	// The library heeds the end of ctx only while it connects: until the handshake is over, that end closes the
	// connection.
	stop := func() bool { return true }
	dialer.NetDialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		if err == nil {
			stop = context.AfterFunc(ctx, func() { _ = conn.Close() })
		}
		return conn, err
	}
	conn, resp, err := dialer.DialContext(ctx, address, h) //nolint:bodyclose // the library has read it
	if !stop() && err == nil {
		return nil, errors.Join(context.Cause(ctx), conn.Close())
	}
	switch {
	case errors.Is(err, websocket.ErrBadHandshake) && resp.StatusCode != http.StatusSwitchingProtocols:
		return nil, httpclient.NewStatusError(resp)
	case err != nil:
		return nil, err
	}
	conn.SetReadLimit(maxMessageBytes)
	return &webSocket{conn: conn, writeTimeout: defaultWriteTimeout}, nil
}

// write sends one message of a kind of package websocket. A server that does not take it in time loses the connection.
func (s *webSocket) write(kind int, payload []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	timer := time.AfterFunc(s.writeTimeout, s.close)
	defer timer.Stop()
	return s.conn.WriteMessage(kind, payload)
}

// readMessage returns the next text or binary message. It answers pings. After the server's proper close it returns
// io.EOF.
func (s *webSocket) readMessage() ([]byte, error) {
	_, message, err := s.conn.ReadMessage()
	if err != nil {
		return nil, readError(err)
	}
	return message, nil
}

func readError(err error) error {
	var closed *websocket.CloseError
	switch {
	case errors.Is(err, websocket.ErrReadLimit):
		return httpclient.ErrLineTooLong
	case !errors.As(err, &closed):
		return err
	}
	switch closed.Code {
	case websocket.CloseNormalClosure, websocket.CloseGoingAway, websocket.CloseNoStatusReceived:
		return io.EOF
	case websocket.CloseAbnormalClosure: // the connection ended without a word
		return httpclient.ErrStreamCut
	}
	return fmt.Errorf("the speech server closed with %d: %s", closed.Code, closed.Text)
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
