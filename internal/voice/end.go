package voice

import (
	"context"
	"errors"
	"fmt"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// endTime is how long the ending of a session may take.
const endTime = 5 * time.Second

// run is a session from when it is on disk until its end is.
func (d *Desk) run(l *Live) {
	if d.Talk != nil {
		d.talk(l)
	}
	<-l.ctx.Done()
	ctx, stop := context.WithTimeout(context.Background(), endTime)
	defer stop()
	if err := d.Rooms.Close(ctx, &l.VoiceSession, l.Current().Reason); err != nil {
		d.log().Warn("close the room of a voice session", "session", l.ID, "err", err)
	}
	l.mu.Lock()
	l.unstored = l.closing()
	l.mu.Unlock()
	d.store(l)
}

// talk is the agent's part. When it returns by itself the session is over.
func (d *Desk) talk(l *Live) {
	err := func() (err error) {
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("panic: %v", v)
			}
		}()
		return d.Talk(l.ctx, l)
	}()
	if l.ctx.Err() != nil {
		return
	}
	if err != nil {
		d.log().Error("a voice session broke", "session", l.ID, "err", err)
		l.End(parley.EndError)
		return
	}
	l.End(parley.EndClientLeft)
}

// closing is how the session ended, with the minutes that it is to pay. l.mu is held.
func (l *Live) closing() *parley.VoiceSession {
	s := l.current()
	until := billedUntil(&s, l.minutes)
	s.Minutes = s.MinutesUntil(until)
	return &s
}

// billedUntil gives the moment up to which minutes count: whoever has vanished was there until they were seen last, and nobody pays for
// what our timers are late by.
func billedUntil(s *parley.VoiceSession, granted int) time.Time {
	if s.JoinedAt == nil {
		return time.Time{}
	}
	switch s.Reason {
	case parley.EndClientLeft, parley.EndError, parley.EndServerStopped:
		if s.SeenAt != nil {
			return *s.SeenAt
		}
		return *s.JoinedAt
	case parley.EndMaxDuration:
		return earlier(*s.EndedAt, s.EndsBy())
	case parley.EndSilence, parley.EndOperator, parley.EndEscalated:
	case parley.EndCredits:
		return earlier(*s.EndedAt, s.JoinedAt.Add(time.Duration(granted)*time.Minute))
	}
	return *s.EndedAt
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// store writes the end of a session. While it cannot, the session stays held and the next look tries again.
func (d *Desk) store(l *Live) {
	l.mu.Lock()
	s, lost := l.unstored, l.lost
	l.mu.Unlock()
	if s == nil {
		return
	}
	if !lost {
		ctx, stop := context.WithTimeout(context.Background(), endTime)
		defer stop()
		err := d.DB.Transact(ctx, sqldb.Turns, func(tx *store.DB) error { return finish(ctx, tx, s) })
		if err != nil && !errors.Is(err, store.ErrVoiceLost) {
			d.log().Warn("store the end of a voice session", "session", l.ID, "err", err)
			return
		}
	}
	l.mu.Lock()
	first := l.unstored != nil
	l.unstored = nil
	l.mu.Unlock()
	if first {
		d.drop(l)
		d.Watch.ended(s.Reason)
		close(l.done)
	}
}

// finish closes a session that has ended. An account that is gone has nothing to record.
func finish(ctx context.Context, tx *store.DB, s *parley.VoiceSession) error {
	closed := *s
	return tx.CloseVoice(ctx, &closed, store.Event{Kind: "voice.ended", AgentID: s.AgentID, ConversationID: s.ConversationID, Subject: string(s.ID),
		Payload: map[string]any{"reason": s.Reason, "minutes": s.Minutes}})
}
