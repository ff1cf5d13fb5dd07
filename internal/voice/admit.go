package voice

import (
	"context"
	"errors"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// SessionRequest is what a client asks of a new session (docs/interface/voice.md#create).
type SessionRequest struct {
	ContinueConversation bool                  // the session goes on with ConversationID
	ConversationID       parley.ConversationID // whatever the client has sent
	UserID               parley.EndUserID      // empty where none was given
	Timezone             string                // IANA name; empty for UTC
}

// AdmittedSession is a session that was admitted.
type AdmittedSession struct {
	parley.VoiceSession
	Token string // with which the customer's browser joins
}

// openTimeout is how long the making of a room may take.
const openTimeout = 25 * time.Second

// Start admits a session and makes its room. What the client has sent was checked for its form.
//
// It fails with AGENT_NOT_FOUND, CONVERSATION_NOT_FOUND, VOICE_NOT_AVAILABLE, CONVERSATION_USER_MISMATCH,
// CHAT_CONVERSATION_NOT_ONGOING, INSUFFICIENT_CREDITS, AGENT_CREDITS_LIMIT_REACHED, VOICE_LIMIT_EXCEEDED (with details.reason: the
// agent's limits, then how many sessions of the account may wait), SERVICE_UNDER_MAINTENANCE (this server has no
// power left, as details.reason tells), VOICE_LIMIT_EXCEEDED (this server's limit) or SESSION_CREATION_FAILED (the
// room could not be made), in this order; with SERVICE_UNDER_MAINTENANCE before all of them where the server is
// stopping, and wherever the database is gone. Nothing is left of a session that fails.
func (d *Sessions) Start(ctx context.Context, account parley.Account, plan parley.Plan, agent parley.AgentID, req SessionRequest) (*AdmittedSession, error) {
	admitted, err := d.admit(ctx, account, plan, agent, req)
	d.Observer.notifyAdmission(err)
	return admitted, err
}

func (d *Sessions) admit(ctx context.Context, account parley.Account, plan parley.Plan, agent parley.AgentID, req SessionRequest) (*AdmittedSession, error) {
	if err := d.beginAdmission(); err != nil {
		return nil, err
	}
	defer d.work.Done()
	l, err := d.prepareSession(ctx, account, plan, agent, req)
	if err != nil {
		return nil, err
	}
	token, err := "", d.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error { return l.reserve(ctx, tx) })
	if err == nil {
		token, err = d.openRoom(ctx, l)
	}
	if err != nil {
		d.releaseSlot(l)
		return nil, err
	}
	return &AdmittedSession{l.VoiceSession, token}, nil
}

// prepareSession finds what the session is about and makes it, in memory.
func (d *Sessions) prepareSession(ctx context.Context, account parley.Account, plan parley.Plan, agent parley.AgentID, req SessionRequest) (*Session, error) {
	a, err := d.DB.Agent(ctx, account.ID, agent, d.Now())
	if err != nil {
		return nil, err
	}
	l := d.newSession(account, plan, a)
	l.continuesConversation = req.ContinueConversation
	if req.ContinueConversation {
		c, err := d.findConversation(ctx, l, req.ConversationID)
		if err != nil {
			return nil, err
		}
		if err := d.checkAvailable(l); err != nil {
			return nil, err
		}
		if req.UserID != "" && req.UserID != c.UserID {
			return nil, parley.NewError(parley.CodeUserMismatch)
		}
		if c.Status != parley.ConversationOngoing {
			return nil, parley.NewError(parley.CodeNotOngoing)
		}
		l.ConversationID, l.UserID = c.ID, c.UserID
	} else {
		if err := d.checkAvailable(l); err != nil {
			return nil, err
		}
		l.ConversationID, l.UserID = parley.ConversationID(parley.NewTimedUUID()), req.UserID
	}
	l.UserID, l.Timezone = orDefault(l.UserID, parley.EndUserID(parley.NewUUID())), orDefault(req.Timezone, "UTC")
	return l, nil
}

// findConversation finds the conversation to go on with. Whatever cannot be gone on with is not there
// (docs/interface/chat.md#continuing-a-conversation).
func (d *Sessions) findConversation(ctx context.Context, l *Session, id parley.ConversationID) (*parley.Conversation, error) {
	if !parley.IsUUID(string(id)) {
		return nil, parley.NewError(parley.CodeConversationNotFound)
	}
	c, err := d.DB.Conversation(ctx, l.AccountID, l.AgentID, id)
	return c, conversationNotFound(c, err)
}

func conversationNotFound(c *parley.Conversation, err error) error {
	switch {
	case parley.IsCode(err, parley.CodeResourceNotFound):
		return parley.NewError(parley.CodeConversationNotFound)
	case err != nil:
		return err
	case c.API != parley.APIV2, c.Channel != parley.ChannelAPI: // as chat: whoever listens there would not hear the answer
		return parley.NewError(parley.CodeConversationNotFound)
	}
	return nil
}

// checkAvailable reads the agent's voice settings, where there is voice at all.
func (d *Sessions) checkAvailable(l *Session) error {
	settings, err := l.Agent.VoiceSettings()
	switch {
	case err != nil:
		return err
	case !l.Plan.Voice:
		return parley.NewErrorf(parley.CodeVoiceNotAvailable, "Voice is not part of the %s plan.", l.Plan.Name)
	case settings == nil:
		return parley.NewErrorf(parley.CodeVoiceNotAvailable, "The agent has voice mode turned off: its voiceSettings are null.")
	case d.Rooms == nil:
		return parley.NewErrorf(parley.CodeVoiceNotAvailable, "This server has no voice.")
	}
	l.Settings, l.MaxDuration = settings, settings.MaxDuration()
	return nil
}

// openRoom makes the room and then writes the session down as living; where either fails, both are undone.
func (d *Sessions) openRoom(ctx context.Context, l *Session) (token string, err error) {
	openCtx, stop := context.WithTimeout(ctx, openTimeout)
	defer stop()
	token, err = d.Rooms.Open(openCtx, &l.VoiceSession)
	if err != nil {
		d.undoAdmission(ctx, l)
		return "", parley.WrapError(parley.CodeSessionFailed, err)
	}
	err = d.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error { return l.activate(ctx, tx) })
	if err == nil {
		d.addActive(l)
		return token, nil
	}
	d.undoAdmission(ctx, l)
	if errors.Is(err, store.ErrVoiceLost) {
		err = parley.WrapError(parley.CodeSessionFailed, err)
	}
	return "", err
}

// undoAdmission takes back what was made of a session, although the client may have gone. What cannot be undone now, the end of the lease
// undoes.
func (d *Sessions) undoAdmission(ctx context.Context, l *Session) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer stop()
	err := d.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		_, err := tx.DeleteOpeningVoice(ctx, l.copySession())
		return err
	})
	if err = errors.Join(err, d.Rooms.Close(ctx, &l.VoiceSession, parley.EndError)); err != nil {
		d.logger().Warn("undo a voice session", "session", l.ID, "err", err)
	}
}

// Why a server takes no further session, whatever the agent's limits are.
var (
	errTooManySessions = errors.New("voice: this server holds as many sessions as it may")
	errOverloaded      = errors.New("voice: this server has no power left for a further session")
)

// acquireSlot lets a session in that this server has room for. It keeps its place until it is held, or leaves it; to ask again changes
// nothing.
func (d *Sessions) acquireSlot(l *Session) error {
	if l.hasSlot {
		return nil
	}
	if d.IsOverloaded != nil && d.IsOverloaded() {
		return newOverloadedError()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.MaxSessions > 0 && len(d.active)+d.openingCount >= d.MaxSessions {
		fail := newExceededError(d.MaxSessions, reasonConcurrent, busyRetryAfter)
		fail.Err = errTooManySessions
		return fail
	}
	d.openingCount++
	l.hasSlot = true
	return nil
}

// releaseSlot is for a session that is not held.
func (d *Sessions) releaseSlot(l *Session) {
	if !l.hasSlot {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.openingCount--
}

// newOverloadedError is what a server without power for a further session answers. It is no limit: nobody has asked for too much.
func newOverloadedError() error {
	fail := parley.NewErrorf(parley.CodeUnderMaintenance, "This server has no power left for another voice session. Try again shortly.")
	fail.Details, fail.RetryAfter, fail.Err = map[string]string{"reason": reasonOverloaded}, busyRetryAfter, errOverloaded
	return fail
}
