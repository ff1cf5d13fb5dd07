package quote

import (
	"slices"

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
		if !s.fromLastMessage || s.isPair || !s.isProperName && !isCodeWord(s.word) && q.lang != words.German ||
			s.measure != measureNone || covered[i] >= relatedStrength || len(others)+1 == maxComparedUnits {
			continue
		}
		if u := q.bestWithTerm(pages, best, i); u.score > 0 {
			others = append(others, u)
			covered = mergeMatches(covered, u.meantMatch)
		}
	}
	return others
}

// bestWithTerm returns the best unit of the kind of another that names a term of the question, and shares another one
// with it or is of its passage.
func (q *parsedQuestion) bestWithTerm(pages []passageLayout, like quotableUnit, term int) (best quotableUnit) {
	isNumbered := q.hasNewNumber(unitText(pages, like))
	for i := range pages {
		for _, u := range pages[i].units {
			if u.ownMatch[term] < minNamedStrength || u.score <= best.score || u.excerpt == like.excerpt || u.isTableRow ||
				u.kind != like.kind || isNumbered && !q.hasNewNumber(unitText(pages, u)) ||
				i != like.passageIndex && !q.sharesTerm(u, like) {
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
