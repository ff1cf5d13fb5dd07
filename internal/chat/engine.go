// Package chat runs turns: one message of an end user and the agent's answer to it.
//
// A turn belongs to the server, not to a request. Start begins it in one transaction (message, turn, reserved credits);
// the turn's own goroutine calls the model and writes what happens to an event log that any number of readers follow; a
// second transaction stores the answer and settles the credits before the end is announced. A reader that disconnects
// loses nothing. When a server dies, the leases of its turns run out, and recovery closes them.
package chat

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"parley"
	"parley/internal/model"
	"parley/internal/retrieval"
	"parley/internal/store"
	"parley/internal/tracing"
)

// Engine runs the turns of this server. Set the exported fields, then call Start for each message while Run is running.
type Engine struct {
	DB      *store.DB
	Indexes *retrieval.Indexes
	Models  *model.Registry
	Tools   ToolsFunc // nil if agents can only talk
	Hub     *Hub      // wakes the followers of conversations; may be nil
	Now     func() time.Time
	Logger  *slog.Logger

	HandOver         HandOverFunc     // called when a customer plainly asks for a person; nil leaves that to the model
	HandoverObserver HandoverObserver // called for an answer that ends after a person has taken over; may be nil

	TurnObserver TurnObserver // may be nil

	QueryEmbedder *QueryEmbedder // computes the vectors of questions; nil if sources are searched by words alone

	Reranker *QueryReranker // orders what the search finds; nil leaves it in the order of the search

	Servers ModelServers // the accounts' own servers of models; nil if they have none

	Owner         string        // names this process in leases; unique per start
	MaxOpenTurns  int           // most open turns of an account; 0 means 200
	QueueTimeout  time.Duration // how long a message waits for its conversation's live turn; 0 means 30 s
	TurnTimeout   time.Duration // longest turn; 0 means 5 min
	LeaseDuration time.Duration // how long a dead server's turns stay open; 0 means 15 s
	// how often what a visitor has seen of an answer is stored while it is written; 0 means 1 s
	ProgressInterval time.Duration
	// how long a connected model may take to rewrite a follow-up for the search; 0 does not ask it
	RewriteTimeout time.Duration

	mu            sync.Mutex
	liveTurns     map[conversationKey]*Turn
	queues        map[conversationKey][]*Turn // waiting turns, oldest first
	liveCounts    map[parley.AccountID]int    // of liveTurns
	draining      bool
	pendingCloses []func() error // close turns that ended while the store was not available

	nextRewrite atomic.Int64 // when a model that rewrote too slowly may be asked again, in milliseconds
}

// conversationKey identifies a conversation, which has one live turn at a time. It includes the owner, so that no
// account can reach another's turn.
type conversationKey struct {
	account      parley.AccountID
	agent        parley.AgentID
	conversation parley.ConversationID
}

// ModelServers knows the servers of models that accounts have connected, beside those of the operator. It returns nil
// for an embedder or a reranker that an account has not.
type ModelServers interface {
	Backend(ctx context.Context, account parley.AccountID, name string) (model.Backend, bool, error)
	QueryEmbedder(ctx context.Context, account parley.AccountID) (*QueryEmbedder, error)
	QueryReranker(ctx context.Context, account parley.AccountID) (*QueryReranker, error)
}

// BackendOf returns what answers for an account's agents of a model name.
func (e *Engine) BackendOf(ctx context.Context, account parley.AccountID, name string) (model.Backend, bool, error) {
	if e.Servers != nil {
		return e.Servers.Backend(ctx, account, name)
	}
	back, ok := e.Models.Lookup(name)
	return back, ok, nil
}

// QueryEmbedderOf returns what computes the vectors of questions to an account's agents; nil if there is none.
func (e *Engine) QueryEmbedderOf(ctx context.Context, account parley.AccountID) *QueryEmbedder {
	if e.QueryEmbedder != nil || e.Servers == nil {
		return e.QueryEmbedder
	}
	qe, err := e.Servers.QueryEmbedder(ctx, account)
	if err != nil && ctx.Err() == nil {
		e.Logger.Warn("an account's embedding server is not known", "account", account, "err", err)
	}
	return qe
}

// QueryRerankerOf returns what orders the passages for an account's agents; nil if there is none.
func (e *Engine) QueryRerankerOf(ctx context.Context, account parley.AccountID) *QueryReranker {
	if e.Reranker != nil || e.Servers == nil {
		return e.Reranker
	}
	qr, err := e.Servers.QueryReranker(ctx, account)
	if err != nil && ctx.Err() == nil {
		e.Logger.Warn("an account's reranking server is not known", "account", account, "err", err)
	}
	return qr
}

// Request is one message of an end user. Retry and Continue ask for an answer without a new one; both need a
// conversation.
type Request struct {
	Message        string
	Retry          parley.MessageID      // answers again: this user message, or the one before this answer
	Continue       bool                  // continues with the results that the client has sent for its tool calls
	UserID         parley.EndUserID      // set on a new conversation only, ignored otherwise
	ConversationID parley.ConversationID // empty for a new conversation
	Streamed       bool
	Channel        parley.Channel      // of a new conversation
	VisitorID      parley.VisitorID    // who asks in the widget; empty elsewhere
	Files          []parley.Attachment // that a visitor has uploaded to send with the message
	EmbedOrigin    string              // page where a new conversation begins; empty where that is not known
	EmbedTitle     string              // the title of that page
	EmbedLocale    string              // the language of that page
	ExternalID     string              // of a new conversation of a messenger, which no other one has; empty elsewhere
	UserData       string              // what the page says of its user, which nobody has verified; for the model alone

	ClientConversation *ClientConversation // of a client that stores the conversation itself; ConversationID is empty then
	Model              string              // overrides the agent's for this answer; empty for the agent's
	Temperature        *float64            // overrides the agent's; nil for the agent's
	Instructions       *string             // overrides the agent's; nil for the agent's
	AddedInstructions  string              // of the application, behind all of the agent's; may be empty
	ToolNames          []string            // the agent's only tools for this answer; nil for all of them
	ClientTools        []Tool              // of the client, besides the agent's; each runs at the client
	NormalizeNewlines  bool                // every line of the answer ends with \n alone, whatever the model writes
	StopsWithReader    bool                // the turn ends when its last reader leaves; what it has said by then is stored

	Voice *VoiceContext // of a voice session; nil for text
	// stored by an earlier, failed attempt at this request: it is answered, not stored again
	repeatedMessageID parley.MessageID
	ReplaceMessageID  parley.MessageID // replaces this user message and everything after it; needs a conversation
}

// Start begins a turn: when it returns without an error, the message is on disk and the answer is being generated.
//
// With Retry the conversation is cut at the message once the new answer is on disk; it fails with
// CHAT_RETRY_MESSAGE_NOT_FOUND or CHAT_RETRY_NO_USER_MESSAGE too. With Continue it fails with VALIDATION_INVALID_BODY
// if there is no result to continue with.
//
// It fails with AGENT_NOT_FOUND, CONVERSATION_NOT_FOUND, CHAT_CONVERSATION_NOT_ONGOING, CHAT_CONVERSATION_BUSY,
// CHAT_CREDITS_EXHAUSTED, CHAT_AGENT_CREDITS_EXHAUSTED, CHAT_MODEL_NOT_ALLOWED (of a model that is no longer
// configured), RATE_LIMIT_TOO_MANY_REQUESTS (too many open turns) or SERVICE_UNDER_MAINTENANCE (shutting down, or no
// database).
func (e *Engine) Start(ctx context.Context, caller parley.Caller, agent parley.AgentID, req Request) (*Turn, error) {
	if req.hasName() {
		return e.startNamed(ctx, caller, agent, req)
	}
	return e.start(ctx, caller, agent, req)
}

func (e *Engine) start(ctx context.Context, caller parley.Caller, agent parley.AgentID, req Request) (*Turn, error) {
	a, err := e.DB.AgentForTurn(ctx, caller.AgentRef(agent), e.Now())
	if err != nil {
		return nil, err
	}
	a = req.configuredAgent(a)
	if req, err = e.resolveRepeat(ctx, caller.AgentRef(agent), req); err != nil {
		return nil, err
	}
	back, ok, err := e.BackendOf(ctx, caller.Account.ID, a.Model)
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, parley.NewErrorf(parley.CodeModelNotAllowed,
			"The agent's model, %q, is not one that this server offers any more. Give the agent another.", a.Model)
	}
	t := e.newTurn(ctx, caller.Account.ID, a, back, req)
	t.idempotencyKey = store.IdempotencyKey(ctx)
	if req.ConversationID == "" {
		t.ConversationID, t.UserID = parley.ConversationID(parley.NewTimedUUID()), req.UserID
	} else if !parley.IsUUID(string(req.ConversationID)) {
		return nil, parley.NewError(parley.CodeConversationNotFound)
	}
	if err := e.claim(ctx, t); err != nil {
		return nil, err
	}
	if err := e.begin(ctx, t, caller); err != nil {
		e.release(t)
		return nil, err
	}
	if t.isRefused { // the conversation is paused: the message is stored and not answered
		e.release(t)
	}
	return t, nil
}

func (e *Engine) newTurn(ctx context.Context, account parley.AccountID, a *parley.Agent, back model.Backend,
	req Request) *Turn {
	t := &Turn{
		Turn: parley.Turn{
			ID: parley.TurnID(parley.NewTimedUUID()), AccountID: account, AgentID: a.ID, ConversationID: req.ConversationID,
			UserMessageID: parley.NewMessageID(), MessageID: parley.NewMessageID(), Owner: e.Owner, Reserved: back.Credits,
			VisitorID: req.VisitorID, Model: a.Model,
		},
		agent: a, backend: back, request: req, question: req.Message, engine: e,
		eventLog:    &eventLog{},
		beginQueued: make(chan struct{}), beginDone: make(chan struct{}), activated: make(chan struct{}),
		readersGone: make(chan struct{}), done: make(chan struct{}),
	}
	t.ctx, t.cancel = context.WithCancelCause(t.startSpan(ctx))
	if t.isPrepaid() {
		t.Reserved = 0
	}
	if req.isUnsaved() {
		t.UserMessageID = "" // nothing that is stored of the turn may refer to a message
	}
	return t
}

// startSpan begins the span of the turn, and returns a context that has it and nothing else of the request's: no
// request can end a turn.
func (t *Turn) startSpan(ctx context.Context) context.Context {
	above := tracing.WithSpan(context.Background(), tracing.FromContext(ctx))
	own, span := tracing.Start(above, tracing.OperationInvokeAgent, tracing.Internal,
		tracing.Attribute{Key: tracing.GenAIOperation, Value: tracing.OperationInvokeAgent},
		tracing.Attribute{Key: tracing.GenAIProvider, Value: t.backend.TracedProvider()},
		tracing.Attribute{Key: tracing.GenAIAgentID, Value: t.AgentID})
	t.span = span
	return own
}

// endSpan ends the span of the turn.
func (t *Turn) endSpan(state string) {
	t.span.Set(tracing.GenAIConversation, t.ConversationID)
	if state == store.TurnFailed {
		t.span.Fail(state)
	}
	t.span.End()
}

// Stop cancels the conversation's live turn on this server, if there is one. The text so far is stored as interrupted.
func (e *Engine) Stop(ref parley.ConversationRef) {
	if t := e.liveTurn(conversationKey{ref.Account, ref.Agent, ref.Conversation}); t != nil {
		t.Cancel(errTakenOver)
	}
}

// StopAgent cancels all live turns of an agent on this server.
func (e *Engine) StopAgent(ref parley.AgentRef) {
	for _, t := range e.listLiveTurns() {
		if t.AccountID == ref.Account && t.AgentID == ref.Agent {
			t.Cancel(errTakenOver)
		}
	}
}

func (e *Engine) maxOpenTurns() int { return cmp.Or(e.MaxOpenTurns, 200) }

func (e *Engine) leaseDuration() time.Duration { return cmp.Or(e.LeaseDuration, 15*time.Second) }

// Busy reports whether this server is generating an answer. Work that can wait lets it go first.
func (e *Engine) Busy() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.liveTurns) > 0
}

// TurnObserver is called for each turn that has ended, with its outcome (done, interrupted or failed), the time to its
// first text, 0 if there was none, and its total time. It must not block.
type TurnObserver func(outcome string, first, total time.Duration)

func (e *Engine) notifyObserver(t *Turn, a *answer, state string, now time.Time) {
	if e.TurnObserver == nil {
		return
	}
	var first time.Duration
	if !a.firstOutput.IsZero() {
		first = max(a.firstOutput.Sub(t.StartedAt), time.Nanosecond) // a clock may not have moved, or be set back
	}
	e.TurnObserver(state, first, now.Sub(t.StartedAt))
}

// LiveTurns returns the number of answers that this server is generating.
func (e *Engine) LiveTurns() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.liveTurns)
}
