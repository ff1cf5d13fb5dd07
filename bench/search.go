package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"syscall"
	"time"

	"parley"
	finding "parley/internal/search"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/wire"
)

const (
	searchesOfAClass = 300
	freshFor         = 20 * time.Second
	freshEvery       = 20 * time.Millisecond // a write: fifty a second
)

// measureSearch measures conversation search alone, in this process: on SQLite, or on PostgreSQL where a database is named.
func measureSearch(ctx context.Context, opt options, log io.Writer) (*report, error) {
	dir, err := os.MkdirTemp(opt.dir, "parley-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if opt.profile != "" {
		stop, err := profiling(filepath.Join(opt.profile, "search.pprof"))
		if err != nil {
			return nil, err
		}
		defer stop()
	}
	rep := &report{Machine: about(dir), Command: "go run ./bench " + opt.args}
	rows, err := searchOn(ctx, cmp.Or(opt.searchURL, filepath.Join(dir, "parley.db")), opt.messages, log)
	rep.add("search", rows)
	return rep, err
}

// seeker is a filled database and what searches it.
type seeker struct {
	db      *store.DB
	talks   *talks
	account *parley.Account
	finder  *finding.Finder
	indexer *finding.Indexer
	rng     *rand.Rand
	name    string
}

func searchOn(ctx context.Context, url string, messages int, log io.Writer) (rows []row, err error) {
	db, err := store.Open(ctx, sqldb.Config{URL: url, AllowAsyncCommit: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	now := time.Now()
	s := &seeker{db: db, talks: newTalks(sayings(setsFolder()), now), rng: rand.New(rand.NewPCG(5, 6)), name: db.SQL().Dialect().String()} //nolint:gosec // queries, not secrets
	s.account = &parley.Account{ID: parley.AccountID(parley.NewUUID()), Name: "Bench", Plan: "unlimited", CreatedAt: now}
	s.finder = &finding.Finder{DB: db, Cursors: wire.Cursors{Key: []byte("bench")}, Now: time.Now, Budget: time.Minute}
	s.indexer = &finding.Indexer{DB: db, Now: time.Now, Logger: slog.New(slog.DiscardHandler)}
	fmt.Fprintf(log, "%s: writing %d messages …\n", s.name, messages)
	if err := s.talks.fill(ctx, db, s.account, messages); err != nil {
		return nil, err
	}
	before, err := s.size(ctx)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(log, "%s: %d MB in %v; building the index …\n", s.name, before>>20, time.Since(now).Round(time.Second))
	began := time.Now()
	if err := s.build(ctx); err != nil {
		return nil, err
	}
	took := time.Since(began)
	after, err := s.size(ctx)
	if err != nil {
		return nil, err
	}
	rows = append(rows, only(s.name+": build of the index", "s", took.Seconds(), nil),
		only(s.name+": rows before, with their indexes", "MB", float64(before)/megabyte, nil), only(s.name+": size of the index", "MB", float64(after-before)/megabyte, nil))
	fmt.Fprintf(log, "%s: built in %v, %d MB; searching …\n", s.name, took.Round(time.Second), (after-before)>>20)
	for _, c := range s.classes() {
		more, err := s.measure(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		fmt.Fprintf(log, "%s: %s: p50 %.2f p99 %.2f, processor %.2f\n", s.name, c.name, *more[0].Ours, *more[1].Ours, *more[2].Ours)
		rows = append(rows, more...)
	}
	fresh, err := s.freshness(ctx)
	return append(rows, fresh...), err
}

// profiling writes a profile of this process until it is told to stop.
func profiling(file string) (stop func(), err error) {
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() {
		pprof.StopCPUProfile()
		_ = f.Close()
	}, nil
}

// processor gives the processor time that this process has used.
func processor() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func (s *seeker) build(ctx context.Context) error {
	for {
		more, err := s.indexer.Round(ctx)
		if err != nil || !more {
			return err
		}
	}
}

// size gives the bytes of the database.
func (s *seeker) size(ctx context.Context) (n int64, err error) {
	if s.db.SQL().Dialect() == sqldb.Postgres {
		return sqldb.One(ctx, s.db.SQL(), sqldb.Column[int64], `select pg_database_size(current_database())`)
	}
	return sqldb.One(ctx, s.db.SQL(), sqldb.Column[int64], `select page_count * page_size from pragma_page_count(), pragma_page_size()`)
}

// class is a kind of searches.
type class struct {
	name     string
	p50, p99 float64 // bars in milliseconds; 0 for none
	draw     func() (agent int, q finding.Query)
	pages    int // that are walked first, not measured
}

func (s *seeker) classes() []class {
	words := func(n int) func() (int, finding.Query) {
		return func() (int, finding.Query) { return s.drawn(n) }
	}
	filter := func(change func(q *finding.Query)) func() (int, finding.Query) {
		return func() (int, finding.Query) {
			var q finding.Query
			change(&q)
			return s.talks.agent(), q
		}
	}
	filters := []func(q *finding.Query){
		func(*finding.Query) {},
		func(q *finding.Query) { q.Source = []string{"WhatsApp", "Email", "API,Phone"}[s.rng.IntN(3)] },
		func(q *finding.Query) { q.UserID = fmt.Sprintf("user%d", s.rng.IntN(20_000)) },
		func(q *finding.Query) { q.ActivityState = "taken_over" },
		func(q *finding.Query) { q.Feedback = "negative" },
		func(q *finding.Query) { q.Tool, q.ToolOutcome = "orders", "error" },
		func(q *finding.Query) { q.Escalated, q.Source = "true", "Email" },
		func(q *finding.Query) {
			at := s.talks.first.Add(time.Duration(s.rng.Float64() * float64(s.talks.span)))
			q.StartDate, q.EndDate = at.Format(time.DateOnly), at.AddDate(0, 0, 20).Format(time.DateOnly)
		},
	}
	common := func(n int) func() (int, finding.Query) {
		return func() (int, finding.Query) { return 0, finding.Query{Text: s.common(n)} }
	}
	list := []class{
		{name: "mix", p50: 5, p99: 50, draw: func() (int, finding.Query) {
			switch k := s.rng.IntN(10); {
			case k < 6:
				return s.drawn(1 + s.rng.IntN(3))
			case k < 9:
				return filter(filters[s.rng.IntN(len(filters))])()
			default:
				return s.talks.agent(), finding.Query{Text: s.common(1 + s.rng.IntN(3))}
			}
		}},
		{name: "1 word", draw: words(1)}, {name: "2 words", draw: words(2)}, {name: "3 words", draw: words(3)},
		{name: "1 common word, largest agent", p50: 25, p99: 100, draw: common(1)},
		{name: "2 common words, largest agent", p50: 25, p99: 100, draw: common(2)},
		{name: "3 common words, largest agent", p50: 25, p99: 100, draw: common(3)},
		{name: "common word and a filter", draw: func() (int, finding.Query) {
			return 0, finding.Query{Text: s.common(1), Feedback: "negative"}
		}},
		{name: "5th page of a common word", draw: common(1), pages: 4},
		{name: "page behind the 1,000 ranked", draw: common(1), pages: 40},
	}
	for i, what := range []string{"no filter", "source", "user", "state", "feedback", "tool and outcome", "escalated and source", "three weeks"} {
		list = append(list, class{name: "filter: " + what, draw: filter(filters[i])})
	}
	return append(list, class{name: "20th page without a filter", draw: filter(filters[0]), pages: 19})
}

// drawn takes words out of one message of an agent, as a person does who remembers it.
func (s *seeker) drawn(n int) (int, finding.Query) {
	for {
		words := strings.FieldsFunc(s.talks.lines[s.rng.IntN(len(s.talks.lines))], func(r rune) bool { return r <= ' ' })
		if len(words) < n {
			continue
		}
		s.rng.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		return s.talks.agent(), finding.Query{Text: strings.Join(words[:n], " ")}
	}
}

// common draws words that stand nearly everywhere.
func (s *seeker) common(n int) string {
	words := strings.Fields("i the to a is you it for my of and in can what that on have do")
	s.rng.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	return strings.Join(words[:n], " ")
}

// measure times the searches of a class, after a few to warm up.
func (s *seeker) measure(ctx context.Context, c class) ([]row, error) {
	var took []time.Duration
	var busy time.Duration
	count := searchesOfAClass
	if c.pages > 10 {
		count /= 10
	}
	for i := range count + 10 {
		agent, q := c.draw()
		at := &parley.Agent{ID: s.talks.agents[agent], AccountID: s.account.ID}
		for range c.pages {
			page, err := s.finder.Find(ctx, s.account, at, q)
			if err != nil {
				return nil, err
			}
			if page.Cursor == nil {
				break
			}
			q.Cursor = *page.Cursor
		}
		began, used := time.Now(), processor()
		if _, err := s.finder.Find(ctx, s.account, at, q); err != nil {
			return nil, err
		}
		if i >= 10 {
			took, busy = append(took, time.Since(began)), busy+processor()-used
		}
	}
	slices.Sort(took)
	rows := []row{only(s.name+": "+c.name+", p50", "ms", ms(quantile(took, .5)), nil), only("… p99", "ms", ms(quantile(took, .99)), nil)}
	if c.p50 > 0 {
		p50, p99 := atMost(c.p50, "ms"), atMost(c.p99, "ms")
		rows = []row{only(rows[0].Measure, "ms", *rows[0].Ours, &p50), only(rows[1].Measure, "ms", *rows[1].Ours, &p99)}
	}
	return append(rows, only("… processor time, mean", "ms", ms(busy)/float64(count), nil)), nil
}

// freshness writes fifty conversations a second while the index follows, and waits for each until it is found.
func (s *seeker) freshness(ctx context.Context) ([]row, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- s.indexer.Run(ctx) }()
	type written struct {
		word string
		at   time.Time
	}
	waiting := make(chan written, 10_000)
	failed := make(chan error, 1)
	go func() {
		defer close(waiting)
		tick := time.NewTicker(freshEvery)
		defer tick.Stop()
		for n := range int(freshFor / freshEvery) {
			<-tick.C
			word := code(n)
			if err := s.write(ctx, s.talks.line()+" "+word); err != nil {
				failed <- err
				return
			}
			waiting <- written{word, time.Now()}
		}
	}()
	var took []time.Duration
	at := &parley.Agent{ID: s.talks.agents[0], AccountID: s.account.ID}
	for w := range waiting {
		for {
			page, err := s.finder.Find(ctx, s.account, at, finding.Query{Text: w.word})
			if err != nil {
				return nil, err
			}
			if len(page.Hits) > 0 {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		took = append(took, time.Since(w.at))
	}
	select {
	case err := <-failed:
		return nil, err
	default:
	}
	stop()
	slices.Sort(took)
	bar := atMost(3, "s")
	return []row{only(s.name+": found after a write, 50 writes/s, p50", "s", quantile(took, .5).Seconds(), nil),
		only("… p99", "s", quantile(took, .99).Seconds(), &bar)}, <-ended
}

func (s *seeker) write(ctx context.Context, text string) error {
	now := time.Now()
	c := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: s.account.ID, AgentID: s.talks.agents[0], Face: parley.FaceV2,
		Channel: parley.ChannelAPI, Status: parley.Ongoing, CreatedAt: now, UpdatedAt: now}
	m := &parley.Message{ID: parley.NewMessageID(), ConversationID: c.ID, Author: parley.ByUser, State: parley.MessageComplete,
		Parts: []parley.Part{{Type: "text", Text: text}}, CreatedAt: now}
	return s.db.Transact(ctx, sqldb.Turns, func(tx *store.DB) error {
		if err := tx.CreateConversation(ctx, c, m, false); err != nil {
			return err
		}
		return tx.Record(ctx, s.account.ID, now, store.Event{Kind: "conversation.created", AgentID: c.AgentID, ConversationID: c.ID, Subject: string(c.ID)})
	})
}
