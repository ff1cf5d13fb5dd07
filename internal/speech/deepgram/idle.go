package deepgram

import (
	"cmp"
	"time"

	"github.com/gorilla/websocket"

	"parley/internal/speech"
)

// idleConnection is a connection between two segments.
type idleConnection struct {
	*connection
	reuse    chan struct{} // closed when it is taken
	idleDone chan struct{} // closed when it is idle no more
	isDead   bool          // it was cut; once done is closed
}

// keepIdle keeps a connection open for the speaker's next segment, with keep-alive messages as the protocol wants them.
// After a while it is closed.
func (t *Transcriber) keepIdle(h speech.TranscriptionHints, l *connection) {
	r := &idleConnection{connection: l, reuse: make(chan struct{}), idleDone: make(chan struct{})}
	key := t.idleKey(h)
	if !t.addIdle(key, r) {
		l.closeStream()
		return
	}
	go func() {
		defer close(r.idleDone)
		r.isDead = !r.awaitReuse(cmp.Or(t.KeepAliveInterval, 4*time.Second), cmp.Or(t.ReuseTimeout, 20*time.Second))
		if r.isDead {
			t.mu.Lock()
			if t.idleConns[key] == r {
				delete(t.idleConns, key)
			}
			t.mu.Unlock()
			r.shutDown()
		}
	}()
}

// addIdle reports whether the connection may be kept: there is none for the same, and the transcriber is not closed.
func (t *Transcriber) addIdle(key string, r *idleConnection) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.isClosed || t.idleConns[key] != nil {
		return false
	}
	if t.idleConns == nil {
		t.idleConns = map[string]*idleConnection{}
	}
	t.idleConns[key] = r
	return true
}

// closeStream closes the connection after a message that says so. It is closed even if that cannot be sent.
func (c *connection) closeStream() {
	_ = c.write(websocket.TextMessage, closeStreamMessage)
	c.shutDown()
}

// awaitReuse reports whether the connection is taken before it ends.
func (c *idleConnection) awaitReuse(keepTime, maxTime time.Duration) (isTaken bool) {
	tick, timeout := time.Tick(keepTime), time.After(maxTime)
	for {
		select {
		case <-c.reuse:
			return true
		case <-tick:
			if c.write(websocket.TextMessage, keepAliveMessage) != nil {
				return false
			}
		case <-timeout:
			_ = c.write(websocket.TextMessage, closeStreamMessage) // it is closed all the same
			return false
		case _, ok := <-c.messages: // it belongs to no segment
			if !ok {
				return false
			}
		}
	}
}

// takeIdle returns the idle connection of a speaker; nil if there is none.
func (t *Transcriber) takeIdle(h speech.TranscriptionHints) *connection {
	if h.Speaker == "" {
		return nil
	}
	t.mu.Lock()
	r := t.idleConns[t.idleKey(h)]
	delete(t.idleConns, t.idleKey(h))
	t.mu.Unlock()
	if r == nil {
		return nil
	}
	close(r.reuse)
	if <-r.idleDone; r.isDead {
		return nil
	}
	return r.connection
}

// idleKey distinguishes connections: those of other speakers, and those that were asked for other things.
func (t *Transcriber) idleKey(h speech.TranscriptionHints) string {
	return h.Speaker + "\n" + t.listenURL(h)
}

// Close closes all idle connections.
func (t *Transcriber) Close() {
	t.mu.Lock()
	t.isClosed = true
	idle := t.idleConns
	t.idleConns = nil
	t.mu.Unlock()
	for _, r := range idle {
		close(r.reuse)
		if <-r.idleDone; !r.isDead {
			r.closeStream()
		}
	}
	t.Client.Close()
}
