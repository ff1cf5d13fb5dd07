package voice

import (
	"context"
	"errors"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

const (
	askEvery       = time.Second // how often the store is asked for sessions that are to end
	recoveredAtOne = 100
)

// Run looks after this server's sessions and ends those that a dead server left open, until ctx is done.
func (d *Desk) Run(ctx context.Context) error {
	look := time.NewTicker(orDefault(d.Poll, 200*time.Millisecond))
	defer look.Stop()
	ask := time.NewTicker(askEvery)
	defer ask.Stop()
	beat := time.NewTicker(d.lease() / 3)
	defer beat.Stop()
	sweep := time.NewTicker(sweepEvery)
	defer sweep.Stop()
	d.warn(ctx, "voice sessions of dead servers", d.Recover(ctx))
	d.warn(ctx, "old recordings", d.Sweep(ctx))
	for {
		select {
		case <-look.C:
			d.Look(ctx)
		case <-ask.C:
			d.warn(ctx, "voice sessions that are to end", d.Heed(ctx))
			d.warn(ctx, "customers who have joined", d.Note(ctx))
		case <-beat.C:
			d.warn(ctx, "leases of voice sessions", errors.Join(d.Beat(ctx), d.Recover(ctx)))
		case <-sweep.C:
			d.warn(ctx, "old recordings", d.Sweep(ctx))
		case <-ctx.Done():
			return nil
		}
	}
}

func (d *Desk) warn(ctx context.Context, what string, err error) {
	if err != nil && ctx.Err() == nil {
		d.log().Warn(what, "err", err)
	}
}

// Look does what the clock asks for: sessions that are too long end, and minutes that have begun are paid for.
func (d *Desk) Look(ctx context.Context) {
	now := d.Now()
	for _, l := range d.Sessions() {
		if reason := l.overdue(now); reason != "" {
			l.End(reason)
			continue
		}
		d.warn(ctx, "the next minute of a voice session", d.pay(ctx, l, now))
	}
}

// Heed ends the sessions of this server that somebody asks to end, here or on another server, and those whose agent or
// conversation is gone.
func (d *Desk) Heed(ctx context.Context) error {
	if len(d.Sessions()) == 0 {
		return nil
	}
	asked, err := d.DB.VoiceEndsAsked(ctx, d.Owner)
	for id, reason := range asked {
		if l := d.find(id); l != nil {
			l.End(reason)
		}
	}
	return err
}

// Note writes down which customers have joined since it was called last: from then on searches find their conversations by their voice,
// and they pay although this server should die.
func (d *Desk) Note(ctx context.Context) error {
	var errs []error
	for _, l := range d.Sessions() {
		s := l.arrival()
		if s == nil {
			continue
		}
		err := d.DB.JoinVoice(ctx, s, l.event("voice.joined"))
		if err == nil {
			l.note()
		}
		if !errors.Is(err, store.ErrVoiceLost) { // else somebody has ended it
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Beat renews the leases of this server's sessions, and stores the ends that could not be stored before. A session that somebody else
// has ended is over here too.
func (d *Desk) Beat(ctx context.Context) error {
	var held []parley.VoiceSession
	for _, l := range d.Sessions() {
		d.store(l)
		if s := l.Current(); s.EndedAt == nil {
			held = append(held, s)
		}
	}
	if len(held) == 0 {
		return nil
	}
	gone, err := d.DB.RenewVoice(ctx, d.Owner, held, d.Now().Add(d.lease()))
	for _, id := range gone {
		if l := d.find(id); l != nil {
			l.lose()
		}
	}
	return err
}

// Recover ends the sessions whose lease has run out: each is paid for up to when its customer was seen last, and one whose room was
// still being made is taken back.
func (d *Desk) Recover(ctx context.Context) error {
	now := d.Now()
	list, opening, err := d.DB.ExpiredVoice(ctx, now, recoveredAtOne)
	if err != nil {
		return err
	}
	var errs []error
	for i := range list {
		s := &list[i]
		if d.find(s.ID) != nil {
			continue // its lease could not be renewed in time; it lives all the same
		}
		err := d.DB.Transact(ctx, sqldb.Turns, func(tx *store.DB) error { return d.orphan(ctx, tx, *s, opening[s.ID], now) })
		if errors.Is(err, store.ErrVoiceLost) {
			continue
		}
		if errs = append(errs, err); err == nil && d.Rooms != nil {
			d.warn(ctx, "close the room of a lost voice session", d.Rooms.Close(ctx, s, parley.EndServerStopped))
		}
	}
	return errors.Join(errs...)
}

// orphan ends a session that nobody holds. Whoever takes it first does; it is a copy, for the transaction may run again.
func (d *Desk) orphan(ctx context.Context, tx *store.DB, s parley.VoiceSession, opening bool, now time.Time) error {
	if err := tx.TakeVoice(ctx, &s, d.Owner, now.Add(d.lease())); err != nil {
		return err
	}
	if opening {
		_, err := tx.UndoVoice(ctx, &s)
		return err
	}
	s.EndedAt, s.Reason = &now, parley.EndServerStopped
	s.Minutes = s.MinutesUntil(billedUntil(&s, 0))
	return finish(ctx, tx, &s)
}
