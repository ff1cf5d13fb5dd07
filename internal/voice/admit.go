package voice

import (
	"context"
	"errors"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Ask is what a client asks of a new session (interface 4.9).
type Ask struct {
	Continue       bool                  // the session goes on with ConversationID
	ConversationID parley.ConversationID // whatever the client has sent
	UserID         parley.EndUserID      // empty where none was given
	Timezone       string                // IANA name; empty for UTC
}

// Opened is a session that was admitted.
type Opened struct {
	parley.VoiceSession
	Token string // with which the customer's browser joins
}

// openTime is how long the making of a room may take.
const openTime = 25 * time.Second

// Start admits a session and makes its room. What the client has sent was checked for its form.
//
// It fails with AGENT_NOT_FOUND, CONVERSATION_NOT_FOUND, VOICE_NOT_AVAILABLE, CONVERSATION_USER_MISMATCH,
// CHAT_CONVERSATION_NOT_ONGOING, INSUFFICIENT_CREDITS, AGENT_CREDITS_LIMIT_REACHED, VOICE_LIMIT_EXCEEDED (with details.reason: the
// agent's limits, then how many sessions of the account may wait), SERVICE_UNDER_MAINTENANCE (this server has no
// power left, as details.reason tells), VOICE_LIMIT_EXCEEDED (this server's limit) or SESSION_CREATION_FAILED (the
// room could not be made), in this order; with SERVICE_UNDER_MAINTENANCE before all of them where the server is
// stopping, and wherever the database is gone. Nothing is left of a session that fails.
func (d *Desk) Start(ctx context.Context, account parley.Account, plan parley.Plan, agent parley.AgentID, ask Ask) (*Opened, error) {
	o, err := d.start(ctx, account, plan, agent, ask)
	d.Watch.asked(err)
	return o, err
}

func (d *Desk) start(ctx context.Context, account parley.Account, plan parley.Plan, agent parley.AgentID, ask Ask) (*Opened, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.work.Done()
	l, err := d.prepare(ctx, account, plan, agent, ask)
	if err != nil {
		return nil, err
	}
	token, err := "", d.DB.Transact(ctx, sqldb.Turns, func(tx *store.DB) error { return l.reserve(ctx, tx) })
	if err == nil {
		token, err = d.open(ctx, l)
	}
	if err != nil {
		d.leavePlace(l)
		return nil, err
	}
	return &Opened{l.VoiceSession, token}, nil
}

// prepare finds what the session is about and makes it, in memory.
func (d *Desk) prepare(ctx context.Context, account parley.Account, plan parley.Plan, agent parley.AgentID, ask Ask) (*Live, error) {
	a, err := d.DB.Agent(ctx, account.ID, agent, d.Now())
	if err != nil {
		return nil, err
	}
	l := d.newLive(account, plan, a)
	l.goesOn = ask.Continue
	if ask.Continue {
		c, err := d.conversation(ctx, l, ask.ConversationID)
		if err != nil {
			return nil, err
		}
		if err := d.available(l); err != nil {
			return nil, err
		}
		if ask.UserID != "" && ask.UserID != c.UserID {
			return nil, parley.Fail(parley.CodeUserMismatch)
		}
		if c.Status != parley.Ongoing {
			return nil, parley.Fail(parley.CodeNotOngoing)
		}
		l.ConversationID, l.UserID = c.ID, c.UserID
	} else {
		if err := d.available(l); err != nil {
			return nil, err
		}
		l.ConversationID, l.UserID = parley.ConversationID(parley.NewTimedUUID()), ask.UserID
	}
	l.UserID, l.Timezone = orDefault(l.UserID, parley.EndUserID(parley.NewUUID())), orDefault(ask.Timezone, "UTC")
	return l, nil
}

// conversation finds the conversation to go on with. Whatever cannot be gone on with is not there (decision 7).
func (d *Desk) conversation(ctx context.Context, l *Live, id parley.ConversationID) (*parley.Conversation, error) {
	if !parley.IsUUID(string(id)) {
		return nil, parley.Fail(parley.CodeConversationGone)
	}
	c, err := d.DB.Conversation(ctx, l.AccountID, l.AgentID, id)
	return c, notThere(c, err)
}

func notThere(c *parley.Conversation, err error) error {
	switch {
	case parley.IsCode(err, parley.CodeResourceNotFound):
		return parley.Fail(parley.CodeConversationGone)
	case err != nil:
		return err
	case c.Face != parley.FaceV2, c.Channel != parley.ChannelAPI: // as chat: whoever listens there would not hear the answer
		return parley.Fail(parley.CodeConversationGone)
	}
	return nil
}

// available reads the agent's voice settings, where there is voice at all.
func (d *Desk) available(l *Live) error {
	settings, err := l.Agent.VoiceSettings()
	switch {
	case err != nil:
		return err
	case !l.Plan.Voice:
		return parley.Failf(parley.CodeVoiceNotAvailable, "Voice is not part of the %s plan.", l.Plan.Name)
	case settings == nil:
		return parley.Failf(parley.CodeVoiceNotAvailable, "The agent has voice mode turned off: its voiceSettings are null.")
	case d.Rooms == nil:
		return parley.Failf(parley.CodeVoiceNotAvailable, "This server has no voice.")
	}
	l.Settings, l.MaxDuration = settings, settings.MaxDuration()
	return nil
}

// open makes the room and then writes the session down as living; where either fails, both are undone.
func (d *Desk) open(ctx context.Context, l *Live) (token string, err error) {
	inTime, stop := context.WithTimeout(ctx, openTime)
	defer stop()
	token, err = d.Rooms.Open(inTime, &l.VoiceSession)
	if err != nil {
		d.undo(ctx, l)
		return "", parley.Because(parley.CodeSessionFailed, err)
	}
	err = d.DB.Transact(ctx, sqldb.Turns, func(tx *store.DB) error { return l.begin(ctx, tx) })
	if err == nil {
		d.hold(l)
		return token, nil
	}
	d.undo(ctx, l)
	if errors.Is(err, store.ErrVoiceLost) {
		err = parley.Because(parley.CodeSessionFailed, err)
	}
	return "", err
}

// undo takes back what was made of a session, although the client may have gone. What cannot be undone now, the end of the lease
// undoes.
func (d *Desk) undo(ctx context.Context, l *Live) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer stop()
	err := d.DB.Transact(ctx, sqldb.Turns, func(tx *store.DB) error {
		_, err := tx.UndoVoice(ctx, l.copy())
		return err
	})
	if err = errors.Join(err, d.Rooms.Close(ctx, &l.VoiceSession, parley.EndError)); err != nil {
		d.log().Warn("undo a voice session", "session", l.ID, "err", err)
	}
}
