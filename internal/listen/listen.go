// Package listen accepts the connections of HTTP servers. It bounds their number, in all and of one address, and closes
// idle ones when it is full and others come; it serves clients that have closed their half of the connection and wait
// for the answer; it reads what net/http hides of a request's header; and it sends what is left of a silent stream
// without net/http.
package listen

import (
	"context"
	"net"
	"net/http"
	"syscall"
	"time"
)

// Timeouts of clients that have not authenticated. An API allows others more for their bodies.
const (
	headerTimeout  = 10 * time.Second
	bodyTimeout    = 10 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 64 << 10
)

// writeTime is how long a client may take to receive a part of an answer. Tests shorten it.
var writeTime = 30 * time.Second

// Listener returns a listener that enters the connections of l in the table. It closes at once those for which there is
// no place.
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

// Configure makes the server report the states of its connections to the table, and sets its timeouts. An answer as a
// whole has none: a stream lasts as long as it has something to send. Each write of it has one.
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

// FromContext returns the connection of a request; nil if it came by none of a table.
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
