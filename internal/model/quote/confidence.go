package quote

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/model"
	"parley/internal/text/markdown"
	"parley/internal/text/words"
)

// confidence returns how likely the unit answers the question, 0 to 1. What a document says under a heading that is a
// question is both: a text, and the answer to that question.
func (q *parsedQuestion) confidence(passages []model.Passage, pages []passageLayout, best quotableUnit) float64 {
	signs, passage := q.features(passages, pages, best), passages[best.passageIndex]
	loss := 0.0
	if q.lacksWhatIsAsked(&pages[best.passageIndex], best) {
		loss = missingAmountLoss
	}
	switch {
	case q.isTranslated() && (passage.IsQnA || isUnderQuestion(passage)):
		return (qnaConfidence().of(signs, loss) + translatedConfidence().of(signs, loss)) / 2
	case q.isTranslated():
		return translatedConfidence().of(signs, loss)
	case passage.IsQnA:
		return qnaConfidence().of(signs, loss)
	case isUnderQuestion(passage):
		return (qnaConfidence().of(signs, loss) + proseConfidence().of(signs, loss)) / 2
	}
	return proseConfidence().of(signs, loss)
}

// lacksWhatIsAsked reports whether the question asks for an amount, or for how many there are of something, and the
// passage tells none.
func (q *parsedQuestion) lacksWhatIsAsked(p *passageLayout, best quotableUnit) bool {
	return q.lacksAmount(mergeMatches(p.passageMatch, best.ownMatch)) ||
		!best.isTableRow && q.contentWordCount() == 1 && q.lacksCount(p.text)
}

const maxCountedWords = 6 // content words of a question

func (q *parsedQuestion) features(passages []model.Passage, pages []passageLayout,
	best quotableUnit) confidenceFeatures {
	p := &pages[best.passageIndex]
	passage := passages[best.passageIndex]
	first, signals, plain := effectiveSignals(&passages[0]), effectiveSignals(&passage), q.shareOutsideCode(passages[0])
	return confidenceFeatures{
		plain * first.Words,
		plain * first.Letters,
		plain * first.Stretch,
		q.matchedShare(best.meantMatch, q.isSingleWord),
		// what the title leaves open
		q.matchedShare(q.matchText(p.scoredText), func(i int) bool {
			return q.isSingleWord(i) && p.titleMatch[i] < relatedStrength
		}),
		// of many words some are missing always
		float64(min(q.contentWordCount(), maxCountedWords)),
		boolToFloat(q.isFollowUp),   // it names less of what it is about
		boolToFloat(q.isUnspaced()), // Words says nothing
		boolToFloat(!best.isTableRow && q.lacksCount(passage.Text)),
		boolToFloat(q.wantsNumber && !q.hasNewNumber(passage.Text)),
		signals.Title,
		q.lead(passages),
		signals.Asked,
	}
}

// maxTranslatedLead is where the lead of the best source of a translated question stops to say more.
const maxTranslatedLead = 0.3

// lead returns how far the best source is before the next. Of a translated question it says more than the words do, and
// therefore nothing where there is one source only.
func (q *parsedQuestion) lead(passages []model.Passage) float64 {
	lead := effectiveSignals(&passages[0]).Lead
	if !q.isTranslated() {
		return lead
	}
	if lead == 1 {
		return maxTranslatedLead / 2
	}
	return min(lead, maxTranslatedLead)
}

// isUnderQuestion reports whether the innermost heading of the passage is a question.
func isUnderQuestion(p model.Passage) bool {
	return strings.ContainsAny(p.Heading[strings.LastIndex(p.Heading, "›")+1:], "?？؟")
}

// effectiveSignals returns those of the passage, or what its score alone lets guess.
func effectiveSignals(p *model.Passage) model.MatchSignals {
	if p.Signals == (model.MatchSignals{}) {
		return model.MatchSignals{Letters: 0.3 * p.Score, Words: 0.4 * p.Score, Stretch: p.Score, Lead: 0.5 * p.Score}
	}
	return p.Signals
}

func boolToFloat(value bool) float64 {
	if value {
		return 1
	}
	return 0
}

// matchedShare returns the weight of those of the message's words that were found, 0 to 1; half if there are none
// such.
func (q *parsedQuestion) matchedShare(found []float64, of func(i int) bool) float64 {
	matched, all := 0.0, 0.0
	for i, s := range q.terms {
		if s.fromLastMessage && of(i) {
			matched += s.weight * found[i]
			all += s.weight
		}
	}
	if all == 0 {
		return 0.5
	}
	return matched / all
}

func (q *parsedQuestion) isSingleWord(i int) bool { return !q.terms[i].isPair }

// contentWordCount counts the content words of the message itself.
func (q *parsedQuestion) contentWordCount() (n int) {
	for _, s := range q.terms {
		if s.fromLastMessage && !s.isPair {
			n++
		}
	}
	return n
}

// isUnspaced reports whether no word of the message is set apart from the others.
func (q *parsedQuestion) isUnspaced() bool {
	for _, s := range q.terms {
		if s.fromLastMessage && !s.isPair && !words.IsUnspaced(s.word) {
			return false
		}
	}
	return len(q.terms) > 0
}

func (q *parsedQuestion) hasNewNumber(text string) bool {
	return containsWord(text, q.isNewNumber)
}

// isNewNumber reports whether a word is a number that the question does not name itself.
func (q *parsedQuestion) isNewNumber(word string) bool {
	return isNumber(word) && !strings.Contains(q.foldedText, word)
}

// countWordReach is how many words after a number the thing is that it counts.
const countWordReach = 4

// lacksCount reports whether the question asks how many there are of something, and that the text has no number before
// that word.
func (q *parsedQuestion) lacksCount(text string) bool {
	if q.countedStem == "" {
		return false
	}
	left, last := 0, 0
	for token := range words.Tokens(text) {
		left--
		if strings.Contains(text[min(last, token.Start):token.Start], ". ") {
			left = 0 // another sentence
		}
		last = token.End
		if isNumber(token.Word) {
			left = countWordReach
		} else if left >= 0 && q.lang.Stem(token.Word) == q.countedStem {
			return false
		}
	}
	return true
}

// isNumber reports whether the word is a number, in digits or written out.
func isNumber(word string) bool {
	return words.KindOf(word)&words.Number != 0 || numeralWords()[word] || strings.IndexFunc(word, unicode.IsDigit) == 0
}

// What holds all that the question names is answered from, however little the search makes of it: in a handful of pages
// no word is rare.

// minConfidence returns the least confidence that what the unit holds justifies; 0 for none.
func (q *parsedQuestion) minConfidence(passage model.Passage, p *passageLayout, best quotableUnit) float64 {
	switch {
	case q.matchesCode(passage, p, best):
		return codeConfidence
	case q.isRequestedList(p, best):
		return listConfidence
	case q.statesWithout(p, best), q.statesAllowed(p, best):
		return withoutConfidence
	case q.statesFact(p, best), q.statesTime(p, best), q.statesDay(p, best), q.statesAmountOfSubject(p, best),
		best.isCompared && q.namesAllNames(best.meantMatch):
		return factConfidence
	case q.isAskedAbove(passage):
		return askedConfidence
	}
	return 0
}

// askedConfidence is the confidence in what is under the very question, or under a heading that says all of it.
const (
	askedConfidence = 0.75
	minHeadingShare = 0.95 // of the question that the heading names
	minAskingShare  = 0.8  // of the heading that the question names: it may also name the product
	minAskedWords   = 2
)

// isAskedAbove reports whether the innermost heading of the passage names what the question does, and next to nothing
// else. A Q&A, where many questions are alike, is judged by the confidence alone.
func (q *parsedQuestion) isAskedAbove(p model.Passage) bool {
	parts := headingPath(p)
	if p.IsQnA || p.Heading == "" || len(parts) == 0 || q.contentWordCount() < minAskedWords || len(q.negatedTerms) > 0 ||
		q.isFollowUp && words.NeedsContext(q.originalText) {
		return false
	}
	heading := parts[len(parts)-1]
	return q.headingFocus(heading) >= minAskingShare &&
		q.matchedShare(q.matchText(heading), q.isSingleWord) >= minHeadingShare
}

// factConfidence is the confidence in a row or a sentence that holds, with the headings above, all that the question
// names, and the amount that it asks for.
const factConfidence = 0.8

func (q *parsedQuestion) statesFact(p *passageLayout, best quotableUnit) bool {
	if !best.isTableRow && !q.unitHasAmount(best) || q.contentWordCount() < 2 && !q.isNamedBy(p.titleMatch, isFrameWord) {
		return false
	}
	return q.isNamedBy(mergeMatches(p.titleMatch, best.meantMatch), isFrameWord) &&
		q.matchedShare(best.meantMatch, q.isSingleWord) >= relatedStrength
}

// statesTime reports whether the question asks when, and the unit is a line or a row with its name and a time.
func (q *parsedQuestion) statesTime(p *passageLayout, best quotableUnit) bool {
	isTime := func(word string) bool { return words.KindOf(word)&words.Time != 0 }
	return best.isTableRow && words.AsksFor(q.originalText)&words.Time != 0 &&
		q.matchedShare(mergeMatches(p.titleMatch, best.ownMatch), q.isSingleWord) >= minTimedShare &&
		containsWord(p.text[best.start:best.end], isTime)
}

// withoutConfidence is the confidence in a sentence that says what holds without what the question says is not there,
// and in one that says whether what the question is about is allowed.
const withoutConfidence = 0.75

// statesWithout reports whether a short question is about what is not there, and the unit denies the same.
func (q *parsedQuestion) statesWithout(p *passageLayout, best quotableUnit) bool {
	lacked := q.findExcluded(q.originalText)
	if q.asksForWith {
		lacked = append(lacked, q.negatedTerms...) // "I have no receipt"
	}
	text := p.text[best.start:best.end]
	return len(lacked) > 0 && q.contentWordCount() <= maxWithoutWords && !q.lacksPrice(text) &&
		slices.ContainsFunc(lacked, func(i int) bool { return slices.Contains(q.findExcluded(text), i) })
}

// maxWithoutWords is how many words with a meaning such a question has.
const maxWithoutWords = 2

// minTimedShare is how much of the question a line with a time names.
const minTimedShare = 0.25

// namesAllNames reports whether all names and codes of the question are among what was found, and more than one.
func (q *parsedQuestion) namesAllNames(found []float64) bool {
	n := 0
	for i, s := range q.terms {
		if !s.fromLastMessage || s.isPair || !s.isProperName && !isCodeWord(s.word) {
			continue
		}
		if n++; found[i] < relatedStrength {
			return false
		}
	}
	return n > 1
}

// maxMissedOfSubject is how much of what was spoken of before may be missing beside an amount: its verb.
const maxMissedOfSubject = 0.5

// statesAmountOfSubject reports whether the unit holds the amount that a follow-up asks for which names nothing, such
// as "How much is it?", and whether that belongs to what was spoken of before: it is named there, or in the sentence
// or the heading above.
func (q *parsedQuestion) statesAmountOfSubject(p *passageLayout, best quotableUnit) bool {
	if !q.asksForAmountOfSubject() || q.matchedShare(best.ownMatch, q.isSingleWord) < relatedStrength {
		return false
	}
	near := mergeMatches(p.titleMatch, q.matchText(p.surroundings(best)))
	return q.missingSubject(near) <= maxMissedOfSubject || q.namesSubjectOfHeading(p, best)
}

// namesSubjectOfHeading reports whether the unit names all that the innermost heading names of what was spoken of
// before, and something of that.
func (q *parsedQuestion) namesSubjectOfHeading(p *passageLayout, u quotableUnit) bool {
	heading, names := q.matchText(p.innermostTitle), false
	for i, s := range q.terms {
		if s.fromLastMessage || s.isPair || heading[i] < relatedStrength {
			continue
		}
		if names = true; u.ownMatch[i] < relatedStrength {
			return false
		}
	}
	return names
}

// isOfSubject reports whether the amount that the unit tells is that of what was spoken of before: the unit names
// something of that itself, or refers to the sentence before.
func (q *parsedQuestion) isOfSubject(p *passageLayout, u quotableUnit) bool {
	if !q.statesAmountOfSubject(p, u) {
		return false
	}
	for i, s := range q.terms {
		if !s.fromLastMessage && !s.isPair && u.ownMatch[i] >= relatedStrength {
			return true
		}
	}
	return leansOnBefore(p.text[u.start:u.end])
}

// amountOfSubject returns the sentence that tells the amount that a follow-up asks for which names nothing: of what was
// spoken of before, which the best one may repeat without it.
func (q *parsedQuestion) amountOfSubject(pages []passageLayout, best quotableUnit) quotableUnit {
	if best.score == 0 || best.isTableRow || !q.asksForAmountOfSubject() || q.unitHasAmount(best) {
		return best
	}
	found := quotableUnit{}
	for i := range pages {
		for _, u := range pages[i].units {
			if u.score > found.score && q.unitHasAmount(u) && q.isOfSubject(&pages[i], u) {
				found = u
			}
		}
	}
	if found.score == 0 {
		return best
	}
	return found
}

// asksForAmountOfSubject reports whether the message names nothing but what is to be measured, of what was spoken of
// before.
func (q *parsedQuestion) asksForAmountOfSubject() bool {
	isOther := func(s questionTerm) bool { return s.fromLastMessage && !s.isPair && s.measure <= measureAmount }
	return q.isFollowUp && q.contentWordCount() > 0 && !slices.ContainsFunc(q.terms, isOther) &&
		(q.asksBarePrice || words.NeedsContext(q.originalText))
}

// isRequestedList reports whether the unit is a table, a list or the sentence above a table that holds what the
// question wants listed.
func (q *parsedQuestion) isRequestedList(p *passageLayout, best quotableUnit) bool {
	c := unitContext{layout: p, headingMatch: p.titleMatch}
	if !q.wantsList || best.kind != markdown.Table && best.kind != markdown.Item && !p.isAboveTable(best) {
		return false
	}
	isFree := func(word string) bool { return isFrameWord(word) || listVerbs()[word] }
	return q.contentWordCount() > 0 && q.isNamedBy(c.listTitleMatch(q, best), isFree)
}

// isNamedBy reports whether the message's words are all among what was found, apart from those that may be missing.
func (q *parsedQuestion) isNamedBy(found []float64, mayMiss func(word string) bool) bool {
	for i, s := range q.terms {
		if s.fromLastMessage && !s.isPair && !mayMiss(s.word) && found[i] < relatedStrength {
			return false
		}
	}
	return true
}

// listConfidence is the confidence in a list that is of what the question names.
const listConfidence = 0.8

// listQuestionPattern finds questions for all things of a kind, in folded text.
var listQuestionPattern = formatPattern(`^\W*((%s) )?(%s)`,
	func(l languageFile) []string { return slices.Collect(l.Questions.And.All()) },
	func(l languageFile) []string { return l.Questions.ListPatterns })

// statesPermission reports whether the text says who may do something, and does not tell how it is done.
func statesPermission(text string) bool {
	for token := range words.Tokens(text) {
		if permissionWords()[token.Word] {
			return !givesInstruction(text)
		}
	}
	return false
}

func isFrameWord(word string) bool { return questionFrameWords()[word] || measureFillerWords()[word] }

// shortUnitFit is what is left of a unit that is short.
const shortUnitFit = 0.85

// readability prefers what reads well by itself: prose over code, full sentences over fragments, text over links. What
// is mostly links leads elsewhere and is never an answer.
func readability(text string, kind markdown.Kind) float64 {
	f := 1.0
	switch {
	case kind == markdown.Code:
		f = 0.5
	case kind == markdown.Table:
		f = 0.8
	case len(text) < shortUnitBytes && !refersBack(text), strings.HasSuffix(text, "```"):
		f = shortUnitFit
	}
	if strings.Contains(text, "![") || strings.Contains(text, "<br") {
		f *= 0.7
	}
	if r, _ := utf8.DecodeRuneInString(text); unicode.IsLower(r) && kind == markdown.Paragraph {
		f *= 0.8 // the rest of a sentence
	}
	if kind == markdown.Paragraph && len(text) > maxLineBytes && !strings.Contains(text, "\n") && !endsAsSentence(text) {
		f *= 0.6 // a row of names, or what was a table
	}
	if pointerPattern.MatchString(text) {
		f *= 0.45
	}
	switch links := linkShare(text); {
	case links > maxLinkShare, movedPattern.MatchString(text):
		return 0
	default:
		f *= 1 - 1.4*links
	}
	switch end := trimTrailingMarkup(text); {
	case strings.HasSuffix(end, "?"):
		f *= 0.4
	case strings.HasSuffix(end, ":"):
		f *= 0.7
	}
	return f
}

// maxLineBytes is how long a text is that must end as a sentence does to be one.
const maxLineBytes = 200

// closingMarks may follow the mark that ends a sentence.
const closingMarks = " \t\r\n\"'”’»)]*_）」』"

func endsAsSentence(text string) bool {
	last := lastRune(strings.TrimRight(text, closingMarks))
	return endsSentence(last) || last == '؟'
}

// endsStatement reports whether the text ends as a sentence does that is no question.
func endsStatement(text string) bool {
	return endsAsSentence(text) && !strings.ContainsRune("?？؟", lastRune(strings.TrimRight(text, closingMarks)))
}

// pointerPattern finds sentences that send the reader elsewhere.
var pointerPattern = regexp.MustCompile(`(?i)\b(this (guide|page|document|article|section)|following (locations|` +
	`pages|guides)|more (information|details)|read more|see also|check out|learn more)\b`)

var movedPattern = regexp.MustCompile(`(?i)\b(has|have) been (moved|reorganized)\b`)

const maxLinkShare = 0.45

// linkShare returns the share of the text that is Markdown links.
func linkShare(text string) float64 {
	inside := 0
	for i := 0; i < len(text); {
		open := strings.IndexByte(text[i:], '[')
		if open < 0 {
			break
		}
		middle := strings.Index(text[i+open:], "](")
		if middle < 0 {
			break
		}
		end := strings.IndexByte(text[i+open+middle:], ')')
		if end < 0 {
			break
		}
		inside += middle + end + 1
		i += open + middle + end + 1
	}
	return float64(inside) / float64(max(len(text), 1))
}

var addressPattern = regexp.MustCompile(`https?://\S+`)

// isMostlyAddresses reports whether much of the text is addresses of the web.
func isMostlyAddresses(text string) bool {
	n := 0
	for _, a := range addressPattern.FindAllString(text, -1) {
		n += len(a)
	}
	return n > len(text)/3
}
