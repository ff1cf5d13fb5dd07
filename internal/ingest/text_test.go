package ingest_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/ingest"
	"parley/internal/retrieval"
	"parley/internal/sqldb"
)

func (s *testService) changeText(id parley.SourceID, name, content string) *parley.Source {
	s.Helper()
	c := ingest.TextChange{}
	if name != "" {
		c.Name = &name
	}
	if content != "" {
		c.Content = &content
	}
	src, err := s.ChangeText(s.Context(), s.caller(), s.agent, id, c)
	s.Must(err)
	return src
}

// passageTexts returns the texts of the passages that the agent finds.
func (s *testService) passageTexts(question string) string {
	s.Helper()
	hits, err := s.Indexes.Nearest(s.Context(), s.agent, s.loadAgent().PassageVersion,
		retrieval.Query{Text: question, Limit: 8})
	s.Must(err)
	var texts []string
	for _, h := range hits {
		texts = append(texts, h.Passage.Text)
	}
	return strings.Join(texts, " ")
}

func (s *testService) queryCount(query string) int {
	s.Helper()
	n, err := sqldb.One(s.Context(), s.DB.SQL(), sqldb.Column[int], query)
	s.Must(err)
	return n
}

func TestEarlierVersionAnswersUntilTheNewOneIsComplete(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		src := s.addText("Refunds", "Refunds are paid within ten days.")
		s.runJobs()
		first := s.source(src.ID).LiveVersion
		s.now = noon.Add(time.Second)
		changed := s.changeText(src.ID, "", "Vouchers are sent by mail on\x00 Mondays.")
		if changed.Status != parley.SourceUpdated || changed.LiveVersion != first || changed.WantedVersion == first ||
			changed.Size != 37 || s.loadAgent().Size != 37 ||
			s.loadAgent().Status() != parley.AgentTraining {
			s.Errorf("%+v %+v", changed, s.loadAgent())
		}
		if got := s.passageTexts("refunds vouchers"); got != "Refunds are paid within ten days." {
			s.Error("not only the earlier version answers:", got)
		}
		s.runJobs()
		if now := s.source(src.ID); now.Status != parley.SourceTrained || now.LiveVersion != changed.WantedVersion ||
			s.loadAgent().Status() != parley.AgentTrained {
			s.Errorf("%+v", now)
		}
		if got := s.passageTexts("refunds vouchers"); got != "Vouchers are sent by mail on Mondays." {
			s.Error("not only the new version answers:", got)
		}
		s.now = noon.Add(time.Hour)
		s.runJobs()
		if v, p := s.queryCount(`select count(*) from source_versions`),
			s.queryCount(`select count(*) from passages`); v != 1 || p != 1 {
			s.Error("the earlier version was not erased:", v, p)
		}
	})
}

func TestSameTextIsNotTrainedAgain(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		src := s.addText("Refunds", "Refunds are paid within ten days.")
		s.runJobs()
		s.now = noon.Add(time.Second)
		before := s.source(src.ID)
		if same := s.changeText(src.ID, "Refunds",
			"Refunds are paid within ten days."); same.WantedVersion != before.WantedVersion ||
			!same.UpdatedAt.Equal(before.UpdatedAt) {
			s.Errorf("%+v", same)
		}
		if named := s.changeText(src.ID, "Money back", ""); named.Name != "Money back" ||
			named.Status != parley.SourceUpdated {
			s.Errorf("%+v", named)
		}
		s.runJobs()
		if got := s.sourceNames("When are refunds paid?"); got != "Money back" {
			s.Error(got)
		}
	})
}

func TestChangeIsRefusedLikeAnAddition(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		limit := int64(100)
		s.plan.StoragePerAgent = &limit
		a, b := s.addText("A", "one"), s.addText("A", "two")
		text, long := "two", strings.Repeat("x", 98)
		_, err := s.ChangeText(s.Context(), s.caller(), s.agent, a.ID, ingest.TextChange{Content: &text})
		s.WantCode(err, parley.CodeSourceDuplicate)
		_, err = s.ChangeText(s.Context(), s.caller(), s.agent, a.ID, ingest.TextChange{Content: &long})
		s.WantCode(err, parley.CodeSourceSize)
		_, err = s.ChangeText(s.Context(), parley.Caller{Account: parley.Account{ID: "other"}, Plan: s.plan}, s.agent, a.ID,
			ingest.TextChange{Content: &long})
		s.WantCode(err, parley.CodeAgentNotFound)
		if got := s.loadAgent().Size; got != 6 {
			s.Error("size", got)
		}
		_, err = s.Delete(s.Context(), s.account.ID.AgentRef(s.agent), b.ID)
		s.Must(err)
		_, err = s.ChangeText(s.Context(), s.caller(), s.agent, b.ID, ingest.TextChange{Content: &long})
		s.WantCode(err, parley.CodeSourceNotFound)
		s.changeText(a.ID, "", "two")
	})
}

// If changes arrive faster than training, the last one wins, and nothing of the others remains.
func TestConcurrentPutsOfOneKey(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if err := s.PutText(s.Context(), s.caller(), s.agent, "hours", "Hours", "We open at nine."); err != nil {
					s.Error(err)
				}
			})
		}
		all.Wait()
		if n := s.queryCount(`select count(*) from sources`); n != 1 {
			s.Error("sources:", n)
		}
		for _, text := range []string{"We open at ten.", "We open at eleven."} {
			s.Must(s.PutText(s.Context(), s.caller(), s.agent, "hours", "Hours", text))
		}
		s.runJobs()
		s.now = noon.Add(time.Hour)
		s.runJobs()
		v, err := sqldb.One(s.Context(), s.DB.SQL(), sqldb.Column[string], `select text from source_versions`)
		s.Must(err)
		if n := s.queryCount(`select count(*) from source_versions`); n != 1 || v != "We open at eleven." ||
			s.loadAgent().Status() != parley.AgentTrained {
			s.Error(n, v, s.loadAgent().Status())
		}
	})
}
