package eval_test

import (
	"testing"

	"parley/internal/eval"
	"parley/internal/model/quote"
)

// TestRefusal holds how well the built-in model knows what it does not know. Of the open questions those count as
// refused too that are answered with the doubt said.
func TestRefusal(t *testing.T) {
	wiki, talk, help := readSets(t, "clapnq")[0], readSets(t, "mtrag-un")[0], readSets(t, "ente-help")[0]
	no := false
	for _, q := range wiki.Questions {
		q.Relevant, q.Answerable = nil, &no // foreign to the help centre
		help.Questions = append(help.Questions, q)
	}
	quotes := quote.Model{}
	wikiOnly, spoken, foreign := measureSet(t, quotes, wiki), measureSet(t, quotes, talk), measureSet(t, quotes, help)
	for _, c := range []struct {
		name           string
		of             []eval.Figures
		falsely, right float64 // at most, at least
	}{
		{"clapnq", []eval.Figures{wikiOnly}, .18, .74},
		{"mtrag-un", []eval.Figures{spoken}, .13, .54},
		{"both", []eval.Figures{wikiOnly, spoken}, .15, .70},
		{"ente-help", []eval.Figures{foreign}, .07, .98},
	} {
		var answered, open, falsely, right float64
		for _, f := range c.of {
			answered, open = answered+float64(f.Answerable), open+float64(f.Unanswerable)
			falsely += *f.FalseRefusals * float64(f.Answerable)
			right += *f.RefusalRecall * float64(f.Unanswerable)
		}
		falsely, right = falsely/answered, right/open
		t.Logf("%-9s refuses %.3f of %.0f answered and %.3f of %.0f open questions", c.name, falsely, answered, right, open)
		if falsely > c.falsely || right < c.right {
			t.Errorf("%s: refuses %.2f of the answered and %.2f of the open questions", c.name, falsely, right)
		}
	}
}

// TestAnswers holds what customers get: right among what was answered without doubt, neither answered nor doubted, and
// answered without doubt while what answers it is not there.
func TestAnswers(t *testing.T) {
	for _, c := range []struct {
		folder, set             string
		right, refused, without float64 // at least, at most, at most
	}{
		{"manual-questions", "manual", .80, .20, 0}, {"stackfaq", "stackfaq-qna", .96, .13, .06},
		{"banking77", "banking77", .93, .15, .13}, {"clinc150", "clinc150", .96, .15, .11},
		{"xquad", "xquad.en", .92, .08, .15}, {"xquad", "xquad.de", .88, .15, .10},
	} {
		for _, s := range readSets(t, c.folder) {
			if s.Name != c.set {
				continue
			}
			if len(s.Questions) > 300 {
				s.Questions = everyFourth(s.Questions)
			}
			f := measureSet(t, quote.Model{}, s)
			a := f.Answered
			right := float64(a.Right) / float64(a.Right+a.Wrong)
			refused, without := float64(a.Refused)/float64(a.Asked), float64(f.Open.Wrong)/float64(max(f.Open.Asked, 1))
			if f.LeftOut != nil {
				without = float64(f.LeftOut.Wrong) / float64(f.LeftOut.Asked)
			}
			t.Logf("%-12s %+v, right %.3f, refused %.3f, without it %.3f", s.Name, a, right, refused, without)
			if right < c.right || refused > c.refused || without > c.without {
				t.Errorf("%s is below what was measured", s.Name)
			}
		}
	}
}

func everyFourth(all []eval.Question) (some []eval.Question) {
	for i := 0; i < len(all); i += 4 {
		some = append(some, all[i])
	}
	return some
}
