// Package bus tells the servers on one database at once what has changed on one of them, so that none has to ask the
// database all the time. What it tells may be lost: whoever listens looks by itself as well, but seldom (Pace).
package bus

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"parley"
)

// Topic is what a signal is about.
type Topic string

// The topics, and what their ids are.
const (
	Events   Topic = "events"   // accounts in whose event logs there is something new
	Jobs     Topic = "jobs"     // kinds of jobs that are due
	Sessions Topic = "sessions" // none: a session or a role may have changed
	Settings Topic = "settings" // none: a setting or a server of models may have changed
	pulse    Topic = "pulse"    // none: a message to oneself
)

const (
	gatherTime    = 20 * time.Millisecond // in which signals are put together in one message
	pulseInterval = 5 * time.Second       // between two messages to oneself
	maxMissed     = 2                     // messages to oneself that may be on their way
	firstPause    = 250 * time.Millisecond
	maxPause      = 30 * time.Second // between two attempts to connect
	publishTime   = 5 * time.Second  // that a message may take
)

// Engine carries messages between servers. Whatever it cannot carry is lost.
type Engine interface {
	// Listen calls ready once all that is published from then on is received, and received with each message, those of
	// this server too, until ctx is done or the connection is lost.
	Listen(ctx context.Context, ready func(), received func(message string)) error

	// Publish sends a message to all servers that listen.
	Publish(ctx context.Context, message string) error

	Close()
}

// Bus tells other servers what has changed on this one. A nil bus tells nothing and is never complete.
type Bus struct {
	engine Engine // nil: there is no other server
	logger *slog.Logger
	name   string        // of this server
	wake   chan struct{} // receives when there is something to publish

	isComplete atomic.Bool
	missed     atomic.Int32 // messages to oneself that have not come back

	mu        sync.Mutex
	pending   map[Topic]*signals
	listeners map[Topic][]*listener
}

// listener is called with the ids of a topic that other servers have told of.
type listener struct{ call func(ids []string) }

// New returns a bus on an engine, which it closes in the end; on none for a server that has its database for itself.
func New(engine Engine, logger *slog.Logger) *Bus {
	b := &Bus{engine: engine, logger: logger, name: parley.NewUUID(), wake: make(chan struct{}, 1),
		pending: map[Topic]*signals{}, listeners: map[Topic][]*listener{}}
	b.isComplete.Store(engine == nil)
	return b
}

// IsComplete reports whether all that other servers publish is received: then there is little reason to ask the
// database.
func (b *Bus) IsComplete() bool { return b != nil && b.isComplete.Load() }

// Publish tells the other servers of changes, a moment later. It does not wait. Without ids it is all of the topic.
func (b *Bus) Publish(topic Topic, ids ...string) {
	if b == nil || b.engine == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pending[topic] == nil {
		b.pending[topic] = &signals{ids: map[string]bool{}}
	}
	b.pending[topic].add(ids)
	select {
	case b.wake <- struct{}{}:
	default: // it has a signal
	}
}

// Subscribe has call called with the ids that other servers publish, until stop is called; with nil where anything of
// the topic may have changed, as after messages may have been lost. It must not block.
func (b *Bus) Subscribe(topic Topic, call func(ids []string)) (stop func()) {
	if b == nil {
		return func() {}
	}
	l := &listener{call}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.listeners[topic] = append(b.listeners[topic], l)
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		var rest []*listener
		for _, other := range b.listeners[topic] {
			if other != l {
				rest = append(rest, other)
			}
		}
		b.listeners[topic] = rest
	}
}

// Watch returns a channel that receives after other servers have published something of the topic, until stop is
// called.
func (b *Bus) Watch(topic Topic) (changed <-chan struct{}, stop func()) {
	signal := make(chan struct{}, 1)
	stop = b.Subscribe(topic, func([]string) {
		select {
		case signal <- struct{}{}:
		default: // it has a signal
		}
	})
	return signal, stop
}

// tell calls the listeners of a topic.
func (b *Bus) tell(topic Topic, ids []string) {
	b.mu.Lock()
	list := b.listeners[topic]
	b.mu.Unlock()
	for _, l := range list {
		l.call(ids)
	}
}

// tellAll says that anything may have changed.
func (b *Bus) tellAll() {
	for _, topic := range []Topic{Events, Jobs, Sessions, Settings} {
		b.tell(topic, nil)
	}
}

// receive takes a message. A message to oneself proves that messages arrive: that a connection is there does not, since
// a proxy between may drop them.
func (b *Bus) receive(text string) {
	m, err := parseMessage(text)
	if err != nil {
		b.logger.Warn("a message of another server is not understood", "err", err)
		return
	}
	if m.From != b.name {
		b.tell(m.Topic, m.IDs)
		return
	}
	if m.Topic != pulse {
		return
	}
	b.missed.Store(0)
	if !b.isComplete.Swap(true) {
		b.tellAll()
	}
}
