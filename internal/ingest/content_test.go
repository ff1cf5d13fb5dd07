package ingest_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/ingest"
	"parley/internal/ingest/crawl"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

func (s *testService) tryReplace(c ingest.Content) error {
	n, err := s.NewContent(s.caller(), s.agent, c)
	if err != nil {
		return err
	}
	return s.DB.Transact(s.Context(), sqldb.Bulk, func(tx *store.DB) error { return n.Replace(s.Context(), tx) })
}

func (s *testService) replaceContent(c ingest.Content) {
	s.Helper()
	s.Must(s.tryReplace(c))
}

// runUntilSettled runs the jobs until new content is trained or has failed.
func (s *testService) runUntilSettled() {
	s.Helper()
	for range 3 {
		s.runJobs()
		s.now = s.now.Add(2 * time.Second)
	}
	if n := s.queryCount(`select count(*) from jobs where kind = 'content.succeed'`); n != 0 {
		s.Error("the succession does not end")
	}
}

// sortedSourceNames returns the names of the agent's sources, sorted.
func (s *testService) sortedSourceNames() string {
	s.Helper()
	names := s.listSources()
	slices.Sort(names)
	return strings.Join(names, " ")
}

func TestOldContentAnswersUntilNewContentIsTrained(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		w := s.startWebsite(shopPages())
		s.addText("Old", "Refunds are paid within a month.")
		s.addText("Older", "Vouchers are never sent.")
		site := s.addLink(w.URL, crawl.WholeSite)
		_, err := s.AddQnA(s.Context(), s.caller(), s.agent,
			ingest.QnA{Name: "Parking", Questions: []string{"Where do I park?"}, Answer: "Behind the house."})
		s.Must(err)
		s.runJobs()
		s.replaceContent(ingest.Content{URLs: []string{w.URL + "/refunds", w.URL + "/refunds#twice"}})
		w.beforeReply = func(string) bool {
			if got := s.sourceNames("When are refunds paid within?"); !strings.Contains(got, "Old") ||
				s.source(site.ID).Status != parley.SourceTrained {
				s.Error("while the new content is read, the old does not answer:", got)
			}
			return false
		}
		s.runUntilSettled()
		if got, want := s.sortedSourceNames(),
			strings.Join(slices.Sorted(slices.Values([]string{w.URL + "/refunds", "Parking"})), " "); got != want {
			s.Errorf("has %q, want %q", got, want)
		}
		if got := s.passageTexts("When are refunds paid?"); !strings.Contains(got, "ten days") ||
			strings.Contains(got, "month") {
			s.Error(got)
		}
		if a := s.loadAgent(); a.Status() != parley.AgentTrained ||
			s.queryCount(`select count(*) from sources where deleted_at is null and kind = 'link'`) != 1 {
			s.Errorf("%+v", a)
		}
		w.beforeReply = nil
		s.replaceContent(ingest.Content{Text: "We are closed.", URLs: []string{w.URL + "/refunds"}})
		if got := s.loadAgent().Status(); got != parley.AgentTraining {
			s.Error("the page is not read again:", got)
		}
		s.runUntilSettled()
		s.replaceContent(ingest.Content{Text: "We open again."})
		s.runUntilSettled()
		if got := s.sortedSourceNames(); got != "Parking Source text" ||
			!strings.HasPrefix(s.passageTexts("When do you open again?"), "We open again.") {
			s.Error(got, s.passageTexts("When do you open again?"))
		}
	})
}

func TestUnreadableContentReplacesNothing(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		w := s.startWebsite(shopPages())
		s.addText("Old", "Refunds are paid within a month.")
		s.runJobs()
		s.replaceContent(ingest.Content{URLs: []string{w.URL + "/gone"}})
		s.runUntilSettled()
		if got := s.sourceNames("When are refunds paid?"); got != "Old" || s.loadAgent().Status() != parley.AgentFailed {
			s.Error(got, s.loadAgent().Status())
		}
		s.replaceContent(ingest.Content{Text: "Refunds are paid at once."})
		s.runUntilSettled()
		if got := s.sortedSourceNames(); got != "Old" ||
			s.passageTexts("When are refunds paid?") != "Refunds are paid at once." {
			s.Error(got, s.passageTexts("When are refunds paid?"))
		}
	})
}

func TestContentIsReplacedAtomically(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		limit := int64(40)
		s.plan.StoragePerAgent = &limit
		s.startWebsite(shopPages())
		s.addText("Old", "Refunds are paid within a month.")
		s.runJobs()
		err := s.tryReplace(ingest.Content{Text: "Closed.", URLs: []string{"https://shop.example/", "nonsense"}})
		s.WantCode(err, parley.CodeInvalidBody)
		if got := parley.AsError(err).Details["urls.1"]; got == "" {
			s.Error(err)
		}
		s.WantCode(s.tryReplace(ingest.Content{Text: strings.Repeat("x", 40), URLs: []string{"https://shop.example/"}}),
			parley.CodeSourceSize)
		s.WantCode(s.tryReplace(ingest.Content{Text: strings.Repeat("x", 41)}), parley.CodeSourceSize)
		if n := s.queryCount(`select count(*) from jobs`); n != 0 || s.sortedSourceNames() != "Old" ||
			s.loadAgent().Status() != parley.AgentTrained || s.loadAgent().Size != 32 {
			s.Errorf("%d jobs, %+v", n, s.loadAgent())
		}
		s.replaceContent(ingest.Content{Text: strings.Repeat("x", 40)}) // the plan does not allow both
		s.runUntilSettled()
		if s.loadAgent().Size != 40 {
			s.Error(s.loadAgent().Size)
		}
	})
}

// The job of content that was replaced stops when it finds that it is not the newest any more, even if it is already
// running.
func TestLaterContentOverridesEarlier(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		w := s.startWebsite(shopPages())
		s.addLink(w.URL+"/hours", crawl.Individual)
		s.runJobs()
		s.replaceContent(ingest.Content{Text: "Between."})
		job := jobs.Job{Kind: ingest.ReplaceJob, Key: string(s.agent), AccountID: s.account.ID}
		s.Must(s.DB.SQL().QueryRow(s.Context(), `select payload from jobs where kind = ?`,
			ingest.ReplaceJob).Scan((*[]byte)(&job.Payload)))
		s.replaceContent(ingest.Content{URLs: []string{w.URL + "/hours"}})
		s.Must(s.FinishReplacement(s.Context(), job))
		s.runUntilSettled()
		if got := s.sortedSourceNames(); got != w.URL+"/hours" || s.passageTexts("When do you open?") != "We open at nine." {
			s.Error(got)
		}
		s.Must(s.FinishReplacement(s.Context(), job)) // once more, after all jobs have run
		if got := s.sortedSourceNames(); got != w.URL+"/hours" {
			s.Error(got)
		}
		_, err := s.DB.SQL().Exec(s.Context(), `update agents set deleted_at = 1 where id = ?`, s.agent)
		s.Must(err)
		s.Must(s.FinishReplacement(s.Context(), job))
	})
}

func TestManySourcesAreRemovedInBatches(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		for i := range 90 {
			s.addText("Text", strings.Repeat("x", i+1))
		}
		s.runJobs()
		s.replaceContent(ingest.Content{Text: "All in one."})
		s.runUntilSettled()
		if got := s.sortedSourceNames(); got != "Text" || s.loadAgent().Size != 11 {
			s.Error(got, s.loadAgent().Size)
		}
	})
}
