package bus_test

import (
	"context"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"parley/internal/bus"
	"parley/internal/testkit/check"
	"parley/internal/testkit/dbs"
	"parley/internal/testkit/redisserver"
)

func TestMain(m *testing.M) { dbs.MainWithoutLeaks(m) }

// member is a server that others tell of events.
type member struct {
	testing.TB
	*bus.Bus

	mu     sync.Mutex
	ids    []string
	resets int // how often anything may have changed
}

// join runs a bus on an engine until the test ends, and waits until it hears the others.
func join(t testing.TB, engine bus.Engine) *member {
	t.Helper()
	m := &member{TB: t, Bus: bus.New(engine, slog.New(slog.NewTextHandler(io.Discard, nil)))}
	m.Subscribe(bus.Events, m.add)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { _ = m.Run(ctx) })
	t.Cleanup(func() {
		stop()
		running.Wait()
		m.Bus.Close()
	})
	check.Eventually(t, "a bus that is complete", m.IsComplete)
	return m
}

func (m *member) add(ids []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ids = append(m.ids, ids...)
	if ids == nil {
		m.resets++
	}
}

func (m *member) resetCount() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.resets
}

// await waits for ids, which come in any order and more than once.
func (m *member) await(ids ...string) {
	m.Helper()
	check.Eventually(m, "what others publish: "+strings.Join(ids, " "), func() bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		return !slices.ContainsFunc(ids, func(id string) bool { return !slices.Contains(m.ids, id) })
	})
}

// forEachEngine runs f with what makes the engines of servers that hear each other.
func forEachEngine(t *testing.T, f func(t *testing.T, newEngine func() bus.Engine)) {
	t.Run("memory", func(t *testing.T) {
		shared := &bus.Memory{}
		f(t, func() bus.Engine { return shared })
	})
	t.Run("postgres", func(t *testing.T) {
		url := dbs.SharedPostgres(t).NewDatabase(t)
		f(t, func() bus.Engine { return newPostgres(t, url) })
	})
	t.Run("redis", func(t *testing.T) {
		url := redisserver.Start(t).URL
		f(t, func() bus.Engine {
			engine, err := bus.NewRedis(url, "parley.test")
			check.Must(t, err)
			return engine
		})
	})
}

func newPostgres(t testing.TB, url string) bus.Engine {
	t.Helper()
	engine, err := bus.NewPostgres(url)
	if err != nil {
		t.Fatal(err)
	}
	return engine
}

func TestRedisIsChecked(t *testing.T) {
	for url, isThere := range map[string]bool{redisserver.Start(t).URL: true, "unix:///nowhere": false} {
		engine, err := bus.NewRedis(url, "parley.test")
		check.Must(t, err)
		if err := engine.Check(t.Context()); (err == nil) != isThere {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// TestOthersAreTold checks that what a server publishes reaches all others and not itself, and nobody of another topic.
func TestOthersAreTold(t *testing.T) {
	forEachEngine(t, func(t *testing.T, newEngine func() bus.Engine) {
		a, b, c := join(t, newEngine()), join(t, newEngine()), join(t, newEngine())
		var many []string
		for i := range 250 {
			many = append(many, fmt.Sprintf("0198c0de-0000-7000-8000-%012d", i))
		}
		a.Publish(bus.Jobs, "job")
		a.Publish(bus.Events, many...)
		a.Publish(bus.Events, "last")
		b.await(append(many, "last")...)
		c.await(append(many, "last")...)
		c.Publish(bus.Events, "from c")
		a.await("from c")
		for _, m := range []*member{a, b, c} {
			m.mu.Lock()
			if slices.Contains(m.ids, "job") || m == a && slices.Contains(m.ids, "last") {
				t.Error("somebody is told of what does not concern them")
			}
			m.mu.Unlock()
		}
	})
}

// TestTooMuchIsAll checks that what does not fit into messages is told as all of the topic.
func TestTooMuchIsAll(t *testing.T) {
	forEachEngine(t, func(t *testing.T, newEngine func() bus.Engine) {
		a, b := join(t, newEngine()), join(t, newEngine())
		for i, ids := range [][]string{nil, {strings.Repeat("x", 100)}, slices.Collect(numbers(20_000))} {
			before := b.resetCount()
			a.Publish(bus.Events, ids...)
			check.Eventually(t, fmt.Sprint("a message about everything ", i), func() bool { return b.resetCount() > before })
		}
	})
}

func numbers(n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range n {
			if !yield(fmt.Sprint(i)) {
				return
			}
		}
	}
}

// TestLostConnectionsComeBack checks that a server whose connections were closed connects again, and is told that it
// may have missed something.
func TestLostConnectionsComeBack(t *testing.T) {
	url := dbs.SharedPostgres(t).NewDatabase(t)
	a, b := join(t, newPostgres(t, url)), join(t, newPostgres(t, url))
	a.Publish(bus.Events, "before")
	b.await("before")
	before := b.resetCount()
	_, err := dbs.Open(t, url).Exec(t.Context(), `
		select pg_terminate_backend(pid)
		from pg_stat_activity
		where datname = current_database() and application_name = 'parley bus'`)
	check.Must(t, err)
	check.Eventually(t, "a server that is told of a gap", func() bool { return b.resetCount() > before })
	check.Eventually(t, "the other one", a.IsComplete)
	check.Eventually(t, "a message after the gap", func() bool {
		a.Publish(bus.Events, "after")
		b.mu.Lock()
		defer b.mu.Unlock()
		return slices.Contains(b.ids, "after")
	})
}

// deafEngine publishes and hears nothing, as behind a proxy that drops notifications.
type deafEngine struct{ bus.Memory }

func (d *deafEngine) Publish(context.Context, string) error { return nil }

// TestSilenceIsNotTrusted checks that a server is not complete before a message to itself has come back, that a bus
// without other servers is, and that no bus is not.
func TestSilenceIsNotTrusted(t *testing.T) {
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	deaf := bus.New(&deafEngine{}, log)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = deaf.Run(ctx) })
	deaf.Publish(bus.Events, "x")
	deaf.Flush(t.Context())
	if deaf.IsComplete() {
		t.Error("a server that hears nothing believes that nothing happens")
	}
	stop()
	running.Wait()
	deaf.Close()
	var none *bus.Bus
	if !bus.New(nil, log).IsComplete() || none.IsComplete() {
		t.Error("a server of its own is not complete, or no bus is")
	}
}

// TestPace checks how often one looks: at each tick without a bus, and every ten seconds with one that is complete.
func TestPace(t *testing.T) {
	count := func(p bus.Pace) (n int) {
		for range 60 {
			if p.IsDue() {
				n++
			}
		}
		return n
	}
	single := bus.New(nil, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if n := count(bus.Pace{Interval: bus.NetInterval / 10}); n != 60 {
		t.Errorf("without a bus one looks %d times in 60 ticks", n)
	}
	if n := count(bus.Pace{Bus: single, Interval: bus.NetInterval / 10}); n != 6 {
		t.Errorf("with a bus one looks %d times in 60 ticks", n)
	}
	if n := count(bus.Pace{Bus: single, Interval: 2 * bus.NetInterval}); n != 60 {
		t.Errorf("with a long interval one looks %d times in 60 ticks", n)
	}
}
