package testkit

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"
)

// DialRaw opens a connection to the server at a URL, and closes it when the test ends. Reads and writes fail after
// WaitTimeout.
func DialRaw(t testing.TB, server string) *net.TCPConn {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(t.Context(), "tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(WaitTimeout)); err != nil {
		t.Fatal(err)
	}
	return conn.(*net.TCPConn)
}

// SendRaw writes the text unchanged.
func SendRaw(t testing.TB, conn net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
}

// ReadReplies reads the replies of the server until it closes the connection.
func ReadReplies(t testing.TB, conn net.Conn) []Reply {
	t.Helper()
	var all []Reply
	for r := bufio.NewReader(conn); ; {
		if _, err := r.Peek(1); err == io.EOF {
			return all
		}
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatalf("%v after %d answers", err, len(all))
		}
		body, err := io.ReadAll(resp.Body)
		if err = errors.Join(err, resp.Body.Close()); err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode >= http.StatusOK {
			all = append(all, Reply{resp.StatusCode, resp.Header, body})
		}
	}
}

// UseHalfClosing makes the server's test client close its half of a connection after sending a request, as many HTTP
// clients do.
func (s *Server) UseHalfClosing(t testing.TB) {
	t.Helper()
	s.Client.Transport = newCheckedTransport(t, HalfClosingTransport{})
}

// HalfClosingTransport sends each request on its own connection, closes its half of it, and reads the answer.
type HalfClosingTransport struct{}

// RoundTrip sends a request.
func (HalfClosingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(r.Context(), "tcp", r.URL.Host)
	if err != nil {
		return nil, err
	}
	resp, err := exchangeHalfClosed(conn.(*net.TCPConn), r)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	resp.Body = responseBody{resp.Body, conn}
	return resp, nil
}

func exchangeHalfClosed(conn *net.TCPConn, r *http.Request) (*http.Response, error) {
	if err := errors.Join(r.Write(conn), conn.CloseWrite()); err != nil {
		return nil, err
	}
	return http.ReadResponse(bufio.NewReader(conn), r)
}

type responseBody struct {
	io.ReadCloser
	conn net.Conn
}

func (b responseBody) Close() error {
	_ = b.ReadCloser.Close()
	return b.conn.Close()
}
