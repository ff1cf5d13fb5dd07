// Package chat runs turns: one message of an end user and the agent's answer to it.
//
// A turn belongs to the server, not to a request. Start promises it in one transaction (message, turn, reserved credits);
// the turn's own goroutine asks the model and writes what happens to an event log that any number of readers follow; a
// second transaction stores the answer and settles the credits before the end is announced. A reader that goes away loses
// nothing, and a server that dies leaves a turn whose lease runs out, which recovery closes.
package chat

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"parley"
	"parley/internal/model"
	"parley/internal/retrieval"
	"parley/internal/store"
)

// Engine runs the turns of this server. Fill the exported fields, then call Run beside Start.
type Engine struct {
	DB      *store.DB
	Indexes *retrieval.Indexes
	Models  *model.Registry
	Tools   ToolsFunc // nil where agents can only talk
	Hub     *Hub      // of those who follow conversations; may be nil
	Now     func() time.Time
	Logger  *slog.Logger

	HandOver         HandOverFunc     // does what a customer's plain wish for a person asks for; nil leaves it to the model
	HandoverObserver HandoverObserver // hears of an answer that ends when a person has taken over already; may be nil

	TurnObserver TurnObserver // may be nil

	QueryEmbedder *QueryEmbedder // gives questions their vectors; nil where sources are searched by words alone

	Owner          string        // names this process in leases; unique per start
	MaxOpenTurns   int           // most open turns of an account; 0 means 200
	QueueTimeout   time.Duration // how long a message waits for its conversation's live turn; 0 means 30 s
	TurnTimeout    time.Duration // longest turn; 0 means 5 min
	LeaseDuration  time.Duration // how long a dead server's turns stay open; 0 means 15 s
	RewriteTimeout time.Duration // how long a connected model may take to put a follow-up into words to search for; 0 does not ask it

	mu            sync.Mutex
	liveTurns     map[conversationKey]*Turn
	queues        map[conversationKey][]*Turn // those that wait, the first one first
	liveCounts    map[parley.AccountID]int    // of live
	draining      bool
	pendingCloses []func() error // close turns that have ended and could not be closed in the store

	nextRewrite atomic.Int64 // when a model that was too late to rewrite a question may be asked again, in milliseconds
}

// conversationKey is where turns may not interleave. It names the owner, so that nobody can reach another's turn.
type conversationKey struct {
	account      parley.AccountID
	agent        parley.AgentID
	conversation parley.ConversationID
}

// Request is one message of an end user. Retry and Continue ask for an answer without a new one; both need a conversation.
type Request struct {
	Message        string
	Retry          parley.MessageID      // answers the user's message again that this is, or that comes before it
	Continue       bool                  // goes on with the results that the client has sent for its tool calls
	UserID         parley.EndUserID      // set on a new conversation only, ignored otherwise
	ConversationID parley.ConversationID // empty for a new conversation
	Streamed       bool
	Channel        parley.Channel // of a new conversation

	ClientConversation *ClientConversation // of a client that keeps the conversation itself; ConversationID stays empty then
	Model              string              // answers in place of the agent's, this once; empty for the agent's
	Temperature        *float64            // in place of the agent's; nil for the agent's
	NormalizeNewlines  bool                // every line of the answer ends with \n alone, whatever the model writes

	Voice             *VoiceContext    // of a talk; nil where people write
	repeatedMessageID parley.MessageID // the user's message that this request has left before without an answer: it is answered, not kept again
	ReplaceMessageID  parley.MessageID // the user's message whose place this one takes, with all behind it; it needs a conversation
}

// Start promises a turn: when it returns without an error the message is on disk and the answer is being made.
//
// With Retry the conversation is cut at the message once the new answer is on disk; it fails with CHAT_RETRY_MESSAGE_NOT_FOUND or
// CHAT_RETRY_NO_USER_MESSAGE too. With Continue it fails with VALIDATION_INVALID_BODY where no result waits to be gone on with.
//
// It fails with AGENT_NOT_FOUND, CONVERSATION_NOT_FOUND, CHAT_CONVERSATION_NOT_ONGOING, CHAT_CONVERSATION_BUSY,
// CHAT_CREDITS_EXHAUSTED, CHAT_AGENT_CREDITS_EXHAUSTED, CHAT_MODEL_NOT_ALLOWED (of a model that the configuration has lost),
// RATE_LIMIT_TOO_MANY_REQUESTS (too many open turns) or SERVICE_UNDER_MAINTENANCE (shutting down, or no database).
func (e *Engine) Start(ctx context.Context, account parley.Account, plan parley.Plan, agent parley.AgentID, req Request) (*Turn, error) {
	if req.hasName() {
		return e.startNamed(ctx, account, plan, agent, req)
	}
	return e.start(ctx, account, plan, agent, req)
}

func (e *Engine) start(ctx context.Context, account parley.Account, plan parley.Plan, agent parley.AgentID, req Request) (*Turn, error) {
	a, err := e.DB.AgentForTurn(ctx, account.ID, agent)
	if err != nil {
		return nil, err
	}
	a = req.configuredAgent(a)
	if req, err = e.resolveRepeat(ctx, account.ID, agent, req); err != nil {
		return nil, err
	}
	back, ok := e.Models.Lookup(a.Model)
	if !ok {
		return nil, parley.NewErrorf(parley.CodeModelNotAllowed, "The agent's model, %q, is not one that this server offers any more. Give the agent another.", a.Model)
	}
	t := e.newTurn(account.ID, a, back, req)
	t.idempotencyKey = store.IdempotencyKey(ctx)
	if req.ConversationID == "" {
		t.ConversationID, t.UserID = parley.ConversationID(parley.NewTimedUUID()), req.UserID
	} else if !parley.IsUUID(string(req.ConversationID)) {
		return nil, parley.NewError(parley.CodeConversationNotFound)
	}
	if err := e.claim(ctx, t); err != nil {
		return nil, err
	}
	if err := e.begin(ctx, t, account, plan); err != nil {
		e.release(t)
		return nil, err
	}
	if t.isRefused { // the conversation is paused: the message is kept, nobody answers
		e.release(t)
	}
	return t, nil
}

func (e *Engine) newTurn(account parley.AccountID, a *parley.Agent, back model.Backend, req Request) *Turn {
	t := &Turn{
		Turn: parley.Turn{
			ID: parley.TurnID(parley.NewTimedUUID()), AccountID: account, AgentID: a.ID, ConversationID: req.ConversationID,
			UserMessageID: parley.NewMessageID(), MessageID: parley.NewMessageID(), Owner: e.Owner, Reserved: back.Credits,
		},
		agent: a, backend: back, request: req, question: req.Message, engine: e,
		eventLog: &eventLog{}, retrievalDone: make(chan struct{}), beginDone: make(chan struct{}), activated: make(chan struct{}), readersGone: make(chan struct{}), done: make(chan struct{}),
	}
	t.ctx, t.cancel = context.WithCancelCause(context.Background())
	if t.isPrepaid() {
		t.Reserved = 0
	}
	if req.isUnsaved() {
		t.UserMessageID = "" // nothing that is kept of the turn may point at words
	}
	return t
}

// Stop cancels the live turn of a conversation, if this server makes one: what was said so far is stored as interrupted.
func (e *Engine) Stop(account parley.AccountID, agent parley.AgentID, conversation parley.ConversationID) {
	if t := e.liveTurn(conversationKey{account, agent, conversation}); t != nil {
		t.Cancel(errTakenOver)
	}
}

// StopAgent cancels every live turn of an agent that this server makes.
func (e *Engine) StopAgent(account parley.AccountID, agent parley.AgentID) {
	for _, t := range e.listLiveTurns() {
		if t.AccountID == account && t.AgentID == agent {
			t.Cancel(errTakenOver)
		}
	}
}

func (e *Engine) maxOpenTurns() int { return orDefault(e.MaxOpenTurns, 200) }

func (e *Engine) leaseDuration() time.Duration { return orDefault(e.LeaseDuration, 15*time.Second) }

func orDefault[T comparable](v, byDefault T) T {
	var zero T
	if v == zero {
		return byDefault
	}
	return v
}
