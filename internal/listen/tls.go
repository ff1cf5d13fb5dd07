package listen

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"syscall"
)

// NewTLSListener returns a listener of TLS connections on those of l, to be wrapped by ConnTable.Listener: what the
// table knows of a connection is above TLS. The handshake takes place at the first read, under its deadline.
func NewTLSListener(l net.Listener, cfg *tls.Config) net.Listener { return &tlsListener{l, cfg} }

type tlsListener struct {
	net.Listener
	config *tls.Config
}

func (l *tlsListener) Accept() (net.Conn, error) {
	raw, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	conn, ok := raw.(halfCloser)
	if !ok {
		return nil, errors.Join(errors.New("listen: TLS needs connections whose halves close one by one"), raw.Close())
	}
	return &tlsConn{Conn: tls.Server(conn, l.config), raw: conn}, nil
}

// tlsConn is a TLS connection whose halves close one by one.
type tlsConn struct {
	*tls.Conn
	raw halfCloser
}

// Read reads what the client has sent. One that speaks plain HTTP is told so.
func (c *tlsConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	var wrong tls.RecordHeaderError
	if errors.As(err, &wrong) && wrong.Conn != nil && isPlainHTTP(string(wrong.RecordHeader[:])) {
		_ = c.raw.SetWriteDeadline(deadlineIn(writeTime)) // an error means that the client is gone
		_, _ = io.WriteString(c.raw, plainHTTPReply)
		_ = c.raw.CloseWrite()
	}
	return n, err
}

const plainHTTPReply = "HTTP/1.0 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n" +
	"Connection: close\r\n\r\nThis address is for HTTPS: begin it with https://.\n"

// isPlainHTTP reports whether a client that was expected to begin a handshake has begun a request.
func isPlainHTTP(begins string) bool {
	return slices.Contains([]string{"GET /", "HEAD ", "POST ", "PUT /", "PATCH", "DELET", "OPTIO"}, begins)
}

// CloseWrite tells the client that everything has been sent.
func (c *tlsConn) CloseWrite() error { return errors.Join(c.Conn.CloseWrite(), c.raw.CloseWrite()) }

// SyscallConn returns the connection below TLS.
func (c *tlsConn) SyscallConn() (syscall.RawConn, error) { return c.raw.SyscallConn() }

// closeNow closes a connection without a word to its client, who may not read it.
func closeNow(c halfCloser) {
	if t, ok := c.(*tlsConn); ok {
		c = t.raw
	}
	_ = c.Close() // it is closed, whatever the error
}

// WithTLSState returns a handler that shows h the TLS of requests, which net/http does not see below a table.
func WithTLSState(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c := FromContext(r.Context()); c != nil {
			if t, ok := c.halfCloser.(*tlsConn); ok {
				state := t.ConnectionState()
				r.TLS = &state
			}
		}
		h.ServeHTTP(w, r)
	})
}
