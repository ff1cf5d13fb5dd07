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

func (s *school) replaced(c ingest.Content) error {
	n, err := s.NewContent(s.account, s.plan, s.agent, c)
	if err != nil {
		return err
	}
	return s.DB.Transact(s.Context(), sqldb.Bulk, func(tx *store.DB) error { return n.Replace(s.Context(), tx) })
}

func (s *school) replace(c ingest.Content) {
	s.Helper()
	s.must(s.replaced(c))
}

// settle runs the chores until new content has come to its rest.
func (s *school) settle() {
	s.Helper()
	for range 3 {
		s.run()
		s.now = s.now.Add(2 * time.Second)
	}
	if n := s.count(`select count(*) from jobs where kind = 'content.succeed'`); n != 0 {
		s.Error("the succession does not end")
	}
}

// has gives the names of the agent's sources, in the order of the alphabet.
func (s *school) has() string {
	s.Helper()
	names := s.listed()
	slices.Sort(names)
	return strings.Join(names, " ")
}

func TestOldContentAnswersUntilTheNewDoes(t *testing.T) {
	each(t, func(s *school) {
		w := s.website(shop())
		s.add("Old", "Refunds are paid within a month.")
		s.add("Older", "Vouchers are never sent.")
		site := s.link(w.URL, crawl.Whole)
		_, err := s.AddQnA(s.Context(), s.account, s.plan, s.agent, ingest.QnA{Name: "Parking", Questions: []string{"Where do I park?"}, Answer: "Behind the house."})
		s.must(err)
		s.run()
		s.replace(ingest.Content{URLs: []string{w.URL + "/refunds", w.URL + "/refunds#twice"}})
		w.before = func(string) bool {
			if got := s.answers("When are refunds paid within?"); !strings.Contains(got, "Old") || s.source(site.ID).Status != parley.SourceTrained {
				s.Error("while the new content is read, the old does not answer:", got)
			}
			return false
		}
		s.settle()
		if got, want := s.has(), strings.Join(slices.Sorted(slices.Values([]string{w.URL + "/refunds", "Parking"})), " "); got != want {
			s.Errorf("has %q, want %q", got, want)
		}
		if got := s.texts("When are refunds paid?"); !strings.Contains(got, "ten days") || strings.Contains(got, "month") {
			s.Error(got)
		}
		if a := s.state(); a.Status() != parley.AgentTrained || s.count(`select count(*) from sources where deleted_at is null and kind = 'link'`) != 1 {
			s.Errorf("%+v", a)
		}
		w.before = nil
		s.replace(ingest.Content{Text: "We are closed.", URLs: []string{w.URL + "/refunds"}})
		if got := s.state().Status(); got != parley.AgentTraining {
			s.Error("the page is not read again:", got)
		}
		s.settle()
		s.replace(ingest.Content{Text: "We open again."})
		s.settle()
		if got := s.has(); got != "Parking Source text" || !strings.HasPrefix(s.texts("When do you open again?"), "We open again.") {
			s.Error(got, s.texts("When do you open again?"))
		}
	})
}

func TestContentThatCannotBeReadReplacesNothing(t *testing.T) {
	each(t, func(s *school) {
		w := s.website(shop())
		s.add("Old", "Refunds are paid within a month.")
		s.run()
		s.replace(ingest.Content{URLs: []string{w.URL + "/gone"}})
		s.settle()
		if got := s.answers("When are refunds paid?"); got != "Old" || s.state().Status() != parley.AgentFailed {
			s.Error(got, s.state().Status())
		}
		s.replace(ingest.Content{Text: "Refunds are paid at once."})
		s.settle()
		if got := s.has(); got != "Old" || s.texts("When are refunds paid?") != "Refunds are paid at once." {
			s.Error(got, s.texts("When are refunds paid?"))
		}
	})
}

func TestContentIsReplacedWholeOrNotAtAll(t *testing.T) {
	each(t, func(s *school) {
		most := int64(40)
		s.plan.StoragePerAgent = &most
		s.website(shop())
		s.add("Old", "Refunds are paid within a month.")
		s.run()
		err := s.replaced(ingest.Content{Text: "Closed.", URLs: []string{"https://shop.example/", "nonsense"}})
		s.fails(err, parley.CodeInvalidBody)
		if got := parley.ErrorOf(err).Details["urls.1"]; got == "" {
			s.Error(err)
		}
		s.fails(s.replaced(ingest.Content{Text: strings.Repeat("x", 40), URLs: []string{"https://shop.example/"}}), parley.CodeSourceSize)
		s.fails(s.replaced(ingest.Content{Text: strings.Repeat("x", 41)}), parley.CodeSourceSize)
		if n := s.count(`select count(*) from jobs`); n != 0 || s.has() != "Old" || s.state().Status() != parley.AgentTrained || s.state().Size != 32 {
			s.Errorf("%d jobs, %+v", n, s.state())
		}
		s.replace(ingest.Content{Text: strings.Repeat("x", 40)}) // there is no room for both
		s.settle()
		if s.state().Size != 40 {
			s.Error(s.state().Size)
		}
	})
}

// The chore of content that was replaced in turn finds that it is not the newest any more, also where it is running at that time.
func TestLaterContentOverridesEarlier(t *testing.T) {
	each(t, func(s *school) {
		w := s.website(shop())
		s.link(w.URL+"/hours", crawl.Individual)
		s.run()
		s.replace(ingest.Content{Text: "Between."})
		job := jobs.Job{Kind: ingest.SucceedJob, Key: string(s.agent), AccountID: s.account.ID}
		s.must(s.DB.SQL().QueryRow(s.Context(), `select payload from jobs where kind = ?`, ingest.SucceedJob).Scan((*[]byte)(&job.Payload)))
		s.replace(ingest.Content{URLs: []string{w.URL + "/hours"}})
		s.must(s.Succeed(s.Context(), job))
		s.settle()
		if got := s.has(); got != w.URL+"/hours" || s.texts("When do you open?") != "We open at nine." {
			s.Error(got)
		}
		s.must(s.Succeed(s.Context(), job)) // once more, when all is over
		if got := s.has(); got != w.URL+"/hours" {
			s.Error(got)
		}
		_, err := s.DB.SQL().Exec(s.Context(), `update agents set deleted_at = 1 where id = ?`, s.agent)
		s.must(err)
		s.must(s.Succeed(s.Context(), job))
	})
}

func TestManySourcesLeaveInSteps(t *testing.T) {
	each(t, func(s *school) {
		for i := range 90 {
			s.add("Text", strings.Repeat("x", i+1))
		}
		s.run()
		s.replace(ingest.Content{Text: "All in one."})
		s.settle()
		if got := s.has(); got != "Text" || s.state().Size != 11 {
			s.Error(got, s.state().Size)
		}
	})
}
