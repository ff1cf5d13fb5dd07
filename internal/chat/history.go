package chat

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/model"
	"parley/internal/model/quote"
	"parley/internal/store"
)

// maxHistoryMessages is the most earlier messages that a model is given.
const maxHistoryMessages = 20

// loadConversation waits until the conversation is free and loads its history. It reports whether the model may be
// called before the first transaction has committed: a guess that saves time when it is right, and costs a model call
// when it is wrong.
func (e *Engine) loadConversation(ctx context.Context, t *Turn, caller parley.Caller) (early bool, err error) {
	paused := false
	if t.request.ConversationID != "" {
		if paused, err = e.awaitOpenTurn(ctx, t); err != nil {
			return false, err
		}
	}
	if err := e.loadHistory(ctx, t); err != nil {
		return false, err
	}
	if err := e.loadFileTexts(ctx, t); err != nil {
		return false, err
	}
	if paused || e.atTurnLimit(t.AccountID) || t.hasDailyLimit() {
		return false, nil
	}
	ofAccount, ofAgent := creditLimits(t, caller)
	if ofAccount == nil && ofAgent == nil {
		return true, nil
	}
	usedByAccount, usedByAgent, err := e.DB.CreditUsage(ctx, t.AccountID.AgentRef(t.AgentID), store.MonthOf(e.Now()))
	return withinLimit(usedByAccount+t.Reserved, ofAccount) && withinLimit(usedByAgent+t.Reserved, ofAgent), err
}

// hasDailyLimit reports whether the agent limits what its visitors use in a day.
func (t *Turn) hasDailyLimit() bool {
	limits := t.agent.WidgetLimits
	return t.VisitorID != "" && (limits.DailyCredits != nil || limits.DailyVisitorCredits != nil)
}

// awaitOpenTurn waits until the conversation that the message continues has no turn on another server, and reports
// whether it is paused.
func (e *Engine) awaitOpenTurn(ctx context.Context, t *Turn) (paused bool, err error) {
	ref, timeout := t.ConversationRef(), time.NewTimer(cmp.Or(e.QueueTimeout, 30*time.Second))
	defer timeout.Stop()
	for {
		c, err := e.DB.Conversation(ctx, ref)
		if err := t.checkConversation(c, err); err != nil {
			return false, err
		}
		open, err := e.DB.OpenTurn(ctx, ref)
		if err != nil || open == nil || !open.LeaseUntil.After(e.Now()) {
			return c.Paused, err
		}
		if err := e.DB.RequestTurnCancel(ctx, t.AccountID, open.ID, e.Now()); err != nil {
			return false, err
		}
		select {
		case <-time.After(200 * time.Millisecond): // the other server does not tell when it ends
		case <-timeout.C:
			return false, busyError()
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// checkConversation applies the rules for a message that continues a conversation.
func (t *Turn) checkConversation(c *parley.Conversation, err error) error {
	switch {
	case parley.IsCode(err, parley.CodeResourceNotFound):
		return parley.NewError(parley.CodeConversationNotFound)
	case err != nil:
		return err
	// of a ticket: people answer there
	case c.API == t.request.api() && c.Channel == parley.ChannelUnspecified && c.Status != parley.ConversationOngoing:
		return parley.NewError(parley.CodeNotOngoing)
	case c.API != t.request.api(), c.Channel != t.request.Channel: // whoever reads that channel would not get the answer
		return parley.NewError(parley.CodeConversationNotFound)
	case c.Status != parley.ConversationOngoing:
		return parley.NewError(parley.CodeNotOngoing)
	}
	return nil
}

// loadHistory loads the messages before the one to answer.
func (e *Engine) loadHistory(ctx context.Context, t *Turn) error {
	before := int64(0)
	switch {
	case t.request.ClientConversation != nil:
		t.loadSentHistory()
		return nil
	case t.request.ConversationID == "":
		return nil
	case t.request.Retry != "":
		user, err := e.DB.UserMessageAnsweredBy(ctx, t.AccountID.AgentRef(t.AgentID).ConversationRef(t.ConversationID),
			t.request.Retry)
		if err != nil {
			return err
		}
		t.question, t.UserMessageID, t.retrySeq, before = user.Text(), user.ID, user.Seq, user.Seq
		t.files = user.Files()
	case t.request.Continue:
		user, err := pendingToolCalls(ctx, e.DB, t)
		if err != nil {
			return err
		}
		t.question, t.UserMessageID = user.Text(), user.ID
	case t.request.repeatedMessageID != "":
		user, err := repeatedMessage(ctx, e.DB, t)
		if err != nil {
			return err
		}
		t.UserMessageID, before = user.ID, user.Seq
	case t.request.ReplaceMessageID != "":
		user, err := e.DB.UserMessageAnsweredBy(ctx, t.AccountID.AgentRef(t.AgentID).ConversationRef(t.ConversationID),
			t.request.ReplaceMessageID)
		if err != nil {
			return err
		}
		t.replacedSeq, before = user.Seq, user.Seq
	}
	var err error
	t.history, err = e.DB.RecentMessages(ctx, t.AccountID.AgentRef(t.AgentID).ConversationRef(t.ConversationID), before,
		maxHistoryMessages)
	return err
}

// pendingToolCalls checks that the newest message can be continued: the client has sent the results of all of its
// calls. It returns the user's message that is being answered.
func pendingToolCalls(ctx context.Context, db *store.DB, t *Turn) (*parley.Message, error) {
	last, err := db.RecentMessages(ctx, t.AccountID.AgentRef(t.AgentID).ConversationRef(t.ConversationID), 0, 1)
	if err != nil {
		return nil, err
	}
	if len(last) == 0 || last[0].FinishReason != "tool-calls" {
		return nil, parley.Invalid("message", "is required, unless the result of a tool call has just been sent")
	}
	for _, p := range last[0].Parts {
		if p.Type == "tool-call" && !slices.ContainsFunc(last[0].Parts, p.IsAnsweredBy) {
			return nil, parley.Invalid("message", "is required: the call "+p.ToolCallID+" still waits for its result")
		}
	}
	return db.UserMessageAnsweredBy(ctx, t.AccountID.AgentRef(t.AgentID).ConversationRef(t.ConversationID), last[0].ID)
}

// checkRetryTarget checks that the message of a retry has not been removed meanwhile.
func checkRetryTarget(ctx context.Context, tx *store.DB, t *Turn) error {
	user, err := tx.UserMessageAnsweredBy(ctx, t.AccountID.AgentRef(t.AgentID).ConversationRef(t.ConversationID),
		t.request.Retry)
	if err == nil && user.ID != t.UserMessageID {
		err = parley.NewError(parley.CodeRetryNotFound)
	}
	return err
}

// maxOverviewPassages is how many passages the built-in model gets to say what the sources are about.
const maxOverviewPassages = 8

// offersTopics reports whether the message asks nothing of the sources, so that the built-in model says what they are
// about. Where a Q&A was found, that may be what answers it.
func (t *Turn) offersTopics() bool {
	return t.backend.Label == model.BuiltinName && t.handoverWish == nil && quote.IsOpening(t.question) &&
		(len(t.hits) == 0 || !t.hits[0].Passage.IsQnA)
}

// retrieve searches the agent's sources for the message.
func (e *Engine) retrieve(t *Turn) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicError(p)
		}
	}()
	ctx, stop := context.WithTimeout(t.ctx, time.Minute)
	defer stop()
	q := t.query()
	if t.handoverWish == nil {
		q = e.rewriteQuery(ctx, t, q)
	}
	t.searchText = strings.Join(append(q.Earlier, q.Text), "\n")
	t.searchMethod = e.QueryEmbedderOf(ctx, t.AccountID).EmbedQuery(ctx, e.Indexes, t.agent, &q)
	var reranker *QueryReranker
	if t.handoverWish == nil {
		reranker = e.QueryRerankerOf(ctx, t.AccountID)
	}
	t.hits, t.rerankTrace, err = reranker.Nearest(ctx, e.Indexes, t.agent, q)
	if err == nil && t.offersTopics() {
		t.hits, err = e.Indexes.Overview(ctx, t.agent.ID, t.agent.PassageVersion, maxOverviewPassages)
	}
	t.foundPassages = tracePassages(t.hits)
	return err
}
