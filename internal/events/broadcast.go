package events

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"parley"
	"parley/internal/bus"
	"parley/internal/store"
)

const (
	maxBehind       = 1000                  // events that a subscriber may be behind
	broadcastPause  = 40 * time.Millisecond // between two reads, in which events gather
	maxAccountsRead = 500                   // whose ends one statement reads
)

// Broadcast hands the events of accounts to those who subscribe to them, for as long as they do. Events are read once
// for all subscribers of an account, when this process has recorded some, and at each poll if others have. Unlike a
// Follower it stores no positions: its subscribers come back with theirs.
type Broadcast struct {
	DB           *store.DB
	Logger       *slog.Logger
	PollInterval time.Duration // how often to look for the events of other servers; 0 is a second
	Bus          *bus.Bus      // tells of them: while it is complete, a look every bus.NetInterval is enough; may be nil

	mu       sync.Mutex
	logs     map[parley.AccountID]*recentLog
	recorded chan struct{} // receives when there is something to read
}

// recentLog is the end of an account's event log. Its subscribers have read parts of it.
type recentLog struct {
	start, end    store.EventPosition
	events        []store.Event // between start and end, oldest first, at most maxBehind
	isStale       bool          // there are events after end, or there may be
	subscriptions map[*Subscription]bool
}

// signal returns the channel that wakes Run. b.mu must be held.
func (b *Broadcast) signal() chan struct{} {
	if b.recorded == nil {
		b.recorded = make(chan struct{}, 1)
	}
	return b.recorded
}

// Run reads events until ctx is done.
func (b *Broadcast) Run(ctx context.Context) error {
	b.mu.Lock()
	recorded := b.signal()
	b.mu.Unlock()
	defer b.DB.ObserveEvents(func(account parley.AccountID, _ []store.NewEvent) { b.markStale(account) })()
	defer b.Bus.Subscribe(bus.Events, b.markForeign)()
	pace := bus.Pace{Bus: b.Bus, Interval: cmp.Or(b.PollInterval, defaultPollInterval)}
	poll := time.NewTicker(pace.Interval)
	defer poll.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return nil
		case <-poll.C:
			if pace.IsDue() {
				err = b.findStale(ctx)
			}
		case <-recorded:
			err = sleep(ctx, broadcastPause)
		}
		if err = cmp.Or(err, b.readStale(ctx)); err != nil && ctx.Err() == nil {
			b.Logger.Warn("events are not handed on", "err", err)
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// markStale takes note that accounts have new events. Accounts without subscribers are none of its business.
func (b *Broadcast) markStale(accounts ...parley.AccountID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, account := range accounts {
		if log := b.logs[account]; log != nil {
			log.isStale = true
			select {
			case b.signal() <- struct{}{}:
			default: // it has a signal
			}
		}
	}
}

// markForeign takes note of accounts in which other servers have recorded events; nil may be any.
func (b *Broadcast) markForeign(ids []string) {
	if ids == nil {
		b.markStale(b.followed()...)
		return
	}
	accounts := make([]parley.AccountID, len(ids))
	for i, id := range ids {
		accounts[i] = parley.AccountID(id)
	}
	b.markStale(accounts...)
}

// followed returns the accounts that have subscribers.
func (b *Broadcast) followed() []parley.AccountID {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Collect(maps.Keys(b.logs))
}

// findStale looks for the events that other servers have recorded.
func (b *Broadcast) findStale(ctx context.Context) error {
	for part := range slices.Chunk(b.followed(), maxAccountsRead) {
		ends, err := b.DB.EventLogEnds(ctx, part)
		if err != nil {
			return err
		}
		b.mu.Lock()
		for account, end := range ends {
			if log := b.logs[account]; log != nil && end.Compare(log.end) > 0 {
				log.isStale = true
			}
		}
		b.mu.Unlock()
	}
	return nil
}

// readStale reads the new events of the accounts that have some.
func (b *Broadcast) readStale(ctx context.Context) error {
	b.mu.Lock()
	var accounts []parley.AccountID
	for account, log := range b.logs {
		if log.isStale {
			accounts = append(accounts, account)
		}
	}
	b.mu.Unlock()
	for _, account := range accounts {
		for more := true; more; {
			var err error
			if more, err = b.readNext(ctx, account); err != nil {
				return err
			}
		}
	}
	return nil
}

// readNext reads some of an account's events, and reports whether there are more. Run alone moves the end of a log.
func (b *Broadcast) readNext(ctx context.Context, account parley.AccountID) (more bool, err error) {
	b.mu.Lock()
	log := b.logs[account]
	if log == nil {
		b.mu.Unlock()
		return false, nil
	}
	end := log.end
	log.isStale = false // what is recorded from now on makes it stale again
	b.mu.Unlock()
	page, err := b.DB.EventsAfter(ctx, account, end, batchSize)
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != nil {
		log.isStale = !parley.IsCode(err, parley.CodeAccountNotFound)
		return false, err
	}
	log.append(page)
	return page.HasMore, nil
}

// append adds a page to the log and wakes its subscribers. b.mu must be held.
func (log *recentLog) append(page store.EventPage) {
	log.events, log.end = append(log.events, page.Events...), page.End
	if page.IsTruncated {
		log.events, log.start = nil, page.End
	}
	if extra := len(log.events) - maxBehind; extra > 0 {
		log.start = log.events[extra-1].Position
		log.events = slices.Clone(log.events[extra:])
	}
	if len(page.Events) == 0 && !page.IsTruncated {
		return
	}
	for s := range log.subscriptions {
		s.wake()
	}
}
