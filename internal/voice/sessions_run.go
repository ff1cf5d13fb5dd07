package voice

import (
	"cmp"
	"context"
	"errors"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

const (
	endPollInterval  = time.Second // how often the store is polled for sessions that are to end
	recoverBatchSize = 100
)

// Run maintains this server's sessions and ends those that a dead server left open, until ctx is done.
func (d *Sessions) Run(ctx context.Context) error {
	deadlineTick, endTick := time.Tick(cmp.Or(d.PollInterval, 200*time.Millisecond)), time.Tick(endPollInterval)
	leaseTick, recordingTick := time.Tick(d.leaseDuration()/3), time.Tick(sweepInterval)
	d.warn(ctx, "voice sessions of dead servers", d.RecoverExpired(ctx))
	d.warn(ctx, "old recordings", d.DeleteExpiredRecordings(ctx))
	for {
		select {
		case <-deadlineTick:
			d.CheckDeadlines(ctx)
		case <-endTick:
			d.warn(ctx, "voice sessions that are to end", d.ApplyEndRequests(ctx))
			d.warn(ctx, "customers who have joined", d.StoreJoins(ctx))
		case <-leaseTick:
			d.warn(ctx, "leases of voice sessions", errors.Join(d.RenewLeases(ctx), d.RecoverExpired(ctx)))
		case <-recordingTick:
			d.warn(ctx, "old recordings", d.DeleteExpiredRecordings(ctx))
		case <-ctx.Done():
			return nil
		}
	}
}

func (d *Sessions) warn(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil {
		d.logger().Warn(what, "err", err)
	}
}

// CheckDeadlines ends the sessions whose time is up and charges the minutes that have begun.
func (d *Sessions) CheckDeadlines(ctx context.Context) {
	now := d.Now()
	for _, l := range d.Active() {
		if reason := l.overdueReason(now); reason != "" {
			l.End(reason)
			continue
		}
		d.warn(ctx, "the next minute of a voice session", d.chargeMinutes(ctx, l, now))
	}
}

// ApplyEndRequests ends the sessions of this server whose end was requested, on any server, and those whose agent or
// conversation was deleted.
func (d *Sessions) ApplyEndRequests(ctx context.Context) error {
	if len(d.Active()) == 0 {
		return nil
	}
	requests, err := d.DB.RequestedVoiceEnds(ctx, d.Owner)
	for id, reason := range requests {
		if l := d.findActive(id); l != nil {
			l.End(reason)
		}
	}
	return err
}

// StoreJoins stores which customers have joined since the last call: from then on searches with hasVoice find their
// conversations, and they are charged even if this server dies.
func (d *Sessions) StoreJoins(ctx context.Context) error {
	var errs []error
	for _, l := range d.Active() {
		s := l.Snapshot()
		if l.joinStored.Load() || s.JoinedAt == nil || s.EndedAt != nil {
			continue
		}
		err := d.DB.SaveVoiceJoin(ctx, &s, l.newEvent("voice.joined"))
		l.joinStored.Store(err == nil)
		if !errors.Is(err, store.ErrVoiceLost) { // otherwise somebody has ended it
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// RenewLeases renews the leases of this server's sessions, and stores the ends that could not be stored before. A
// session that was ended by somebody else ends here too.
func (d *Sessions) RenewLeases(ctx context.Context) error {
	var active []parley.VoiceSession
	for _, l := range d.Active() {
		d.storeEnd(l)
		if s := l.Snapshot(); s.EndedAt == nil {
			active = append(active, s)
		}
	}
	if len(active) == 0 {
		return nil
	}
	lostIDs, err := d.DB.RenewVoiceLeases(ctx, d.Owner, active, d.Now().Add(d.leaseDuration()))
	for _, id := range lostIDs {
		if l := d.findActive(id); l != nil {
			l.endFromStore()
		}
	}
	return err
}

// RecoverExpired ends the sessions whose lease has expired: each is charged up to when its customer was last seen, and
// one whose room was still being created is removed.
func (d *Sessions) RecoverExpired(ctx context.Context) error {
	now := d.Now()
	list, opening, err := d.DB.ExpiredVoiceSessions(ctx, now, recoverBatchSize)
	if err != nil {
		return err
	}
	var errs []error
	for i := range list {
		s := &list[i]
		if d.findActive(s.ID) != nil {
			continue // its lease could not be renewed in time, but it is still running
		}
		err := d.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
			return d.endOrphan(ctx, tx, *s, opening[s.ID], now)
		})
		if errors.Is(err, store.ErrVoiceLost) {
			continue
		}
		if errs = append(errs, err); err == nil && d.Rooms != nil {
			d.warn(ctx, "close the room of a lost voice session", d.Rooms.Close(ctx, s, parley.EndServerStopped))
		}
	}
	return errors.Join(errs...)
}

// endOrphan ends a session that no server holds. The first server to take it over does so. s is a copy, since the
// transaction may run again.
func (d *Sessions) endOrphan(ctx context.Context, tx *store.DB, s parley.VoiceSession, opening bool,
	now time.Time) error {
	if err := tx.TakeOverVoice(ctx, &s, d.Owner, now.Add(d.leaseDuration())); err != nil {
		return err
	}
	if opening {
		_, err := tx.DeleteOpeningVoice(ctx, &s)
		return err
	}
	s.EndedAt, s.EndReason = &now, parley.EndServerStopped
	s.Minutes = s.MinutesUntil(billedUntil(&s, 0))
	return closeSession(ctx, tx, &s)
}
