package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/ingest"
	"parley/internal/jobs"
	"parley/internal/retrieval"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/dbs"
)

func TestMain(m *testing.M) { dbs.Main(m) }

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// testService is a Service on one database with one account and one agent.
type testService struct {
	check.T
	*ingest.Service
	account parley.Account
	agent   parley.AgentID
	plan    parley.Plan
	runner  *jobs.Runner
	now     time.Time
}

func forEachDatabase(t *testing.T, f func(s *testService)) {
	t.Helper()
	dbs.ForEachStore(t, func(t *testing.T, db *store.DB) { f(newTestService(t, db)) })
}

func newTestService(t testing.TB, db *store.DB) *testService {
	s := &testService{T: check.T{TB: t}, account: parley.Account{ID: "acc", Name: "Acme", Plan: "test", CreatedAt: noon},
		plan: parley.Plan{Name: "test"}, agent: parley.NewAgentID(), now: noon}
	now := func() time.Time { return s.now }
	queue := &jobs.Queue{Now: now}
	s.Service = &ingest.Service{DB: db, Indexes: &retrieval.Indexes{DB: db.SQL()}, Queue: queue, Now: now}
	handlers := s.Handlers()
	maps.Copy(handlers, s.CrawlHandlers())
	s.runner = &jobs.Runner{DB: db.SQL(), Queue: queue, Handlers: handlers}
	s.Must(db.CreateAccount(t.Context(), &s.account))
	s.Must(db.CreateAgent(t.Context(),
		&parley.Agent{ID: s.agent, AccountID: "acc", Name: "Guide", CreatedAt: noon, UpdatedAt: noon}))
	return s
}

func (s *testService) caller() parley.Caller { return parley.Caller{Account: s.account, Plan: s.plan} }

func (s *testService) addText(name, content string) *parley.Source {
	s.Helper()
	src, err := s.AddText(s.Context(), s.caller(), s.agent, name, content)
	s.Must(err)
	return src
}

func (s *testService) runJobs() {
	s.Helper()
	_, err := s.runner.RunDue(s.Context())
	s.Must(err)
}

func (s *testService) source(id parley.SourceID) *parley.Source {
	s.Helper()
	src, err := s.DB.Source(s.Context(), s.account.ID.AgentRef(s.agent), id)
	s.Must(err)
	return src
}

func (s *testService) loadAgent() *parley.Agent {
	s.Helper()
	a, err := s.DB.Agent(s.Context(), s.account.ID.AgentRef(s.agent), s.now)
	s.Must(err)
	return a
}

// sourceNames returns the names of the sources in which the agent finds something.
func (s *testService) sourceNames(question string) string {
	s.Helper()
	hits, err := s.Indexes.Nearest(s.Context(), s.agent, s.loadAgent().PassageVersion,
		retrieval.Query{Text: question, Limit: 8})
	s.Must(err)
	var names []string
	for _, h := range hits {
		names = append(names, h.Passage.SourceName)
	}
	return strings.Join(names, " ")
}

func TestTextIsTrained(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		src := s.addText("Refunds", "# Refunds\n\nRefunds are\x00 paid within ten days.")
		if src.Status != parley.SourceUntrained || src.Kind != parley.SourceText || src.Size != 44 ||
			s.loadAgent().Status() != parley.AgentTraining {
			s.Errorf("%+v", src)
		}
		if got := s.sourceNames("When are refunds paid?"); got != "" {
			s.Error("answers before it is trained from", got)
		}
		s.now = noon.Add(time.Second)
		s.runJobs()
		trained := s.source(src.ID)
		if trained.Status != parley.SourceTrained || trained.LiveVersion != src.WantedVersion ||
			!trained.UpdatedAt.Equal(s.now) {
			s.Errorf("%+v", trained)
		}
		if a := s.loadAgent(); a.Status() != parley.AgentTrained || a.Size != 44 || a.PassageVersion != 1 ||
			!a.LastTrainedAt.Equal(s.now) {
			s.Errorf("%+v", a)
		}
		if got := s.sourceNames("When are refunds paid?"); got != "Refunds" {
			s.Error(got)
		}
		hits, err := s.Indexes.Nearest(s.Context(), s.agent, 1, retrieval.Query{Text: "refunds", Limit: 1})
		s.Must(err)
		v, err := s.DB.Version(s.Context(), s.account.ID.AgentRef(s.agent), src.ID, trained.LiveVersion)
		s.Must(err)
		p := hits[0].Passage
		if v.Text[p.Start:p.End] != p.Text || v.Hash != p.VersionHash || strings.Contains(v.Text, "\x00") {
			s.Errorf("the span does not hold the passage: %+v of %+v", p, v)
		}
		s.Must(s.Train(s.Context(), jobs.Job{Kind: ingest.TrainJob, Key: string(src.ID), AccountID: "acc",
			Payload: fmt.Appendf(nil, `{"agent":%q}`, s.agent)}))
		if a := s.loadAgent(); a.PassageVersion != 1 {
			s.Error("a repeated job trained again:", a.PassageVersion)
		}
	})
}

func TestTextBelongsToItsAgent(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		src := s.addText("Mine", "text")
		_, err := s.AddText(s.Context(), parley.Caller{Account: parley.Account{ID: "other"}, Plan: s.plan}, s.agent, "n", "c")
		s.WantCode(err, parley.CodeAgentNotFound)
		_, err = s.Delete(s.Context(), parley.AgentRef{Account: "other", Agent: s.agent}, src.ID)
		s.WantCode(err, parley.CodeAgentNotFound)
		_, err = s.Delete(s.Context(), s.account.ID.AgentRef(s.agent), "unknown")
		s.WantCode(err, parley.CodeSourceNotFound)
		s.Must(s.DB.DeleteAgent(s.Context(), s.account.ID.AgentRef(s.agent), noon))
		_, err = s.AddText(s.Context(), s.caller(), s.agent, "n", "c")
		s.WantCode(err, parley.CodeAgentNotFound)
		s.runJobs() // the job finds nobody to train, which is not a failure
		if n := dbs.CountRows(s.TB, s.DB.SQL(), `select count(*) from passages`) +
			dbs.CountRows(s.TB, s.DB.SQL(), `select count(*) from jobs where state <> 'ready' or attempts > 0`); n != 0 {
			s.Error("a deleted agent was trained")
		}
	})
}

func TestStorageLimitIsExact(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		limit := int64(35)
		s.plan.StoragePerAgent = &limit
		errs := make([]error, 10)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() { _, errs[i] = s.AddText(s.Context(), s.caller(), s.agent, fmt.Sprint(i), "ten bytes!") })
		}
		all.Wait()
		added := 0
		for _, err := range errs {
			if err == nil {
				added++
				continue
			}
			s.WantCode(err, parley.CodeSourceSize)
		}
		if a := s.loadAgent(); added != 3 || a.Size != 30 || a.Sources.Pending != 3 ||
			dbs.CountRows(s, s.DB.SQL(), `select count(*) from sources`) != 3 ||
			dbs.CountRows(s, s.DB.SQL(), `select count(*) from jobs`) != 3 {
			s.Errorf("%d added, %+v", added, s.loadAgent())
		}
		s.addText("n", "five!")
		_, err := s.AddText(s.Context(), s.caller(), s.agent, "n", "x")
		s.WantCode(err, parley.CodeSourceSize)
	})
}

func TestDuplicateSourceIsRefused(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		errs := make([]error, 10)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() { _, errs[i] = s.AddText(s.Context(), s.caller(), s.agent, "n", "text") })
		}
		all.Wait()
		for _, err := range errs {
			if err != nil {
				s.WantCode(err, parley.CodeSourceDuplicate)
			}
		}
		if a := s.loadAgent(); a.Size != 4 || a.Sources.Pending != 1 ||
			dbs.CountRows(s, s.DB.SQL(), `select count(*) from sources`) != 1 ||
			dbs.CountRows(s, s.DB.SQL(), `select count(*) from jobs`) != 1 {
			s.Errorf("%+v", a)
		}
		s.addText("m", "text")
		s.addText("n", "other text")
	})
}

func TestDeletedSourceIsNotFound(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		src, other := s.addText("Refunds", "Refunds are paid within ten days."),
			s.addText("Parcels", "Parcels are sent within two days.")
		s.runJobs()
		if got := s.sourceNames("days"); !strings.Contains(got, "Refunds") || !strings.Contains(got, "Parcels") {
			s.Error(got)
		}
		deleted, err := s.Delete(s.Context(), s.account.ID.AgentRef(s.agent), src.ID)
		s.Must(err)
		if deleted.Status != parley.SourceDeleted || deleted.Name != "Refunds" {
			s.Errorf("%+v", deleted)
		}
		_, err = s.Delete(s.Context(), s.account.ID.AgentRef(s.agent), src.ID)
		s.WantCode(err, parley.CodeSourceNotFound)
		s.runJobs() // erases the rows, before the memory has heard of it
		if got := s.sourceNames("How fast are refunds paid? days"); got != "Parcels" {
			s.Error("answers from", got)
		}
		if a := s.loadAgent(); a.Size != other.Size || a.Sources != (parley.SourceCounts{Live: 1}) || a.PassageVersion != 3 {
			s.Errorf("%+v", a)
		}
		if n := dbs.CountRows(s, s.DB.SQL(), `select count(*) from source_versions where source_id = ?`, src.ID) +
			dbs.CountRows(s, s.DB.SQL(), `select count(*) from passages where source_id = ? and text <> ''`, src.ID); n != 0 {
			s.Error(n, "rows still hold text of the source")
		}
		fresh := &retrieval.Indexes{DB: s.DB.SQL()}
		hits, err := fresh.Nearest(s.Context(), s.agent, s.loadAgent().PassageVersion,
			retrieval.Query{Text: "days", Limit: 8})
		s.Must(err)
		if len(hits) != 1 {
			s.Errorf("a new server finds %d passages", len(hits))
		}
	})
}

func TestSourceDeletedWhileItTrains(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		src := s.addText("Refunds", "Refunds are paid within ten days.")
		_, err := s.Delete(s.Context(), s.account.ID.AgentRef(s.agent), src.ID)
		s.Must(err)
		s.runJobs()
		if a := s.loadAgent(); a.Sources != (parley.SourceCounts{}) || a.Size != 0 ||
			a.Status() != parley.AgentUntrained || dbs.CountRows(s, s.DB.SQL(), `select count(*) from passages`) != 0 {
			s.Errorf("%+v", a)
		}
	})
}

func TestInterruptedTrainingRestarts(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		src := s.addText("Refunds", strings.Repeat("Refunds are paid within ten days. ", 200))
		ctx, cancel := context.WithCancel(s.Context())
		cancel()
		job := jobs.Job{Kind: ingest.TrainJob, Key: string(src.ID), AccountID: "acc",
			Payload: fmt.Appendf(nil, `{"agent":%q}`, s.agent), Attempts: 1, MaxAttempts: 1}
		if err := s.Train(ctx, job); !errors.Is(err, context.Canceled) {
			s.Error(err)
		}
		if got := s.source(src.ID).Status; got != parley.SourceUntrained {
			s.Error("a server that stops failed the source:", got)
		}
		half := parley.Passage{ID: "left", SourceID: src.ID, VersionID: src.WantedVersion, Text: "half"}
		s.Must(s.DB.Transact(s.Context(), sqldb.Bulk, func(tx *store.DB) error {
			return s.Indexes.Put(s.Context(), tx.SQL(), src.AgentRef(), []parley.Passage{half})
		}))
		if got := s.sourceNames("half"); got != "" {
			s.Error("answers from a passage that is not live")
		}
		s.runJobs()
		if dbs.CountRows(s, s.DB.SQL(), `select count(*) from passages where id = 'left'`) != 0 ||
			s.source(src.ID).Status != parley.SourceTrained {
			s.Errorf("%+v", s.source(src.ID))
		}
	})
}

func TestTextWithoutWordsFails(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		src := s.addText("Blank", " \n\t ")
		s.runJobs()
		if got := s.source(src.ID); got.Status != parley.SourceFailed || got.Failure != "the source holds no text" ||
			s.loadAgent().Status() != parley.AgentFailed {
			s.Errorf("%+v", got)
		}
	})
}

// handbook returns n bytes of text with a heading every kilobyte.
func handbook(n int) string {
	const line = "Refunds are paid within ten days. Parcels are sent within two. Write to us when it takes " +
		"longer, and we shall look into it. "
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "## Section %d\n\n%s\n\n", i, strings.Repeat(line, 8))
	}
	return b.String()[:n]
}

func BenchmarkTrain(b *testing.B) {
	for _, size := range []int{20_000, 1_000_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			s, text := newTestService(b, dbs.NewSQLiteStore(b)), handbook(size)
			b.SetBytes(int64(size))
			for b.Loop() {
				s.addText("n", text)
				s.runJobs()
			}
		})
	}
}

func BenchmarkDelete1MB(b *testing.B) {
	s := newTestService(b, dbs.NewSQLiteStore(b))
	for b.Loop() {
		b.StopTimer()
		src := s.addText("n", handbook(1_000_000))
		s.runJobs()
		b.StartTimer()
		_, err := s.Delete(s.Context(), s.account.ID.AgentRef(s.agent), src.ID)
		s.Must(err)
	}
}
