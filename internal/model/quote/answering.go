package quote

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"parley/internal/model"
	"parley/internal/text/markdown"
)

// Which sentence of a paragraph answers is told by more than the words of the question in it: a word that no other
// sentence has says most, one that goes on with the sentence before is about what that names, and it must hold what is
// asked for, a number or a name.

// How likely it is that the sentences answer which are quoted without a further one, among those of their paragraph.
const (
	minAloneShare = 0.85
	minPairShare  = 0.9
)

// maxQuotedSentences is how many sentences of a paragraph are quoted.
const maxQuotedSentences = 3

// answeringSentences returns the sentences of the unit's paragraph that most likely answer, the likeliest first: one, or
// more where it is not likely enough.
func (q *parsedQuestion) answeringSentences(p *passageLayout, u quotableUnit) (likely []quotableUnit) {
	units := p.sentencesOf(u.firstBlock)
	if len(units) < 2 || q.asksWhoMay || len(q.negatedTerms) > 0 || q.contrastsIn(p, units) {
		return []quotableUnit{u}
	}
	shares := answerShares(q.signsOfSentences(p, units))
	order := make([]int, len(units))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(shares[b], shares[a]) })
	sum := 0.0
	for n, i := range order {
		if n == 1 && sum >= minAloneShare || n == 2 && sum >= minPairShare || n == maxQuotedSentences {
			break
		}
		likely, sum = append(likely, units[i]), sum+shares[i]
	}
	return likely
}

// withNextLikely returns the quote with the next likely sentence and what that refers to, where that makes it no longer
// than quotes are.
func (p *passageLayout) withNextLikely(s excerpt, u quotableUnit) excerpt {
	t := s.withSentence(u)
	if i := p.unitIndex(u); i > 0 && p.isFollowedBy(i-1) && leansOnBefore(p.text[u.start:u.end]) {
		t = t.withSentence(p.units[i-1])
	}
	if p.countSentences(t) > maxQuotedSentences {
		return s
	}
	return t
}

// countSentences counts the sentences of a quote.
func (p *passageLayout) countSentences(s excerpt) (n int) {
	for _, span := range s.spans() {
		for _, u := range p.units {
			if span.Start <= u.start && u.end <= span.End {
				n++
			}
		}
	}
	return n
}

// answerWeights are the weights of answerSigns.
var answerWeights = sync.OnceValue(func() []float64 {
	return orderWeights(readWeights().Answering, AnswerSignNames())
})

// contrastsIn reports whether one of the sentences speaks of the other side of what the question is about: then none is
// quoted beside the best.
func (q *parsedQuestion) contrastsIn(p *passageLayout, units []quotableUnit) bool {
	return slices.ContainsFunc(units, func(u quotableUnit) bool { return q.contradicts(p.text[u.start:u.end]) })
}

// answerShares returns how likely each of the sentences is the one that answers.
func answerShares(signs [][]float64) (shares []float64) {
	sum := 0.0
	for _, s := range signs {
		z := 0.0
		for k, w := range answerWeights() {
			z += w * s[k]
		}
		shares = append(shares, math.Exp(z))
		sum += math.Exp(z)
	}
	for i := range shares {
		shares[i] /= sum
	}
	return shares
}

// sentencesOf returns the sentences of a paragraph.
func (p *passageLayout) sentencesOf(block int) (units []quotableUnit) {
	for _, u := range p.units {
		if u.firstBlock == block && u.lastBlock == block && u.kind == markdown.Paragraph {
			units = append(units, u)
		}
	}
	return units
}

// surroundings returns the unit with the sentences beside it.
func (p *passageLayout) surroundings(u quotableUnit) string {
	from := p.unitIndex(u)
	if from < 0 {
		return p.text[u.start:u.end]
	}
	to := from
	if from > 0 && p.isFollowedBy(from-1) {
		from--
	}
	if p.isFollowedBy(to) {
		to++
	}
	return p.text[p.units[from].start:p.units[to].end]
}

// SentenceEvidence is a sentence of the paragraph that is quoted, with the signs by which it answers.
type SentenceEvidence struct {
	Text  string
	Signs []float64
}

// AnswerSignNames returns the names of the signs, in their order.
func AnswerSignNames() (names []string) {
	for _, s := range answerSigns {
		names = append(names, s.name)
	}
	return names
}

// ReadSentences returns the sentences of the paragraph that the best unit for the request is of; nil where that is no
// sentence.
func ReadSentences(req model.Request) (all []SentenceEvidence) {
	userQuestions := sourceQuestions(shortenMessages(req.Messages))
	if len(userQuestions) == 0 {
		return nil
	}
	t := parseQuestion(userQuestions, req.Passages)
	pages := t.layOutPassages(context.Background(), req.Passages)
	best := bestUnit(pages)
	if best.score == 0 || best.kind != markdown.Paragraph || best.firstBlock != best.lastBlock {
		return nil
	}
	p := &pages[best.passageIndex]
	units := p.sentencesOf(best.firstBlock)
	for i, s := range t.signsOfSentences(p, units) {
		all = append(all, SentenceEvidence{p.text[units[i].start:units[i].end], s})
	}
	return all
}
