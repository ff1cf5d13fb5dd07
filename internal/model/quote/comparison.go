package quote

import (
	"regexp"
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

// asksForMore reports whether the question asks which of two has more: it says "or", and "more" or "less".
func asksForMore(question string) bool {
	return containsWord(question, func(w string) bool { return orWords()[w] }) &&
		containsWord(question, func(w string) bool { return aboveWords()[w] || belowWords()[w] })
}

var orWords = words.SpacedSet(func(l languageFile) wordTable { return wordTable(l.Texts.OrSeparator) })

// mayBeName reports whether a term of the question may be a name: with German capitals, or at its beginning, all may.
func (q *parsedQuestion) mayBeName(i int) bool {
	s := q.terms[i]
	return s.isProperName || isCodeWord(s.word) || q.lang.HasCapitalNouns() ||
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
	if q.differsInParticle(text) || q.differsInPlus(text) || q.isOfOtherThing(text) {
		return true
	}
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

// contrastedUnit returns the sentence before the unit where the unit says of those who lack what the question denies
// what that one says of the others: "Members pay 7 euros for a swim. Visitors who are not members pay 12 euros."
func (q *parsedQuestion) contrastedUnit(p *passageLayout, u quotableUnit) (before quotableUnit, ok bool) {
	i := p.unitIndex(u)
	if len(q.negatedTerms) == 0 || i < 1 || !q.deniesSame(p.text[u.start:u.end]) {
		return before, false
	}
	before = p.units[i-1]
	text := p.text[before.start:before.end]
	return before, before.kind == markdown.Paragraph && !q.deniesSame(text) && len(q.namedDenied(text)) > 0
}

// deniesSame reports whether the text denies something that the question denies.
func (q *parsedQuestion) deniesSame(text string) bool {
	denied := q.findNegatedTerms(text)
	return slices.ContainsFunc(q.negatedTerms, func(i int) bool { return slices.Contains(denied, i) })
}

// namedDenied returns the terms that the question denies and the text names.
func (q *parsedQuestion) namedDenied(text string) []int {
	found := q.matchText(text)
	return slices.DeleteFunc(slices.Clone(q.negatedTerms), func(i int) bool { return found[i] < relatedStrength })
}

// contrastLoss is what a unit loses that speaks of the other side.
const contrastLoss = 0.5

// A sentence may have most words of the question and still be of another thing: of the pump's seal, of the plan with a
// plus, of the vase with another name.

// otherThingFit is what is left of a unit that tells of another thing, and only mentions what is asked.
const otherThingFit = 0.2

// contrastFit returns what a unit loses where it speaks of the other side of what the question is about,
// or refers to what does.
func (q *parsedQuestion) contrastFit(text, before string) float64 {
	if q.isOfOtherThing(text) || q.isOfOtherThing(before) {
		return otherThingFit
	}
	if q.contradicts(text) {
		return 1 - contrastLoss
	}
	return 1
}

// isOfOtherThing reports whether the text tells of a thing with another code or another name.
func (q *parsedQuestion) isOfOtherThing(text string) bool {
	return q.isOfOtherCode(text) || q.isOfOtherName(text)
}

// plusPattern finds names with a plus at their end: "Home+", "M5+".
var plusPattern = regexp.MustCompile(`([\p{L}][\p{L}\d.-]*)\+(?:[^+\p{L}\d]|$)`)

// plusNames returns the names of the text that end in a plus, folded and without it.
func plusNames(text string) (names []string) {
	for _, found := range plusPattern.FindAllStringSubmatch(words.Fold(text), -1) {
		names = append(names, found[1])
	}
	return names
}

// differsInPlus reports whether the text has a name with a plus that the question has without one, and only so.
func (q *parsedQuestion) differsInPlus(text string) bool {
	if !strings.Contains(text, "+") {
		return false
	}
	inQuestion := plusNames(q.originalText)
	return slices.ContainsFunc(plusNames(text), func(name string) bool {
		bare := regexp.MustCompile(`(?:^|[^\p{L}\d])` + regexp.QuoteMeta(name) + `(?:[^\p{L}\d+-]|$)`)
		return !slices.Contains(inQuestion, name) && bare.MatchString(q.foldedText) && !bare.MatchString(words.Fold(text))
	})
}

// isOfOtherCode reports whether the text begins with another code than the question is about, and only mentions that
// one: "The seal S-15 fits the KP-200 and costs 9 euros" tells no price of the pump.
func (q *parsedQuestion) isOfOtherCode(text string) bool {
	if len(q.codes) == 0 || !q.wantsNumber && !q.asksMeasure() || strings.Contains(text, "|") {
		return false
	}
	at := codePattern.FindStringIndex(text)
	if at == nil || isAmountCode(text[at[0]:at[1]]) || namesYear(text[at[0]:at[1]]) {
		return false
	}
	begin := text[:at[1]]
	if strings.HasPrefix(text[at[1]:], "+") {
		begin += "+"
	}
	return len(q.missingCodes(begin)) == len(q.codes) && len(q.missingCodes(text)) < len(q.codes) &&
		!q.namesLastWord(text[:at[0]])
}

// namesLastWord reports whether the question names the last word of the text: "The seal" before "S-15".
func (q *parsedQuestion) namesLastWord(text string) bool {
	list := splitWords(text)
	return len(list) > 0 && slices.ContainsFunc(q.wordLikeness(list[len(list)-1]), func(l termLikeness) bool {
		return l.strength >= minNamedStrength
	})
}

// isOfOtherName reports whether the question asks for an amount of a thing that it names, "the vase Nela", and the text
// has that word with another name behind it and not that one.
func (q *parsedQuestion) isOfOtherName(text string) bool {
	if q.compares || !q.wantsNumber && !q.asksMeasure() {
		return false
	}
	return slices.ContainsFunc(q.terms, func(s questionTerm) bool {
		return s.isPair && s.fromLastMessage && q.isNamed(s) && q.hasOtherName(text, s)
	})
}

// isNamed reports whether two neighbours of the question are a thing and its name.
func (q *parsedQuestion) isNamed(pair questionTerm) bool {
	kind, name := q.terms[pair.firstTerm], q.terms[pair.secondTerm]
	return (name.isProperName && !pair.isNamePair || q.lang.HasCapitalNouns() && pair.isNamePair) &&
		strings.Contains(q.foldedText, kind.word+" "+name.word)
}

// hasOtherName reports whether the text has the thing of the pair with a name behind it, and never that of the pair.
func (q *parsedQuestion) hasOtherName(text string, pair questionTerm) (found bool) {
	var last words.Token
	for token := range words.Tokens(text) {
		if strengthOf(q.wordLikeness(token.Word), pair.secondTerm) > 0 {
			return false
		}
		isBehind := last.Word != "" && token.Start == last.End+1 && text[last.End] == ' '
		found = found || isBehind && isCapitalizedInside(text, token) &&
			strengthOf(q.wordLikeness(last.Word), pair.firstTerm) >= minNamedStrength
		last = token
	}
	return found
}

// differsInParticle reports whether the text has a verb of the question with the opposite particle behind it, and not
// with that one: "check-out" where "check-in" is asked for.
func (q *parsedQuestion) differsInParticle(text string) bool {
	inQuestion := particlePairs(q.originalText)
	if len(inQuestion) == 0 {
		return false
	}
	found := particlePairs(text)
	for pair := range inQuestion {
		if found[verbWithParticle{pair.verb, oppositeParticles[pair.particle]}] && !found[pair] {
			return true
		}
	}
	return false
}

type verbWithParticle struct{ verb, particle string }

// particlePairs returns the words that have a particle behind them, as in "check-in" and "check in".
func particlePairs(text string) map[verbWithParticle]bool {
	pairs, last := map[verbWithParticle]bool{}, words.Token{}
	for token := range words.Tokens(text) {
		if oppositeParticles[token.Word] != "" && last.Word != "" && token.Start-last.End <= 1 &&
			!isStopWordOfAny(last.Word) {
			pairs[verbWithParticle{last.Word, token.Word}] = true
		}
		last = token
	}
	return pairs
}

// oppositeParticles are behind a verb in compounds that many languages have.
var oppositeParticles = map[string]string{
	"in": "out", "out": "in", "on": "off", "off": "on", "up": "down", "down": "up",
}
