package llm

import (
	"slices"
	"strings"

	"parley/internal/prose"
	"parley/internal/words"
)

// measure is what a word of the question asks to be measured. A text answers it by an amount, and seldom holds the word itself: "how
// long" is answered by "two days", "the maximum size" by "25 MB at most".
type measure uint8

const (
	noMeasure measure = iota
	amount            // any number
	duration
	size
	price
	bound
	telephoneNumber
	clock
	spokenTongue
)

// measures is how many there are.
const measures = int(spokenTongue) + 1

const (
	measureWeight   = 0.5 // of the word's weight: an amount says less than a word that is met
	measureStrength = 0.8 // how surely an amount of the right kind answers the word
)

// asks tells which phrases stand in a question that are looked for with several of its words.
type asks struct{ much, when bool }

func asksOf(question string) asks {
	return asks{much: words.Asks(question, muchWords), when: words.Asks(question, whenWords)}
}

// measuredBy tells what the word asks to be measured, in the light of the one before it.
func (a asks) measuredBy(before, word string) measure {
	if (before == "how" || before == "wie") && scaled[word] != noMeasure {
		return scaled[word]
	}
	if payments[word] && a.much {
		return price
	}
	if openFor[word] && a.when {
		return clock
	}
	if telephones[before] && (word == "number" || word == "nummer") {
		return telephoneNumber
	}
	return named[word]
}

// spanReach is how many words after a number its unit stands: "5 to 7 working days".
const spanReach = 3

// answers reports that the text holds an amount of the kind.
func (t *topic) answers(m measure, text string) bool {
	switch m {
	case duration:
		return t.lasts(text)
	case size:
		return sized.MatchString(text)
	case price:
		return priced.MatchString(text)
	case bound:
		return bounded.MatchString(text)
	case telephoneNumber:
		return telephone.MatchString(text)
	case clock:
		return timed.MatchString(text)
	case spokenTongue:
		return len(tongueNames.FindAllString(text, 2)) == 2
	case noMeasure, amount:
	}
	return t.amounts(text)
}

// amounts reports a number that the question does not name itself and that is no year.
func (t *topic) amounts(text string) bool {
	for token := range words.Tokens(text) {
		if isNumber(token.Word) && words.KindOf(token.Word)&words.Time == 0 && !strings.Contains(t.question, token.Word) {
			return true
		}
	}
	return false
}

// lasts reports a span of time.
func (t *topic) lasts(text string) bool {
	left := 0
	for token := range words.Tokens(text) {
		left--
		if isNumber(token.Word) || ones[token.Word] {
			left = spanReach
		} else if left >= 0 && spans[token.Word] {
			return true
		}
	}
	return lasting.MatchString(text)
}

// ones are articles that count.
var ones = wordSet("a an ein eine einen einem einer un una une uno")

// unmeasuredLoss is what the confidence loses, in its exponent, where the amount that is asked for is missing.
const unmeasuredLoss = 1

// unmeasured reports that the question asks for an amount and that none of its kind is there.
func (t *topic) unmeasured(found []float64) bool {
	for i, s := range t.items {
		if s.own && s.measure > amount && found[i] < kinStrength { // "how often" may be answered by "seldom"
			return true
		}
	}
	return false
}

// amountIn reports that the sentence itself holds the amount that the question asks for.
func (t *topic) amountIn(u unit) bool {
	return u.kind == prose.Paragraph && slices.ContainsFunc(t.items, func(s subject) bool {
		return s.own && s.measure > amount && u.own[t.index(s.word)] >= kinStrength
	})
}

// measured adds to what was found the words of the question that an amount in the text answers.
func (t *topic) measured(found []float64, text string) {
	var looked, there [measures]bool
	for i, s := range t.items {
		if s.measure == noMeasure || found[i] >= measureStrength {
			continue
		}
		if !looked[s.measure] {
			looked[s.measure], there[s.measure] = true, t.answers(s.measure, text)
		}
		if there[s.measure] {
			found[i] = measureStrength
		}
	}
}
