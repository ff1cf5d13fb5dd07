package voice

import (
	"context"
	"errors"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// reserve is the first transaction of a session: the agent is held, the first minute set aside, the limits counted, a place on this
// server taken, the session written down. Its conversation is not there before its room is.
func (l *Live) reserve(ctx context.Context, tx *store.DB) error {
	if err := tx.LockAgent(ctx, l.AccountID, l.AgentID); err != nil {
		return err
	}
	ofAccount, ofAgent, err := tx.Reserve(ctx, l.AccountID, l.AgentID, store.MonthOf(l.CreatedAt), l.Price)
	if err != nil {
		return err
	}
	if err := l.afford(ofAccount, ofAgent, l.account.Credits, l.Agent.CreditLimit); err != nil {
		return err
	}
	if err := l.allow(ctx, tx); err != nil {
		return err
	}
	if err := l.patient(ctx, tx); err != nil {
		return err
	}
	if err := l.desk.takePlace(l); err != nil {
		return err
	}
	return tx.CreateVoice(ctx, &l.VoiceSession)
}

// begin is the second transaction: the conversation is there, and the session lives.
func (l *Live) begin(ctx context.Context, tx *store.DB) error {
	events := []store.Event{l.event("voice.started")}
	if l.goesOn {
		c, err := tx.LockConversation(ctx, l.AccountID, l.AgentID, l.ConversationID)
		if err := notThere(c, err); err != nil {
			return err
		}
		if c.Status != parley.Ongoing {
			return parley.Fail(parley.CodeNotOngoing)
		}
	} else {
		c := &parley.Conversation{ID: l.ConversationID, AccountID: l.AccountID, AgentID: l.AgentID, Face: parley.FaceV2, Channel: parley.ChannelAPI, UserID: l.UserID,
			Status: parley.Ongoing, CreatedAt: l.CreatedAt, UpdatedAt: l.CreatedAt}
		if err := tx.CreateVoiceConversation(ctx, c); err != nil {
			return err
		}
		events = append([]store.Event{{Kind: "conversation.created", AgentID: l.AgentID, ConversationID: l.ConversationID, Subject: string(l.ConversationID)}}, events...)
	}
	if err := tx.BeginVoice(ctx, &l.VoiceSession); err != nil {
		return err
	}
	if err := tx.Did(ctx, "voice:"+string(l.ID)); err != nil {
		return err
	}
	return tx.Record(ctx, l.AccountID, l.CreatedAt, events...)
}

func (l *Live) event(kind string) store.Event {
	return store.Event{Kind: kind, AgentID: l.AgentID, ConversationID: l.ConversationID, Subject: string(l.ID)}
}

// afford fails where what is used and set aside by now is more than there is. Where minutes cost nothing there must be something
// left all the same, for the answers.
func (l *Live) afford(ofAccount, ofAgent parley.Credits, own *parley.Credits, limit *int64) error {
	if own == nil {
		own = l.Plan.CreditsPerMonth
	}
	switch {
	case own != nil && !l.covers(*own, ofAccount):
		return parley.Fail(parley.CodeVoiceCredits)
	case limit != nil && !l.covers(parley.Credits(*limit)*parley.Credit, ofAgent):
		return parley.Fail(parley.CodeVoiceAgentCredits)
	}
	return nil
}

func (l *Live) covers(limit, sum parley.Credits) bool {
	return sum < limit || l.Price > 0 && sum == limit
}

// pay sets aside the minutes that have begun since the last one; where there is no credit left the session ends with the minute that
// was paid for.
func (d *Desk) pay(ctx context.Context, l *Live, now time.Time) error {
	for due := l.due(now); l.granted() < due; {
		err := d.another(ctx, l)
		switch {
		case errors.Is(err, store.ErrVoiceLost):
			l.lose()
			return nil
		case parley.IsCode(err, parley.CodeVoiceCredits), parley.IsCode(err, parley.CodeVoiceAgentCredits):
			l.End(parley.EndCredits)
			return nil
		case parley.IsCode(err, parley.CodeAgentNotFound):
			l.End(parley.EndOperator)
			return nil
		case err != nil:
			l.payLater(now.Add(askEvery))
			return err
		}
		l.grant()
	}
	return nil
}

// another sets the price of one more minute aside, within what account and agent have by now.
func (d *Desk) another(ctx context.Context, l *Live) error {
	account, err := d.DB.Account(ctx, l.AccountID)
	if err != nil {
		return err
	}
	agent, err := d.DB.AgentForTurn(ctx, l.AccountID, l.AgentID)
	if err != nil {
		return err
	}
	return d.DB.Transact(ctx, sqldb.Turns, func(tx *store.DB) error {
		ofAccount, ofAgent, err := tx.ReserveMinute(ctx, l.copy())
		if err != nil {
			return err
		}
		return l.afford(ofAccount, ofAgent, account.Credits, agent.CreditLimit)
	})
}
