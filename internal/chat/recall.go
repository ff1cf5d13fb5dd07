package chat

import (
	"context"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/store"
)

// remembered is how many earlier messages the model is shown.
const remembered = 20

// prepare waits for the conversation and recalls it. It reports whether the model may be asked before the first transaction
// has decided: a guess, which saves time when it is right and a little money when it is careful.
func (e *Engine) prepare(ctx context.Context, t *Turn, account parley.Account, plan parley.Plan) (early bool, err error) {
	paused := false
	if t.request.ConversationID != "" {
		if paused, err = e.await(ctx, t); err != nil {
			return false, err
		}
	}
	if err := e.recall(ctx, t); err != nil {
		return false, err
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
		if err := t.mayGoOn(c, err); err != nil {
			return false, err
		}
		open, err := e.DB.OpenTurn(ctx, t.AccountID, t.ConversationID)
		if err != nil || open == nil || !open.LeaseUntil.After(e.Now()) {
			return c.Paused, err
		}
		if e.Now().After(until) {
			return false, busy()
		}
		if err := e.DB.AskCancel(ctx, t.AccountID, open.ID, e.Now()); err != nil {
			return false, err
		}
		select {
		case <-time.After(200 * time.Millisecond): // its end cannot be awaited from here
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
}

// mayGoOn are the rules for a message that continues a conversation (interface 3.2, 4.3).
func (t *Turn) mayGoOn(c *parley.Conversation, err error) error {
	switch {
	case parley.IsCode(err, parley.CodeResourceNotFound):
		return parley.Fail(parley.CodeConversationGone)
	case err != nil:
		return err
	case c.Face == t.request.face() && c.Channel == parley.ChannelUnspecified && c.Status != parley.Ongoing: // a ticket's: people answer there
		return parley.Fail(parley.CodeNotOngoing)
	case c.Face != t.request.face(), c.Channel != t.request.Channel: // whoever listens there would not hear the answer
		return parley.Fail(parley.CodeConversationGone)
	case c.Status != parley.Ongoing:
		return parley.Fail(parley.CodeNotOngoing)
	}
	return nil
}

// recall reads what the conversation held before the message to answer.
func (e *Engine) recall(ctx context.Context, t *Turn) error {
	before := int64(0)
	switch {
	case t.request.Sent != nil:
		t.remember()
		return nil
	case t.request.ConversationID == "":
		return nil
	case t.request.Retry != "":
		user, err := e.DB.AnsweredBy(ctx, t.AccountID, t.AgentID, t.ConversationID, t.request.Retry)
		if err != nil {
			return err
		}
		t.question, t.UserMessageID, t.keep, before = user.Text(), user.ID, user.Seq, user.Seq
	case t.request.Continue:
		user, err := owed(ctx, e.DB, t)
		if err != nil {
			return err
		}
		t.question, t.UserMessageID = user.Text(), user.ID
	case t.request.repeats != "":
		user, err := unanswered(ctx, e.DB, t)
		if err != nil {
			return err
		}
		t.UserMessageID, before = user.ID, user.Seq
	case t.request.Instead != "":
		user, err := e.DB.AnsweredBy(ctx, t.AccountID, t.AgentID, t.ConversationID, t.request.Instead)
		if err != nil {
			return err
		}
		t.instead, before = user.Seq, user.Seq
	}
	var err error
	t.history, err = e.DB.Recall(ctx, t.AccountID, t.AgentID, t.ConversationID, before, remembered)
	return err
}

// owed makes sure that the newest message waits to be gone on with: the client has answered all of its calls. It gives the
// user's message that all this is about.
func owed(ctx context.Context, db *store.DB, t *Turn) (*parley.Message, error) {
	last, err := db.Recall(ctx, t.AccountID, t.AgentID, t.ConversationID, 0, 1)
	if err != nil {
		return nil, err
	}
	if len(last) == 0 || last[0].FinishReason != "tool-calls" {
		return nil, nothingToContinue("is required, unless the result of a tool call has just been sent")
	}
	for _, p := range last[0].Parts {
		if p.Type == "tool-call" && !slices.ContainsFunc(last[0].Parts, p.EndedBy) {
			return nil, nothingToContinue("is required: the call " + p.ToolCallID + " still waits for its result")
		}
	}
	return db.AnsweredBy(ctx, t.AccountID, t.AgentID, t.ConversationID, last[0].ID)
}

func nothingToContinue(why string) *parley.Error {
	fail := parley.Fail(parley.CodeInvalidBody)
	fail.Details = map[string]string{"message": why}
	return fail
}

// standing makes sure that what a retry answers has not been cut away meanwhile.
func standing(ctx context.Context, tx *store.DB, t *Turn) error {
	user, err := tx.AnsweredBy(ctx, t.AccountID, t.AgentID, t.ConversationID, t.request.Retry)
	if err == nil && user.ID != t.UserMessageID {
		err = parley.Fail(parley.CodeRetryNotFound)
	}
	return err
}

// look searches the agent's sources for the message.
func (e *Engine) look(t *Turn) {
	defer close(t.found)
	defer func() {
		if p := recover(); p != nil {
			t.lookErr = panicked(p)
		}
	}()
	ctx, stop := context.WithTimeout(t.ctx, time.Minute)
	defer stop()
	q := t.query()
	if t.wish == nil {
		q = e.restate(ctx, t, q)
	}
	t.asked = strings.Join(append(q.Earlier, q.Text), "\n")
	t.search = e.Questions.Aim(ctx, e.Library, t.agent, &q)
	t.hits, t.lookErr = e.Library.Nearest(ctx, t.AgentID, t.agent.PassageVersion, q)
}
