package quote

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"parley/internal/model"
	"parley/internal/text/markdown"
	"parley/internal/text/words"
)

// Which sentence of a paragraph answers is told by more than the words of the question in it: a word that no other
// sentence has says most, one that goes on with the sentence before is about what that names, and it must hold what is
// asked for, a number or a name.

// How much likelier a further sentence makes it that the quote answers, against the share of the quote that it takes
// from what answers already. 1 would make a quote as short as it is right.
const (
	minGain         = 0.2
	minDoubtfulGain = 0.6 // of a quote in doubt
)

// minWholeShare is how much of the question a sentence names that is quoted alone.
const minWholeShare = 0.95

// maxQuotedSentences is how many sentences of a paragraph are quoted.
const maxQuotedSentences = 3

// likelySentence is a sentence of a paragraph, and how likely it answers among those.
type likelySentence struct {
	quotableUnit
	share float64
}

// answeringSentences returns the sentences of the unit's paragraph, those first that more likely answer; the unit alone
// where that is certain.
func (q *parsedQuestion) answeringSentences(p *passageLayout, u quotableUnit) (likely []likelySentence) {
	units := p.sentencesOf(u.firstBlock)
	if len(units) < 2 || len(q.codes) > 0 || q.unitHasPrice(u) || q.asksWhoMay || len(q.negatedTerms) > 0 ||
		q.contrastsIn(p, units) || leadsToLines(p.blockText(u.firstBlock)) {
		return []likelySentence{{u, 1}}
	}
	for i, share := range answerShares(q.signsOfSentences(p, units)) {
		likely = append(likely, likelySentence{units[i], share})
	}
	slices.SortStableFunc(likely, func(a, b likelySentence) int { return cmp.Compare(b.share, a.share) })
	if q.matchedShare(likely[0].meantMatch, q.isSingleWord) >= minWholeShare {
		return likely[:1]
	}
	return likely
}

// withLikely returns the quote of the likeliest sentence with further ones that are worth their place.
func (q *parsedQuestion) withLikely(p *passageLayout, s excerpt, likely []likelySentence) excerpt {
	bound := minGain
	if q.isInDoubt {
		bound = minDoubtfulGain
	}
	for _, v := range likely[1:] {
		if s.holds(v.quotableUnit) || q.speaksOfOtherDay(p.text[v.start:v.end]) ||
			q.addsNothing(p, likely[0].quotableUnit, v.quotableUnit) {
			continue
		}
		more := s.withSentence(v.quotableUnit)
		if i := p.unitIndex(v.quotableUnit); i > 0 && p.isFollowedBy(i-1) && leansOnBefore(p.text[v.start:v.end]) {
			more = more.withSentence(p.units[i-1])
		}
		if p.countSentences(more) > maxQuotedSentences || !isWorthMore(s, more, likely, bound) {
			break
		}
		s = more
	}
	return s
}

// addsNothing reports whether the question asks for a number or a place that the likeliest sentence has and the other
// has not, or is about a day that only the likeliest names. Who did something may be told without a name.
func (q *parsedQuestion) addsNothing(p *passageLayout, likeliest, other quotableUnit) bool {
	if q.namesAskedDay(likeliest) && !q.namesAskedDay(other) && words.DaysIn(p.text[other.start:other.end]) != 0 {
		return true // what holds on that day is said for it alone
	}
	one, two := q.readSentence(p.text[likeliest.start:likeliest.end]), q.readSentence(p.text[other.start:other.end])
	if q.wantsNumber {
		return one.hasNumber && !two.hasNumber
	}
	return q.asksPlace && !q.lang.HasCapitalNouns() && one.names > 0 && two.names == 0
}

// namesAskedDay reports whether the unit has the day of the question itself, and not by a range or as one of all days.
func (q *parsedQuestion) namesAskedDay(u quotableUnit) bool {
	return slices.ContainsFunc(q.terms, func(s questionTerm) bool {
		return s.days != 0 && u.ownMatch[q.termIndex(s.word)] == 1
	})
}

// speaksOfOtherDay reports whether the question names a day or a month, and the text another one and not that.
func (q *parsedQuestion) speaksOfOtherDay(text string) bool {
	if q.days != 0 {
		days := words.DaysIn(text)
		return days != 0 && days&q.days == 0
	}
	isDay := func(word string) bool { return words.KindOf(word) == words.Time }
	isAsked := func(word string) bool { return isDay(word) && len(q.wordLikeness(word)) > 0 }
	return containsWord(q.originalText, isDay) && containsWord(text, isDay) && !containsWord(text, isAsked)
}

// maxAllowedWords is how many words with a meaning a question has that only asks whether something is allowed.
const maxAllowedWords = 3

// statesAllowed reports whether a short question asks whether something is allowed, "May I bring my dog?", and the unit
// is a sentence that says so of all that it names.
func (q *parsedQuestion) statesAllowed(p *passageLayout, best quotableUnit) bool {
	mayMiss := func(word string) bool { return isFrameWord(word) || isPermissionWord(word) }
	isThing := func(s questionTerm) bool { return s.fromLastMessage && !s.isPair && !mayMiss(s.word) }
	return q.onlyAsksAllowed() && best.kind == markdown.Paragraph && slices.ContainsFunc(q.terms, isThing) &&
		containsWord(p.text[best.start:best.end], isPermissionWord) && q.isNamedBy(best.ownMatch, mayMiss)
}

// onlyAsksAllowed reports whether a short question asks whether something is allowed, and nothing else.
func (q *parsedQuestion) onlyAsksAllowed() bool {
	return !q.isFollowUp && len(q.negatedTerms) == 0 && q.contentWordCount() <= maxAllowedWords && q.asksAllowed()
}

// saysAllowed reports whether the question asks whether something is allowed, and the unit is a sentence that says so.
func (q *parsedQuestion) saysAllowed(u quotableUnit, text string) bool {
	return u.kind == markdown.Paragraph && q.onlyAsksAllowed() && statesPermission(text)
}

func isPermissionWord(word string) bool { return permissionWords()[word] }

// asksAllowed reports whether the question begins as "May I" does, or is no question for anything else and has such a
// word: "Are dogs allowed?"
func (q *parsedQuestion) asksAllowed() bool {
	if isPermissionWord(firstWord(q.foldedText)) {
		return true
	}
	return !q.wantsFact && !q.wantsDefinition && !q.wantsSteps && !q.wantsList &&
		slices.ContainsFunc(q.terms, func(s questionTerm) bool { return s.fromLastMessage && isPermissionWord(s.word) })
}

// isWorthMore reports whether the longer quote is enough likelier to answer.
func isWorthMore(s, more excerpt, likely []likelySentence, bound float64) bool {
	gain, loss := 0.0, 0.0
	for _, v := range likely {
		size := float64(v.end - v.start)
		switch {
		case s.holds(v.quotableUnit):
			loss += v.share * (size/s.size() - size/more.size())
		case more.holds(v.quotableUnit):
			gain += v.share
		}
	}
	return gain >= bound*loss
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
