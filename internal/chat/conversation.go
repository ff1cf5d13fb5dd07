package chat

import (
	"context"
	"log/slog"
	"maps"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Conversations changes conversations apart from turns: take-over, pause, end, deletion, messages of people.
type Conversations struct {
	DB     *store.DB
	Queue  *jobs.Queue
	Hub    *Hub
	Now    func() time.Time
	Logger *slog.Logger
	// StopTurn cancels the live turn of a conversation on this server. Nil where no turns run.
	StopTurn         func(parley.ConversationRef)
	HandoverObserver HandoverObserver // may be nil
}

// HandoverObserver is called for what concerns the people who take conversations over, in the transaction that changes
// it.
type HandoverObserver interface {
	// MessageWritten is called for what a customer or a member of the team writes, and for the agent's last answer when a
	// person has taken over.
	MessageWritten(ctx context.Context, tx *store.DB, c *parley.Conversation, m *parley.Message) error
	// StatusChanged is called when the status of a conversation, which is locked, has changed.
	StatusChanged(ctx context.Context, tx *store.DB, c *parley.Conversation, from parley.ConversationStatus, by,
		reason string, now time.Time) error
	// Assigned is called when a conversation, which is locked, was given to a member, or to nobody, or a member has taken
	// it. Where that has changed its status, StatusChanged is called before.
	Assigned(ctx context.Context, tx *store.DB, c *parley.Conversation, by string, now time.Time) error
}

// statusChange changes a conversation. It returns the name of the event and what the event holds besides the status; an
// empty name means that there is nothing to change.
type statusChange func(c *parley.Conversation) (event parley.EventKind, facts map[string]string, err error)

// statusStep is a change with what belongs to it.
type statusStep struct {
	change statusChange
	effect string // completes the claim of the request's Idempotency-Key; empty for none

	// finish is called for a change that was saved, in its transaction. It may be nil.
	finish func(tx *store.DB, c *parley.Conversation, now time.Time) error
}

// changeStatus applies a change under the conversation's lock. Fails with RESOURCE_NOT_FOUND.
func (cs *Conversations) changeStatus(ctx context.Context, ref parley.ConversationRef,
	change statusChange) (*parley.Conversation, error) {
	return cs.takeStep(ctx, ref, statusStep{change: change})
}

// takeStep applies a step under the conversation's lock. Fails with RESOURCE_NOT_FOUND.
func (cs *Conversations) takeStep(ctx context.Context, ref parley.ConversationRef,
	step statusStep) (*parley.Conversation, error) {
	now := cs.Now()
	var moved *parley.Conversation
	err := cs.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		c, err := tx.LockConversation(ctx, ref)
		if err != nil {
			return err
		}
		from := c.Status
		event, facts, err := step.change(c)
		if err == nil && step.effect != "" {
			err = tx.CompleteClaim(ctx, step.effect)
		}
		if moved = c; err != nil || event == "" {
			return err
		}
		if err := cs.saveStatus(ctx, tx, c, from, facts, now); err != nil {
			return err
		}
		if step.finish != nil {
			if err := step.finish(tx, c, now); err != nil {
				return err
			}
		}
		tx.SQL().AfterCommit(func() { cs.Hub.Wake(ref.Conversation) })
		payload := map[string]string{"status": string(c.Status)}
		maps.Copy(payload, facts)
		return tx.RecordEvents(ctx, ref.Account, now, store.NewEvent{Kind: event, AgentID: ref.Agent,
			ConversationID: ref.Conversation, Subject: string(ref.Conversation), Payload: payload})
	})
	if err != nil {
		return nil, err
	}
	return moved, nil
}

// saveStatus saves a locked conversation whose status may have been another one before.
func (cs *Conversations) saveStatus(ctx context.Context, tx *store.DB, c *parley.Conversation,
	from parley.ConversationStatus, facts map[string]string, now time.Time) error {
	ended, by := int64(0), ""
	if c.Status == parley.ConversationEnded {
		ended, by = now.UnixMilli(), facts["by"]
	}
	if err := tx.SaveConversationStatus(ctx, c, ended, by); err != nil {
		return err
	}
	if cs.HandoverObserver == nil || c.Status == from {
		return nil
	}
	return cs.HandoverObserver.StatusChanged(ctx, tx, c, from, facts["by"], facts["reason"], now)
}

// Begin stores a new conversation with what its customer writes first, which the agent does not answer. Fails with
// AGENT_NOT_FOUND once the agent is deleted.
func (cs *Conversations) Begin(ctx context.Context, c parley.Conversation, text string) (*parley.Conversation, error) {
	now := cs.Now()
	c.ID, c.API, c.Status = parley.ConversationID(parley.NewUUID()), parley.APIV2, parley.ConversationOngoing
	c.CreatedAt, c.UpdatedAt = now, now
	first := parley.Message{ID: parley.NewMessageID(), ConversationID: c.ID, Author: parley.AuthorUser,
		State: parley.MessageComplete, CreatedAt: now}
	err := cs.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) (err error) {
		if first.Parts, err = redactedParts(ctx, tx, c.AgentRef(), text); err != nil {
			return err
		}
		if err := tx.CreateConversation(ctx, &c, &first, false); err != nil {
			return err
		}
		if err := tx.TouchAgent(ctx, c.AgentRef(), now); err != nil {
			return err
		}
		event := store.NewEvent{AgentID: c.AgentID, ConversationID: c.ID}
		created, added := event, event
		created.Kind, created.Subject = parley.EventConversationCreated, string(c.ID)
		added.Kind, added.Subject = parley.EventMessageCreated, string(first.ID)
		return tx.RecordEvents(ctx, c.AccountID, now, created, added)
	})
	if err != nil {
		return nil, err
	}
	return &c, nil
}

// Pause stops the agent from answering, or lets it answer again; what customers write meanwhile is stored. A running
// answer goes on to its end. Fails with RESOURCE_NOT_FOUND, and with CHAT_CONVERSATION_NOT_ONGOING unless it is
// ongoing.
func (cs *Conversations) Pause(ctx context.Context, ref parley.ConversationRef,
	paused bool) (*parley.Conversation, error) {
	return cs.changeStatus(ctx, ref, func(c *parley.Conversation) (parley.EventKind, map[string]string, error) {
		switch {
		case c.Status != parley.ConversationOngoing:
			return "", nil, parley.NewError(parley.CodeNotOngoing)
		case c.Paused == paused:
			return "", nil, nil
		}
		if c.Paused = paused; paused {
			return parley.EventConversationPaused, nil, nil
		}
		return parley.EventConversationResumed, nil, nil
	})
}

// TakeOver hands an ongoing conversation over to a person: to the member whose id by is, or to whoever comes first. Of
// one that is handed over already a member becomes the one who answers, and nothing else changes. The running answer is
// cancelled, unless keepAnswer is set: an answer that hands over has something left to say. Fails with
// RESOURCE_NOT_FOUND, with CONVERSATION_NOT_FOUND of one of the playground, in which no customer waits, and with
// CHAT_CONVERSATION_NOT_ONGOING of one that has ended.
func (cs *Conversations) TakeOver(ctx context.Context, ref parley.ConversationRef, by, reason string,
	keepAnswer bool) (*parley.Conversation, error) {
	c, err := cs.changeStatus(ctx, ref, func(c *parley.Conversation) (parley.EventKind, map[string]string, error) {
		return takeOver(c, by, reason)
	})
	if err == nil && !keepAnswer {
		err = cs.stopTurn(ctx, ref)
	}
	return c, err
}

// takeOver hands a conversation over, as TakeOver does.
func takeOver(c *parley.Conversation, by, reason string) (parley.EventKind, map[string]string, error) {
	if c.Channel == parley.ChannelPlayground {
		return "", nil, parley.NewError(parley.CodeConversationNotFound)
	}
	member := claim(by)
	switch c.Status {
	case parley.ConversationTakenOver:
		if member == "" || member == c.ClaimedBy {
			return "", nil, nil
		}
	case parley.ConversationEnded:
		return "", nil, parley.NewError(parley.CodeNotOngoing)
	case parley.ConversationOngoing:
	}
	c.Status, c.ClaimedBy = parley.ConversationTakenOver, member
	return parley.EventConversationTakenOver, map[string]string{"by": by, "reason": reason}, nil
}

// Claim is TakeOver by a member, unless another one answers who is not former: of two who claim at once the first has
// the conversation. Its ticket is theirs as well, whoever had it. Fails as TakeOver does, with CONVERSATION_CLAIMED,
// and with TEAM_MEMBER_NOT_FOUND of a member who has just left.
func (cs *Conversations) Claim(ctx context.Context, ref parley.ConversationRef,
	member, former parley.UserID) (*parley.Conversation, error) {
	effect := "claim:" + string(ref.Conversation)
	type payload = map[string]string
	change := func(c *parley.Conversation) (parley.EventKind, payload, error) {
		isFree := c.Status != parley.ConversationTakenOver || c.ClaimedBy == "" || c.ClaimedBy == member
		if !isFree && c.ClaimedBy != former {
			return "", nil, parley.NewError(parley.CodeClaimed)
		}
		return takeOver(c, string(member), "")
	}
	finish := func(tx *store.DB, c *parley.Conversation, now time.Time) error {
		if c.ClaimedBy == "" { // whose ticket it is says the help desk: the operator answers nobody
			return nil
		}
		return cs.assignTicket(ctx, tx, c, string(member), now)
	}
	c, err := cs.takeStep(ctx, ref, statusStep{change: change, effect: effect, finish: finish})
	if err == nil {
		err = cs.stopTurn(ctx, ref)
	}
	return c, err
}

// assignTicket has the ticket of a conversation follow who answers in it.
func (cs *Conversations) assignTicket(ctx context.Context, tx *store.DB, c *parley.Conversation, by string,
	now time.Time) error {
	if cs.HandoverObserver == nil {
		return nil
	}
	return cs.HandoverObserver.Assigned(ctx, tx, c, by, now)
}

// Assignment says which member is to have a conversation.
type Assignment struct {
	To     parley.UserID // empty: whoever comes first is to answer
	Former parley.UserID // who has it as far as is known; empty for nobody
	By     string        // the id of the member who assigns it, or "operator"
}

// Assign hands a conversation over to a member, or takes it from the one who has it: from then on the member answers,
// its ticket is theirs, and it is unread for them unless they have done it themselves. Of one that they have already
// nothing changes. Fails as TakeOver does, with CONVERSATION_CLAIMED where somebody else than the former member has it,
// and with TEAM_MEMBER_NOT_FOUND.
func (cs *Conversations) Assign(ctx context.Context, ref parley.ConversationRef,
	a Assignment) (*parley.Conversation, error) {
	step := statusStep{change: func(c *parley.Conversation) (parley.EventKind, map[string]string, error) {
		return assign(c, a)
	}, finish: func(tx *store.DB, c *parley.Conversation, now time.Time) error {
		return cs.finishAssignment(ctx, tx, c, a, now)
	}}
	c, err := cs.takeStep(ctx, ref, step)
	if err == nil {
		err = cs.stopTurn(ctx, ref)
	}
	return c, err
}

func assign(c *parley.Conversation, a Assignment) (parley.EventKind, map[string]string, error) {
	isTaken := c.Status == parley.ConversationTakenOver
	switch {
	case c.Channel == parley.ChannelPlayground:
		return "", nil, parley.NewError(parley.CodeConversationNotFound)
	case c.Status == parley.ConversationEnded:
		return "", nil, parley.NewError(parley.CodeNotOngoing)
	case isTaken && c.ClaimedBy == a.To:
		return "", nil, nil
	case isTaken && c.ClaimedBy != "" && c.ClaimedBy != a.Former:
		return "", nil, parley.NewError(parley.CodeClaimed)
	}
	c.Status, c.ClaimedBy = parley.ConversationTakenOver, a.To
	return parley.EventConversationTakenOver, map[string]string{"by": a.By, "assignedTo": string(a.To)}, nil
}

// finishAssignment keeps the member in the account until the transaction ends, and has them find the conversation.
func (cs *Conversations) finishAssignment(ctx context.Context, tx *store.DB, c *parley.Conversation, a Assignment,
	now time.Time) error {
	if a.To != "" {
		if _, err := tx.ShareLockMember(ctx, c.AccountID, a.To, parley.CodeMemberNotFound); err != nil {
			return err
		}
	}
	if err := cs.assignTicket(ctx, tx, c, a.By, now); err != nil {
		return err
	}
	if a.To == "" || string(a.To) == a.By {
		return nil
	}
	return tx.MarkUnread(ctx, c.Ref(), a.To, now)
}

// maxSnooze is how far ahead the time may be until which a conversation is put aside.
const maxSnooze = 366 * 24 * time.Hour

// Snooze puts a conversation that people have aside until a time; nil takes that back. What the customer writes takes
// it back as well, and so does another status, and whoever takes the conversation over. Fails with RESOURCE_NOT_FOUND,
// with CONVERSATION_NOT_TAKEN_OVER, and with VALIDATION_INVALID_BODY of a time that is not within a year.
func (cs *Conversations) Snooze(ctx context.Context, ref parley.ConversationRef, until *time.Time,
	by string) (*parley.Conversation, error) {
	now := cs.Now()
	if until != nil && (!until.After(now) || until.After(now.Add(maxSnooze))) {
		return nil, parley.Invalid("until", "must be a time within a year from now")
	}
	var changed *parley.Conversation
	err := cs.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		c, err := tx.LockConversation(ctx, ref)
		if err != nil {
			return err
		}
		if c.Status != parley.ConversationTakenOver {
			return parley.NewError(parley.CodeNotTakenOver)
		}
		if changed = c; until == nil {
			return cs.wake(ctx, tx, c, by)
		}
		c.SnoozedUntil = until
		if err := tx.SnoozeConversation(ctx, ref, *until); err != nil {
			return err
		}
		return tx.RecordEvents(ctx, ref.Account, now, snoozeEvent(parley.EventConversationSnoozed, c, by))
	})
	if err != nil {
		return nil, err
	}
	return changed, nil
}

func snoozeEvent(kind parley.EventKind, c *parley.Conversation, by string) store.NewEvent {
	return store.NewEvent{Kind: kind, Subject: string(c.ID), Payload: map[string]string{"by": by}}
}

// wake takes back that a locked conversation is put aside. Where it is not, nothing changes.
func (cs *Conversations) wake(ctx context.Context, tx *store.DB, c *parley.Conversation, by string) error {
	if c.SnoozedUntil == nil {
		return nil
	}
	c.SnoozedUntil = nil
	if err := tx.WakeConversation(ctx, c.Ref()); err != nil {
		return err
	}
	return tx.RecordEvents(ctx, c.AccountID, cs.Now(), snoozeEvent(parley.EventConversationWoken, c, by))
}

// wakeInterval is how often WakeDue runs.
const wakeInterval = 10 * time.Second

// RunWaker wakes conversations whose time has come, until ctx is done. Several servers may do so at once.
func (cs *Conversations) RunWaker(ctx context.Context) error {
	return jobs.RunEvery(ctx, wakeInterval, cs.Logger, "conversations that were put aside did not come back", cs.WakeDue)
}

// WakeDue brings back the conversations that were put aside until now or earlier. Each is unread for whoever has it.
func (cs *Conversations) WakeDue(ctx context.Context) error {
	return repeatBatches(func() (woken int64, err error) {
		due, err := cs.DB.DueConversations(ctx, cs.Now(), sweepBatchSize)
		for _, ref := range due {
			isWoken, err := cs.wakeDue(ctx, ref)
			if err != nil {
				return 0, err
			}
			if isWoken {
				woken++
			}
		}
		return woken, err
	})
}

// wakeDue brings a conversation back, unless somebody has changed that meanwhile.
func (cs *Conversations) wakeDue(ctx context.Context, ref parley.ConversationRef) (isWoken bool, err error) {
	err = cs.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		c, err := tx.LockConversation(ctx, ref)
		if err != nil {
			return err
		}
		if isWoken = c.SnoozedUntil != nil && !c.SnoozedUntil.After(cs.Now()); !isWoken {
			return nil
		}
		if c.ClaimedBy != "" {
			if err := tx.MarkUnread(ctx, ref, c.ClaimedBy, cs.Now()); err != nil {
				return err
			}
		}
		return cs.wake(ctx, tx, c, "system")
	})
	if parley.IsCode(err, parley.CodeResourceNotFound) { // it has just been deleted
		return false, nil
	}
	return isWoken, err
}

// HandBack returns a conversation to the agent. Fails with RESOURCE_NOT_FOUND, and with CONVERSATION_NOT_TAKEN_OVER.
func (cs *Conversations) HandBack(ctx context.Context, ref parley.ConversationRef,
	by string) (*parley.Conversation, error) {
	return cs.changeStatus(ctx, ref, func(c *parley.Conversation) (parley.EventKind, map[string]string, error) {
		if c.Status != parley.ConversationTakenOver {
			return "", nil, parley.NewError(parley.CodeNotTakenOver)
		}
		c.Status, c.ClaimedBy = parley.ConversationOngoing, ""
		return parley.EventConversationHandedBack, map[string]string{"by": by}, nil
	})
}

// End ends a conversation for good; the running answer is cancelled. Fails with RESOURCE_NOT_FOUND, and with
// CHAT_CONVERSATION_NOT_ONGOING when it has ended already.
func (cs *Conversations) End(ctx context.Context, ref parley.ConversationRef, by string) (*parley.Conversation, error) {
	c, err := cs.changeStatus(ctx, ref, func(c *parley.Conversation) (parley.EventKind, map[string]string, error) {
		if c.Status == parley.ConversationEnded {
			return "", nil, parley.NewError(parley.CodeNotOngoing)
		}
		c.Status, c.Paused, c.ClaimedBy = parley.ConversationEnded, false, ""
		return parley.EventConversationEnded, map[string]string{"by": by}, nil
	})
	if err == nil {
		err = cs.stopTurn(ctx, ref)
	}
	return c, err
}

// stopTurn cancels the running answer, on any server.
func (cs *Conversations) stopTurn(ctx context.Context, ref parley.ConversationRef) error {
	if cs.StopTurn != nil {
		cs.StopTurn(ref)
	}
	return cs.DB.RequestTurnStop(ctx, ref, cs.Now())
}

// StopAnswer cancels the conversation's running answer, on any server. The text so far is stored.
func (cs *Conversations) StopAnswer(ctx context.Context, ref parley.ConversationRef) error {
	return cs.stopTurn(ctx, ref)
}
