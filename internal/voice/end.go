package voice

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// endTimeout limits the ending of a session.
const endTimeout = 5 * time.Second

// runSession runs a stored session until its end is stored.
func (ss *Sessions) runSession(l *Session) {
	if ss.Respond != nil {
		ss.runResponder(l)
	}
	<-l.ctx.Done()
	ctx, stop := context.WithTimeout(context.Background(), endTimeout)
	defer stop()
	if err := ss.Rooms.Close(ctx, &l.VoiceSession, l.Snapshot().EndReason); err != nil {
		ss.logger().Warn("close the room of a voice session", "session", l.ID, "err", err)
	}
	s := l.Snapshot()
	l.update(func() {
		s.Minutes = s.MinutesUntil(billedUntil(&s, l.reservedMinutes))
		l.unstoredEnd = &s
	})
	ss.storeEnd(l)
}

// runResponder runs the agent's part. If it returns by itself, the session is over.
func (ss *Sessions) runResponder(l *Session) {
	err := func() (err error) {
		defer func() {
			if v := recover(); v != nil {
				err = fmt.Errorf("panic: %v", v)
			}
		}()
		return ss.Respond(l.ctx, l)
	}()
	if err != nil && l.ctx.Err() == nil {
		ss.logger().Error("a voice session broke", "session", l.ID, "err", err)
		l.End(parley.EndError)
	}
	l.End(parley.EndClientLeft)
}

// billedUntil returns the time up to which minutes are charged: a customer who has vanished was there until they were
// last seen, and nobody pays for the lateness of our timers.
func billedUntil(s *parley.VoiceSession, granted int) time.Time {
	if s.JoinedAt == nil {
		return time.Time{}
	}
	switch s.EndReason {
	case parley.EndClientLeft, parley.EndError, parley.EndServerStopped:
		if s.LastSeenAt != nil {
			return *s.LastSeenAt
		}
		return *s.JoinedAt
	case parley.EndMaxDuration:
		return earlierTime(*s.EndedAt, s.EndDeadline())
	case parley.EndSilence, parley.EndOperator, parley.EndEscalated:
	case parley.EndCredits:
		return earlierTime(*s.EndedAt, s.JoinedAt.Add(time.Duration(granted)*time.Minute))
	}
	return *s.EndedAt
}

func earlierTime(times ...time.Time) time.Time { return slices.MinFunc(times, time.Time.Compare) }

// storeEnd stores the end of a session. If that fails the session stays active, and the next renewal of leases tries
// again.
func (ss *Sessions) storeEnd(l *Session) {
	l.mu.Lock()
	s, endedElsewhere := l.unstoredEnd, l.endedElsewhere
	l.mu.Unlock()
	if s == nil {
		return
	}
	if !endedElsewhere {
		ctx, stop := context.WithTimeout(context.Background(), endTimeout)
		defer stop()
		err := ss.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error { return closeSession(ctx, tx, s) })
		if err != nil && !errors.Is(err, store.ErrVoiceLost) {
			ss.logger().Warn("store the end of a voice session", "session", l.ID, "err", err)
			return
		}
	}
	first := false
	l.update(func() { first, l.unstoredEnd = l.unstoredEnd != nil, nil })
	if first {
		ss.mu.Lock()
		delete(ss.active, l.ID)
		ss.mu.Unlock()
		ss.Observer.notifyEnd(s.EndReason)
		close(l.done)
	}
}

// closeSession stores a session that has ended, with its event.
func closeSession(ctx context.Context, tx *store.DB, s *parley.VoiceSession) error {
	closed := *s
	return tx.CloseVoice(ctx, &closed,
		store.NewEvent{Kind: parley.EventVoiceEnded, AgentID: s.AgentID, ConversationID: s.ConversationID,
			Subject: string(s.ID),
			Payload: map[string]any{"reason": s.EndReason, "minutes": s.Minutes}})
}

// Stop ends a session on behalf of an operator, whichever server holds it, and reports whether it was open. If no
// server can be holding it, it is ended at once.
func (ss *Sessions) Stop(ctx context.Context, s *parley.VoiceSession) (bool, error) {
	if l := ss.findActive(s.ID); l != nil {
		l.End(parley.EndOperator)
		select {
		case <-l.Done():
			return true, nil
		case <-ctx.Done():
			return true, ctx.Err()
		}
	}
	now := ss.Now()
	isOnlyServer := ss.DB.SQL().Dialect() == sqldb.SQLite // the file is this process's, so the session's process is dead
	if s.EndedAt != nil || !isOnlyServer && now.Before(s.LeaseUntil) {
		return ss.DB.RequestVoiceEnd(ctx, s.AccountID, s.ID, parley.EndOperator)
	}
	err := ss.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		return ss.endOrphan(ctx, tx, *s, false, now)
	})
	return err == nil, err
}

// StopAgent ends the sessions of an agent that this server holds.
func (ss *Sessions) StopAgent(ref parley.AgentRef) {
	for _, l := range ss.Active() {
		if l.AccountID == ref.Account && l.AgentID == ref.Agent {
			l.End(parley.EndOperator)
		}
	}
}

// EndAll ends every session that this server holds, for example because the media server has died.
func (ss *Sessions) EndAll(reason parley.SessionEndReason) {
	for _, l := range ss.Active() {
		l.End(reason)
	}
}

// Drain refuses new sessions, ends the active ones and waits until their ends are stored: as long as ctx allows, and
// then as long as the ending of a session may take.
func (ss *Sessions) Drain(ctx context.Context) {
	ss.mu.Lock()
	ss.draining = true
	ss.mu.Unlock()
	ss.EndAll(parley.EndServerStopped)
	ended, over := context.WithCancel(context.Background())
	go func() {
		defer over()
		ss.work.Wait()
	}()
	select {
	case <-ended.Done():
		return
	case <-ctx.Done():
	}
	select {
	case <-ended.Done():
	case <-time.After(2 * endTimeout):
		ss.logger().Warn("voice sessions were left to the next start", "sessions", len(ss.Active()))
	}
}

// ReissueToken returns a session that was admitted before, with a new token. It fails with SESSION_CREATION_FAILED once
// it has ended.
func (ss *Sessions) ReissueToken(ctx context.Context, ref parley.AgentRef,
	id parley.VoiceSessionID) (*AdmittedSession, error) {
	s, err := ss.DB.VoiceSession(ctx, ref, id)
	if err != nil {
		return nil, err
	}
	if s == nil || s.EndedAt != nil || ss.Rooms == nil {
		return nil, parley.NewErrorf(parley.CodeSessionFailed,
			"The session of this Idempotency-Key has ended. Ask for another with a new key.")
	}
	token, err := ss.Rooms.Open(ctx, s)
	if err != nil {
		return nil, parley.WrapError(parley.CodeSessionFailed, err)
	}
	return &AdmittedSession{*s, token}, nil
}
