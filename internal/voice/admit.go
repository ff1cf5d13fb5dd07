package voice

import (
	"cmp"
	"context"
	"errors"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/voice/rtc"
)

// SessionRequest is a client's request for a session (docs/interface/voice.md#create).
type SessionRequest struct {
	ContinueConversation bool                  // the session continues ConversationID
	ConversationID       parley.ConversationID // as the client sent it
	UserID               parley.EndUserID      // empty if none was given
	Timezone             string                // IANA name; empty for UTC
	// who asks in the widget, and nothing elsewhere; a conversation to continue is known to be theirs
	Visitor     *parley.Visitor
	Channel     parley.Channel // of a visitor's new conversation
	EmbedOrigin string         // page where a visitor's new conversation begins
}

// AdmittedSession is a session that was admitted, with the customer's token.
type AdmittedSession struct {
	parley.VoiceSession
	Token string // with which the customer's browser joins
}

// openTimeout limits the creation of a room.
const openTimeout = 25 * time.Second

// Start admits a session and creates its room. The form of what the client sent has been checked.
//
// It fails with AGENT_NOT_FOUND, CONVERSATION_NOT_FOUND, VOICE_NOT_AVAILABLE, CONVERSATION_USER_MISMATCH,
// CHAT_CONVERSATION_NOT_ONGOING, INSUFFICIENT_CREDITS, AGENT_CREDITS_LIMIT_REACHED, RATE_LIMIT_TOO_MANY_REQUESTS (the
// visitor's limit of a day), VOICE_LIMIT_EXCEEDED (with details.reason: the agent's limits, then that of the account's
// unjoined sessions), SERVICE_UNDER_MAINTENANCE (the server is overloaded, as details.reason says),
// VOICE_LIMIT_EXCEEDED (this server's limit) or SESSION_CREATION_FAILED (the room could not be created), in this order;
// with SERVICE_UNDER_MAINTENANCE before all of them if the server is
// stopping, and whenever the database is unavailable. Nothing is left of a session that fails.
func (ss *Sessions) Start(ctx context.Context, caller parley.Caller, agent parley.AgentID,
	req SessionRequest) (_ *AdmittedSession, err error) {
	defer func() { ss.Observer.notifyAdmission(err) }()
	if err := ss.beginAdmission(); err != nil {
		return nil, err
	}
	defer ss.work.Done()
	l, err := ss.prepareSession(ctx, caller, agent, req)
	if err != nil {
		return nil, err
	}
	token, err := "", ss.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error { return l.reserve(ctx, tx) })
	if err == nil {
		token, err = ss.openRoom(ctx, l)
	}
	if err != nil {
		ss.releaseSlot(l)
		return nil, err
	}
	return &AdmittedSession{l.VoiceSession, token}, nil
}

// prepareSession loads what the request refers to, checks it, and returns the session, which is not stored yet.
func (ss *Sessions) prepareSession(ctx context.Context, caller parley.Caller, agent parley.AgentID,
	req SessionRequest) (*Session, error) {
	a, err := ss.DB.Agent(ctx, caller.AgentRef(agent), ss.Now())
	if err != nil {
		return nil, err
	}
	l := ss.newSession(caller, a)
	l.request = req
	l.Timezone = cmp.Or(req.Timezone, "UTC")
	c := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), UserID: req.UserID,
		Status: parley.ConversationOngoing}
	if req.ContinueConversation {
		if c, err = ss.findConversation(ctx, l, req.ConversationID); err != nil {
			return nil, err
		}
	}
	if err := ss.checkAvailable(l); err != nil {
		return nil, err
	}
	if req.UserID != "" && req.UserID != c.UserID {
		return nil, parley.NewError(parley.CodeUserMismatch)
	}
	if v := req.Visitor; v != nil { // who is nobody yet is known by the browser
		l.ConversationID, l.UserID = c.ID, cmp.Or(c.UserID, v.UserID, parley.EndUserID(v.ID))
		l.VisitorID = v.ID
		return l, checkOngoing(c)
	}
	l.ConversationID, l.UserID = c.ID, cmp.Or(c.UserID, parley.EndUserID(parley.NewUUID()))
	return l, checkOngoing(c)
}

func checkOngoing(c *parley.Conversation) error {
	if c.Status != parley.ConversationOngoing {
		return parley.NewError(parley.CodeNotOngoing)
	}
	return nil
}

// findConversation returns the conversation to continue. One that cannot be continued is not found
// (docs/interface/chat.md#continuing-a-conversation).
func (ss *Sessions) findConversation(ctx context.Context, l *Session,
	id parley.ConversationID) (c *parley.Conversation, err error) {
	if parley.IsUUID(string(id)) {
		c, err = ss.DB.Conversation(ctx, l.AgentRef().ConversationRef(id))
	}
	return c, l.checkFound(c, err)
}

func (s *Session) checkFound(c *parley.Conversation, err error) error {
	if err != nil && !parley.IsCode(err, parley.CodeResourceNotFound) {
		return err
	}
	// as in chat: whoever listens in another channel would not get the answer
	isVisitors := s.request.Visitor != nil
	if err != nil || c == nil || c.API != parley.APIV2 || (c.Channel == parley.ChannelAPI) == isVisitors {
		return parley.NewError(parley.CodeConversationNotFound)
	}
	return nil
}

// checkAvailable fails if plan, agent or server have no voice; otherwise it sets the session's settings.
func (ss *Sessions) checkAvailable(l *Session) error {
	settings, err := l.Agent.VoiceSettings()
	switch {
	case err != nil:
		return err
	case !l.Caller.Plan.Voice:
		return parley.NewErrorf(parley.CodeVoiceNotAvailable, "Voice is not part of the %s plan.", l.Caller.Plan.Name)
	case settings == nil:
		return parley.NewErrorf(parley.CodeVoiceNotAvailable,
			"The agent has voice mode turned off: its voiceSettings are null.")
	case ss.Rooms == nil && !rtc.Available:
		return parley.NewErrorf(parley.CodeVoiceNotAvailable,
			"This server has no voice: its program was built without it (tag novoice).")
	case ss.Rooms == nil:
		return parley.NewErrorf(parley.CodeVoiceNotAvailable, "This server has no voice.")
	}
	l.Settings, l.MaxDuration = settings, settings.MaxDuration()
	return nil
}

// openRoom creates the room and then stores the session as open; if either fails, both are undone.
func (ss *Sessions) openRoom(ctx context.Context, l *Session) (token string, err error) {
	openCtx, stop := context.WithTimeout(ctx, openTimeout)
	defer stop()
	token, err = ss.Rooms.Open(openCtx, &l.VoiceSession)
	if err != nil {
		ss.undoAdmission(ctx, l)
		return "", parley.WrapError(parley.CodeSessionFailed, err)
	}
	err = ss.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error { return l.activate(ctx, tx) })
	if err == nil {
		ss.addActive(l)
		return token, nil
	}
	ss.undoAdmission(ctx, l)
	if errors.Is(err, store.ErrVoiceLost) {
		err = parley.WrapError(parley.CodeSessionFailed, err)
	}
	return "", err
}

// undoAdmission removes what was created for a session, even if the client has gone. What cannot be removed now is
// removed when the lease has expired.
func (ss *Sessions) undoAdmission(ctx context.Context, l *Session) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), endTimeout)
	defer stop()
	err := ss.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		_, err := tx.DeleteOpeningVoice(ctx, l.copySession())
		return err
	})
	if err = errors.Join(err, ss.Rooms.Close(ctx, &l.VoiceSession, parley.EndError)); err != nil {
		ss.logger().Warn("undo a voice session", "session", l.ID, "err", err)
	}
}

// Why a server accepts no further session, whatever the agent's limits are.
var (
	errTooManySessions = errors.New("voice: this server holds as many sessions as it may")
	errOverloaded      = errors.New("voice: this server has no power left for a further session")
)

// acquireSlot assigns the session one of this server's slots, or fails if there is none. The session keeps it until it
// is active, or releases it. Calling it again has no effect: the transaction around it may be run again.
func (ss *Sessions) acquireSlot(l *Session) error {
	if l.hasSlot {
		return nil
	}
	if ss.IsOverloaded != nil && ss.IsOverloaded() {
		return newOverloadedError()
	}
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if ss.MaxSessions > 0 && len(ss.active)+ss.openingCount >= ss.MaxSessions {
		fail := newLimitError(ss.MaxSessions, reasonConcurrent, busyRetryAfter)
		fail.Err = errTooManySessions
		return fail
	}
	ss.openingCount++
	l.hasSlot = true
	return nil
}

// releaseSlot releases the slot of a session that did not become active.
func (ss *Sessions) releaseSlot(l *Session) {
	if !l.hasSlot {
		return
	}
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.openingCount--
}

// newOverloadedError returns the answer of an overloaded server. It is not a limit: nobody has asked for too much.
func newOverloadedError() error {
	fail := parley.NewErrorf(parley.CodeUnderMaintenance,
		"This server has no power left for another voice session. Try again shortly.")
	fail.Details, fail.RetryAfter, fail.Err = map[string]string{"reason": reasonOverloaded}, busyRetryAfter, errOverloaded
	return fail
}
