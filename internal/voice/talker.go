package voice

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"parley"
	"parley/internal/chat"
	"parley/internal/llm"
	"parley/internal/store"
	"parley/internal/voice/ear"
	"parley/internal/voice/rtc"
)

// Talker is the agent's part of the sessions of this server: its Talk is a Desk's. Fill the exported fields.
type Talker struct {
	DB     *store.DB
	Engine *chat.Engine
	Clerk  *chat.Clerk
	Join   func(ctx context.Context, s *parley.VoiceSession) (rtc.Transport, error) // enters the session's room as the agent

	Synthesizer llm.Synthesizer // nil where there is none: the agent answers in writing
	Transcriber llm.Transcriber // nil where there is none: the customer types

	Archive *Archive // of recordings; nil where none are made

	Meter  *Meter // may be nil
	Now    func() time.Time
	Logger *slog.Logger
	Tick   time.Duration // how often time itself is looked at; 0 means 50 ms
}

// Talk holds a session's talk until it ends. It implements Talk of a Desk.
func (k *Talker) Talk(ctx context.Context, l *Live) error {
	room, err := k.Join(ctx, l.copy())
	if err != nil {
		return err
	}
	t, err := k.begin(ctx, l, room)
	if err != nil {
		leave(room, parley.EndError)
		return err
	}
	err = t.run()
	reason := t.close(err)
	k.Meter.leave(t)
	leave(room, reason)
	t.work.Wait()
	t.keep()
	if reason == parley.EndError {
		return err
	}
	return nil
}

// begin makes the talk and finds its conversation.
func (k *Talker) begin(ctx context.Context, l *Live, room rtc.Transport) (*talk, error) {
	c, err := k.DB.Conversation(ctx, l.AccountID, l.AgentID, l.ConversationID)
	if err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(l.Timezone)
	if err != nil {
		zone = time.UTC
	}
	t := &talk{Talker: k, live: l, set: l.Settings, room: room, ctx: ctx, zone: zone, channel: c.Channel, state: rtc.Initializing,
		news: make(chan news), made: make(chan made), texts: make(chan understood), watch: make(chan parley.ConversationStatus), over: make(chan struct{}), last: k.Now()}
	if k.Transcriber != nil {
		t.ear = ear.New(ear.Config{MinSilence: time.Duration(l.Settings.Transcriber.MinSilence * float64(time.Second)), Threshold: l.Settings.Transcriber.Threshold})
	}
	k.Meter.enter(t)
	return t, nil
}

// leave says the reason in the room, goes, and reads what is still told to nobody.
func leave(room rtc.Transport, reason parley.SessionEnd) {
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	room.End(ctx, string(reason))
	for range room.Events() { //nolint:revive // they must be read until they are closed
	}
	for range room.Audio() { //nolint:revive // it must be read until it is closed
	}
}

// close ends the session for the reason that the talk has, unless it has ended already, and gives the reason that holds.
func (t *talk) close(err error) parley.SessionEnd {
	reason := t.ending
	if err != nil && reason == "" {
		reason = parley.EndError
	}
	t.live.End(orDefault(reason, parley.EndClientLeft))
	close(t.over)
	if t.said != nil {
		t.interrupt(t.said)
	}
	for _, s := range t.segments {
		s.drop()
	}
	var ended *Ended
	if errors.As(context.Cause(t.ctx), &ended) {
		return ended.Reason
	}
	return reason
}
