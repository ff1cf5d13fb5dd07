package quote

import (
	"slices"

	"parley/internal/text/words"
)

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
