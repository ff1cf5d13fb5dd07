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
func (d *Transcriber) keepIdle(h speech.TranscriptionHints, l *connection) {
	r := &idleConnection{connection: l, reuse: make(chan struct{}), idleDone: make(chan struct{})}
	key := d.idleKey(h)
	if !d.addIdle(key, r) {
		l.closeStream()
		return
	}
	go func() {
		defer close(r.idleDone)
		r.isDead = !r.awaitReuse(cmp.Or(d.KeepAliveInterval, 4*time.Second), cmp.Or(d.ReuseTimeout, 20*time.Second))
		if r.isDead {
			d.mu.Lock()
			if d.idleConns[key] == r {
				delete(d.idleConns, key)
			}
			d.mu.Unlock()
			r.shutDown()
		}
	}()
}

// addIdle reports whether the connection may be kept: there is none for the same, and the transcriber is not closed.
func (d *Transcriber) addIdle(key string, r *idleConnection) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.isClosed || d.idleConns[key] != nil {
		return false
	}
	if d.idleConns == nil {
		d.idleConns = map[string]*idleConnection{}
	}
	d.idleConns[key] = r
	return true
}

// closeStream closes the connection after a message that says so. It is closed even if that cannot be sent.
func (l *connection) closeStream() {
	_ = l.write(websocket.TextMessage, closeStreamMessage)
	l.shutDown()
}

// awaitReuse reports whether the connection is taken before it ends.
func (r *idleConnection) awaitReuse(keep, most time.Duration) (isTaken bool) {
	tick, timeout := time.Tick(keep), time.After(most)
	for {
		select {
		case <-r.reuse:
			return true
		case <-tick:
			if r.write(websocket.TextMessage, keepAliveMessage) != nil {
				return false
			}
		case <-timeout:
			_ = r.write(websocket.TextMessage, closeStreamMessage) // it is closed all the same
			return false
		case _, ok := <-r.messages: // it belongs to no segment
			if !ok {
				return false
			}
		}
	}
}

// takeIdle returns the idle connection of a speaker; nil where there is none.
func (d *Transcriber) takeIdle(h speech.TranscriptionHints) *connection {
	if h.Speaker == "" {
		return nil
	}
	d.mu.Lock()
	r := d.idleConns[d.idleKey(h)]
	delete(d.idleConns, d.idleKey(h))
	d.mu.Unlock()
	if r == nil {
		return nil
	}
	close(r.reuse)
	if <-r.idleDone; r.isDead {
		return nil
	}
	return r.connection
}

// idleKey tells connections apart: those of other speakers, and those that were asked for other things.
func (d *Transcriber) idleKey(h speech.TranscriptionHints) string {
	return h.Speaker + "\n" + d.listenURL(h)
}

// Close closes all idle connections.
func (d *Transcriber) Close() {
	d.mu.Lock()
	d.isClosed = true
	idle := d.idleConns
	d.idleConns = nil
	d.mu.Unlock()
	for _, r := range idle {
		close(r.reuse)
		if <-r.idleDone; !r.isDead {
			r.closeStream()
		}
	}
	d.Client.Close()
}
