package chat

import (
	"context"
	"errors"
	"io"
	"sync"

	"parley"
	"parley/internal/model"
	"parley/internal/retrieval"
)

// Turn is one answer in the making, with the log of what has happened to it.
type Turn struct {
	parley.Turn
	UserID parley.EndUserID // of the conversation; empty when anonymous

	engine         *Engine
	agent          *parley.Agent
	backend        model.Backend
	request        Request
	question       string            // the user's message to answer, in the user's own words
	history        []parley.Message  // before the message to answer; with Continue, all
	idempotencyKey string            // the Idempotency-Key of the request, as the store knows it
	sentRows       []*parley.Message // of a client that keeps the conversation: the rows of all that it has sent
	retrySeq       int64             // of a retry: the number of the user's message, the last one that stays
	replacedSeq    int64             // the number of the user's message whose place this turn's takes; 0 where it takes none
	handoverWish   *handoverWish     // for a person; nil where the message is none
	eventLog       *eventLog

	retrievalDone chan struct{} // closed when retrieval has ended
	hits          []retrieval.Hit
	searchText    string               // what retrieval was asked
	rewriteTrace  *parley.TraceRewrite // what came of having the model put the question, nil where it was not asked to
	searchMethod  string               // what retrieval went by
	retrieveErr   error

	activated chan struct{} // closed when a turn that had to wait is the live one
	beginDone chan struct{} // closed when the first transaction has ended
	isRefused bool          // and says that there is nothing to answer; read it once promised is closed

	ctx    context.Context // the turn's own: no request can end it
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when the turn is stored and its place is free

	mu          sync.Mutex
	readerCount int
	readersGone chan struct{} // closed when the last reader goes
	hasBeenRead bool          // somebody has read
}

func (t *Turn) key() conversationKey {
	return conversationKey{t.AccountID, t.AgentID, t.ConversationID}
}

// Cancel ends the turn early; the text so far is stored as interrupted.
func (t *Turn) Cancel(why error) { t.cancel(why) }

// Done is closed when the turn has ended and is stored.
func (t *Turn) Done() <-chan struct{} { return t.done }

func (t *Turn) isFinished() bool { return t.eventLog.isClosed() }

// isAbandoned reports whether everybody who read the turn has gone.
func (t *Turn) isAbandoned() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.hasBeenRead && t.readerCount == 0
}

// noReaders is closed once the turn's present readers have all gone.
func (t *Turn) noReaders() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.readersGone
}

// Reader begins to read the turn from its first event. Close it: a turn whose readers have all gone before its end counts as
// abandoned, and a new message in its conversation cancels it.
func (t *Turn) Reader() *Reader {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.readerCount == 0 && t.hasBeenRead {
		t.readersGone = make(chan struct{})
	}
	t.readerCount, t.hasBeenRead = t.readerCount+1, true
	return &Reader{turn: t}
}

// Reader follows one turn. It is not safe for concurrent use.
type Reader struct {
	turn      *Turn
	nextEvent int
	closed    bool
}

// Close stops reading; the turn goes on.
func (r *Reader) Close() {
	if r.closed {
		return
	}
	r.closed = true
	r.turn.mu.Lock()
	defer r.turn.mu.Unlock()
	if r.turn.readerCount--; r.turn.readerCount == 0 {
		close(r.turn.readersGone)
		if r.turn.request.isUnsaved() {
			r.turn.Cancel(errClientGone)
		}
	}
}

// Next returns the events since the last call, waiting for the first of them. It fails with io.EOF after Finished and with
// ctx's error when ctx ends first; nothing is lost then, the next call goes on.
func (r *Reader) Next(ctx context.Context) ([]Event, error) {
	events, err := r.turn.eventLog.waitSince(ctx, r.nextEvent)
	r.nextEvent += len(events)
	return events, err
}

// WaitForText waits until the answer's first text is there, or the end. It fails with the turn's failure when nothing was said
// before it, and with ctx's error when ctx ends first.
func (t *Turn) WaitForText(ctx context.Context) error {
	events, err := t.eventLog.waitSince(ctx, 0)
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
			case Text, ToolCalled, ToolReturned, NextRound: // the stored answer holds it
			}
		}
	}
}
