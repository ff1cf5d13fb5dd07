package voice

import (
	"cmp"
	"context"
	"errors"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// reserve is the first transaction of a session: it locks the agent, reserves the first minute, checks the limits,
// takes a slot of this server, and stores the session. The conversation is created only when the room exists.
func (l *Session) reserve(ctx context.Context, tx *store.DB) error {
	if err := tx.LockAgent(ctx, l.AgentRef()); err != nil {
		return err
	}
	ofAccount, ofAgent, err := tx.ReserveCredits(ctx, l.AgentRef(), store.MonthOf(l.CreatedAt), l.PricePerMinute)
	if err != nil {
		return err
	}
	if err := l.checkCredits(ofAccount, ofAgent, l.account.Credits, l.Agent.CreditLimit); err != nil {
		return err
	}
	for _, check := range []func(context.Context, *store.DB) error{l.checkLimits, l.checkUnjoined} {
		if err := check(ctx, tx); err != nil {
			return err
		}
	}
	if err := l.sessions.acquireSlot(l); err != nil {
		return err
	}
	return tx.CreateVoice(ctx, &l.VoiceSession)
}

// activate is the second transaction: it creates the conversation, or locks it, and stores the session as open.
func (l *Session) activate(ctx context.Context, tx *store.DB) error {
	events := []store.NewEvent{l.newEvent("voice.started")}
	if l.continuesConversation {
		c, err := tx.LockConversation(ctx, l.ConversationRef())
		if err := checkFound(c, err); err != nil {
			return err
		}
		if err := checkOngoing(c); err != nil {
			return err
		}
	} else {
		c := &parley.Conversation{ID: l.ConversationID, AccountID: l.AccountID, AgentID: l.AgentID, API: parley.APIV2,
			Channel: parley.ChannelAPI, UserID: l.UserID,
			Status: parley.ConversationOngoing, CreatedAt: l.CreatedAt, UpdatedAt: l.CreatedAt}
		if err := tx.CreateVoiceConversation(ctx, c); err != nil {
			return err
		}
		events = append([]store.NewEvent{{Kind: "conversation.created", AgentID: l.AgentID,
			ConversationID: l.ConversationID, Subject: string(l.ConversationID)}}, events...)
	}
	if err := tx.StartVoice(ctx, &l.VoiceSession); err != nil {
		return err
	}
	if err := tx.CompleteClaim(ctx, "voice:"+string(l.ID)); err != nil {
		return err
	}
	return tx.RecordEvents(ctx, l.AccountID, l.CreatedAt, events...)
}

func (l *Session) newEvent(kind string) store.NewEvent {
	return store.NewEvent{Kind: kind, AgentID: l.AgentID, ConversationID: l.ConversationID, Subject: string(l.ID)}
}

// checkCredits fails if more is used and reserved than there is. If minutes cost nothing, some credit must be left all
// the same, for the answers.
func (l *Session) checkCredits(ofAccount, ofAgent parley.Credits, own *parley.Credits, limit *int64) error {
	own = cmp.Or(own, l.Plan.CreditsPerMonth)
	switch {
	case own != nil && !l.coversCredits(*own, ofAccount):
		return parley.NewError(parley.CodeVoiceCredits)
	case limit != nil && !l.coversCredits(parley.Credits(*limit)*parley.Credit, ofAgent):
		return parley.NewError(parley.CodeVoiceAgentCredits)
	}
	return nil
}

func (l *Session) coversCredits(limit, sum parley.Credits) bool {
	return sum < limit || l.PricePerMinute > 0 && sum == limit
}

// chargeMinutes reserves the minutes that have begun since the last one; if there is no credit left, the session ends
// with the minute that was paid for.
func (d *Sessions) chargeMinutes(ctx context.Context, l *Session, now time.Time) error {
	for l.isMinuteDue(now) {
		err := d.reserveMinute(ctx, l)
		switch {
		case errors.Is(err, store.ErrVoiceLost):
			l.endFromStore()
			return nil
		case parley.IsCode(err, parley.CodeVoiceCredits), parley.IsCode(err, parley.CodeVoiceAgentCredits):
			l.End(parley.EndCredits)
			return nil
		case parley.IsCode(err, parley.CodeAgentNotFound):
			l.End(parley.EndOperator)
			return nil
		case err != nil:
			l.update(func() { l.nextChargeAt = now.Add(endPollInterval) }) // the database is not available
			return err
		}
		l.update(func() { l.reservedMinutes++ })
	}
	return nil
}

// reserveMinute reserves the price of one more minute, within the current credits of account and agent.
func (d *Sessions) reserveMinute(ctx context.Context, l *Session) error {
	account, err := d.DB.Account(ctx, l.AccountID)
	if err != nil {
		return err
	}
	agent, err := d.DB.AgentForTurn(ctx, l.AgentRef())
	if err != nil {
		return err
	}
	return d.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		ofAccount, ofAgent, err := tx.ReserveVoiceMinute(ctx, l.copySession())
		if err != nil {
			return err
		}
		return l.checkCredits(ofAccount, ofAgent, account.Credits, agent.CreditLimit)
	})
}
