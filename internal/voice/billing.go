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
func (s *Session) reserve(ctx context.Context, tx *store.DB) error {
	if err := tx.LockAgent(ctx, s.AgentRef()); err != nil {
		return err
	}
	ofAccount, ofAgent, err := tx.ReserveCredits(ctx, s.AgentRef(), store.MonthOf(s.CreatedAt), s.PricePerMinute)
	if err != nil {
		return err
	}
	if err := s.checkCredits(ofAccount, ofAgent, s.Caller.Account.Credits, s.Agent.CreditLimit); err != nil {
		return err
	}
	if err := s.reserveForVisitor(ctx, tx, s.Agent.WidgetLimits); err != nil {
		return err
	}
	for _, check := range []func(context.Context, *store.DB) error{s.checkLimits, s.checkUnjoined} {
		if err := check(ctx, tx); err != nil {
			return err
		}
	}
	if err := s.sessions.acquireSlot(s); err != nil {
		return err
	}
	return tx.CreateVoice(ctx, &s.VoiceSession)
}

// activate is the second transaction: it creates the conversation, or locks it, and stores the session as open.
func (s *Session) activate(ctx context.Context, tx *store.DB) error {
	events := []store.NewEvent{s.newEvent(parley.EventVoiceStarted)}
	if s.request.ContinueConversation {
		c, err := tx.LockConversation(ctx, s.ConversationRef())
		if err := s.checkFound(c, err); err != nil {
			return err
		}
		if err := checkOngoing(c); err != nil {
			return err
		}
	} else {
		if err := tx.CreateVoiceConversation(ctx, s.newConversation()); err != nil {
			return err
		}
		events = append([]store.NewEvent{{Kind: parley.EventConversationCreated, AgentID: s.AgentID,
			ConversationID: s.ConversationID, Subject: string(s.ConversationID)}}, events...)
	}
	if err := tx.StartVoice(ctx, &s.VoiceSession); err != nil {
		return err
	}
	if err := tx.CompleteClaim(ctx, "voice:"+string(s.ID)); err != nil {
		return err
	}
	return tx.RecordEvents(ctx, s.AccountID, s.CreatedAt, events...)
}

// newConversation returns the conversation that the session begins.
func (s *Session) newConversation() *parley.Conversation {
	c := &parley.Conversation{ID: s.ConversationID, AccountID: s.AccountID, AgentID: s.AgentID, API: parley.APIV2,
		Channel: parley.ChannelAPI, UserID: s.UserID,
		Status: parley.ConversationOngoing, CreatedAt: s.CreatedAt, UpdatedAt: s.CreatedAt}
	if v := s.request.Visitor; v != nil {
		c.Channel, c.UserID, c.VisitorID, c.EmbedOrigin = s.request.Channel, v.UserID, v.ID, s.request.EmbedOrigin
	}
	return c
}

func (s *Session) newEvent(kind parley.EventKind) store.NewEvent {
	return store.NewEvent{Kind: kind, AgentID: s.AgentID, ConversationID: s.ConversationID, Subject: string(s.ID)}
}

// checkCredits fails if more is used and reserved than there is. If minutes cost nothing, some credit must be left all
// the same, for the answers.
func (s *Session) checkCredits(ofAccount, ofAgent parley.Credits, ofSession *parley.Credits, limit *int64) error {
	ofSession = cmp.Or(ofSession, s.Caller.Plan.CreditsPerMonth)
	switch {
	case ofSession != nil && !s.coversCredits(*ofSession, ofAccount):
		return parley.NewError(parley.CodeVoiceCredits)
	case limit != nil && !s.coversCredits(parley.Credits(*limit)*parley.Credit, ofAgent):
		return parley.NewError(parley.CodeVoiceAgentCredits)
	}
	return nil
}

func (s *Session) coversCredits(limit, sum parley.Credits) bool {
	return sum < limit || s.PricePerMinute > 0 && sum == limit
}

// reserveForVisitor reserves a minute within what the visitors of the agent, and this one, may use on the day on which
// the session began. If minutes cost nothing, something must be left all the same, for the answers. Fails with
// AGENT_CREDITS_LIMIT_REACHED, or with RATE_LIMIT_TOO_MANY_REQUESTS for what is the visitor's.
func (s *Session) reserveForVisitor(ctx context.Context, tx *store.DB, limits parley.WidgetLimits) error {
	if s.VisitorID == "" {
		return nil
	}
	needed, now := parley.Credits(0), s.sessions.Now()
	if s.PricePerMinute == 0 {
		needed = 1
	}
	day := store.VisitorDayOf(s.AgentRef(), s.VisitorID, s.CreatedAt)
	err := tx.QueueVisitorReservation(ctx, day, s.PricePerMinute, func(ofAll parley.Credits) error {
		return limits.CheckAll(ofAll+needed, now, parley.CodeVoiceAgentCredits)
	})
	if err != nil || limits.DailyVisitorCredits == nil {
		return err
	}
	return tx.QueueVisitorCheck(ctx, day, func(ofVisitor parley.Credits) error {
		return limits.CheckVisitor(ofVisitor+needed, now)
	})
}

// chargeMinutes reserves the minutes that have begun since the last one; if there is no credit left, the session ends
// with the minute that was paid for.
func (ss *Sessions) chargeMinutes(ctx context.Context, l *Session, now time.Time) error {
	for l.isMinuteDue(now) {
		err := ss.reserveMinute(ctx, l)
		switch {
		case errors.Is(err, store.ErrVoiceLost):
			l.endFromStore()
			return nil
		case parley.IsCode(err, parley.CodeVoiceCredits), parley.IsCode(err, parley.CodeVoiceAgentCredits),
			errors.Is(err, parley.ErrDailyLimit):
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
func (ss *Sessions) reserveMinute(ctx context.Context, l *Session) error {
	account, err := ss.DB.Account(ctx, l.AccountID)
	if err != nil {
		return err
	}
	agent, err := ss.DB.AgentForTurn(ctx, l.AgentRef(), ss.Now())
	if err != nil {
		return err
	}
	return ss.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		ofAccount, ofAgent, err := tx.ReserveVoiceMinute(ctx, l.copySession())
		if err != nil {
			return err
		}
		if err := l.checkCredits(ofAccount, ofAgent, account.Credits, agent.CreditLimit); err != nil {
			return err
		}
		return l.reserveForVisitor(ctx, tx, agent.WidgetLimits)
	})
}
