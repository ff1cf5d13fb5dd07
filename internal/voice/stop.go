package voice

import (
	"context"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Stop ends a session on behalf of an operator, wherever it is held. It reports whether it lived. Where no server can be holding it, it
// is ended here and now.
func (d *Sessions) Stop(ctx context.Context, s *parley.VoiceSession) (bool, error) {
	if l := d.findActive(s.ID); l != nil {
		l.End(parley.EndOperator)
		select {
		case <-l.Done():
			return true, nil
		case <-ctx.Done():
			return true, ctx.Err()
		}
	}
	now := d.Now()
	alone := d.DB.SQL().Dialect() == sqldb.SQLite // the file is ours, so its holder is dead
	if s.EndedAt != nil || !alone && now.Before(s.LeaseUntil) {
		return d.DB.RequestVoiceEnd(ctx, s.AccountID, s.ID, parley.EndOperator)
	}
	err := d.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error { return d.endOrphan(ctx, tx, *s, false, now) })
	return err == nil, err
}

// StopAgent ends the sessions of an agent that this server holds.
func (d *Sessions) StopAgent(account parley.AccountID, agent parley.AgentID) {
	for _, l := range d.Active() {
		if l.AccountID == account && l.AgentID == agent {
			l.End(parley.EndOperator)
		}
	}
}

// EndAll ends every session that this server holds: the SFU they live in has died, say.
func (d *Sessions) EndAll(reason parley.SessionEndReason) {
	for _, l := range d.Active() {
		l.End(reason)
	}
}

// Drain refuses new sessions, ends those that run and waits until their ends are on disk: as long as ctx allows, and then as long as the
// ending of a session may take.
func (d *Sessions) Drain(ctx context.Context) {
	d.mu.Lock()
	d.draining = true
	d.mu.Unlock()
	d.EndAll(parley.EndServerStopped)
	ended := make(chan struct{})
	go func() {
		d.work.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return
	case <-ctx.Done():
	}
	select {
	case <-ended:
	case <-time.After(2 * endTimeout):
		d.logger().Warn("voice sessions were left to the next start", "sessions", len(d.Active()))
	}
}

// ReissueToken returns a session that was admitted before, with a token anew. Fails with SESSION_CREATION_FAILED once it has ended.
func (d *Sessions) ReissueToken(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.VoiceSessionID) (*AdmittedSession, error) {
	s, err := d.DB.VoiceSession(ctx, account, agent, id)
	if err != nil {
		return nil, err
	}
	if s == nil || s.EndedAt != nil || d.Rooms == nil {
		return nil, parley.NewErrorf(parley.CodeSessionFailed, "The session of this Idempotency-Key has ended. Ask for another with a new key.")
	}
	token, err := d.Rooms.Open(ctx, s)
	if err != nil {
		return nil, parley.WrapError(parley.CodeSessionFailed, err)
	}
	return &AdmittedSession{*s, token}, nil
}
