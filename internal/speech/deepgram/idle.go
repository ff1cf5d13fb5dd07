package deepgram

import (
	"cmp"
	"parley/internal/speech"
	"time"

	"github.com/gorilla/websocket"
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
	d.mu.Lock()
	known := d.idleConns[key] != nil
	if !known && !d.isClosed {
		if d.idleConns == nil {
			d.idleConns = map[string]*idleConnection{}
		}
		d.idleConns[key] = r
	}
	shut := d.isClosed
	d.mu.Unlock()
	if known || shut {
		_ = l.write(websocket.TextMessage, closeStreamMessage) // it is closed all the same
		l.shutDown()
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

// awaitReuse reports whether the connection is taken before it ends.
func (r *idleConnection) awaitReuse(keep, most time.Duration) (isTaken bool) {
	ticker, timeout := time.NewTicker(keep), time.NewTimer(most)
	defer ticker.Stop()
	defer timeout.Stop()
	for {
		select {
		case <-r.reuse:
			return true
		case <-ticker.C:
			if r.write(websocket.TextMessage, keepAliveMessage) != nil {
				return false
			}
		case <-timeout.C:
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
			_ = r.write(websocket.TextMessage, closeStreamMessage) // it is closed all the same
			r.shutDown()
		}
	}
	d.Client.Close()
}
