package events_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/events"
	"parley/internal/testkit/check"
)

// subscriber takes what a subscription has.
type subscriber struct {
	*events.Subscription
	fx     *fixture
	woken  chan struct{}
	taken  []string // subjects
	resets int
}

// runBroadcast runs a broadcast until the test ends.
func (fx *fixture) runBroadcast(t *testing.T) *events.Broadcast {
	b := &events.Broadcast{DB: fx.db, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		PollInterval: 50 * time.Millisecond}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { _ = b.Run(ctx) })
	t.Cleanup(func() {
		stop()
		running.Wait()
	})
	return b
}

func (fx *fixture) subscribe(b *events.Broadcast, account parley.AccountID, after string) *subscriber {
	fx.Helper()
	s := &subscriber{fx: fx, woken: make(chan struct{}, 1)}
	var err error
	s.Subscription, err = b.Subscribe(fx, account, after, func() {
		select {
		case s.woken <- struct{}{}:
		default:
		}
	})
	fx.Must(err)
	return s
}

func (s *subscriber) take() {
	u := s.Take()
	if u.IsReset {
		s.resets++
	}
	for _, e := range u.Events {
		s.taken = append(s.taken, e.Subject)
	}
}

// await takes until there are so many events.
func (s *subscriber) await(n int) {
	s.fx.Helper()
	timeout := time.After(check.WaitTimeout)
	for s.take(); len(s.taken) < n; s.take() {
		select {
		case <-s.woken:
		case <-timeout:
			s.fx.Fatalf("%d events have come, want %d", len(s.taken), n)
		}
	}
}

func (s *subscriber) want(resets int, subjects ...string) {
	s.fx.Helper()
	if got, want := strings.Join(s.taken, " "), strings.Join(subjects, " "); got != want || s.resets != resets {
		s.fx.Errorf("%d resets and %q, want %d and %q", s.resets, got, resets, want)
	}
}

func numbers(from, to int) (list []string) {
	for i := from; i <= to; i++ {
		list = append(list, fmt.Sprint(i))
	}
	return list
}

// TestSubscribersAreToldOfTheirAccount checks that everybody gets the events of their account in order, once.
func TestSubscribersAreToldOfTheirAccount(t *testing.T) {
	forEachStore(t, func(fx *fixture) {
		b, other := fx.runBroadcast(fx.TB.(*testing.T)), fx.newAccount()
		fx.record(fx.account, "k", "before")
		one, two, foreign := fx.subscribe(b, fx.account, ""), fx.subscribe(b, fx.account, ""), fx.subscribe(b, other, "")
		for _, n := range numbers(1, 30) {
			fx.record(fx.account, "k", n)
		}
		fx.record(other, "k", "theirs")
		one.await(30)
		two.await(30)
		foreign.await(1)
		one.want(0, numbers(1, 30)...)
		two.want(0, numbers(1, 30)...)
		foreign.want(0, "theirs")
		one.Close()
		two.Close()
		foreign.Close()
		if _, err := b.Subscribe(fx, "nobody", "", func() {}); !parley.IsCode(err, parley.CodeAccountNotFound) {
			t.Errorf("an account that does not exist: %v", err)
		}
	})
}

// TestSubscribersComeBack checks that whoever is cut off after any event, and comes back to another server, misses
// nothing and gets nothing twice.
func TestSubscribersComeBack(t *testing.T) {
	forEachStore(t, func(fx *fixture) {
		var seen []string
		b := fx.runBroadcast(fx.TB.(*testing.T))
		fx.record(fx.account, "k", "before")
		first := fx.subscribe(b, fx.account, "")
		id := first.Start()
		first.Close()
		for i := range 20 {
			fx.record(fx.account, "k", fmt.Sprint(2*i), fmt.Sprint(2*i+1))
			if i%5 == 4 {
				b = fx.runBroadcast(fx.TB.(*testing.T)) // another server
			}
			s := fx.subscribe(b, fx.account, id)
			s.await(2)
			s.want(0, fmt.Sprint(2*i), fmt.Sprint(2*i+1))
			seen, id = append(seen, s.taken...), s.Position()
			s.Close()
		}
		if got, want := strings.Join(seen, " "), strings.Join(numbers(0, 39), " "); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	})
}

// TestThoseTooFarBehindStartAgain checks where the limit of 1,000 events is, and that ids that mean nothing are resets.
func TestThoseTooFarBehindStartAgain(t *testing.T) {
	forEachStore(t, func(fx *fixture) {
		b, other := fx.runBroadcast(fx.TB.(*testing.T)), fx.newAccount()
		fx.record(fx.account, "k", "0")
		begin := fx.subscribe(b, fx.account, "")
		id := begin.Start()
		fx.record(fx.account, "k", numbers(1, 1000)...)
		s := fx.subscribe(b, fx.account, id)
		s.await(1000)
		s.want(0, numbers(1, 1000)...)
		fx.record(fx.account, "k", "1001")
		for _, after := range []string{id, "x", "AAAA", fx.subscribe(b, other, "").Start(), id + "zzzz"} {
			late := fx.subscribe(b, fx.account, after)
			late.take()
			if late.want(1); late.Position() != late.Start() {
				t.Errorf("%q: begins at %s and not at %s", after, late.Start(), late.Position())
			}
		}
		fx.record(fx.account, "k", "1002")
		_, err := fx.db.SQL().Exec(fx, `delete from events where account_id = ? and seq <= 1002`, fx.account)
		fx.Must(err)
		lost := fx.subscribe(b, fx.account, s.Position())
		fx.record(fx.account, "k", "1004")
		if lost.take(); lost.resets != 1 {
			t.Error("what was erased is not missed")
		}
	})
}

// TestSlowSubscribersStartAgain checks that whoever takes nothing while more than 1,000 events come is told so.
func TestSlowSubscribersStartAgain(t *testing.T) {
	forEachStore(t, func(fx *fixture) {
		b := fx.runBroadcast(fx.TB.(*testing.T))
		slow, quick := fx.subscribe(b, fx.account, ""), fx.subscribe(b, fx.account, "")
		for i := range 30 {
			fx.record(fx.account, "k", numbers(50*i, 50*i+49)...)
			quick.await(50*i + 50)
		}
		slow.take()
		slow.want(1)
		fx.record(fx.account, "k", "next")
		slow.await(1)
		slow.want(1, "next")
		quick.await(1501)
		quick.want(0, append(numbers(0, 1499), "next")...)
	})
}

// TestEventsOfOtherServersAreFound checks that what another process has recorded comes with the next poll.
func TestEventsOfOtherServersAreFound(t *testing.T) {
	forEachStore(t, func(fx *fixture) {
		s := fx.subscribe(fx.runBroadcast(fx.TB.(*testing.T)), fx.account, "")
		fx.record(fx.account, "k", "from here")
		s.await(1) // so the log has begun
		_, err := fx.db.SQL().Exec(fx, `
			insert into events (account_id, seq, at, kind, subject_id, payload)
			select id, event_seq + 1, 0, 'k', 'from afar', '{}' from accounts where id = ?`, fx.account)
		fx.Must(err)
		_, err = fx.db.SQL().Exec(fx, `update accounts set event_seq = event_seq + 1 where id = ?`, fx.account)
		fx.Must(err)
		s.await(2)
		s.want(0, "from here", "from afar")
	})
}
