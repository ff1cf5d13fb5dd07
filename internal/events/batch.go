package events

import (
	"context"

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

// NextBatch returns the events after the follower's position in an account; nil where there are none. A batch may have
// no events: that of an account that is new to the follower, and that of events that have been erased with their
// conversations and agents, which only the position has to pass.
func (f *Follower) NextBatch(ctx context.Context, account parley.AccountID) (*Batch, error) {
	position, exists, err := f.DB.EventPosition(ctx, f.Name, account)
	if err != nil {
		return nil, err
	}
	page, err := f.DB.EventsAfter(ctx, account, position, batchSize)
	if err != nil || exists && page.End == position {
		return nil, err
	}
	return &Batch{Account: account, Start: position, EventPage: page, name: f.Name, position: position}, nil
}

// Save stores the follower's position in tx: End, or that of the last event that has been handled. It fails with
// ErrConflict where the position has been moved since the batch was read; tx must then be undone.
func (b *Batch) Save(ctx context.Context, tx *store.DB, to store.EventPosition) error {
	moved, err := tx.MoveEventPosition(ctx, b.name, b.Account, b.position, to)
	if err == nil && !moved {
		err = ErrConflict
	}
	if err != nil {
		return err
	}
	tx.SQL().AfterCommit(func() { b.position = to })
	return nil
}

// HasMore reports whether there are events after the position that has been saved.
func (b *Batch) HasMore() bool { return b.EventPage.HasMore || b.position != b.End }
