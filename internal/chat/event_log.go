package chat

import (
	"context"
	"io"
	"slices"
	"sync"

	"parley"
)

// Kind is the kind of an Event.
type Kind int

// The kinds of events. Failed is always followed by Finished, and nothing follows Finished.
const (
	Text         Kind = iota + 1
	ToolCalled        // the model calls a tool
	ToolReturned      // a tool that runs in the server has returned
	NextRound         // the model continues with the results
	Failed
	Finished
)

// Event is one thing that happened in a turn. The field that belongs to its Kind is set.
type Event struct {
	Kind   Kind
	Text   string
	Call   *parley.ToolCall // of ToolCalled and ToolReturned; must not be changed
	Err    *parley.Error
	Finish *Finish
}

// Finish is the end of a turn. What it holds is on disk.
type Finish struct {
	Reason    string          // stop, tool-calls, error
	Message   *parley.Message // the stored answer; nil when the turn failed or the conversation is paused
	Credits   parley.Credits  // charged
	Score     *float64        // 0 to 1, the confidence of the answer; nil when unknown
	Citations []parley.Citation

	AnswerState parley.AnswerState // empty when unknown

	InputTokens, OutputTokens int // that the model has counted; 0 where it counts none
}

// maxAnswerBytes bounds an answer, and with it the log: a model that does not stop is cancelled here, and its text is
// stored as interrupted.
const maxAnswerBytes = 512 << 10

// eventLog is the turn's history. Writers never wait for readers.
type eventLog struct {
	mu      sync.Mutex
	events  []Event
	ended   bool
	changed chan struct{} // closed and replaced with every append; nil while nobody waits
	end     chan struct{} // closed with the last event; nil while nobody waits for it
	wakes   []*func()     // called with every append; they do not wait
}

func (l *eventLog) append(events ...Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return
	}
	l.events = append(l.events, events...)
	l.ended = events[len(events)-1].Kind == Finished
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
	if l.ended && l.end != nil {
		close(l.end)
	}
	for _, wake := range l.wakes {
		(*wake)()
	}
}

// notify calls wake with every append, until stop is called.
func (l *eventLog) notify(wake func()) (stop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	own := &wake
	l.wakes = append(l.wakes, own)
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.wakes = slices.DeleteFunc(l.wakes, func(w *func()) bool { return w == own })
	}
}

// replaceWith replaces all events by a Finished one: what a model has answered too early is dropped.
func (l *eventLog) replaceWith(finished Event) {
	l.mu.Lock()
	l.events = nil
	l.mu.Unlock()
	l.append(finished)
}

func (l *eventLog) isClosed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended
}

// waitSince returns the events from index at on, waiting until there is one.
func (l *eventLog) waitSince(ctx context.Context, at int) ([]Event, error) {
	for {
		events, more, ended := l.snapshot(at, ctx.Err() == nil)
		switch {
		case len(events) > 0:
			return events, nil
		case ended:
			return nil, io.EOF
		}
		select {
		case <-more:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// waitForEnd returns all events once the last one has come.
func (l *eventLog) waitForEnd(ctx context.Context) ([]Event, error) {
	select {
	case <-l.endSignal():
	case <-ctx.Done():
		if !l.isClosed() {
			return nil, ctx.Err()
		}
	}
	events, _, _ := l.snapshot(0, false)
	return events, nil
}

// endSignal returns a channel that is closed when the last event has come.
func (l *eventLog) endSignal() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.end == nil {
		l.end = make(chan struct{})
		if l.ended {
			close(l.end)
		}
	}
	return l.end
}

// snapshot returns the events from index at on, and whether they have ended. If there are none, more is closed with the
// next one, for a caller that will wait.
func (l *eventLog) snapshot(at int, willWait bool) (events []Event, more <-chan struct{}, ended bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at < len(l.events) {
		return l.events[at:len(l.events):len(l.events)], nil, false
	}
	if willWait && l.changed == nil && !l.ended {
		l.changed = make(chan struct{})
	}
	return nil, l.changed, l.ended
}
