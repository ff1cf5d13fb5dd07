// Package listen takes the connections of HTTP servers. It bounds how many there are, in all and of one address, and
// closes those that wait for nothing when others want in; it serves clients that have closed their half of the
// connection and wait for the answer; and it knows what net/http does not tell of a request's header.
package listen

import (
	"context"
	"net"
	"net/http"
	"syscall"
	"time"
)

// Times that strangers have. A face gives those whom it knows more for their bodies.
const (
	headerTimeout  = 10 * time.Second
	bodyTimeout    = 10 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 64 << 10
)

// writeTime is what anybody has to take in a part of an answer. Tests shorten it.
var writeTime = 30 * time.Second

// Listener returns the connections of l a place in the table. Connections for which there is none are closed at once.
func (t *ConnTable) Listener(l net.Listener) net.Listener { return &listener{l, t} }

type listener struct {
	net.Listener
	table *ConnTable
}

func (l *listener) Accept() (net.Conn, error) {
	for {
		raw, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		conn, ok := raw.(halfCloser)
		if !ok {
			return raw, nil
		}
		if c := l.table.admit(conn); c != nil {
			return c, nil
		}
		_ = raw.Close()
	}
}

// Configure has the server tell the table what its connections do, and bounds what a client may take its time for. There is no bound on
// an answer: a stream lasts as long as it has to say something. Each write of it has one.
func (t *ConnTable) Configure(s *http.Server) {
	s.ReadHeaderTimeout, s.ReadTimeout, s.IdleTimeout = headerTimeout, headerTimeout+bodyTimeout, idleTimeout
	s.MaxHeaderBytes = maxHeaderBytes
	s.ConnContext = func(ctx context.Context, c net.Conn) context.Context { return context.WithValue(ctx, connKey{}, c) }
	s.ConnState = func(c net.Conn, state http.ConnState) {
		if c, ok := c.(*Conn); ok {
			c.onStateChange(state)
		}
	}
}

type connKey struct{}

// FromContext returns the connection of a request; nil where it did not come by one of a table.
func FromContext(ctx context.Context) *Conn {
	c, _ := ctx.Value(connKey{}).(*Conn)
	return c
}

// halfCloser is a connection whose halves close one by one: TCP, or a socket in the file system.
type halfCloser interface {
	net.Conn
	syscall.Conn
	CloseWrite() error
}
