package chat

import (
	"context"
	"sync"

	"parley"
	"parley/internal/model"
	"parley/internal/retrieval"
	"parley/internal/sqldb"
	"parley/internal/tracing"
)

// Turn is one answer that is being generated, with its event log.
type Turn struct {
	parley.Turn
	UserID parley.EndUserID // of the conversation; empty when anonymous

	engine         *Engine
	agent          *parley.Agent
	backend        model.Backend
	request        Request
	question       string                         // the user's message to answer, not redacted
	files          []parley.SentFile              // of the user's message, if it was stored before
	fileTexts      map[parley.AttachmentID]string // of the files that the model gets
	history        []parley.Message               // before the message to answer; with Continue, all messages
	idempotencyKey string                         // the Idempotency-Key of the request, as the store knows it
	sentRows       []*parley.Message              // of a ClientConversation: the rows of all messages in it
	retrySeq       int64                          // of a retry: the number of the user's message, the last one that stays
	replacedSeq    int64                          // the number of the user's message that this turn's replaces; 0 for none
	handoverWish   *handoverWish                  // nil if the message is none
	eventLog       *eventLog
	span           *tracing.Span // nil if the turn is part of no trace

	hits          []retrieval.Hit       // until they are in the request to the model
	foundPassages []parley.TracePassage // the same for the trace, which needs less of them
	searchText    string                // the text that was searched for
	rewriteTrace  *parley.TraceRewrite  // of the rewriting of the question; nil if there was none
	searchMethod  string                // how it was searched for
	rerankTrace   *parley.TraceRerank   // of the order of the hits; nil if it is that of the search

	activated   chan struct{} // closed when a waiting turn becomes the live one
	beginQueued chan struct{} // closed when the first transaction is queued, or has ended
	beginDone   chan struct{} // closed when the first transaction has ended
	isRefused   bool          // there is nothing to answer; read it once beginDone is closed

	ctx    context.Context // the turn's own: no request can end it
	cancel context.CancelCauseFunc
	done   chan struct{} // closed when the turn is stored and no longer live

	mu          sync.Mutex
	hasBegun    bool            // the first transaction is running or has run
	outcome     *outcome        // how the turn ended, if that was known before the first transaction ran
	deferral    *sqldb.Deferral // of the first transaction, once it is queued
	isAsked     bool            // the model is about to be called
	readerCount int
	readersGone chan struct{} // closed when the last reader leaves
	hasBeenRead bool          // there has been a reader
}

func (t *Turn) key() conversationKey {
	return conversationKey{t.AccountID, t.AgentID, t.ConversationID}
}

// Cancel ends the turn early; the text so far is stored as interrupted.
func (t *Turn) Cancel(cause error) { t.cancel(cause) }

// Done is closed when the turn has ended and is stored.
func (t *Turn) Done() <-chan struct{} { return t.done }

// isRefusedByNow reports whether the first transaction has ended and left nothing to answer.
func (t *Turn) isRefusedByNow() bool {
	select {
	case <-t.beginDone:
		return t.isRefused
	default:
		return false
	}
}

func (t *Turn) isFinished() bool { return t.eventLog.isClosed() }

// isAbandoned reports whether the turn had readers and all of them have left.
func (t *Turn) isAbandoned() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.hasBeenRead && t.readerCount == 0
}

// noReaders returns a channel that is closed once all present readers have left.
func (t *Turn) noReaders() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.readersGone
}

// Reader returns a reader of the turn that begins with its first event and must be closed. A turn whose readers have
// all left before its end counts as abandoned, and a new message in its conversation cancels it.
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
	unnotify  func() // ends Notify; nil without it
}

// Close stops reading; the turn goes on.
func (r *Reader) Close() {
	if r.closed {
		return
	}
	r.closed = true
	if r.unnotify != nil {
		r.unnotify()
	}
	r.turn.mu.Lock()
	defer r.turn.mu.Unlock()
	if r.turn.readerCount--; r.turn.readerCount == 0 {
		close(r.turn.readersGone)
		if r.turn.request.endsWithReader() {
			r.turn.Cancel(errClientGone)
		}
	}
}

// Notify calls wake with every event from now on, until the reader is closed. Wake must not wait. It is called once at
// most.
func (r *Reader) Notify(wake func()) { r.unnotify = r.turn.eventLog.notify(wake) }

// Next returns the events since the last call, waiting for the first of them. It fails with io.EOF after Finished and
// with ctx's error when ctx ends first; nothing is lost then, the next call goes on.
func (r *Reader) Next(ctx context.Context) ([]Event, error) {
	events, err := r.turn.eventLog.waitSince(ctx, r.nextEvent)
	r.nextEvent += len(events)
	return events, err
}

// WaitForText waits for the answer's first event. It fails with the turn's error when the turn failed without any text,
// and with ctx's error when ctx ends first.
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

// Wait reads the turn to its end, for a reply in one piece. It fails with the turn's error. When ctx ends first, the
// turn goes on, abandoned.
func (t *Turn) Wait(ctx context.Context) (*Finish, error) {
	r := t.Reader()
	defer r.Close()
	events, err := t.eventLog.waitForEnd(ctx)
	if err != nil {
		return nil, err
	}
	var failure error
	for _, e := range events {
		switch e.Kind {
		case Failed:
			failure = e.Err
		case Finished:
			return e.Finish, failure
		case Text, ToolCalled, ToolReturned, NextRound: // the stored answer holds it
		}
	}
	return nil, failure
}

// StandaloneTurn is a question with its history, apart from any conversation. Evaluation and replays use it to search
// and prompt as a turn does.
type StandaloneTurn struct {
	Agent    *parley.Agent
	Backend  model.Backend
	Question string
	History  []parley.Message // oldest first
	Channel  parley.Channel   // of the conversation; selects instructions
}

func (st StandaloneTurn) newTurn() *Turn {
	return &Turn{agent: st.Agent, backend: st.Backend, question: st.Question, history: st.History,
		request: Request{Channel: st.Channel}}
}

// Query returns the search that a turn would make.
func (st StandaloneTurn) Query() retrieval.Query { return st.newTurn().query() }

// Prompt returns the request that a turn would send to the model, with these passages.
func (st StandaloneTurn) Prompt(hits []retrieval.Hit) model.Request {
	t := st.newTurn()
	t.hits = hits
	return t.fitContext(t.prompt())
}

// MaxHistoryMessages is the most earlier messages that a turn loads.
const MaxHistoryMessages = maxHistoryMessages

// Redact returns an answer as it may be stored: without personal data where the agent masks it.
func (st StandaloneTurn) Redact(m parley.Message) parley.Message {
	return st.newTurn().redactMessage(m)
}
