// Package events reads the event log of the accounts. A Follower has a name, under which its position in each account's
// log is stored, and a function that handles the events after it.
package events

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"parley"
	"parley/internal/bus"
	"parley/internal/store"
)

// Follower has the events of all accounts handled, those of an account in their order. Any number of servers may follow
// the log under the same name on the same database: where two handle the same events, only one of them moves the
// position, and the other one's transaction is undone.
type Follower struct {
	DB     *store.DB
	Name   string // of its positions; it must not change
	Logger *slog.Logger

	// Handle handles a batch of events. It stores the outcome and the position behind what it has handled in the same
	// transaction (Batch.Save), and may stop before the end of the batch.
	Handle func(ctx context.Context, b *Batch) error

	// IsReady reports whether more events may be handled now; nil always does.
	IsReady func(ctx context.Context) (bool, error)

	// AfterRound is called after each round, for what else there is to do, and reports whether there is more of it; may
	// be nil. There is a round at each poll, and while the bus is complete only where there are events, and at every
	// bus.NetInterval.
	AfterRound func(ctx context.Context) (more bool, err error)

	// IsUrgent reports whether an event of a kind that is recorded in this process is handled at once. Where it is nil
	// events are handled at the next poll, so that they gather.
	IsUrgent func(kind parley.EventKind) bool

	// Delay is how old events are when they are handled, by the clock Now, so that those about the same thing are handled
	// together. With a delay nothing is urgent.
	Delay time.Duration
	Now   func() time.Time

	PollInterval time.Duration // how often to look for events; 0 is a second

	// Bus tells of the events of other servers. While it is complete, the database is asked for them every
	// bus.NetInterval: whoever has recorded them handles them. May be nil.
	Bus *bus.Bus

	// IsBusy is asked at each poll whether others need the database more at the moment. If so, the poll is left out, but
	// never more than maxOmittedPolls in a row. May be nil.
	IsBusy func() bool

	// When the first event of an account is old enough. Without it the same events were read at each poll.
	dueAt map[parley.AccountID]time.Time
}

const (
	batchSize           = 500 // events of an account that are handled at a time
	accountPageSize     = 500 // accounts that one poll looks at; the next one goes on behind them
	defaultPollInterval = time.Second
	maxOmittedPolls     = 4
)

// ErrConflict is the failure of Batch.Save where another server has handled the same events.
var ErrConflict = errors.New("events: another server has moved the position")

// Run follows the log until ctx is done. Events of accounts that this process has recorded are handled at the next
// poll, or at once where they are urgent. For those that other processes have recorded, or that an earlier one has
// left, polls look at some of the accounts, and at those that the bus has told of.
func (f *Follower) Run(ctx context.Context) error {
	recorded := newRecordedAccounts(f.IsUrgent)
	defer f.DB.ObserveEvents(recorded.add)()
	defer f.Bus.Subscribe(bus.Events, recorded.addForeign)()
	pace := &bus.Pace{Bus: f.Bus, Interval: cmp.Or(f.PollInterval, defaultPollInterval)}
	poll := time.NewTicker(pace.Interval)
	defer poll.Stop()
	var after parley.AccountID // the last account that a poll has looked at
	isPollDue, isFirstWalk := true, true
	for {
		accounts := append(recorded.take(), f.takeDue()...)
		var errs []error
		if isPollDue {
			behind, last, err := f.findBehind(ctx, after, recorded.takeForeign())
			accounts, after, errs = append(accounts, behind...), last, append(errs, err)
			isFirstWalk = isFirstWalk && last != ""
		}
		unfinished, more, err := f.handleRound(ctx, accounts)
		recorded.putBack(unfinished)
		err = errors.Join(append(errs, err)...)
		if err != nil && ctx.Err() == nil {
			f.Logger.Warn("the event log is not followed", "follower", f.Name, "err", err)
		}
		isPollDue = isFirstWalk && err == nil
		if (more || isFirstWalk) && err == nil {
			recorded.wake()
		}
		isPoll, err := f.waitForRound(ctx, poll.C, pace, recorded)
		if err != nil {
			return nil
		}
		isPollDue = isPollDue || isPoll
	}
}

// findBehind returns the accounts in which there are events to handle, of those that one poll looks at after an id and
// of those that other servers have told of; and the last id of the former.
func (f *Follower) findBehind(ctx context.Context, after parley.AccountID, foreign []parley.AccountID,
) (behind []parley.AccountID, last parley.AccountID, err error) {
	behind, last, err = f.DB.AccountsBehind(ctx, f.Name, after, accountPageSize)
	for part := range slices.Chunk(foreign, accountPageSize) {
		if err != nil {
			break
		}
		var some []parley.AccountID
		some, err = f.DB.AccountsBehindAmong(ctx, f.Name, part)
		behind = append(behind, some...)
	}
	slices.Sort(behind)
	return slices.Compact(behind), last, err
}

// waitForRound waits until there is something urgent, or it is time for a poll and there is a reason for a round. It
// reports whether the round looks for the events of others. It fails with the error of ctx.
func (f *Follower) waitForRound(ctx context.Context, poll <-chan time.Time, pace *bus.Pace,
	recorded *recordedAccounts) (isPoll bool, err error) {
	for omitted := 0; ; {
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-poll:
		case <-recorded.urgent:
			return isPoll, nil
		}
		isDue := pace.IsDue()
		isPoll = isPoll || isDue
		switch {
		case !isPoll && recorded.isEmpty() && len(f.takeDue()) == 0: // there is nothing to do
		case f.IsBusy == nil || !f.IsBusy() || omitted == maxOmittedPolls:
			return isPoll, nil
		default:
			omitted++
		}
	}
}

// Step handles a batch of each account in which there are events, and reports whether there is more to do.
func (f *Follower) Step(ctx context.Context) (more bool, err error) {
	var accounts []parley.AccountID
	for after := parley.AccountID(""); ; {
		behind, last, err := f.DB.AccountsBehind(ctx, f.Name, after, accountPageSize)
		if err != nil {
			return false, err
		}
		accounts = append(accounts, behind...)
		if after = last; last == "" {
			break
		}
	}
	_, more, err = f.handleRound(ctx, accounts)
	return more, err
}

// handleRound handles a batch of each of the accounts. It returns those that have more events, or that it has not come
// to.
func (f *Follower) handleRound(
	ctx context.Context, accounts []parley.AccountID,
) (unfinished []parley.AccountID, more bool, err error) {
	if len(accounts) > 0 && f.IsReady != nil {
		if ready, err := f.IsReady(ctx); err != nil || !ready {
			return accounts, false, err
		}
	}
	var errs []error
	for _, account := range accounts {
		again, err := f.StepAccount(ctx, account)
		if again || err != nil {
			unfinished = append(unfinished, account)
		}
		more, errs = more || again, append(errs, err)
	}
	if f.AfterRound != nil {
		again, err := f.AfterRound(ctx)
		more, errs = more || again, append(errs, err)
	}
	return unfinished, more, errors.Join(errs...)
}

// takeDue returns the accounts in which an event has become old enough.
func (f *Follower) takeDue() (accounts []parley.AccountID) {
	for account, at := range f.dueAt {
		if !at.After(f.Now()) {
			accounts = append(accounts, account)
		}
	}
	return accounts
}

// StepAccount handles a batch of an account's events, and reports whether there are more.
func (f *Follower) StepAccount(ctx context.Context, account parley.AccountID) (more bool, err error) {
	b, err := f.NextBatch(ctx, account)
	if err != nil || b == nil {
		return false, err
	}
	if err = f.Handle(ctx, b); errors.Is(err, ErrConflict) {
		return true, nil // the other server has perhaps not handled all of them
	}
	return b.HasMore(), err
}
