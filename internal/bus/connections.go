package bus

import (
	"context"
	"sync"

	"github.com/gomodule/redigo/redis"
)

// maxConnections is how many connections count at a time.
const maxConnections = 8

// connections are those that count. They are made in the background, so that a request that waits for one does not wait
// as long as connecting may take.
type connections struct {
	connect func(context.Context) (redis.Conn, error)
	idle    chan redis.Conn
	slots   chan struct{} // one for each connection, also while it is made

	ctx        context.Context // is done when there are to be no more
	stop       context.CancelFunc
	connecting sync.WaitGroup
}

func newConnections(connect func(context.Context) (redis.Conn, error)) *connections {
	c := &connections{connect: connect, idle: make(chan redis.Conn, maxConnections),
		slots: make(chan struct{}, maxConnections)}
	c.ctx, c.stop = context.WithCancel(context.Background())
	return c
}

// get returns a connection that is idle, or the next one that is made or released until ctx is done.
func (c *connections) get(ctx context.Context) (redis.Conn, error) {
	select {
	case conn := <-c.idle:
		return conn, nil
	default:
	}
	failed := make(chan error, 1)
	select {
	case c.slots <- struct{}{}:
		c.connecting.Go(func() { c.add(failed) })
	default: // there are as many as there may be
	}
	select {
	case conn := <-c.idle:
		return conn, nil
	case err := <-failed:
		return nil, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// add makes a connection, in a slot that is taken.
func (c *connections) add(failed chan<- error) {
	ctx, stop := context.WithTimeout(c.ctx, connectTimeout)
	defer stop()
	conn, err := c.connect(ctx)
	if err != nil {
		<-c.slots
		failed <- err
		return
	}
	c.idle <- conn
}

// release hands a connection back and reports whether it is in order. If it was lost, those that are idle may be, too.
func (c *connections) release(conn redis.Conn) bool {
	if conn.Err() == nil {
		c.idle <- conn
		return true
	}
	c.drop(conn)
	c.dropIdle()
	return false
}

func (c *connections) drop(conn redis.Conn) {
	_ = conn.Close() // it is of no use any more
	<-c.slots
}

func (c *connections) dropIdle() {
	for {
		select {
		case conn := <-c.idle:
			c.drop(conn)
		default:
			return
		}
	}
}

// close closes the connections. None may be in use.
func (c *connections) close() {
	c.stop()
	c.connecting.Wait()
	c.dropIdle()
}
