package events_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley"
	"parley/internal/bus"
	"parley/internal/events"
	"parley/internal/sqldb"
	"parley/internal/testkit/check"
	"parley/internal/testkit/dbs"
)

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// joinBus returns the bus of one more server on an engine.
func (fx *fixture) joinBus(engine bus.Engine) *bus.Bus {
	fx.Helper()
	b := bus.New(engine, quiet)
	ctx, stop := context.WithCancel(context.WithoutCancel(fx.Context))
	var running sync.WaitGroup
	running.Go(func() { _ = b.Run(ctx) })
	fx.Cleanup(func() {
		stop()
		running.Wait()
	})
	check.Eventually(fx.TB, "a bus that is complete", b.IsComplete)
	return b
}

// recordAfar records an event as another server does: this process does not notice.
func (fx *fixture) recordAfar(subject string) {
	fx.Helper()
	_, err := fx.db.SQL().Exec(fx, `
		insert into events (account_id, seq, at, kind, subject_id, payload)
		select id, event_seq + 1, 0, 'k', ?, '{}' from accounts where id = ?`, subject, fx.account)
	fx.Must(err)
	_, err = fx.db.SQL().Exec(fx, `update accounts set event_seq = event_seq + 1 where id = ?`, fx.account)
	fx.Must(err)
}

// TestSubscribersAreToldOfOtherServers checks that the bus brings the events of other servers, without a poll.
func TestSubscribersAreToldOfOtherServers(t *testing.T) {
	forEachStore(t, func(fx *fixture) {
		shared := &bus.Memory{}
		other := fx.joinBus(shared)
		b := &events.Broadcast{DB: fx.db, Logger: quiet, PollInterval: time.Hour, Bus: fx.joinBus(shared)}
		ctx, stop := context.WithCancel(context.WithoutCancel(fx.Context))
		var running sync.WaitGroup
		running.Go(func() { _ = b.Run(ctx) })
		defer running.Wait()
		defer stop()
		s := fx.subscribe(b, fx.account, "")
		fx.record(fx.account, "k", "from here")
		s.await(1)
		fx.recordAfar("from afar")
		other.Publish(bus.Events, string(fx.account))
		s.await(2)
		fx.recordAfar("after a gap")
		other.Publish(bus.Events)
		s.await(3)
		s.want(0, "from here", "from afar", "after a gap")
	})
}

// TestIdleFollowersAskSeldom checks that a follower and a broadcast whose bus is complete ask for the events of others
// now and then, and not at each of their polls; their own events are handled as ever.
func TestIdleFollowersAskSeldom(t *testing.T) {
	dbs.ForEachURL(t, func(t *testing.T, url string) {
		var looks atomic.Int64
		db := dbs.OpenConfig(t, sqldb.Config{URL: url, OnStatement: func(query string) {
			if strings.Contains(query, "from accounts a") || strings.Contains(query, "where id in") {
				looks.Add(1)
			}
		}})
		fx := &fixture{T: check.T{TB: t}, Context: t.Context(), db: dbs.NewStore(t, db)}
		fx.account = fx.newAccount()
		single := bus.New(nil, quiet)
		f := fx.newFollower("a")
		f.PollInterval, f.Bus = time.Millisecond, single
		b := &events.Broadcast{DB: fx.db, Logger: quiet, PollInterval: time.Millisecond, Bus: single}
		ctx, stop := context.WithCancel(fx)
		var running sync.WaitGroup
		running.Go(func() { _ = f.Run(ctx) })
		running.Go(func() { _ = b.Run(ctx) })
		defer running.Wait()
		defer stop()
		s := fx.subscribe(b, fx.account, "")
		for i := range 20 {
			fx.record(fx.account, "k", fmt.Sprint(i))
			s.await(i + 1)
		}
		check.Eventually(t, "the events", func() bool { return fx.handledCount() == 20 })
		if n := looks.Load(); n > 20 {
			t.Errorf("the database was asked %d times for the events of others", n)
		}
	})
}

// TestAccountsThatOthersToldOf checks which of the accounts that another server has told of have events to handle.
func TestAccountsThatOthersToldOf(t *testing.T) {
	forEachStore(t, func(fx *fixture) {
		f, idle := fx.newFollower("a"), fx.newAccount()
		fx.step(f, false)
		fx.recordAfar("left")
		accounts := []parley.AccountID{fx.newAccount(), fx.account, idle, "nobody"}
		behind, err := fx.db.AccountsBehindAmong(fx, "a", accounts)
		fx.Must(err)
		if len(behind) != 2 || slices.Contains(behind, idle) { // the new account and that of the event
			t.Errorf("behind are %v of %v", behind, accounts)
		}
		fx.step(f, false)
		fx.wantHandled("left")
		behind, err = fx.db.AccountsBehindAmong(fx, "a", accounts)
		fx.Must(err)
		if len(behind) != 0 {
			t.Errorf("behind are %v in the end", behind)
		}
	})
}
