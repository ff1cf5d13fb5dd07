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

	"go.uber.org/goleak"

	"parley"
	"parley/internal/events"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.Main(m, func() error { return goleak.Find() }) }

var noon = time.Date(2026, time.November, 10, 12, 0, 0, 0, time.UTC)

// fixture is a store with an account, and the subjects of the events that its followers have handled.
type fixture struct {
	testing.TB
	context.Context
	db      *store.DB
	account parley.AccountID

	mu      sync.Mutex
	handled []string
}

func forEachStore(t *testing.T, f func(w *fixture)) {
	t.Helper()
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) {
		w := &fixture{TB: t, Context: t.Context(), db: db}
		w.account = w.newAccount()
		f(w)
	})
}

func (w *fixture) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w *fixture) newAccount() parley.AccountID {
	w.Helper()
	id := parley.AccountID(parley.NewUUID())
	w.must(w.db.CreateAccount(w, &parley.Account{ID: id, Name: "Acme", Plan: "unlimited", CreatedAt: noon}))
	return id
}

// record records an event of each subject.
func (w *fixture) record(account parley.AccountID, kind string, subjects ...string) {
	w.Helper()
	w.must(w.db.Transact(w, sqldb.Interactive, func(tx *store.DB) error {
		var list []store.NewEvent
		for _, s := range subjects {
			list = append(list, store.NewEvent{Kind: kind, Subject: s})
		}
		return tx.RecordEvents(w, account, noon, list...)
	}))
}

// newFollower returns one that notes the subjects, each batch up to its end.
func (w *fixture) newFollower(name string) *events.Follower {
	return &events.Follower{
		DB: w.db, Name: name, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)), PollInterval: time.Hour,
		Handle: func(ctx context.Context, b *events.Batch) error { return w.handle(ctx, b, b.End, b.Events) },
	}
}

func (w *fixture) handle(ctx context.Context, b *events.Batch, to store.EventPosition, list []store.Event) error {
	err := w.db.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error { return b.Save(ctx, tx, to) })
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range list {
		w.handled = append(w.handled, e.Subject)
	}
	return nil
}

func (w *fixture) handledCount() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.handled)
}

func (w *fixture) wantHandled(want string) {
	w.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if got := strings.Join(w.handled, " "); got != want {
		w.Errorf("handled %q, want %q", got, want)
	}
	w.handled = nil
}

func (w *fixture) step(f *events.Follower, wantMore bool) {
	w.Helper()
	if more, err := f.Step(w); err != nil || more != wantMore {
		w.Errorf("more: %v, %v", more, err)
	}
}

// TestEachNameHasAPosition holds that a follower handles each event once, and others of other names do so, too.
func TestEachNameHasAPosition(t *testing.T) {
	forEachStore(t, func(w *fixture) {
		a, b := w.newFollower("a"), w.newFollower("b")
		w.record(w.account, "k", "1", "2")
		w.step(a, false)
		w.step(a, false)
		w.wantHandled("1 2")
		w.record(w.account, "k", "3")
		w.step(b, false)
		w.wantHandled("1 2 3")
		w.step(a, false)
		w.wantHandled("3")
		w.must(w.db.SkipEvents(w, "c", w.account))
		w.step(w.newFollower("c"), false)
		w.wantHandled("")
	})
}

// TestPartOfABatch holds that what a handler has left of a batch comes again, and that a failure moves nothing.
func TestPartOfABatch(t *testing.T) {
	forEachStore(t, func(w *fixture) {
		f := w.newFollower("a")
		f.Handle = func(ctx context.Context, b *events.Batch) error {
			return w.handle(ctx, b, b.Events[0].Position, b.Events[:1])
		}
		w.record(w.account, "k", "1", "2")
		w.step(f, true)
		f.Handle = func(context.Context, *events.Batch) error { return errors.New("failed") }
		if _, err := f.Step(w); err == nil {
			t.Error("the failure is lost")
		}
		w.step(w.newFollower("a"), false)
		w.wantHandled("1 2")
	})
}

// TestLongLog holds that a log of more than a batch is handled in its order, and that erased events are passed.
func TestLongLog(t *testing.T) {
	forEachStore(t, func(w *fixture) {
		var subjects []string
		for i := range 620 {
			subjects = append(subjects, fmt.Sprint(i))
		}
		w.record(w.account, "k", subjects...)
		_, err := w.db.SQL().Exec(w, `delete from events where account_id = ? and seq > 610`, w.account)
		w.must(err)
		f := w.newFollower("a")
		w.step(f, true)
		w.step(f, false)
		w.wantHandled(strings.Join(subjects[:610], " "))
		w.record(w.account, "k", "next")
		_, err = w.db.SQL().Exec(w, `delete from events where account_id = ? and seq <= 620`, w.account)
		w.must(err)
		f.Handle = func(ctx context.Context, b *events.Batch) error {
			if b.IsTruncated {
				t.Error("what was erased after the position was passed is missed")
			}
			return w.handle(ctx, b, b.End, b.Events)
		}
		w.step(f, false)
		w.record(w.account, "k", "lost", "last")
		_, err = w.db.SQL().Exec(w, `delete from events where account_id = ? and seq <= 622`, w.account)
		w.must(err)
		isTruncated := false
		f.Handle = func(ctx context.Context, b *events.Batch) error {
			isTruncated = b.IsTruncated
			return w.handle(ctx, b, b.End, b.Events)
		}
		w.step(f, false)
		if !isTruncated {
			t.Error("the lost event is not missed")
		}
		w.wantHandled("next last")
	})
}

// TestConflict holds that of two servers that have read the same events only one moves the position.
func TestConflict(t *testing.T) {
	forEachStore(t, func(w *fixture) {
		f := w.newFollower("a")
		w.record(w.account, "k", "1")
		one, err := f.NextBatch(w, w.account)
		w.must(err)
		other, err := f.NextBatch(w, w.account)
		w.must(err)
		w.must(one.Save(w, w.db, one.End))
		if err := other.Save(w, w.db, other.End); !errors.Is(err, events.ErrConflict) {
			t.Error(err)
		}
	})
}

// TestUrgentEventsWake holds that an urgent event is handled when it is recorded, whatever the poll, with those before
// it.
func TestUrgentEventsWake(t *testing.T) {
	forEachStore(t, func(w *fixture) {
		f := w.newFollower("a")
		f.IsUrgent = func(kind string) bool { return kind == "urgent" }
		handle, batches := f.Handle, make(chan struct{}, 10)
		f.Handle = func(ctx context.Context, b *events.Batch) error {
			err := handle(ctx, b)
			batches <- struct{}{}
			return err
		}
		ctx, stop := context.WithCancel(w)
		var all sync.WaitGroup
		all.Go(func() { _ = f.Run(ctx) })
		w.record(w.account, "k", "1")
		other := w.newAccount()
		w.record(other, "urgent", "2")
		w.record(w.account, "urgent", "3")
		timeout := time.After(10 * time.Second)
		for w.handledCount() < 3 {
			select {
			case <-batches:
			case <-timeout:
				t.Fatalf("%d are handled", w.handledCount())
			}
		}
		stop()
		all.Wait()
	})
}

// TestManyServers has several followers of a name at work while events are recorded: each is handled once.
func TestManyServers(t *testing.T) {
	forEachStore(t, func(w *fixture) {
		ctx, stop := context.WithCancel(w)
		var all sync.WaitGroup
		for range 3 {
			f := w.newFollower("a")
			f.PollInterval = time.Millisecond
			all.Go(func() { _ = f.Run(ctx) })
		}
		var want []string
		for i := range 50 {
			want = append(want, fmt.Sprint(i))
			w.record(w.account, "k", want[i])
		}
		for more := true; more; {
			var err error
			more, err = w.newFollower("a").Step(w)
			w.must(err)
		}
		stop()
		all.Wait()
		seen := map[string]int{}
		for _, s := range w.handled {
			seen[s]++
		}
		for _, s := range want {
			if seen[s] != 1 {
				t.Errorf("%s is handled %d times", s, seen[s])
			}
		}
	})
}
