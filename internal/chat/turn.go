package chat

import (
	"context"
	"errors"
	"io"
	"sync"

	"parley"
	"parley/internal/llm"
	"parley/internal/retrieval"
)

// Turn is one answer in the making, with the log of what has happened to it.
type Turn struct {
	parley.Turn
	UserID parley.EndUserID // of the conversation; empty when anonymous

	engine   *Engine
	agent    *parley.Agent
	back     llm.Backend
	request  Request
	question string            // the user's message to answer, in the user's own words
	history  []parley.Message  // before the message to answer; with Continue, all
	once     string            // the Idempotency-Key of the request, as the store knows it
	sent     []*parley.Message // of a client that keeps the conversation: the rows of all that it has sent
	keep     int64             // of a retry: the number of the user's message, the last one that stays
	instead  int64             // the number of the user's message whose place this turn's takes; 0 where it takes none
	wish     *wish             // for a person; nil where the message is none
	log      *log

	found   chan struct{} // closed when retrieval has ended
	hits    []retrieval.Hit
	asked   string               // what retrieval was asked
	rewrite *parley.TraceRewrite // what came of having the model put the question, nil where it was not asked to
	search  string               // what retrieval went by
	lookErr error

	entered  chan struct{} // closed when a turn that had to wait is the live one
	promised chan struct{} // closed when the first transaction has ended
	refused  bool          // and says that there is nothing to answer; read it once promised is closed

	ctx    context.Context // the turn's own: no request can end it
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when the turn is stored and its place is free

	mu      sync.Mutex
	readers int
	left    chan struct{} // closed when the last reader goes
	seen    bool          // somebody has read
}

func (t *Turn) place() place { return place{t.AccountID, t.AgentID, t.ConversationID} }

// Cancel ends the turn early; the text so far is stored as interrupted.
func (t *Turn) Cancel(why error) { t.cancel(why) }

// Done is closed when the turn has ended and is stored.
func (t *Turn) Done() <-chan struct{} { return t.done }

func (t *Turn) finished() bool { return t.log.closed() }

// abandoned reports whether everybody who read the turn has gone.
func (t *Turn) abandoned() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.seen && t.readers == 0
}

// leaving is closed once the turn's present readers have all gone.
func (t *Turn) leaving() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.left
}

// Reader begins to read the turn from its first event. Close it: a turn whose readers have all gone before its end counts as
// abandoned, and a new message in its conversation cancels it.
func (t *Turn) Reader() *Reader {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.readers == 0 && t.seen {
		t.left = make(chan struct{})
	}
	t.readers, t.seen = t.readers+1, true
	return &Reader{turn: t}
}

// Reader follows one turn. It is not safe for concurrent use.
type Reader struct {
	turn   *Turn
	at     int
	closed bool
}

// Close stops reading; the turn goes on.
func (r *Reader) Close() {
	if r.closed {
		return
	}
	r.closed = true
	r.turn.mu.Lock()
	defer r.turn.mu.Unlock()
	if r.turn.readers--; r.turn.readers == 0 {
		close(r.turn.left)
		if r.turn.request.unsaved() {
			r.turn.Cancel(errLeft)
		}
	}
}

// Next gives the events since the last call, waiting for the first of them. It fails with io.EOF after Finished and with
// ctx's error when ctx ends first; nothing is lost then, the next call goes on.
func (r *Reader) Next(ctx context.Context) ([]Event, error) {
	events, err := r.turn.log.since(ctx, r.at)
	r.at += len(events)
	return events, err
}

// Begun waits until the answer's first text is there, or the end. It fails with the turn's failure when nothing was said
// before it, and with ctx's error when ctx ends first.
func (t *Turn) Begun(ctx context.Context) error {
	events, err := t.log.since(ctx, 0)
	if err != nil {
		return err
	}
	if events[0].Kind == Failed {
		return events[0].Err
	}
	return nil
}

// Wait reads the turn to its end: for a reply that is one piece. It fails with the turn's failure. When ctx ends first the
// turn goes on, abandoned.
func (t *Turn) Wait(ctx context.Context) (*Finish, error) {
	r := t.Reader()
	defer r.Close()
	var failure error
	for {
		events, err := r.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil, failure
		}
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			switch e.Kind {
			case Failed:
				failure = e.Err
			case Finished:
				return e.Finish, failure
			case Text, Called, Returned, Stepped: // the stored answer holds it
			}
		}
	}
}
