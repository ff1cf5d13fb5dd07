package events

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"parley"
	"parley/internal/store"
)

// Batch is a part of an account's event log: some of the events after the follower's position.
type Batch struct {
	Account parley.AccountID
	Start   store.EventPosition // that of the follower
	store.EventPage

	name     string              // of the follower
	position store.EventPosition // that is stored now
}

// NextBatch returns the events after the follower's position in an account; nil if there are none. A batch may have
// no events: that of an account that is new to the follower, and that of events that have been erased with their
// conversations and agents, which only the position has to pass.
func (f *Follower) NextBatch(ctx context.Context, account parley.AccountID) (*Batch, error) {
	if at, ok := f.dueAt[account]; ok && at.After(f.Now()) {
		return nil, nil
	}
	delete(f.dueAt, account)
	position, exists, err := f.DB.EventPosition(ctx, f.Name, account)
	if err != nil {
		return nil, err
	}
	page, err := f.DB.EventsAfter(ctx, account, position, batchSize)
	if err != nil || exists && page.End == position {
		return nil, err
	}
	if f.Delay > 0 && !f.cutRecent(account, &page) {
		return nil, nil
	}
	return &Batch{Account: account, Start: position, EventPage: page, name: f.Name, position: position}, nil
}

// cutRecent leaves the events that are old enough, false if there are none.
func (f *Follower) cutRecent(account parley.AccountID, page *store.EventPage) bool {
	latest := f.Now().Add(-f.Delay)
	recent := slices.IndexFunc(page.Events, func(e store.Event) bool { return e.At.After(latest) })
	if recent < 0 {
		return true
	}
	if f.dueAt == nil {
		f.dueAt = map[parley.AccountID]time.Time{}
	}
	f.dueAt[account] = page.Events[recent].At.Add(f.Delay)
	if recent == 0 {
		return false
	}
	page.Events, page.End, page.HasMore = page.Events[:recent], page.Events[recent-1].Position, false
	return true
}

// Save stores the follower's position in tx: End, or that of the last event that has been handled. It fails with
// ErrConflict where the position has been moved since the batch was read; tx must then be undone.
func (b *Batch) Save(ctx context.Context, tx *store.DB, to store.EventPosition) error {
	moved, err := tx.MoveEventPosition(ctx, b.name, b.Account, b.position, to)
	if err != nil {
		return err
	}
	if !moved {
		return ErrConflict
	}
	tx.SQL().AfterCommit(func() { b.position = to })
	return nil
}

// HasMore reports whether there are events after the position that has been saved.
func (b *Batch) HasMore() bool { return b.EventPage.HasMore || b.position != b.End }

// recordedAccounts are the accounts in which this process has recorded events that are to be handled.
type recordedAccounts struct {
	isUrgent func(kind parley.EventKind) bool // nil: no kind is urgent
	urgent   chan struct{}                    // receives when there is something to do at once

	mu       sync.Mutex
	accounts map[parley.AccountID]bool
	foreign  map[parley.AccountID]bool // in which other processes have recorded events, which they handle themselves
}

func newRecordedAccounts(isUrgent func(kind parley.EventKind) bool) *recordedAccounts {
	return &recordedAccounts{isUrgent: isUrgent, urgent: make(chan struct{}, 1), accounts: map[parley.AccountID]bool{},
		foreign: map[parley.AccountID]bool{}}
}

// add takes note of events. Where there are urgent kinds, the others are left for the polls.
func (r *recordedAccounts) add(account parley.AccountID, events []store.NewEvent) {
	if r.isUrgent == nil {
		r.putBack([]parley.AccountID{account})
		return
	}
	if slices.ContainsFunc(events, func(e store.NewEvent) bool { return r.isUrgent(e.Kind) }) {
		r.putBack([]parley.AccountID{account})
		r.wake()
	}
}

func (r *recordedAccounts) wake() {
	select {
	case r.urgent <- struct{}{}:
	default: // it has a signal
	}
}

func (r *recordedAccounts) putBack(accounts []parley.AccountID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, account := range accounts {
		r.accounts[account] = true
	}
}

// addForeign takes note of accounts in which other servers have recorded events.
func (r *recordedAccounts) addForeign(accounts []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, account := range accounts {
		r.foreign[parley.AccountID(account)] = true
	}
}

// takeForeign returns the accounts in which other servers have recorded events, and forgets them.
func (r *recordedAccounts) takeForeign() []parley.AccountID {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer clear(r.foreign)
	return slices.Collect(maps.Keys(r.foreign))
}

func (r *recordedAccounts) isEmpty() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.accounts) == 0
}

// take returns the accounts and forgets them.
func (r *recordedAccounts) take() []parley.AccountID {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer clear(r.accounts)
	return slices.Collect(maps.Keys(r.accounts))
}
