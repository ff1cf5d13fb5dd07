package chat

import (
	"context"
	"sync"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// begin runs the first transaction. Meanwhile the sources are searched and, unless something speaks against it, the
// model is called: its output is shown to no reader before the transaction is on disk, and dropped when that fails.
func (e *Engine) begin(ctx context.Context, t *Turn, caller parley.Caller) error {
	early, err := e.loadConversation(ctx, t, caller)
	if err != nil {
		return err
	}
	t.handoverWish = e.detectHandoverWish(t)
	go e.runTurn(t, early)
	noteQueued := sync.OnceFunc(func() { close(t.beginQueued) })
	queued := func(d *sqldb.Deferral) {
		t.setDeferral(d)
		noteQueued()
	}
	if err = e.createTurn(ctx, t, caller, queued); err != nil || t.isFinished() {
		t.isRefused = true
		t.cancel(errNothingToAnswer)
	}
	close(t.beginDone)
	noteQueued()
	return err
}

// createTurn is the first transaction: it finds or creates the conversation, stores the message, reserves the credits
// and opens the turn. Of an answer in one piece nothing is shown before the second transaction is on disk: the first
// runs while the model is busy, and where that is fast, one commit stores both, or one transaction the whole turn.
func (e *Engine) createTurn(ctx context.Context, t *Turn, caller parley.Caller, queued func(*sqldb.Deferral)) error {
	now := e.Now()
	t.StartedAt, t.LeaseUntil = now, now.Add(e.leaseDuration())
	if t.request.hasName() {
		t.sentRows = t.buildSentMessages()
	}
	var user parley.EndUserID
	var paused bool
	create := func(tx *store.DB) error {
		if o := t.startTransaction(); o != nil {
			var err error
			user, paused, err = e.storeAnswered(ctx, tx, t, caller, o)
			return err
		}
		c, events, err := e.storeUserMessage(ctx, tx, t)
		if err != nil {
			return err
		}
		if t.request.repeatedMessageID == "" { // else they were sent with it
			err := tx.SendVisitorFiles(ctx, t.ConversationRef(), t.UserMessageID, t.request.Files)
			if err := checkSent(err); err != nil {
				return err
			}
		}
		if user, paused = c.UserID, c.Paused; paused {
			return e.storeUnanswered(ctx, tx, t, events)
		}
		if err := tx.QueueTouchAgent(ctx, t.AccountID.AgentRef(t.AgentID), now); err != nil {
			return err
		}
		if err := reserveCredits(ctx, tx, t, caller); err != nil {
			return err
		}
		if err := reserveForVisitor(ctx, tx, t); err != nil {
			return err
		}
		if err := tx.CompleteClaim(ctx, "turn:"+string(t.ID)); err != nil {
			return err
		}
		open, err := tx.CreateTurn(ctx, &t.Turn, events...)
		if err == nil && open > e.maxOpenTurns() {
			err = e.tooManyOpenError()
		}
		return err
	}
	var err error
	if t.isReadAsItGrows() {
		err = e.DB.Transact(ctx, sqldb.Interactive, create)
	} else {
		err = e.DB.TransactDeferred(ctx, sqldb.Interactive, queued, create)
	}
	if err != nil {
		return err
	}
	e.Hub.Wake(t.ConversationID)
	if t.UserID = user; paused {
		t.eventLog.replaceWith(Event{Kind: Finished, Finish: &Finish{Reason: "stop"}})
	}
	return nil
}

// isReadAsItGrows reports whether the answer is shown, or spoken, before it is whole.
func (t *Turn) isReadAsItGrows() bool { return t.request.Streamed || t.request.Voice != nil }

// storeUnanswered completes the transaction of a message to a paused conversation, which is stored and not answered.
func (e *Engine) storeUnanswered(ctx context.Context, tx *store.DB, t *Turn, events []store.NewEvent) error {
	if err := tx.TouchAgent(ctx, t.AccountID.AgentRef(t.AgentID), t.StartedAt); err != nil {
		return err
	}
	if err := tx.CompleteClaim(ctx, "paused:"+string(t.UserMessageID)+" "+string(t.MessageID)); err != nil ||
		len(events) == 0 {
		return err
	}
	return tx.RecordEvents(ctx, t.AccountID, t.StartedAt, events...)
}

// storeUserMessage stores the user's message in its conversation, which it finds or creates. For a turn without a new
// message it checks that the message to answer still exists.
func (e *Engine) storeUserMessage(ctx context.Context, tx *store.DB,
	t *Turn) (*parley.Conversation, []store.NewEvent, error) {
	switch {
	case t.request.isUnsaved():
		return &parley.Conversation{UserID: t.request.UserID}, nil, nil
	case t.request.ConversationID == "":
		return e.createConversation(ctx, tx, t)
	}
	c, open, err := tx.LockConversationAndTurn(ctx, t.AccountID.AgentRef(t.AgentID).ConversationRef(t.ConversationID))
	if err := t.checkConversation(c, err); err != nil {
		return nil, nil, err
	}
	if err := ensureNoOpenTurn(ctx, tx, t, open); err != nil {
		return nil, nil, err
	}
	switch {
	case t.request.Retry != "":
		return c, nil, checkRetryTarget(ctx, tx, t)
	case t.request.Continue:
		_, err := pendingToolCalls(ctx, tx, t) // loadHistory has set the question
		return c, nil, err
	case t.request.repeatedMessageID != "":
		_, err := repeatedMessage(ctx, tx, t)
		return c, nil, err
	}
	if t.mayHavePendingCalls() {
		if err := tx.IgnorePendingToolCalls(ctx, t.AccountID.AgentRef(t.AgentID).ConversationRef(t.ConversationID),
			t.StartedAt); err != nil {
			return nil, nil, err
		}
	}
	if t.replacedSeq > 0 {
		if err := tx.SupersedeMessages(ctx, t.AccountID.AgentRef(t.AgentID).ConversationRef(t.ConversationID),
			t.replacedSeq-1, t.StartedAt); err != nil {
			return nil, nil, err
		}
	}
	events := []store.NewEvent{t.newEvent(parley.EventMessageCreated, t.UserMessageID)}
	if t.request.ClientConversation != nil {
		return c, events, e.overwriteConversation(ctx, tx, t, c)
	}
	return c, events, tx.AddMessage(ctx, t.AccountID.AgentRef(t.AgentID), t.userMessage(), nil)
}

// createConversation creates a conversation with the user's message, or with all messages that the client has sent.
func (e *Engine) createConversation(ctx context.Context, tx *store.DB,
	t *Turn) (*parley.Conversation, []store.NewEvent, error) {
	c := t.newConversation()
	rows := []*parley.Message{t.userMessage()}
	if t.request.ClientConversation != nil {
		c.ExternalID, rows = t.request.ClientConversation.Name, t.sentRows
	}
	err := tx.CreateConversation(ctx, &c, rows[0], t.request.Streamed)
	if err == nil {
		err = addMessages(ctx, tx, t, rows[1:])
	}
	return &c, []store.NewEvent{t.newEvent(parley.EventConversationCreated, parley.MessageID(c.ID)),
		t.newEvent(parley.EventMessageCreated, t.UserMessageID)}, err
}

// newConversation returns the conversation that the turn begins.
func (t *Turn) newConversation() parley.Conversation {
	return parley.Conversation{ID: t.ConversationID, AccountID: t.AccountID, AgentID: t.AgentID, API: t.request.api(),
		Channel: t.request.Channel, UserID: t.request.UserID, Status: parley.ConversationOngoing,
		VisitorID: t.request.VisitorID, EmbedOrigin: t.request.EmbedOrigin, EmbedTitle: t.request.EmbedTitle,
		EmbedLocale: t.request.EmbedLocale, ExternalID: t.request.ExternalID,
		CreatedAt: t.StartedAt, UpdatedAt: t.StartedAt}
}

// mayHavePendingCalls reports whether the conversation may have tool calls that wait for the client.
func (t *Turn) mayHavePendingCalls() bool {
	n := len(t.history)
	return t.agent.Tools > 0 || n > 0 && t.history[n-1].FinishReason == "tool-calls"
}

// userMessage returns the user's message as it is stored.
func (t *Turn) userMessage() *parley.Message {
	return &parley.Message{ID: t.UserMessageID, ConversationID: t.ConversationID, Author: parley.AuthorUser,
		State:  parley.MessageComplete,
		TurnID: t.ID, Parts: append([]parley.Part{{Type: "text", Text: t.redactText(t.question)}},
			parley.FileParts(t.request.Files)...), CreatedAt: t.StartedAt}
}

// ensureNoOpenTurn fails where the conversation has an open turn; it closes one whose lease has run out.
func ensureNoOpenTurn(ctx context.Context, tx *store.DB, t *Turn, open *parley.Turn) error {
	if open == nil {
		return nil
	}
	if open.LeaseUntil.After(t.StartedAt) {
		return busyError() // another server was faster
	}
	return closeLostTurns(ctx, tx, []parley.Turn{*open}, t.StartedAt)
}

// reserveCredits reserves the credits of the answer.
func reserveCredits(ctx context.Context, tx *store.DB, t *Turn, caller parley.Caller) error {
	return tx.QueueReservation(ctx, t.AccountID.AgentRef(t.AgentID), store.MonthOf(t.StartedAt), t.Reserved,
		t.creditCheck(caller))
}

// maxOpenVisitorTurns is the most answers that are written for one visitor at a time.
const maxOpenVisitorTurns = 5

// reserveForVisitor reserves the credits of an answer in the widget, within the limits that the agent has for a day and
// for a visitor. Fails with CHAT_AGENT_CREDITS_EXHAUSTED, or with RATE_LIMIT_TOO_MANY_REQUESTS for what is the
// visitor's.
func reserveForVisitor(ctx context.Context, tx *store.DB, t *Turn) error {
	if t.VisitorID == "" {
		return nil
	}
	limits, day := t.agent.WidgetLimits, store.VisitorDayOf(t.AgentRef(), t.VisitorID, t.StartedAt)
	err := tx.QueueVisitorReservation(ctx, day, t.Reserved, func(ofAll parley.Credits) error {
		return limits.CheckAll(ofAll, t.StartedAt, parley.CodeAgentCredits)
	})
	if err == nil && limits.DailyVisitorCredits != nil {
		err = tx.QueueVisitorCheck(ctx, day, func(ofVisitor parley.Credits) error {
			return limits.CheckVisitor(ofVisitor, t.StartedAt)
		})
	}
	if err != nil {
		return err
	}
	open, err := tx.OpenTurnsOfVisitor(ctx, t.AgentRef(), t.VisitorID)
	if err != nil || open < maxOpenVisitorTurns {
		return err
	}
	fail := parley.NewErrorf(parley.CodeTooManyRequests, "Other answers for you are still being written.")
	fail.RetryAfter, fail.Limit = time.Second, maxOpenVisitorTurns
	return fail
}

// wholeCredits returns a limit in whole credits; nil for none.
func wholeCredits(limit *int64) *parley.Credits {
	if limit == nil {
		return nil
	}
	whole := parley.Credits(*limit) * parley.Credit
	return &whole
}

// creditCheck returns the check of what the account and the agent have used and reserved, this turn included.
func (t *Turn) creditCheck(caller parley.Caller) func(ofAccount, ofAgent parley.Credits) error {
	limitOfAccount, limitOfAgent := creditLimits(t, caller)
	return func(ofAccount, ofAgent parley.Credits) error {
		switch {
		case t.isPrepaid():
			return nil
		case !withinLimit(ofAccount, limitOfAccount):
			return parley.NewError(parley.CodeCreditsExhausted)
		case !withinLimit(ofAgent, limitOfAgent):
			return parley.NewError(parley.CodeAgentCredits)
		}
		return nil
	}
}

// isPrepaid reports whether the minutes of a voice session pay for the answer.
func (t *Turn) isPrepaid() bool { return t.request.Voice != nil && t.request.Voice.Prepaid }

// creditLimits returns the most credits that the account and the agent may use in a month; nil is no limit.
func creditLimits(t *Turn, caller parley.Caller) (ofAccount, ofAgent *parley.Credits) {
	ofAgent = wholeCredits(t.agent.CreditLimit)
	if caller.Account.Credits != nil {
		return caller.Account.Credits, ofAgent
	}
	return caller.Plan.CreditsPerMonth, ofAgent
}

func withinLimit(sum parley.Credits, limit *parley.Credits) bool {
	return limit == nil || sum <= *limit
}

func (t *Turn) newEvent(kind parley.EventKind, subject parley.MessageID) store.NewEvent {
	return store.NewEvent{Kind: kind, AgentID: t.AgentID, ConversationID: t.ConversationID, Subject: string(subject)}
}

func (e *Engine) tooManyOpenError() *parley.Error {
	fail := parley.NewErrorf(parley.CodeTooManyRequests,
		"Too many answers of this account are in the making. Try again shortly.")
	fail.RetryAfter, fail.Limit = time.Second, e.maxOpenTurns()
	return fail
}
