package events

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"slices"

	"parley"
	"parley/internal/store"
)

// Update is what has happened in an account since a position.
type Update struct {
	IsReset bool          // events may be missing: whoever shows anything must read all of it again
	Events  []store.Event // oldest first
}

// Subscription is a subscriber's place in an account's event log. It must be closed.
type Subscription struct {
	broadcast *Broadcast
	account   parley.AccountID
	wake      func()
	start     string // id of where it begins

	// Guarded by the broadcast's mu.
	position store.EventPosition
	backlog  []store.Event // what had happened before Subscribe, after the position
	isReset  bool
}

// Subscribe begins to follow the event log of an account, after what the id stands for; an empty one is now. wake is
// called when there is something to take; it must not block. An id that is older than what is kept, more than 1,000
// events old, or of another account or database, makes the first update a reset.
func (b *Broadcast) Subscribe(ctx context.Context, account parley.AccountID, after string,
	wake func()) (*Subscription, error) {
	ends, err := b.DB.EventLogEnds(ctx, []parley.AccountID{account})
	if err != nil {
		return nil, err
	}
	end, exists := ends[account]
	if !exists {
		return nil, parley.NewError(parley.CodeAccountNotFound)
	}
	s := &Subscription{broadcast: b, account: account, wake: wake, position: end}
	if after != "" {
		if err := s.resume(ctx, after, end); err != nil {
			return nil, err
		}
	}
	if s.start = after; after == "" || s.isReset {
		s.start = formatID(account, end)
	}
	b.add(s, end)
	return s, nil
}

// resume reads what has happened between an id and the end of the log.
func (s *Subscription) resume(ctx context.Context, id string, end store.EventPosition) error {
	position, known := parseID(s.account, id)
	isFirst := position == store.EventPosition{} // of which nobody can say whether what followed is still kept
	if !known || position.Compare(end) > 0 || isFirst && position != end {
		s.isReset = true
		return nil
	}
	page, err := s.broadcast.DB.EventsAfter(ctx, s.account, position, maxBehind+1)
	if err != nil {
		return err
	}
	if page.IsTruncated || len(page.Events) > maxBehind {
		s.isReset = true
		return nil
	}
	s.backlog, s.position = page.Events, page.End
	return nil
}

// add registers a subscription. A log that begins with it is read at once: something may have been recorded since its
// end was read.
func (b *Broadcast) add(s *Subscription, end store.EventPosition) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.logs == nil {
		b.logs = map[parley.AccountID]*recentLog{}
	}
	log := b.logs[s.account]
	if log == nil {
		log = &recentLog{start: end, end: end, isStale: true, subscriptions: map[*Subscription]bool{}}
		b.logs[s.account] = log
		select {
		case b.signal() <- struct{}{}:
		default:
		}
	}
	log.subscriptions[s] = true
}

// Close ends the subscription.
func (s *Subscription) Close() {
	b := s.broadcast
	b.mu.Lock()
	defer b.mu.Unlock()
	if log := b.logs[s.account]; log != nil && log.subscriptions[s] {
		if delete(log.subscriptions, s); len(log.subscriptions) == 0 {
			delete(b.logs, s.account)
		}
	}
}

// Take returns what there is after the position, and moves the position behind it. It does not wait.
func (s *Subscription) Take() (u Update) {
	b := s.broadcast
	b.mu.Lock()
	defer b.mu.Unlock()
	u.Events = s.backlog
	if log := b.logs[s.account]; log != nil && log.end.Compare(s.position) > 0 {
		if log.start.Compare(s.position) > 0 {
			s.isReset = true
		} else {
			at, _ := slices.BinarySearchFunc(log.events, s.position, func(e store.Event, p store.EventPosition) int {
				if e.Position.Compare(p) > 0 {
					return 1
				}
				return -1
			})
			u.Events = append(u.Events, log.events[at:]...)
		}
		s.position = log.end
	}
	if s.isReset {
		u = Update{IsReset: true}
	}
	s.isReset, s.backlog = false, nil
	return u
}

// Start returns the id of the place where the subscription began.
func (s *Subscription) Start() string { return s.start }

// Position returns the id of the place behind what has been taken.
func (s *Subscription) Position() string {
	s.broadcast.mu.Lock()
	defer s.broadcast.mu.Unlock()
	return formatID(s.account, s.position)
}

const idMarkLength = 6 // bytes that an id has of the account's hash

// formatID returns a position as clients keep it. It is of use in its account alone.
func formatID(account parley.AccountID, p store.EventPosition) string {
	mark := sha256.Sum256([]byte(account))
	return base64.RawURLEncoding.EncodeToString(append(mark[:idMarkLength], p.String()...))
}

func parseID(account parley.AccountID, id string) (p store.EventPosition, known bool) {
	text, err := base64.RawURLEncoding.DecodeString(id)
	mark := sha256.Sum256([]byte(account))
	if err != nil || len(text) <= idMarkLength || !slices.Equal(text[:idMarkLength], mark[:idMarkLength]) {
		return p, false
	}
	p, err = store.ParseEventPosition(string(text[idMarkLength:]))
	return p, err == nil
}
