package eval

import (
	"math"
	"slices"
)

// Result holds the results of a set.
type Result struct {
	Name      string `json:"name"`
	Documents int    `json:"documents"`
	Passages  int    `json:"passages"`
	Figures
	Trials []Trial `json:"questions"`
}

// Figures sum up questions. Null stands for what the questions cannot tell.
type Figures struct {
	Asked        int `json:"asked"`
	Answerable   int `json:"answerable"`
	Unanswerable int `json:"unanswerable"`

	R1   *float64 `json:"r_at_1"`     // share of first documents that are relevant
	R5   *float64 `json:"r_at_5"`     // share of the relevant documents among the first five
	MAP  *float64 `json:"map"`        // mean average precision
	NDCG *float64 `json:"ndcg_at_10"` // normalised discounted cumulative gain

	// share of the unanswerable questions that were refused, or answered with the doubt said
	RefusalRecall *float64 `json:"refusal_recall"`
	FalseRefusals *float64 `json:"false_refusals"` // share of the answerable ones
	// how likely an answerable question has the higher score than an unanswerable one
	AUC   *float64 `json:"auc"`
	Curve []Point  `json:"curve,omitempty"`

	Answered Outcomes  `json:"outcomes"`                   // of the answerable questions
	Open     Outcomes  `json:"outcomes_unanswerable"`      // of the others
	LeftOut  *Outcomes `json:"outcomes_without,omitempty"` // of the answerable ones while what answers them is not there

	Citations       int      `json:"citations"`
	CitationSupport *float64 `json:"citation_support"` // share of the citations that hold, byte for byte
	Covered         *float64 `json:"answer_covered"`   // share of the bytes of answers, refusals aside, that is cited
	// share of the answered answerable questions whose answer cites a relevant document
	CitesRelevant *float64 `json:"cites_relevant"`

	// share of the words of right answers, in doubt or not, that stand in sentences that answer
	Brevity      *float64 `json:"brevity"`
	SentencesP50 float64  `json:"sentences_p50"` // of an answer
	SentencesP90 float64  `json:"sentences_p90"`

	FindP50   float64 `json:"find_ms_p50"`
	FindP99   float64 `json:"find_ms_p99"`
	AnswerP50 float64 `json:"answer_ms_p50"`
	AnswerP99 float64 `json:"answer_ms_p99"`
}

func (t *Trial) measureRanking(order []string) {
	found, all := 0.0, float64(len(t.Relevant))
	gain, ideal := 0.0, 0.0
	for i, id := range order {
		if !slices.Contains(t.Relevant, id) {
			continue
		}
		found++
		t.AP += found / float64(i+1) / all
		if t.Rank == 0 {
			t.Rank = i + 1
		}
		if i < 5 {
			t.R5 += 1 / all
		}
		if i < 10 {
			gain += 1 / math.Log2(float64(i+2))
		}
	}
	for i := range min(len(t.Relevant), 10) {
		ideal += 1 / math.Log2(float64(i+2))
	}
	if ideal > 0 {
		t.NDCG = gain / ideal
	}
}

type runningMean struct{ sum, count float64 }

func (m *runningMean) add(v float64) { m.sum, m.count = m.sum+v, m.count+1 }

func (m *runningMean) addBool(value bool) {
	v := 0.0
	if value {
		v = 1
	}
	m.add(v)
}

func (m *runningMean) mean() *float64 {
	if m.count == 0 {
		return nil
	}
	v := m.sum / m.count
	return &v
}

func computeFigures(trials []Trial) Figures {
	f := Figures{Asked: len(trials)}
	f.setRanking(trials)
	f.setRefusals(trials)
	f.setCitations(trials)
	f.setTimes(trials)
	f.setOutcomes(trials)
	f.setBrevity(trials)
	f.Curve, f.AUC = refusalCurve(trials)
	return f
}

func (f *Figures) setRanking(trials []Trial) {
	var r1, r5, ap, ndcg runningMean
	for _, t := range trials {
		if len(t.Relevant) == 0 {
			continue
		}
		r1.addBool(t.Rank == 1)
		r5.add(t.R5)
		ap.add(t.AP)
		ndcg.add(t.NDCG)
	}
	f.R1, f.R5, f.MAP, f.NDCG = r1.mean(), r5.mean(), ap.mean(), ndcg.mean()
}

func (f *Figures) setRefusals(trials []Trial) {
	var answerable, unanswerable runningMean
	for _, t := range trials {
		kind, counted := &unanswerable, &f.Unanswerable
		switch {
		case t.Answerable == nil:
			continue
		case *t.Answerable:
			kind, counted = &answerable, &f.Answerable
		}
		*counted++
		if t.isAnswered() {
			kind.addBool(t.Refused || t.Unsure && !*t.Answerable)
		}
	}
	f.RefusalRecall, f.FalseRefusals = unanswerable.mean(), answerable.mean()
}

func (f *Figures) setCitations(trials []Trial) {
	var support, covered, right runningMean
	for _, t := range trials {
		support.sum, support.count = support.sum+float64(t.Supported), support.count+float64(t.Citations)
		if t.Refused || !t.isAnswered() {
			continue
		}
		covered.add(t.Covered)
		if len(t.Relevant) > 0 {
			right.addBool(t.CitesRelevant)
		}
	}
	f.Citations, f.CitationSupport, f.Covered, f.CitesRelevant = int(support.count), support.mean(), covered.mean(),
		right.mean()
}

func (f *Figures) setTimes(trials []Trial) {
	var find, answer []float64
	for _, t := range trials {
		find = append(find, t.FindMS)
		if t.isAnswered() {
			answer = append(answer, t.AnswerMS)
		}
	}
	f.FindP50, f.FindP99, f.AnswerP50, f.AnswerP99 = quantile(find, .5), quantile(find, .99), quantile(answer, .5),
		quantile(answer, .99)
}

// isAnswered reports whether a model was asked: it always says something.
func (t *Trial) isAnswered() bool { return t.Answer != "" }

func quantile(values []float64, share float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[min(int(share*float64(len(values))), len(values)-1)]
}

// Point is what refusing everything below a threshold would do.
type Point struct {
	Threshold     float64 `json:"threshold"`
	FalseRefusals float64 `json:"false_refusals"`
	RefusalRecall float64 `json:"refusal_recall"`
}

// refusalCurve returns a point for each score there is, from refusing nothing to refusing all but the surest, and the
// area under it. Without scores of both kinds of questions there is neither.
func refusalCurve(trials []Trial) (points []Point, area *float64) {
	var answerable, unanswerable []float64
	for _, t := range trials {
		switch {
		case t.Score == nil || t.Answerable == nil:
		case *t.Answerable:
			answerable = append(answerable, *t.Score)
		default:
			unanswerable = append(unanswerable, *t.Score)
		}
	}
	if len(answerable) == 0 || len(unanswerable) == 0 {
		return nil, nil
	}
	slices.Sort(answerable)
	slices.Sort(unanswerable)
	thresholds := slices.Concat(answerable, unanswerable)
	slices.Sort(thresholds)
	for _, t := range slices.Compact(thresholds) {
		points = append(points, Point{t, shareBelow(answerable, t), shareBelow(unanswerable, t)})
	}
	sum := 0.0
	for _, h := range answerable {
		i, _ := slices.BinarySearch(unanswerable, h)
		j := i
		for j < len(unanswerable) && unanswerable[j] == h {
			j++
		}
		sum += float64(i) + float64(j-i)/2
	}
	a := sum / float64(len(answerable)) / float64(len(unanswerable))
	return points, &a
}

// shareBelow returns the share of the sorted scores under the threshold.
func shareBelow(scores []float64, threshold float64) float64 {
	i, _ := slices.BinarySearch(scores, threshold)
	return float64(i) / float64(len(scores))
}

// RecallAt returns the most unanswerable questions that can be refused while no more than the share of answerable ones
// is, as a share of them; nil without a curve.
func (f *Figures) RecallAt(falsely float64) *float64 {
	var best *float64
	for _, p := range f.Curve {
		if p.FalseRefusals <= falsely {
			best = &p.RefusalRecall
		}
	}
	return best
}
