package chat

import (
	"context"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// remembered is how many earlier messages the model is shown.
const remembered = 20

// promise writes the first transaction. Meanwhile the sources are searched and, where nothing speaks against it, the model is
// already being asked: what it says is shown to nobody before the transaction is on disk, and dropped when it fails.
func (e *Engine) promise(ctx context.Context, t *Turn, account parley.Account, plan parley.Plan) error {
	early, err := e.prepare(ctx, t, account, plan)
	if err != nil {
		return err
	}
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

// prepare waits for the conversation and recalls it. It reports whether the model may be asked before the first transaction
// has decided: a guess, which saves time when it is right and a little money when it is careful.
func (e *Engine) prepare(ctx context.Context, t *Turn, account parley.Account, plan parley.Plan) (early bool, err error) {
	paused := false
	if t.request.ConversationID != "" {
		if paused, err = e.await(ctx, t); err != nil {
			return false, err
		}
		if t.history, err = e.DB.Recall(ctx, t.AccountID, t.AgentID, t.ConversationID, remembered); err != nil {
			return false, err
		}
	}
	if paused || e.crowded(t.AccountID) {
		return false, nil
	}
	ofAccount, ofAgent := limits(t, account, plan)
	if ofAccount == nil && ofAgent == nil {
		return true, nil
	}
	usedByAccount, usedByAgent, err := e.DB.Usage(ctx, t.AccountID, t.AgentID, store.MonthOf(e.Now()))
	return within(usedByAccount+t.Reserved, ofAccount) && within(usedByAgent+t.Reserved, ofAgent), err
}

// await waits until the conversation that the message continues has no turn on another server, and reports whether it is
// paused.
func (e *Engine) await(ctx context.Context, t *Turn) (paused bool, err error) {
	until := e.Now().Add(orDefault(e.Patience, 30*time.Second))
	for {
		c, err := e.DB.Conversation(ctx, t.AccountID, t.AgentID, t.ConversationID)
		if err := mayGoOn(c, err); err != nil {
			return false, err
		}
		open, err := e.DB.OpenTurn(ctx, t.AccountID, t.ConversationID)
		if err != nil || open == nil || !open.LeaseUntil.After(e.Now()) {
			return c.Paused, err
		}
		if e.Now().After(until) {
			return false, busy()
		}
		select {
		case <-time.After(200 * time.Millisecond): // its end cannot be awaited from here
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// mayGoOn are the rules for a message that continues a conversation (interface 3.2, 4.3).
func mayGoOn(c *parley.Conversation, err error) error {
	switch {
	case parley.IsCode(err, parley.CodeResourceNotFound):
		return parley.Fail(parley.CodeConversationGone)
	case err != nil:
		return err
	case c.Face != parley.FaceV2:
		return parley.Fail(parley.CodeConversationGone)
	case c.Status != parley.Ongoing:
		return parley.Fail(parley.CodeNotOngoing)
	}
	return nil
}

// begin is the first transaction: the conversation is found or made, the message kept, the credits reserved, the turn open.
func (e *Engine) begin(ctx context.Context, t *Turn, account parley.Account, plan parley.Plan) error {
	now := e.Now()
	t.StartedAt, t.LeaseUntil = now, now.Add(e.lease())
	var user parley.EndUserID
	var paused bool
	err := e.DB.Transact(ctx, sqldb.Turns, func(tx *store.DB) error {
		c, events, err := e.say(ctx, tx, t)
		if err != nil {
			return err
		}
		user, paused = c.UserID, c.Paused
		if err := tx.AgentSpoke(ctx, t.AccountID, t.AgentID, now); err != nil {
			return err
		}
		if paused {
			return tx.Record(ctx, t.AccountID, now, events...)
		}
		if err := reserve(ctx, tx, t, account, plan); err != nil {
			return err
		}
		open, err := tx.CreateTurn(ctx, &t.Turn, events...)
		if err == nil && open > e.openTurns() {
			err = tooManyOpen()
		}
		return err
	})
	if err != nil {
		return err
	}
	if t.UserID = user; paused {
		t.log.only(Event{Kind: Finished, Finish: &Finish{Reason: "stop"}})
	}
	return nil
}

// say writes the user's message into its conversation, which is found or made.
func (e *Engine) say(ctx context.Context, tx *store.DB, t *Turn) (*parley.Conversation, []store.Event, error) {
	message := parley.Message{ID: t.UserMessageID, ConversationID: t.ConversationID, Author: parley.ByUser, State: parley.MessageComplete,
		TurnID: t.ID, Parts: []parley.Part{{Type: "text", Text: t.request.Message}}, CreatedAt: t.StartedAt}
	said := t.event("message.created", t.UserMessageID)
	if t.request.ConversationID == "" {
		c := parley.Conversation{ID: t.ConversationID, AccountID: t.AccountID, AgentID: t.AgentID, Face: parley.FaceV2, Channel: t.request.Channel,
			UserID: t.request.UserID, Status: parley.Ongoing, CreatedAt: t.StartedAt, UpdatedAt: t.StartedAt}
		err := tx.CreateConversation(ctx, &c, &message, t.request.Streamed)
		return &c, []store.Event{t.event("conversation.created", parley.MessageID(c.ID)), said}, err
	}
	c, err := tx.LockConversation(ctx, t.AccountID, t.AgentID, t.ConversationID)
	if err := mayGoOn(c, err); err != nil {
		return nil, nil, err
	}
	if err := e.noneOpen(ctx, tx, t); err != nil {
		return nil, nil, err
	}
	return c, []store.Event{said}, tx.AddMessage(ctx, t.AccountID, t.AgentID, &message, nil)
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
	if err != nil {
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

func tooManyOpen() *parley.Error {
	fail := parley.Failf(parley.CodeTooManyRequests, "Too many answers of this account are in the making. Try again shortly.")
	fail.RetryAfter = time.Second
	return fail
}
