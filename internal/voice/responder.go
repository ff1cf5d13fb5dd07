package voice

import (
	"cmp"
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

// Responder is the agent's part of the sessions of this server: Respond is the RespondFunc of its Sessions. Set the
// exported fields.
type Responder struct {
	DB            *store.DB
	Engine        *chat.Engine
	Conversations *chat.Conversations
	// enters the session's room as the agent
	Join func(ctx context.Context, s *parley.VoiceSession) (rtc.Transport, error)

	Synthesizer speech.Synthesizer // if nil, the agent answers in text
	Transcriber speech.Transcriber // if nil, the customer types

	Archive *Archive // of recordings; if nil, none are made

	Stats        *Stats
	Now          func() time.Time
	Logger       *slog.Logger
	TickInterval time.Duration // how often the dialog checks the time; 0 means 50 ms
}

// Respond runs a session's dialog until it ends. It is a RespondFunc.
func (r *Responder) Respond(ctx context.Context, l *Session) error {
	room, err := r.Join(ctx, l.copySession())
	if err != nil {
		return err
	}
	t, err := r.newDialog(ctx, l, room)
	if err != nil {
		leaveRoom(room, parley.EndError)
		return err
	}
	err = t.run()
	reason := t.close(err)
	r.Stats.removeDialog(t)
	leaveRoom(room, reason)
	t.work.Wait()
	t.finishRecording()
	if reason == parley.EndError {
		return err
	}
	return nil
}

func (r *Responder) newDialog(ctx context.Context, l *Session, room rtc.Transport) (*dialog, error) {
	c, err := r.DB.Conversation(ctx, l.ConversationRef())
	if err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(l.Timezone)
	if err != nil {
		zone = time.UTC
	}
	t := &dialog{Responder: r, session: l, settings: l.Settings, room: room, ctx: ctx, location: zone,
		channel: c.Channel, state: rtc.Initializing,
		turnUpdates: make(chan turnUpdate), synthesisResults: make(chan synthesisResult),
		segmentTexts: make(chan segmentText), statusChanges: make(chan parley.ConversationStatus),
		done: make(chan struct{}), lastTick: r.Now()}
	if r.Transcriber != nil {
		t.detector = vad.New(vad.Config{MinSilence: time.Duration(l.Settings.Transcriber.MinSilence * float64(time.Second)),
			Threshold: l.Settings.Transcriber.Threshold})
	}
	r.Stats.addDialog(t)
	return t, nil
}

// leaveRoom shows the reason in the room, leaves, and drains the channels.
func leaveRoom(room rtc.Transport, reason parley.SessionEndReason) {
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	room.End(ctx, string(reason))
	for range room.Events() { //nolint:revive // they must be read until they are closed
	}
	for range room.Audio() { //nolint:revive // it must be read until it is closed
	}
}

// close ends the session for the dialog's reason, unless it has ended already, and returns the reason that counts.
func (d *dialog) close(err error) parley.SessionEndReason {
	reason := d.endReason
	if err != nil && reason == "" {
		reason = parley.EndError
	}
	d.session.End(cmp.Or(reason, parley.EndClientLeft))
	close(d.done)
	if d.utterance != nil {
		d.interrupt(d.utterance)
	}
	for _, s := range d.segments {
		s.cancelTranscription()
	}
	var ended *EndedError
	if errors.As(context.Cause(d.ctx), &ended) {
		return ended.Reason
	}
	return reason
}
