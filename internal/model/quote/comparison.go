package quote

import (
	"slices"
	"strings"

	"parley/internal/text/markdown"
	"parley/internal/text/words"
)

// A question that compares things is answered by what is said of each of them.

// maxComparedUnits is how many things are compared.
const maxComparedUnits = 3

// comparedUnits returns the units that say of the other things what the best one says of the first; nil where the
// question compares nothing.
func (q *parsedQuestion) comparedUnits(pages []passageLayout, best quotableUnit) (others []quotableUnit) {
	if !q.compares || best.score == 0 || best.isTableRow {
		return nil
	}
	covered := slices.Clone(best.meantMatch)
	for i, s := range q.terms {
		if !s.fromLastMessage || s.isPair || !q.mayBeName(i) || s.measure != measureNone ||
			covered[i] >= relatedStrength || len(others)+1 == maxComparedUnits {
			continue
		}
		if u := q.bestWithTerm(pages, best, i); u.score > 0 {
			others = append(others, u)
			covered = mergeMatches(covered, u.meantMatch)
		}
	}
	return others
}

// mayBeName reports whether a term of the question may be a name: with German capitals, or at its beginning, all may.
func (q *parsedQuestion) mayBeName(i int) bool {
	s := q.terms[i]
	return s.isProperName || isCodeWord(s.word) || q.lang == words.German ||
		strings.HasPrefix(q.foldedText, s.word) && !strings.HasPrefix(q.originalText, s.word)
}

// bestWithTerm returns the best unit of the kind of another that names a term of the question, and shares another one
// with it or is of its passage.
func (q *parsedQuestion) bestWithTerm(pages []passageLayout, similar quotableUnit, term int) (best quotableUnit) {
	isNumbered := q.hasNewNumber(unitText(pages, similar))
	for i := range pages {
		for _, u := range pages[i].units {
			if u.ownMatch[term] < minNamedStrength || u.score <= best.score || u.excerpt == similar.excerpt || u.isTableRow ||
				u.kind != similar.kind || isNumbered && !q.hasNewNumber(unitText(pages, u)) ||
				i != similar.passageIndex && !q.sharesTerm(u, similar) {
				continue
			}
			best = u
		}
	}
	return best
}

func unitText(pages []passageLayout, u quotableUnit) string {
	return pages[u.passageIndex].text[u.start:u.end]
}

// sharesTerm reports whether both units name a term of the question.
func (q *parsedQuestion) sharesTerm(a, b quotableUnit) bool {
	for i, s := range q.terms {
		if s.fromLastMessage && !s.isPair && a.meantMatch[i] >= relatedStrength && b.meantMatch[i] >= relatedStrength {
			return true
		}
	}
	return false
}

// withCompared returns the best unit with what the others name.
func withCompared(best quotableUnit, others []quotableUnit) quotableUnit {
	for _, u := range others {
		best.isCompared = true
		best.ownMatch = mergeMatches(best.ownMatch, u.ownMatch)
		best.meantMatch = mergeMatches(best.meantMatch, u.meantMatch)
	}
	return best
}

// excerptsOfCompared returns the quotes of what is compared: those of one passage in its order.
func (q *parsedQuestion) excerptsOfCompared(pages []passageLayout, best quotableUnit,
	others []quotableUnit) (picked []excerpt) {
	for _, u := range append([]quotableUnit{best}, others...) {
		p := &pages[u.passageIndex]
		s := u.excerpt
		if u.kind == markdown.Paragraph {
			s = p.withWholeSentences(u, p.sentenceAlone(u))
		}
		if !slices.ContainsFunc(picked, func(e excerpt) bool {
			return e.passageIndex == s.passageIndex && e.start <= s.start && s.end <= e.end
		}) {
			picked = append(picked, s)
		}
	}
	slices.SortStableFunc(picked, func(a, b excerpt) int {
		if a.passageIndex != b.passageIndex {
			return 0
		}
		return a.start - b.start
	})
	for i := range picked {
		picked[i].continuesPrevious = i > 0
	}
	return picked
}

// What holds without an account is no answer for those who have one, and what costs something above 50 euros none for
// those below. Where question and quote differ in this, another sentence is taken, or the answer is in doubt.

// boundedNumber is a number with the side of it that is spoken of.
type boundedNumber struct {
	number  string
	isAbove bool
}

// boundReach is how many words may be between "below" and the number.
const boundReach = 2

// findBounds returns the numbers of the text that it speaks of one side of.
func findBounds(text string) (all []boundedNumber) {
	left, isAbove := -1, false
	for token := range words.Tokens(text) {
		switch w := token.Word; {
		case belowWords()[w]:
			left, isAbove = boundReach, false
		case aboveWords()[w]:
			left, isAbove = boundReach, true
		case left >= 0 && words.KindOf(w)&words.Number != 0:
			all = append(all, boundedNumber{w, isAbove})
			left = -1
		default:
			left--
		}
	}
	return all
}

// findExcluded returns the terms of the question that the text speaks of as what is not there: "without an account".
func (q *parsedQuestion) findExcluded(text string) (excluded []int) {
	left := 0
	for token := range words.Tokens(text) {
		if withoutWords()[token.Word] {
			left = negationReach
			continue
		}
		if left--; left >= 0 {
			for _, l := range q.wordLikeness(token.Word) {
				excluded = append(excluded, l.termIndex)
			}
		}
	}
	return excluded
}

// contradicts reports whether the text speaks of the other side of what the question is about.
func (q *parsedQuestion) contradicts(text string) bool {
	if len(q.bounds) > 0 {
		other := func(b boundedNumber) bool {
			return slices.Contains(q.bounds, boundedNumber{b.number, !b.isAbove}) && !slices.Contains(q.bounds, b)
		}
		found := findBounds(text)
		if slices.ContainsFunc(found, other) && !slices.ContainsFunc(found, func(b boundedNumber) bool {
			return slices.Contains(q.bounds, b)
		}) {
			return true
		}
	}
	return len(q.negatedTerms) == 0 && q.asksForWith && len(q.findExcluded(text)) > 0
}

// contrastLoss is what a unit loses that speaks of the other side.
const contrastLoss = 0.5

// contrastFit returns what a unit loses where it speaks of the other side of what the question is about.
func (q *parsedQuestion) contrastFit(text string) float64 {
	if q.contradicts(text) {
		return 1 - contrastLoss
	}
	return 1
}
