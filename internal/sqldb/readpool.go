package sqldb

import (
	"context"
	"errors"
	"sync"

	"parley/internal/sqldb/sqlite"
)

// readPool holds the connections of SQLite that only read. Each runs one query at a time. The connection that was used
// last is used next, since its page cache is warm.
type readPool struct {
	open  func() (*sqlite.Conn, error)
	slots chan struct{} // holds a value for each connection in use

	mu     sync.Mutex
	idle   []*sqlite.Conn
	closed bool
}

func newReadPool(size int, open func() (*sqlite.Conn, error)) *readPool {
	return &readPool{open: open, slots: make(chan struct{}, size)}
}

// acquire waits for a connection, which the caller releases.
func (p *readPool) acquire(ctx context.Context) (*sqlite.Conn, error) {
	select {
	case p.slots <- struct{}{}:
	default:
		select {
		case p.slots <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	c, err := p.takeIdle()
	if c == nil && err == nil {
		c, err = p.open()
	}
	if err != nil {
		<-p.slots
	}
	return c, err
}

func (p *readPool) takeIdle() (*sqlite.Conn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errClosed
	}
	n := len(p.idle)
	if n == 0 {
		return nil, nil
	}
	c := p.idle[n-1]
	p.idle = p.idle[:n-1]
	return c, nil
}

func (p *readPool) release(c *sqlite.Conn) {
	p.mu.Lock()
	if p.closed {
		_ = c.Close()
	} else {
		p.idle = append(p.idle, c)
	}
	p.mu.Unlock()
	<-p.slots
}

// close closes the idle connections; one in use is closed when it is released.
func (p *readPool) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	var errs []error
	for _, c := range p.idle {
		errs = append(errs, c.Close())
	}
	p.idle = nil
	return errors.Join(errs...)
}
