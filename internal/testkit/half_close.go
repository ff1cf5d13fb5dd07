package testkit

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"
)

// UseHalfClosing makes the server's test client close its half of a connection as soon as it has sent a request, as many HTTP
// clients do.
func (h *Server) UseHalfClosing(t testing.TB) {
	t.Helper()
	h.Client.Transport = newCheckedTransport(t, HalfClosingTransport{})
}

// HalfClosingTransport sends each request by a connection of its own, closes its half of it, and reads the answer.
type HalfClosingTransport struct{}

// RoundTrip sends a request.
func (HalfClosingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(r.Context(), "tcp", r.URL.Host)
	if err != nil {
		return nil, err
	}
	if err := r.Write(conn); err != nil {
		_ = conn.Close()
		return nil, err
	}
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		_ = conn.Close()
		return nil, err
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), r)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	resp.Body = responseBody{resp.Body, conn}
	return resp, nil
}

// responseBody is a body that closes its connection, too.
type responseBody struct {
	io.ReadCloser
	conn net.Conn
}

func (b responseBody) Close() error {
	_ = b.ReadCloser.Close()
	return b.conn.Close()
}
