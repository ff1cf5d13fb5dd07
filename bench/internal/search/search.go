package search

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
	"time"

	"parley"
	"parley/bench/internal/corpus"
	"parley/bench/internal/harness"
	"parley/bench/internal/process"
	"parley/bench/internal/report"
	"parley/bench/internal/stub"
	"parley/internal/httpapi"

	finding "parley/internal/search"
	"parley/internal/sqldb"
	"parley/internal/store"
)

const (
	searchesPerClass  = 300
	freshnessTime     = 20 * time.Second
	freshnessInterval = 20 * time.Millisecond // a write: fifty a second
)

// Measure measures conversation search alone, in this process: on SQLite, or on PostgreSQL where a database is named.
func Measure(ctx context.Context, opt harness.Options, log io.Writer) (*report.Report, error) {
	dir, err := os.MkdirTemp(opt.Dir, "parley-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if opt.ProfileDir != "" {
		stop, err := startProfile(filepath.Join(opt.ProfileDir, "search.pprof"))
		if err != nil {
			return nil, err
		}
		defer stop()
	}
	rep := &report.Report{Machine: report.DescribeMachine(dir), Command: "go run ./bench " + opt.Args}
	rows, err := measureSearchOn(ctx, cmp.Or(opt.SearchURL, filepath.Join(dir, "parley.db")), opt.Messages, log)
	rep.Add("search", rows)
	return rep, err
}

// searchRun is a filled database and what searches it.
type searchRun struct {
	db        *store.DB
	generator *conversationGenerator
	account   *parley.Account
	finder    *finding.Finder
	indexer   *finding.Indexer
	rng       *rand.Rand
	name      string
}

func measureSearchOn(ctx context.Context, url string, messages int, log io.Writer) (rows []report.Row, err error) {
	db, err := store.Open(ctx, sqldb.Config{URL: url, AllowAsyncCommit: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	now := time.Now()
	s := &searchRun{db: db, generator: newConversationGenerator(readUtterances(corpus.DataSetsDir()), now),
		rng: rand.New(rand.NewPCG(5, 6)), name: db.SQL().Dialect().String()} //nolint:gosec // queries, not secrets
	s.account = &parley.Account{ID: parley.AccountID(parley.NewUUID()), Name: "Bench", Plan: "unlimited", CreatedAt: now}
	s.finder = &finding.Finder{DB: db, Cursors: httpapi.Cursors{Key: []byte("bench")}, Now: time.Now, Timeout: time.Minute}
	s.indexer = &finding.Indexer{DB: db, Now: time.Now, Logger: slog.New(slog.DiscardHandler)}
	fmt.Fprintf(log, "%s: writing %d messages …\n", s.name, messages)
	if err := s.generator.fillDatabase(ctx, db, s.account, messages); err != nil {
		return nil, err
	}
	before, err := s.databaseBytes(ctx)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(log, "%s: %d MB in %v; building the index …\n", s.name, before>>20, time.Since(now).Round(time.Second))
	began := time.Now()
	if err := s.fillAndIndex(ctx); err != nil {
		return nil, err
	}
	elapsed := time.Since(began)
	after, err := s.databaseBytes(ctx)
	if err != nil {
		return nil, err
	}
	rows = append(rows, report.SingleRow(s.name+": build of the index", "s", elapsed.Seconds(), nil),
		report.SingleRow(s.name+": rows before, with their indexes", "MB", float64(before)/report.Megabyte, nil),
		report.SingleRow(s.name+": size of the index", "MB", float64(after-before)/report.Megabyte, nil))
	fmt.Fprintf(log, "%s: built in %v, %d MB; searching …\n", s.name, elapsed.Round(time.Second), (after-before)>>20)
	for _, c := range s.searchClasses() {
		more, err := s.measureClass(ctx, c)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		fmt.Fprintf(log, "%s: %s: p50 %.2f p99 %.2f, processor %.2f\n", s.name, c.name, *more[0].Parley,
			*more[1].Parley, *more[2].Parley)
		rows = append(rows, more...)
	}
	fresh, err := s.measureFreshness(ctx)
	return append(rows, fresh...), err
}

// startProfile writes a profile of this process until it is told to stop.
func startProfile(file string) (stop func(), err error) {
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

func (s *searchRun) fillAndIndex(ctx context.Context) error {
	for {
		more, err := s.indexer.StepAll(ctx)
		if err != nil || !more {
			return err
		}
	}
}

func (s *searchRun) databaseBytes(ctx context.Context) (n int64, err error) {
	if s.db.SQL().Dialect() == sqldb.Postgres {
		return sqldb.One(ctx, s.db.SQL(), sqldb.Column[int64], `select pg_database_size(current_database())`)
	}
	return sqldb.One(ctx, s.db.SQL(), sqldb.Column[int64],
		`select page_count * page_size from pragma_page_count(), pragma_page_size()`)
}

type searchClass struct {
	name           string
	maxP50, maxP99 float64 // bars in milliseconds; 0 for none
	newQuery       func() (agent int, q finding.Query)
	skippedPages   int // that are walked first, not measured
}

func (s *searchRun) searchClasses() []searchClass {
	words := func(n int) func() (int, finding.Query) {
		return func() (int, finding.Query) { return s.randomWordsQuery(n) }
	}
	filter := func(change func(q *finding.Query)) func() (int, finding.Query) {
		return func() (int, finding.Query) {
			var q finding.Query
			change(&q)
			return s.generator.randomAgent(), q
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
			at := s.generator.firstTime.Add(time.Duration(s.rng.Float64() * float64(s.generator.timeSpan)))
			q.StartDate, q.EndDate = at.Format(time.DateOnly), at.AddDate(0, 0, 20).Format(time.DateOnly)
		},
	}
	common := func(n int) func() (int, finding.Query) {
		return func() (int, finding.Query) { return 0, finding.Query{Text: s.commonWords(n)} }
	}
	mixP50, mixP99 := 3.0, 20.0
	if s.db.SQL().Dialect() == sqldb.Postgres {
		mixP50, mixP99 = 4, 25
	}
	list := []searchClass{
		{name: "mix", maxP50: mixP50, maxP99: mixP99, newQuery: func() (int, finding.Query) {
			switch k := s.rng.IntN(10); {
			case k < 6:
				return s.randomWordsQuery(1 + s.rng.IntN(3))
			case k < 9:
				return filter(filters[s.rng.IntN(len(filters))])()
			default:
				return s.generator.randomAgent(), finding.Query{Text: s.commonWords(1 + s.rng.IntN(3))}
			}
		}},
		{name: "1 word", newQuery: words(1)}, {name: "2 words", newQuery: words(2)}, {name: "3 words", newQuery: words(3)},
		{name: "1 common word, largest agent", maxP50: 25, maxP99: 100, newQuery: common(1)},
		{name: "2 common words, largest agent", maxP50: 25, maxP99: 100, newQuery: common(2)},
		{name: "3 common words, largest agent", maxP50: 25, maxP99: 100, newQuery: common(3)},
		{name: "common word and a filter", newQuery: func() (int, finding.Query) {
			return 0, finding.Query{Text: s.commonWords(1), Feedback: "negative"}
		}},
		{name: "5th page of a common word", newQuery: common(1), skippedPages: 4},
		{name: "page behind the 1,000 ranked", newQuery: common(1), skippedPages: 40},
	}
	for i, name := range []string{"no filter", "source", "user", "state", "feedback", "tool and outcome",
		"escalated and source", "three weeks"} {
		list = append(list, searchClass{name: "filter: " + name, newQuery: filter(filters[i])})
	}
	return append(list, searchClass{name: "20th page without a filter", newQuery: filter(filters[0]), skippedPages: 19})
}

// randomWordsQuery takes words out of one message of an agent, as a person does who remembers it.
func (s *searchRun) randomWordsQuery(n int) (int, finding.Query) {
	for {
		words := strings.FieldsFunc(s.generator.lines[s.rng.IntN(len(s.generator.lines))], func(r rune) bool {
			return r <= ' '
		})
		if len(words) < n {
			continue
		}
		s.rng.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		return s.generator.randomAgent(), finding.Query{Text: strings.Join(words[:n], " ")}
	}
}

// commonWords draws words that are nearly everywhere.
func (s *searchRun) commonWords(n int) string {
	words := strings.Fields("i the to a is you it for my of and in can what that on have do")
	s.rng.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	return strings.Join(words[:n], " ")
}

// measureClass times the searches of a class, after a few to warm up.
func (s *searchRun) measureClass(ctx context.Context, c searchClass) ([]report.Row, error) {
	var elapsed []time.Duration
	var busy time.Duration
	count := searchesPerClass
	if c.skippedPages > 10 {
		count /= 10
	}
	for i := range count + 10 {
		agent, q := c.newQuery()
		at := &parley.Agent{ID: s.generator.agents[agent], AccountID: s.account.ID}
		for range c.skippedPages {
			page, err := s.finder.Find(ctx, s.account, at, q)
			if err != nil {
				return nil, err
			}
			if page.Cursor == nil {
				break
			}
			q.Cursor = *page.Cursor
		}
		began, used := time.Now(), process.OwnCPUTime()
		if _, err := s.finder.Find(ctx, s.account, at, q); err != nil {
			return nil, err
		}
		if i >= 10 {
			elapsed, busy = append(elapsed, time.Since(began)), busy+process.OwnCPUTime()-used
		}
	}
	slices.Sort(elapsed)
	rows := []report.Row{report.SingleRow(s.name+": "+c.name+", p50", "ms", report.Milliseconds(report.Quantile(elapsed,
		.5)), nil), report.SingleRow("… p99", "ms", report.Milliseconds(report.Quantile(elapsed, .99)), nil)}
	if c.maxP50 > 0 {
		p50, p99 := report.AtMost(c.maxP50, "ms"), report.AtMost(c.maxP99, "ms")
		rows = []report.Row{report.SingleRow(rows[0].Measure, "ms", *rows[0].Parley, &p50),
			report.SingleRow(rows[1].Measure, "ms", *rows[1].Parley, &p99)}
	}
	return append(rows,
		report.SingleRow("… processor time, mean", "ms", report.Milliseconds(busy)/float64(count), nil)), nil
}

// measureFreshness writes fifty conversations a second while the index follows, and waits for each until it is found.
func (s *searchRun) measureFreshness(ctx context.Context) ([]report.Row, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- s.indexer.Run(ctx) }()
	type writtenWord struct {
		word string
		at   time.Time
	}
	waiting := make(chan writtenWord, 10_000)
	failed := make(chan error, 1)
	go func() {
		defer close(waiting)
		tick := time.NewTicker(freshnessInterval)
		defer tick.Stop()
		for n := range int(freshnessTime / freshnessInterval) {
			<-tick.C
			word := stub.NewCode(n)
			if err := s.writeConversation(ctx, s.generator.randomLine()+" "+word); err != nil {
				failed <- err
				return
			}
			waiting <- writtenWord{word, time.Now()}
		}
	}()
	var elapsed []time.Duration
	at := &parley.Agent{ID: s.generator.agents[0], AccountID: s.account.ID}
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
		elapsed = append(elapsed, time.Since(w.at))
	}
	select {
	case err := <-failed:
		return nil, err
	default:
	}
	stop()
	slices.Sort(elapsed)
	bar := report.AtMost(3, "s")
	return []report.Row{report.SingleRow(s.name+": found after a write, 50 writes/s, p50", "s",
		report.Quantile(elapsed, .5).Seconds(), nil),
		report.SingleRow("… p99", "s", report.Quantile(elapsed, .99).Seconds(), &bar)}, <-ended
}

func (s *searchRun) writeConversation(ctx context.Context, text string) error {
	now := time.Now()
	c := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: s.account.ID,
		AgentID: s.generator.agents[0], API: parley.APIV2,
		Channel: parley.ChannelAPI, Status: parley.ConversationOngoing, CreatedAt: now, UpdatedAt: now}
	m := &parley.Message{ID: parley.NewMessageID(), ConversationID: c.ID, Author: parley.AuthorUser,
		State: parley.MessageComplete,
		Parts: []parley.Part{{Type: "text", Text: text}}, CreatedAt: now}
	return s.db.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if err := tx.CreateConversation(ctx, c, m, false); err != nil {
			return err
		}
		return tx.RecordEvents(ctx, s.account.ID, now,
			store.NewEvent{Kind: parley.EventConversationCreated, AgentID: c.AgentID,
				ConversationID: c.ID, Subject: string(c.ID)})
	})
}
