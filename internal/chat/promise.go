package chat

import (
	"context"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// promise writes the first transaction. Meanwhile the sources are searched and, where nothing speaks against it, the model is
// already being asked: what it says is shown to nobody before the transaction is on disk, and dropped when it fails.
func (e *Engine) promise(ctx context.Context, t *Turn, account parley.Account, plan parley.Plan) error {
	early, err := e.prepare(ctx, t, account, plan)
	if err != nil {
		return err
	}
	t.wish = e.wished(t)
	go e.look(t)
	if early {
		go e.run(t)
	}
	if err = e.begin(ctx, t, account, plan); err != nil || t.finished() {
		t.refused = true
		t.cancel(errRefused)
	}
	close(t.promised)
	if !early && !t.refused {
		go e.run(t)
	}
	return err
}

// begin is the first transaction: the conversation is found or made, the message kept, the credits reserved, the turn open.
func (e *Engine) begin(ctx context.Context, t *Turn, account parley.Account, plan parley.Plan) error {
	now := e.Now()
	t.StartedAt, t.LeaseUntil = now, now.Add(e.lease())
	if t.request.named() {
		t.sent = t.sentMessages()
	}
	var user parley.EndUserID
	var paused bool
	err := e.DB.Transact(ctx, sqldb.Turns, func(tx *store.DB) error {
		c, events, err := e.say(ctx, tx, t)
		if err != nil {
			return err
		}
		if user, paused = c.UserID, c.Paused; paused {
			return e.only(ctx, tx, t, events)
		}
		if err := tx.AgentSpoke(ctx, t.AccountID, t.AgentID, now); err != nil {
			return err
		}
		if err := reserve(ctx, tx, t, account, plan); err != nil {
			return err
		}
		if err := tx.Did(ctx, "turn:"+string(t.ID)); err != nil {
			return err
		}
		open, err := tx.CreateTurn(ctx, &t.Turn, events...)
		if err == nil && open > e.openTurns() {
			err = e.tooManyOpen()
		}
		return err
	})
	if err != nil {
		return err
	}
	e.Hub.Wake(t.ConversationID)
	if t.UserID = user; paused {
		t.log.only(Event{Kind: Finished, Finish: &Finish{Reason: "stop"}})
	}
	return nil
}

// only keeps what was said in a conversation that is paused: nobody answers (decision 8).
func (e *Engine) only(ctx context.Context, tx *store.DB, t *Turn, events []store.Event) error {
	if err := tx.AgentSpoke(ctx, t.AccountID, t.AgentID, t.StartedAt); err != nil {
		return err
	}
	if err := tx.Did(ctx, "paused:"+string(t.UserMessageID)+" "+string(t.MessageID)); err != nil || len(events) == 0 {
		return err
	}
	return tx.Record(ctx, t.AccountID, t.StartedAt, events...)
}

// say writes the user's message into its conversation, which is found or made. A turn that brings no new message makes sure
// that there still is what it answers.
func (e *Engine) say(ctx context.Context, tx *store.DB, t *Turn) (*parley.Conversation, []store.Event, error) {
	switch {
	case t.request.unsaved():
		return &parley.Conversation{UserID: t.request.UserID}, nil, nil
	case t.request.ConversationID == "":
		return e.openConversation(ctx, tx, t)
	}
	c, err := tx.LockConversation(ctx, t.AccountID, t.AgentID, t.ConversationID)
	if err := t.mayGoOn(c, err); err != nil {
		return nil, nil, err
	}
	if err := e.noneOpen(ctx, tx, t); err != nil {
		return nil, nil, err
	}
	switch {
	case t.request.Retry != "":
		return c, nil, standing(ctx, tx, t)
	case t.request.Continue:
		_, err := owed(ctx, tx, t) // the question is known since prepare
		return c, nil, err
	case t.request.repeats != "":
		_, err := unanswered(ctx, tx, t)
		return c, nil, err
	}
	if t.mayWait() {
		if err := tx.IgnoreCalls(ctx, t.AccountID, t.AgentID, t.ConversationID, t.StartedAt); err != nil {
			return nil, nil, err
		}
	}
	if t.instead > 0 {
		if err := tx.Supersede(ctx, t.AccountID, t.AgentID, t.ConversationID, t.instead-1, t.StartedAt); err != nil {
			return nil, nil, err
		}
	}
	said := []store.Event{t.event("message.created", t.UserMessageID)}
	if t.request.Sent != nil {
		return c, said, e.overwrite(ctx, tx, t, c)
	}
	return c, said, tx.AddMessage(ctx, t.AccountID, t.AgentID, t.words(), nil)
}

// openConversation begins a conversation with the user's message, or with all that the client says was said.
func (e *Engine) openConversation(ctx context.Context, tx *store.DB, t *Turn) (*parley.Conversation, []store.Event, error) {
	c := parley.Conversation{ID: t.ConversationID, AccountID: t.AccountID, AgentID: t.AgentID, Face: t.request.face(), Channel: t.request.Channel,
		UserID: t.request.UserID, Status: parley.Ongoing, CreatedAt: t.StartedAt, UpdatedAt: t.StartedAt}
	rows := []*parley.Message{t.words()}
	if t.request.Sent != nil {
		c.ExternalID, rows = t.request.Sent.Name, t.sent
	}
	err := tx.CreateConversation(ctx, &c, rows[0], t.request.Streamed)
	if err == nil {
		err = addAll(ctx, tx, t, rows[1:])
	}
	return &c, []store.Event{t.event("conversation.created", parley.MessageID(c.ID)), t.event("message.created", t.UserMessageID)}, err
}

// mayWait reports whether the conversation may hold calls that wait for the client.
func (t *Turn) mayWait() bool {
	n := len(t.history)
	return t.agent.Tools > 0 || n > 0 && t.history[n-1].FinishReason == "tool-calls"
}

// words is the user's message as it is stored.
func (t *Turn) words() *parley.Message {
	return &parley.Message{ID: t.UserMessageID, ConversationID: t.ConversationID, Author: parley.ByUser, State: parley.MessageComplete,
		TurnID: t.ID, Parts: []parley.Part{{Type: "text", Text: t.keepable(t.question)}}, CreatedAt: t.StartedAt}
}

// noneOpen makes sure that the conversation has no open turn; one whose lease has run out is closed here.
func (e *Engine) noneOpen(ctx context.Context, tx *store.DB, t *Turn) error {
	open, err := tx.OpenTurn(ctx, t.AccountID, t.ConversationID)
	if err != nil || open == nil {
		return err
	}
	if open.LeaseUntil.After(t.StartedAt) {
		return busy() // another server was quicker
	}
	return closeLost(ctx, tx, open, t.StartedAt)
}

// reserve sets the answer's credits aside (decision 13).
func reserve(ctx context.Context, tx *store.DB, t *Turn, account parley.Account, plan parley.Plan) error {
	ofAccount, ofAgent, err := tx.Reserve(ctx, t.AccountID, t.AgentID, store.MonthOf(t.StartedAt), t.Reserved)
	if err != nil || t.prepaid() {
		return err
	}
	limitOfAccount, limitOfAgent := limits(t, account, plan)
	switch {
	case !within(ofAccount, limitOfAccount):
		return parley.Fail(parley.CodeCreditsExhausted)
	case !within(ofAgent, limitOfAgent):
		return parley.Fail(parley.CodeAgentCredits)
	}
	return nil
}

// prepaid reports that the minutes of a talk pay for the answer.
func (t *Turn) prepaid() bool { return t.request.Spoken != nil && t.request.Spoken.Paid }

// limits are the most credits the account and the agent may use in a month; nil is no limit.
func limits(t *Turn, account parley.Account, plan parley.Plan) (ofAccount, ofAgent *parley.Credits) {
	if limit := t.agent.CreditLimit; limit != nil {
		whole := parley.Credits(*limit) * parley.Credit
		ofAgent = &whole
	}
	if account.Credits != nil {
		return account.Credits, ofAgent
	}
	return plan.CreditsPerMonth, ofAgent
}

func within(sum parley.Credits, limit *parley.Credits) bool { return limit == nil || sum <= *limit }

func (t *Turn) event(kind string, subject parley.MessageID) store.Event {
	return store.Event{Kind: kind, AgentID: t.AgentID, ConversationID: t.ConversationID, Subject: string(subject)}
}

func (e *Engine) tooManyOpen() *parley.Error {
	fail := parley.Failf(parley.CodeTooManyRequests, "Too many answers of this account are in the making. Try again shortly.")
	fail.RetryAfter, fail.Limit = time.Second, e.openTurns()
	return fail
}
