package quote

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley"
	"parley/internal/text/language"
	"parley/internal/text/markdown"
	"parley/internal/text/prose"
	"parley/internal/text/words"
)

// Where a quote begins and ends: not with a sentence whose subject is in one before it, not inside what somebody says,
// and not with half a sentence.

// maxAntecedentRunes is how long a quote may be, in code points, with the sentences before it that it refers to.
const maxAntecedentRunes = 900

// withWholeSentences returns the quote of the unit with what it refers to, and without the halves of sentences at its
// ends.
func (p *passageLayout) withWholeSentences(u quotableUnit, s excerpt) excerpt {
	first := slices.IndexFunc(p.units, func(v quotableUnit) bool { return v.start == s.start })
	last := p.unitEndingAt(s.end)
	best := slices.IndexFunc(p.units, func(v quotableUnit) bool { return v.excerpt == u.excerpt })
	if first < 0 || last < 0 || best < first || best > last {
		return s
	}
	for first < best && p.isRestOfSentence(p.units[first]) {
		first++
	}
	for last > best && p.isBeginningOfSentence(p.units[last]) {
		last--
	}
	last = p.closeLeadIn(first, p.closeQuotation(first, best, p.closeBracket(first, last)))
	s.start, s.end = p.units[first].start, p.units[last].end
	return p.withAntecedent(p.withoutLooseBeginning(s, first, best))
}

// withoutLooseBeginning leaves out the sentences before the best one that refer to what cannot be quoted with them.
func (p *passageLayout) withoutLooseBeginning(s excerpt, first, best int) (excerpt, int) {
	for i := first; first > 0 && i <= best; i++ {
		s.start = p.units[i].start
		if t := p.withAntecedent(s, i); t.start < s.start || t.leadEnd > 0 || !leansOnBefore(p.text[s.start:p.units[i].end]) {
			return s, i
		}
	}
	s.start = p.units[first].start
	return s, first
}

// closeLeadIn returns the last unit of a quote that does not end among the lines that one of its lines leads to.
func (p *passageLayout) closeLeadIn(first, last int) int {
	block := p.units[last].lastBlock
	if p.units[last].kind != markdown.Paragraph ||
		!leadsToLines(p.text[max(p.units[first].start, p.blocks[block].Start):p.units[last].end]) {
		return last
	}
	for last+1 < len(p.units) && p.units[last+1].lastBlock == block &&
		p.units[last+1].end-p.units[first].start <= maxListBytes {
		last++
	}
	return last
}

// leadsToLines reports whether a line of the text, not its last one, ends in a colon.
func leadsToLines(text string) bool {
	for line := range strings.Lines(text) {
		if strings.HasSuffix(line, "\n") && endsWithColon(line) {
			return true
		}
	}
	return false
}

func (p *passageLayout) unitEndingAt(end int) int {
	return slices.IndexFunc(p.units, func(v quotableUnit) bool { return v.end == end })
}

// isRestOfSentence reports whether the unit begins in the middle of a sentence.
func (p *passageLayout) isRestOfSentence(u quotableUnit) bool {
	r, _ := utf8.DecodeRuneInString(p.text[u.start:])
	return u.kind == markdown.Paragraph && u.start == p.blocks[u.firstBlock].Start && unicode.IsLower(r)
}

// isBeginningOfSentence reports whether the unit is a sentence that breaks off, at the end of its paragraph.
func (p *passageLayout) isBeginningOfSentence(u quotableUnit) bool {
	return u.kind == markdown.Paragraph && u.end == p.blocks[u.lastBlock].End && !endsAsSentence(p.text[u.start:u.end]) &&
		!endsWithColon(p.text[u.start:u.end])
}

// closeQuotation returns the last unit of a quote that does not end inside what somebody says: one further on, or one
// before it.
func (p *passageLayout) closeQuotation(first, best, last int) int {
	start := p.units[first].start
	if p.units[last].kind != markdown.Paragraph || !endsInQuotation(p.text[start:p.units[last].end]) {
		return last
	}
	for i := last; i+1 < len(p.units) && p.units[i+1].firstBlock == p.units[last].lastBlock &&
		utf8.RuneCountInString(p.text[start:p.units[i+1].end]) <= maxAntecedentRunes; i++ {
		if !endsInQuotation(p.text[start:p.units[i+1].end]) {
			return i + 1
		}
	}
	for i := last - 1; i >= best; i-- {
		if !endsInQuotation(p.text[start:p.units[i].end]) {
			return i
		}
	}
	return last
}

// closeBracket returns the last unit of a quote that does not end inside brackets, as at "(c." before a year, where the
// rest of them is near.
func (p *passageLayout) closeBracket(first, last int) int {
	isOpen := func(i int) bool {
		text := p.text[p.units[first].start:p.units[i].end]
		return strings.Count(text, "(") > strings.Count(text, ")")
	}
	if p.units[last].kind != markdown.Paragraph || !isOpen(last) {
		return last
	}
	for i := last + 1; i < len(p.units) && p.units[i].firstBlock == p.units[last].lastBlock &&
		utf8.RuneCountInString(p.text[p.units[first].start:p.units[i].end]) <= maxAntecedentRunes; i++ {
		if !isOpen(i) {
			return i
		}
	}
	return last
}

// titleLineBytes returns how long the line is that a sentence begins with and that is the title once more; 0 for none.
func (c *unitContext) titleLineBytes(text string) int {
	line, _, ok := strings.Cut(text, "\n")
	if !ok || !c.isTitle(line) {
		return 0
	}
	return len(line) + leadingSpace(text[len(line):])
}

const (
	openingQuotes = "„«‹「『"
	closingQuotes = "”»›」』"
	eitherQuotes  = "“\"" // “ ends what „ begins
)

// endsInQuotation reports whether the last quotation mark of the text opens what is not closed.
func endsInQuotation(text string) bool {
	i := strings.LastIndexAny(text, openingQuotes+closingQuotes+eitherQuotes)
	if i < 0 {
		return false
	}
	mark, n := utf8.DecodeRuneInString(text[i:])
	switch {
	case strings.ContainsRune(openingQuotes, mark):
		return true
	case strings.ContainsRune(closingQuotes, mark):
		return false
	}
	before, after := lastRune(text[:i]), ' '
	if i+n < len(text) {
		after, _ = utf8.DecodeRuneInString(text[i+n:])
	}
	if words.IsUnspaced(string(before)) || words.IsUnspaced(string(after)) {
		return mark == '“' // ” closes it there
	}
	return (i == 0 || unicode.IsSpace(before) || strings.ContainsRune("([—–", before)) && !unicode.IsSpace(after)
}

// withAntecedent begins a quote that refers back with what it refers to: the sentence before it or, where that refers
// back itself, the one that they begin with.
func (p *passageLayout) withAntecedent(s excerpt, first int) excerpt {
	from := first
	for from > 0 && leansOnBefore(p.text[p.units[from].start:p.units[from].end]) &&
		p.isRightBelow(p.units[from-1], p.units[from]) {
		from--
	}
	text := p.text[p.units[from].start:p.units[from].end]
	switch {
	case from == first, leansOnBefore(text), p.isRestOfSentence(p.units[from]):
	case from == first-1 && utf8.RuneCountInString(p.text[p.units[from].start:s.end]) <= maxAntecedentRunes,
		p.units[from].kind != markdown.Paragraph:
		s.start = p.units[from].start
	case len(text) <= maxWideLeadBytes:
		s.leadStart, s.leadEnd = p.units[from].start, p.units[from].end
	}
	return s
}

// maxWideLeadBytes is how long the sentence may be that is put before a quote which is not next to it.
const maxWideLeadBytes = 400

// isRightBelow reports whether the unit follows a sentence, in the same paragraph or in the next, or is below a list.
func (p *passageLayout) isRightBelow(before, u quotableUnit) bool {
	if p.isLeadIn(before.firstBlock) && before.kind == markdown.Item {
		return before.lastBlock+1 == u.firstBlock && !p.isPartOfList(before) && !p.hasMarkup(before.end, u.start)
	}
	if before.kind != markdown.Paragraph || !endsAsSentence(p.text[before.start:before.end]) || p.isTitle(before) {
		return false
	}
	return before.lastBlock == u.firstBlock || before.lastBlock+1 == u.firstBlock && !p.hasMarkup(before.end, u.start)
}

// refersBack reports whether the sentence says little without the one before it.
func refersBack(sentence string) bool {
	first, _, _ := strings.Cut(sentence, " ")
	first, _, _ = strings.Cut(strings.ReplaceAll(first, "’", "'"), "'")
	first = strings.ToLower(strings.Trim(first, ",،*_"))
	if isBackReference(words.Fold(first), sentence) || beginsWithPhrase(sentence, backReferencePhrases()) ||
		pointsBackEarly(sentence) || pointsBackBehindComma(sentence) {
		return !expletivePattern().MatchString(words.Fold(parley.ClipBytes(sentence, maxPhraseBytes)))
	}
	return slices.ContainsFunc(backReferencesUnspaced(), func(p string) bool { return strings.HasPrefix(sentence, p) })
}

// expletivePattern finds sentences that begin with a pronoun which stands for nothing: "It is said that".
var expletivePattern = formatPattern(`^(%s)(?:[^\p{L}]|$)`,
	func(l languageFile) []string { return l.Sources.ExpletivePatterns })

// isBackReference reports whether the first word of a sentence refers back: "il" does in French, and not in Italian.
func isBackReference(first, sentence string) bool {
	if !backReferenceWords()[first] {
		return false
	}
	lang, isSure := words.GuessLanguage(words.AppendTokens(nil, sentence))
	return !isSure || !lang.IsStopWord(first) || backReferencesOf(lang.Tag())[first]
}

// leansOnBefore reports whether the sentence cannot be understood without the one before it: it refers back, and not
// only by a word that joins the two, such as "however".
func leansOnBefore(sentence string) bool {
	if !refersBack(sentence) {
		return false
	}
	rest := withoutConnective(sentence)
	return len(rest) == len(sentence) || refersBack(rest)
}

// withoutConnective returns the sentence without the word that joins it to the one before.
func withoutConnective(sentence string) string {
	for _, p := range connectivesUnspaced() {
		if rest, ok := strings.CutPrefix(sentence, p); ok {
			return strings.TrimLeft(rest, "，、")
		}
	}
	folded := words.Fold(parley.ClipBytes(sentence, maxPhraseBytes))
	for _, p := range connectivePhrases() {
		if rest, ok := strings.CutPrefix(folded, p); ok && (strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, ",") ||
			strings.HasPrefix(rest, "،")) {
			return strings.TrimLeft(sentence[min(len(sentence), wordsEnd(sentence, p)):], " ,،")
		}
	}
	return sentence
}

// wordsEnd returns where so many words of the text end as the phrase has.
func wordsEnd(text, phrase string) (end int) {
	n := strings.Count(phrase, " ") + 1
	for end < len(text) && n > 0 {
		if i := strings.IndexAny(text[end+1:], " ,،"); i >= 0 {
			end += 1 + i
		} else {
			end = len(text)
		}
		n--
	}
	return end
}

// beginsWithPhrase reports whether the text begins with one of the folded phrases, as words of their own.
func beginsWithPhrase(text string, phrases []string) bool {
	text = words.Fold(parley.ClipBytes(text, maxPhraseBytes))
	return slices.ContainsFunc(phrases, func(p string) bool {
		rest, ok := strings.CutPrefix(text, p)
		return ok && (rest == "" || rest[0] == ' ' || rest[0] == ',' || strings.HasPrefix(rest, "،"))
	})
}

// maxPhraseBytes is more than any phrase has that a sentence begins with.
const maxPhraseBytes = 80

// maxOpeningWords is how many words without a meaning of their own are looked at for one that points back.
const maxOpeningWords = 4

// pointsBackEarly reports whether a pronoun is before the first word with a meaning: "While these writers".
func pointsBackEarly(sentence string) bool {
	n := 0
	for token := range words.Tokens(parley.ClipBytes(sentence, maxPhraseBytes)) {
		if n > 0 && pointingWords()[token.Word] && backReferenceWords()[token.Word] && token.Word != "that" {
			return true
		}
		if n++; n > maxOpeningWords || token.Unspaced || !isStopWordOfAny(token.Word) {
			return false
		}
	}
	return false
}

// maxIntroductionBytes is how long the words may be that come before the subject of a sentence.
const maxIntroductionBytes = 60

// pointsBackBehindComma reports whether the subject of the sentence is a pronoun behind words without a name: "Living
// in the 10th century, he wrote".
func pointsBackBehindComma(sentence string) bool {
	introduction, rest, ok := strings.Cut(parley.ClipBytes(sentence, maxIntroductionBytes+maxPhraseBytes), ", ")
	if !ok || len(introduction) > maxIntroductionBytes {
		return false
	}
	for token := range words.Tokens(introduction) {
		if isCapitalizedInside(introduction, token) {
			return false
		}
	}
	subject, _, _ := strings.Cut(rest, " ")
	return listContains("he she", words.Fold(subject)) // "it" and "they" are mostly of the introduction itself
}

// isStopWordOfAny reports whether the word carries no meaning of its own in one of the languages.
func isStopWordOfAny(word string) bool {
	for l := range language.All() {
		if words.Language(l).IsStopWord(word) { //nolint:gosec // there are few
			return true
		}
	}
	return false
}

// maxSpans is how many stretches of a paragraph a quote is made of.
const maxSpans = 3

// spans returns the stretches that are quoted, in the order of the text.
func (e excerpt) spans() (spans []prose.Span) {
	if e.leadEnd > 0 {
		spans = append(spans, prose.Span{Start: e.leadStart, End: e.leadEnd})
	}
	if e.middleEnd > 0 {
		spans = append(spans, prose.Span{Start: e.middleStart, End: e.middleEnd})
	}
	return append(spans, prose.Span{Start: e.start, End: e.end})
}

// size returns how many bytes are quoted.
func (e excerpt) size() float64 {
	return float64(e.leadEnd - e.leadStart + e.middleEnd - e.middleStart + e.end - e.start)
}

// holds reports whether the unit is quoted.
func (e excerpt) holds(u quotableUnit) bool {
	return slices.ContainsFunc(e.spans(), func(s prose.Span) bool { return s.Start <= u.start && u.end <= s.End })
}

// withSentence returns the quote with another sentence of its paragraph, in the order of the text.
func (e excerpt) withSentence(u quotableUnit) excerpt {
	spans := append(e.spans(), prose.Span{Start: u.start, End: u.end})
	slices.SortFunc(spans, func(a, b prose.Span) int { return a.Start - b.Start })
	joined := spans[:1]
	for _, s := range spans[1:] {
		if last := &joined[len(joined)-1]; s.Start-last.End < maxSentenceGap {
			last.End = max(last.End, s.End)
		} else {
			joined = append(joined, s)
		}
	}
	if n := len(joined); n <= maxSpans {
		return e.withSpans(joined)
	}
	return e
}

func (e excerpt) withSpans(spans []prose.Span) excerpt {
	n := len(spans)
	e.leadStart, e.leadEnd, e.middleStart, e.middleEnd = 0, 0, 0, 0
	e.start, e.end = spans[n-1].Start, spans[n-1].End
	if n > 1 {
		e.leadStart, e.leadEnd = spans[0].Start, spans[0].End
	}
	if n > 2 {
		e.middleStart, e.middleEnd = spans[1].Start, spans[1].End
	}
	return e
}
