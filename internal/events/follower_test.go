package events_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/events"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.MainWithoutLeaks(m) }

var noon = time.Date(2026, time.November, 10, 12, 0, 0, 0, time.UTC)

// fixture is a store with an account, and the subjects of the events that its followers have handled.
type fixture struct {
	check.T
	context.Context
	db      *store.DB
	account parley.AccountID

	mu      sync.Mutex
	handled []string
}

func forEachStore(t *testing.T, f func(fx *fixture)) {
	t.Helper()
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) {
		fx := &fixture{T: check.T{TB: t}, Context: t.Context(), db: db}
		fx.account = fx.newAccount()
		f(fx)
	})
}

func (fx *fixture) newAccount() parley.AccountID {
	fx.Helper()
	return dbs.CreateAccount(fx.TB, fx.db, "unlimited", noon).ID
}

// record records an event for each subject.
func (fx *fixture) record(account parley.AccountID, kind parley.EventKind, subjects ...string) {
	fx.Helper()
	fx.Must(fx.db.Transact(fx, sqldb.Interactive, func(tx *store.DB) error {
		var list []store.NewEvent
		for _, s := range subjects {
			list = append(list, store.NewEvent{Kind: kind, Subject: s})
		}
		return tx.RecordEvents(fx, account, noon, list...)
	}))
}

// newFollower returns a follower that records the subjects of whole batches.
func (fx *fixture) newFollower(name string) *events.Follower {
	return &events.Follower{
		DB: fx.db, Name: name, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), PollInterval: time.Hour,
		Handle: func(ctx context.Context, b *events.Batch) error { return fx.handle(ctx, b, b.End, b.Events) },
	}
}

func (fx *fixture) handle(ctx context.Context, b *events.Batch, to store.EventPosition, list []store.Event) error {
	err := fx.db.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error { return b.Save(ctx, tx, to) })
	if err != nil {
		return err
	}
	fx.mu.Lock()
	defer fx.mu.Unlock()
	for _, e := range list {
		fx.handled = append(fx.handled, e.Subject)
	}
	return nil
}

func (fx *fixture) handledCount() int {
	fx.mu.Lock()
	defer fx.mu.Unlock()
	return len(fx.handled)
}

func (fx *fixture) wantHandled(want string) {
	fx.Helper()
	fx.mu.Lock()
	defer fx.mu.Unlock()
	if got := strings.Join(fx.handled, " "); got != want {
		fx.Errorf("handled %q, want %q", got, want)
	}
	fx.handled = nil
}

func (fx *fixture) step(f *events.Follower, wantMore bool) {
	fx.Helper()
	if more, err := f.Step(fx); err != nil || more != wantMore {
		fx.Errorf("more: %v, %v", more, err)
	}
}

// TestEachFollowerHasAPosition checks that followers of different names each handle every event once.
func TestEachFollowerHasAPosition(t *testing.T) {
	forEachStore(t, func(fx *fixture) {
		a, b := fx.newFollower("a"), fx.newFollower("b")
		fx.record(fx.account, "k", "1", "2")
		fx.step(a, false)
		fx.step(a, false)
		fx.wantHandled("1 2")
		fx.record(fx.account, "k", "3")
		fx.step(b, false)
		fx.wantHandled("1 2 3")
		fx.step(a, false)
		fx.wantHandled("3")
		fx.Must(fx.db.SkipEvents(fx, "c", fx.account))
		fx.step(fx.newFollower("c"), false)
		fx.wantHandled("")
	})
}

// TestFollowerMayStopWithinABatch checks that the rest of a batch is handled again, and that the position stays after a
// failure.
func TestFollowerMayStopWithinABatch(t *testing.T) {
	forEachStore(t, func(fx *fixture) {
		f := fx.newFollower("a")
		f.Handle = func(ctx context.Context, b *events.Batch) error {
			return fx.handle(ctx, b, b.Events[0].Position, b.Events[:1])
		}
		fx.record(fx.account, "k", "1", "2")
		fx.step(f, true)
		f.Handle = func(context.Context, *events.Batch) error { return errors.New("failed") }
		if _, err := f.Step(fx); err == nil {
			t.Error("the failure is lost")
		}
		fx.step(fx.newFollower("a"), false)
		fx.wantHandled("1 2")
	})
}

// TestLongLogIsReadInBatches checks that a log of several batches is handled in order, and that erased events are
// skipped.
func TestLongLogIsReadInBatches(t *testing.T) {
	forEachStore(t, func(fx *fixture) {
		var subjects []string
		for i := range 620 {
			subjects = append(subjects, fmt.Sprint(i))
		}
		fx.record(fx.account, "k", subjects...)
		_, err := fx.db.SQL().Exec(fx, `delete from events where account_id = ? and seq > 610`, fx.account)
		fx.Must(err)
		f := fx.newFollower("a")
		fx.step(f, true)
		fx.step(f, false)
		fx.wantHandled(strings.Join(subjects[:610], " "))
		fx.record(fx.account, "k", "next")
		_, err = fx.db.SQL().Exec(fx, `delete from events where account_id = ? and seq <= 620`, fx.account)
		fx.Must(err)
		f.Handle = func(ctx context.Context, b *events.Batch) error {
			if b.IsTruncated {
				t.Error("what was erased after the position was passed is missed")
			}
			return fx.handle(ctx, b, b.End, b.Events)
		}
		fx.step(f, false)
		fx.record(fx.account, "k", "lost", "last")
		_, err = fx.db.SQL().Exec(fx, `delete from events where account_id = ? and seq <= 622`, fx.account)
		fx.Must(err)
		isTruncated := false
		f.Handle = func(ctx context.Context, b *events.Batch) error {
			isTruncated = b.IsTruncated
			return fx.handle(ctx, b, b.End, b.Events)
		}
		fx.step(f, false)
		if !isTruncated {
			t.Error("the lost event is not missed")
		}
		fx.wantHandled("next last")
	})
}

// TestTwoFollowersOfOneNameConflict checks that of two servers which have read the same events only one moves the
// position.
func TestTwoFollowersOfOneNameConflict(t *testing.T) {
	forEachStore(t, func(fx *fixture) {
		f := fx.newFollower("a")
		fx.record(fx.account, "k", "1")
		one, err := f.NextBatch(fx, fx.account)
		fx.Must(err)
		other, err := f.NextBatch(fx, fx.account)
		fx.Must(err)
		fx.Must(one.Save(fx, fx.db, one.End))
		if err := other.Save(fx, fx.db, other.End); !errors.Is(err, events.ErrConflict) {
			t.Error(err)
		}
	})
}

// TestUrgentEventsAreHandledAtOnce checks that an urgent event is handled as soon as it is recorded, with those before
// it.
func TestUrgentEventsAreHandledAtOnce(t *testing.T) {
	forEachStore(t, func(fx *fixture) {
		f := fx.newFollower("a")
		f.IsUrgent = func(kind parley.EventKind) bool { return kind == "urgent" }
		handle, batches := f.Handle, make(chan struct{}, 10)
		f.Handle = func(ctx context.Context, b *events.Batch) error {
			err := handle(ctx, b)
			batches <- struct{}{}
			return err
		}
		ctx, stop := context.WithCancel(fx)
		var all sync.WaitGroup
		all.Go(func() { _ = f.Run(ctx) })
		fx.record(fx.account, "k", "1")
		other := fx.newAccount()
		fx.record(other, "urgent", "2")
		fx.record(fx.account, "urgent", "3")
		for fx.handledCount() < 3 {
			check.Receive(fx.TB, "a batch", batches)
		}
		stop()
		all.Wait()
	})
}

// TestPollsAreLeftOutWhileOthersAreBusy checks that events wait for a few polls while the database is busy, and no
// longer.
func TestPollsAreLeftOutWhileOthersAreBusy(t *testing.T) {
	forEachStore(t, func(fx *fixture) {
		f := fx.newFollower("a")
		f.PollInterval = 5 * time.Millisecond
		polls, started := 0, make(chan struct{})
		f.IsBusy = func() bool {
			if polls++; polls == 1 {
				fx.record(fx.account, "k", "1")
				close(started)
			}
			return true
		}
		handle, done := f.Handle, make(chan int, 10)
		f.Handle = func(ctx context.Context, b *events.Batch) error {
			if polls > 0 { // else it is what the first walk has found
				done <- polls
			}
			return handle(ctx, b)
		}
		ctx, stop := context.WithCancel(fx)
		var all sync.WaitGroup
		all.Go(func() { _ = f.Run(ctx) })
		check.Receive(fx.TB, "the first poll", started)
		if n := check.Receive(fx.TB, "a batch", done); n != 5 {
			t.Errorf("handled at the poll number %d", n)
		}
		stop()
		all.Wait()
	})
}

// TestServersShareTheLog checks that several followers of one name, while events are recorded, handle each event once.
func TestServersShareTheLog(t *testing.T) {
	forEachStore(t, func(fx *fixture) {
		ctx, stop := context.WithCancel(fx)
		var all sync.WaitGroup
		for range 3 {
			f := fx.newFollower("a")
			f.PollInterval = time.Millisecond
			all.Go(func() { _ = f.Run(ctx) })
		}
		var want []string
		for i := range 50 {
			want = append(want, fmt.Sprint(i))
			fx.record(fx.account, "k", want[i])
		}
		for more := true; more; {
			var err error
			more, err = fx.newFollower("a").Step(fx)
			fx.Must(err)
		}
		stop()
		all.Wait()
		seen := map[string]int{}
		for _, s := range fx.handled {
			seen[s]++
		}
		for _, s := range want {
			if seen[s] != 1 {
				t.Errorf("%s is handled %d times", s, seen[s])
			}
		}
	})
}
