package ingest_test

import (
	"fmt"
	"strings"
	"testing"

	"parley"
	"parley/internal/ingest"
	"parley/internal/retrieval"
)

var returnsQnA = ingest.QnA{Name: "Returns", Questions: []string{"How do I send something back?",
	"Can I return shoes?"}, Answer: "Print the label\x00 from your account."}

func TestQuestionFindsItsAnswer(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		src, err := s.AddQnA(s.Context(), s.caller(), s.agent, returnsQnA)
		s.Must(err)
		if src.Kind != parley.SourceQnA || src.Status != parley.SourceUntrained || src.Size != 85 ||
			s.loadAgent().Size != 85 {
			s.Errorf("%+v", src)
		}
		s.runJobs()
		hits, err := s.Indexes.Nearest(s.Context(), s.agent, s.loadAgent().PassageVersion,
			retrieval.Query{Text: "Can shoes be sent back?", Limit: 8})
		s.Must(err)
		if len(hits) != 1 {
			s.Fatalf("%+v", hits)
		}
		p := hits[0].Passage
		v, err := s.DB.Version(s.Context(), s.account.ID.AgentRef(s.agent), src.ID, p.VersionID)
		s.Must(err)
		if p.Text != "Print the label from your account." || p.Text != v.Text[p.Start:p.End] ||
			!strings.Contains(p.Heading, "Can I return shoes?") {
			s.Errorf("%+v of %q", p, v.Text)
		}
	})
}

func TestQnAIsChangedInPart(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		src, err := s.AddQnA(s.Context(), s.caller(), s.agent, returnsQnA)
		s.Must(err)
		_, err = s.AddQnA(s.Context(), s.caller(), s.agent, returnsQnA)
		s.WantCode(err, parley.CodeSourceDuplicate)
		s.runJobs()
		answer := "Bring it to a shop."
		changed, err := s.ChangeQnA(s.Context(), s.caller(), s.agent, src.ID, ingest.QnAChange{Answer: &answer})
		s.Must(err)
		if changed.Status != parley.SourceUpdated || changed.Name != "Returns" {
			s.Errorf("%+v", changed)
		}
		s.runJobs()
		if got := s.passageTexts("Can I return shoes?"); got != answer {
			s.Error(got)
		}
		before := s.source(src.ID)
		same, err := s.ChangeQnA(s.Context(), s.caller(), s.agent, src.ID, ingest.QnAChange{Answer: &answer})
		s.Must(err)
		if same.WantedVersion != before.WantedVersion {
			s.Error("a change of nothing is trained")
		}
		_, err = s.ChangeText(s.Context(), s.caller(), s.agent, src.ID, ingest.TextChange{Content: &answer})
		s.WantCode(err, parley.CodeSourceNotFound)
	})
}

func TestLongAnswerIsFoundByItsQuestion(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		long := ingest.QnA{Name: "Terms", Questions: []string{"What are the terms?"},
			Answer: strings.Repeat("Something is said here at some length. ", 100)}
		_, err := s.AddQnA(s.Context(), s.caller(), s.agent, long)
		s.Must(err)
		s.runJobs()
		if n := s.queryCount(`select count(*) from passages`); n < 3 ||
			n != s.queryCount(`select count(*) from passages where heading = 'What are the terms?'`) {
			s.Error(n)
		}
	})
}

// If the passages of a QnA would repeat many questions, the first passage has all of them, and the others as many as
// fit.
func TestRepeatedQuestionsAreBounded(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		q := ingest.QnA{Name: "Much", Answer: strings.Repeat("# a\n", 25_000)}
		for i := range 50 {
			q.Questions = append(q.Questions, fmt.Sprintf("Question number %d %s?", i, strings.Repeat("padded ", 38)))
		}
		src, err := s.AddQnA(s.Context(), s.caller(), s.agent, q)
		s.Must(err)
		s.runJobs()
		if got := s.source(src.ID); got.Status != parley.SourceTrained {
			s.Fatalf("%+v", got)
		}
		passages := s.queryCount(`select count(*) from passages`)
		bytes := s.queryCount(`select sum(length(heading) + length(text)) from passages`)
		limit := 4*int(src.Size) + 32<<10
		if bytes > limit || bytes+512*passages > limit {
			s.Errorf("%d bytes become %d passages of %d bytes", src.Size, passages, bytes)
		}
		if n := s.queryCount(`select count(*) from passages where ordinal = 0
			and heading like '%number 0 %number 20 %number 49 %'`); n != 1 {
			s.Error("the first passage lacks questions")
		}
		if n := s.queryCount(`select count(*) from passages where heading not like 'Question number 0 %'`); n != 0 {
			s.Error("passages without any question:", n)
		}
	})
}

func TestAnswerOfMarkupIsSplit(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		_, err := s.AddQnA(s.Context(), s.caller(), s.agent,
			ingest.QnA{Name: "Markup", Questions: []string{"What?"}, Answer: strings.Repeat("<br/>\n", 2000)})
		s.Must(err)
		s.runJobs()
		if n := s.queryCount(`select max(length(text)) from passages`); n > 1500 {
			s.Error(n)
		}
	})
}

func TestQnATakesAboutItsSizeInTheDatabase(t *testing.T) {
	forEachDatabase(t, func(s *testService) {
		src, err := s.AddQnA(s.Context(), s.caller(), s.agent,
			ingest.QnA{Name: "Marks", Questions: []string{"a < b & c?"}, Answer: strings.Repeat("<>&", 10_000)})
		s.Must(err)
		if n := s.queryCount(`select length(content) + length(text) from source_versions`); n > 2*int(src.Size)+100 {
			s.Error(src.Size, "bytes are stored as", n)
		}
	})
}
