package quote

import (
	"context"
	"math"
	"slices"
	"unicode"
	"unicode/utf8"

	"parley/internal/model"
	"parley/internal/text/markdown"
	"parley/internal/text/words"
)

// Which sentence of a paragraph answers is told by more than the words of the question in it: a word that no other
// sentence has says most, one that goes on with the sentence before is about what that names, and it must hold what is
// asked for, a number or a name.

// answerSigns are the signs by which a sentence answers, in the order of the weights.
type answerSigns [19]float64

// answerWeights are fitted by
//
//	PARLEY_LEARN_ANSWERS=DIR go test ./internal/eval -run TestLearnAnswers -v
//
// on the sets of questions in the folder that have reference answers.
var answerWeights = answerSigns{1.82, 2.92, 0.36, 0, 0.96, 0.70, -0.38, -0.18, 0, 1.87, 0, 0.02, 1.15, 0.39, 0.83, 0.39,
	-0.53, -0.65, 0.15}

// minAloneShare is how likely a sentence answers, among those of its paragraph, that is quoted without the next likely
// one.
const minAloneShare = 0.85

// answeringSentences returns the sentence of the unit's paragraph that most likely answers, and the next likely one
// where the first is not likely enough.
func (q *parsedQuestion) answeringSentences(p *passageLayout, u quotableUnit) (first, second quotableUnit) {
	units := p.sentencesOf(u.firstBlock)
	if len(units) < 2 || q.unitHasAmount(u) || q.asksWhoMay || len(q.negatedTerms) > 0 || q.contrastsIn(p, units) {
		return u, second
	}
	shares := answerShares(q.signsOfSentences(p, units))
	top, next := 0, -1
	for i := 1; i < len(units); i++ {
		switch {
		case shares[i] > shares[top]:
			top, next = i, top
		case next < 0 || shares[i] > shares[next]:
			next = i
		}
	}
	if shares[top] < minAloneShare {
		second = units[next]
	}
	return units[top], second
}

// contrastsIn reports whether one of the sentences speaks of the other side of what the question is about: then none is
// quoted beside the best.
func (q *parsedQuestion) contrastsIn(p *passageLayout, units []quotableUnit) bool {
	return slices.ContainsFunc(units, func(u quotableUnit) bool { return q.contradicts(p.text[u.start:u.end]) })
}

// answerShares returns how likely each of the sentences is the one that answers.
func answerShares(signs []answerSigns) (shares []float64) {
	sum := 0.0
	for _, s := range signs {
		z := 0.0
		for k, w := range answerWeights {
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

// signsOfSentences returns the signs of the sentences of a paragraph.
func (q *parsedQuestion) signsOfSentences(p *passageLayout, units []quotableUnit) (all []answerSigns) {
	c := q.newParagraphMatch(units)
	person := words.ContainsPhrase(q.originalText, personPhrases())
	place := words.ContainsPhrase(q.originalText, placePhrases())
	leans := func(i int) float64 {
		return boolToFloat(i < len(units) && refersBack(p.text[units[i].start:units[i].end]))
	}
	for i, u := range units {
		text, named := q.readSentence(p.text[u.start:u.end]), c.share(i, false)
		number := fitOf(q.wantsNumber, text.hasNumber)
		all = append(all, answerSigns{
			named,
			c.share(i, true),
			c.pairShare(i),
			c.meantShare(i),
			c.share(i-1, false),
			c.share(i+1, false),
			c.share(i-1, false) * leans(i),
			leans(i),
			leans(i + 1),
			c.scoreShare(i),
			c.scoreShare(i-1) * leans(i),
			number,
			number * named,
			fitOf(words.AsksFor(q.originalText)&words.Time != 0, text.hasTime),
			fitOf(person, text.names > 0),
			fitOf(place, text.names > 0),
			math.Log(float64(text.fresh+1) / 10),
			float64(text.fresh) / float64(text.words+1),
			boolToFloat(q.wantsDefinition && i == 0),
		})
	}
	return all
}

// fitOf returns 1 for what is asked for and there, -1 for what is asked for and missing.
func fitOf(isAsked, isThere bool) float64 {
	if !isAsked {
		return 0
	}
	return 2*boolToFloat(isThere) - 1
}

// sentenceContent is what a sentence has beside the words of the question.
type sentenceContent struct {
	words, fresh, names int // all words; those that the question lacks; those of these that are names
	hasNumber, hasTime  bool
}

func (q *parsedQuestion) readSentence(text string) (c sentenceContent) {
	for token := range words.Tokens(text) {
		c.words++
		isNumber := q.isNewNumber(token.Word)
		c.hasNumber = c.hasNumber || isNumber
		c.hasTime = c.hasTime || isNumber && words.KindOf(token.Word)&words.Time != 0
		if q.isPassedOver(token.Word) || len(q.wordLikeness(token.Word)) > 0 {
			continue
		}
		c.fresh++
		if r, _ := utf8.DecodeRuneInString(text[token.Start:]); unicode.IsUpper(r) && token.Start > 0 {
			c.names++
		}
	}
	return c
}

// paragraphMatch is how the sentences of a paragraph match the question, beside each other.
type paragraphMatch struct {
	*parsedQuestion
	units        []quotableUnit
	highest, sum []float64 // of each term: the best match in a sentence, and that of all
	top          float64   // the best score
}

func (q *parsedQuestion) newParagraphMatch(units []quotableUnit) *paragraphMatch {
	c := &paragraphMatch{q, units, make([]float64, len(q.terms)), make([]float64, len(q.terms)), 1e-9}
	for _, u := range units {
		for i, v := range u.ownMatch {
			c.highest[i] = max(c.highest[i], v)
			c.sum[i] += v
		}
		c.top = max(c.top, u.score)
	}
	return c
}

// sumOf returns the weight of the terms of a kind that the values hold, against what the paragraph holds of them.
func (c *paragraphMatch) sumOf(isPair bool, value func(term int) float64) float64 {
	some, all := 0.0, 1e-9
	for i, s := range c.terms {
		if s.fromLastMessage && s.isPair == isPair {
			some += s.weight * value(i)
			all += s.weight * c.highest[i]
		}
	}
	return some / all
}

// share returns how much of the question the sentence names; of what several name only its part where it shall be
// alone.
func (c *paragraphMatch) share(i int, isAlone bool) float64 {
	if i < 0 || i >= len(c.units) {
		return 0
	}
	return c.sumOf(false, func(term int) float64 {
		v := c.units[i].ownMatch[term]
		if isAlone {
			v *= v / max(c.sum[term], 1e-9)
		}
		return v
	})
}

// pairShare is that of neighbouring words of the question, which the sentence has alone.
func (c *paragraphMatch) pairShare(i int) float64 {
	return c.sumOf(true, func(term int) float64 {
		v := c.units[i].ownMatch[term]
		return v * v / max(c.sum[term], 1e-9)
	})
}

// meantShare is share with what the sentence refers to.
func (c *paragraphMatch) meantShare(i int) float64 {
	return c.sumOf(false, func(term int) float64 { return c.units[i].meantMatch[term] })
}

// scoreShare returns the score of the sentence against the best of the paragraph.
func (c *paragraphMatch) scoreShare(i int) float64 {
	if i < 0 {
		return 0
	}
	return c.units[i].score / c.top
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
		all = append(all, SentenceEvidence{p.text[units[i].start:units[i].end], s[:]})
	}
	return all
}
