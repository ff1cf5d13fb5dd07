package voice

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/speech"
	"parley/internal/store"
	"parley/internal/voice/rtc"
	"parley/internal/voice/vad"
)

// Responder is the agent's part of the sessions of this server: its RespondFunc is a Sessions's. Fill the exported fields.
type Responder struct {
	DB            *store.DB
	Engine        *chat.Engine
	Conversations *chat.Conversations
	Join          func(ctx context.Context, s *parley.VoiceSession) (rtc.Transport, error) // enters the session's room as the agent

	Synthesizer speech.Synthesizer // nil where there is none: the agent answers in writing
	Transcriber speech.Transcriber // nil where there is none: the customer types

	Archive *Archive // of recordings; nil where none are made

	Stats        *Stats // may be nil
	Now          func() time.Time
	Logger       *slog.Logger
	TickInterval time.Duration // how often time itself is looked at; 0 means 50 ms
}

// Respond holds a session's talk until it ends. It implements RespondFunc of a Sessions.
func (k *Responder) Respond(ctx context.Context, l *Session) error {
	room, err := k.Join(ctx, l.copySession())
	if err != nil {
		return err
	}
	t, err := k.newDialog(ctx, l, room)
	if err != nil {
		leaveRoom(room, parley.EndError)
		return err
	}
	err = t.run()
	reason := t.close(err)
	k.Stats.removeDialog(t)
	leaveRoom(room, reason)
	t.work.Wait()
	t.finishRecording()
	if reason == parley.EndError {
		return err
	}
	return nil
}

// newDialog makes the talk and finds its conversation.
func (k *Responder) newDialog(ctx context.Context, l *Session, room rtc.Transport) (*dialog, error) {
	c, err := k.DB.Conversation(ctx, l.AccountID, l.AgentID, l.ConversationID)
	if err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(l.Timezone)
	if err != nil {
		zone = time.UTC
	}
	t := &dialog{Responder: k, session: l, settings: l.Settings, room: room, ctx: ctx, location: zone, channel: c.Channel, state: rtc.Initializing,
		turnUpdates: make(chan turnUpdate), synthesisResults: make(chan synthesisResult), segmentTexts: make(chan segmentText), statusChanges: make(chan parley.ConversationStatus), done: make(chan struct{}), lastTick: k.Now()}
	if k.Transcriber != nil {
		t.detector = vad.New(vad.Config{MinSilence: time.Duration(l.Settings.Transcriber.MinSilence * float64(time.Second)), Threshold: l.Settings.Transcriber.Threshold})
	}
	k.Stats.addDialog(t)
	return t, nil
}

// leaveRoom says the reason in the room, goes, and reads what is still told to nobody.
func leaveRoom(room rtc.Transport, reason parley.SessionEndReason) {
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	room.End(ctx, string(reason))
	for range room.Events() { //nolint:revive // they must be read until they are closed
	}
	for range room.Audio() { //nolint:revive // it must be read until it is closed
	}
}

// close ends the session for the reason that the talk has, unless it has ended already, and gives the reason that holds.
func (t *dialog) close(err error) parley.SessionEndReason {
	reason := t.endReason
	if err != nil && reason == "" {
		reason = parley.EndError
	}
	t.session.End(orDefault(reason, parley.EndClientLeft))
	close(t.done)
	if t.utterance != nil {
		t.interrupt(t.utterance)
	}
	for _, s := range t.segments {
		s.cancelTranscription()
	}
	var ended *EndedError
	if errors.As(context.Cause(t.ctx), &ended) {
		return ended.Reason
	}
	return reason
}
