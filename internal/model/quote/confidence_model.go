package quote

import (
	"context"
	"math"

	"parley"
	"parley/internal/model"
)

// confidenceFeatures are the signs that the confidence is made of, in the order of a model's weights.
type confidenceFeatures [13]float64

// confidenceModel is a logistic regression over the signs.
type confidenceModel struct {
	bias    float64
	weights confidenceFeatures
}

// What answers a question above it, as in a Q&A, is told by other signs than other text: by how far that question is
// the one asked, and how far the best source is before the next.
//
// PARLEY_LEARN_DOUBT=DIR go test ./internal/eval -run TestLearnDoubt fits the weights again on the sets of questions in
// the folder, and prints how they do on questions that they were not fitted on. Names of the question that the passage
// lacks, what the passages of other sources hold on average, how much of the question no passage knows and the rank of
// what is quoted added nothing to these.
var (
	proseConfidence = confidenceModel{bias: -6.53, weights: confidenceFeatures{3.41, 4.84, 1.89, 2.93, 0.91, 0.25, 2.10,
		1.39, -2.05, -0.65, 0.80, 1.86, -1.57}}
	qnaConfidence = confidenceModel{bias: -6.74, weights: confidenceFeatures{1.70, 3.34, 0.85, 0.08, -0.45, 0.55, 2.44,
		0, 0.07, -0.01, -0.02, 5.33, 3.33}}
)

// of returns the confidence by the signs, less a loss in the exponent.
func (m *confidenceModel) of(signs confidenceFeatures, loss float64) float64 {
	z := m.bias - loss
	for i, d := range signs {
		z += m.weights[i] * d
	}
	return 1 / (1 + math.Exp(-z))
}

// confidenceBounds are the confidences from which on an answer is given, and given as one that is not sure.
type confidenceBounds struct{ answer, unsure float64 }

var (
	proseBounds    = confidenceBounds{0.48, 0.2}
	qnaBounds      = confidenceBounds{0.66, 0.09}
	questionBounds = confidenceBounds{0.55, 0.09}
)

func boundsFor(p model.Passage) confidenceBounds {
	switch {
	case p.IsQnA:
		return qnaBounds
	case isUnderQuestion(p):
		return questionBounds
	}
	return proseBounds
}

// A doubtful answer is for questions that the sources touch: the best two sentences of the best passage hold some of
// the question, the passage that is quoted holds with its headings most of a question of two words, and where an amount
// is asked for there is one. In scripts without spaces two sentences hold some of any question.
const (
	minTopicShare      = 0.25
	minShortTopicShare = 0.6
	maxShortTopicWords = 2
)

func (q *parsedQuestion) isOnTopic(passages []model.Passage, p *passageLayout, best quotableUnit) bool {
	if q.lacksWhatIsAsked(p, best) {
		return false
	}
	if q.contentWordCount() <= maxShortTopicWords && q.matchedShare(p.passageMatch, q.isSingleWord) < minShortTopicShare {
		return false
	}
	return q.isUnspaced() || effectiveSignals(&passages[0]).Stretch >= minTopicShare
}

// judge returns the confidence in the best unit, and what to do with it.
func (q *parsedQuestion) judge(passages []model.Passage, pages []passageLayout, best quotableUnit) (score float64,
	state parley.AnswerState) {
	if best.score == 0 {
		return 0, parley.AnswerRefused
	}
	passage := passages[best.passageIndex]
	score = max(q.confidence(passages, pages, best), q.minConfidence(passage, &pages[best.passageIndex], best))
	bounds := boundsFor(passage)
	switch {
	case score >= bounds.answer:
		return score, parley.AnswerSure
	case score >= bounds.unsure && q.isOnTopic(passages, &pages[best.passageIndex], best):
		return score, parley.AnswerUnsure
	}
	return score, parley.AnswerRefused
}

// Evidence is what the confidence in an answer is made of: what the weights are fitted on.
type Evidence struct {
	Features []float64
	Passage  int  // which is quoted
	IsQnA    bool // it answers a question that is its heading
}

// ReadEvidence returns the evidence for the answer to the request, nil if nothing is there to be quoted.
func ReadEvidence(req model.Request) *Evidence {
	userQuestions := sourceQuestions(shortenMessages(req.Messages))
	if len(userQuestions) == 0 {
		return nil
	}
	t := parseQuestion(userQuestions, req.Passages)
	pages := t.layOutPassages(context.Background(), req.Passages)
	best := bestUnit(pages)
	if best.score == 0 {
		return nil
	}
	signs, p := t.features(req.Passages, pages, best), req.Passages[best.passageIndex]
	return &Evidence{signs[:], best.passageIndex, isUnderQuestion(p) || p.IsQnA}
}
