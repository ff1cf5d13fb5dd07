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

// What is under a heading answers it from its first sentence on: where the heading is what the question is about, a
// quote begins there.

// So much of what is under a heading is quoted.
const (
	maxSectionBytes      = 420
	maxSectionBeginning  = 320 // where the rest of it is another matter
	maxSectionSentences  = 3
	minSectionNamedShare = 0.4 // of the question that the heading names
	// of the question that the best unit names and the heading does not, and the same in an answer in doubt
	maxSectionAddedShare  = 0.2
	maxDoubtfulAddedShare = 0.5
)

// beginningOfSection returns the beginning of what is under the heading that the question is about. It reaches to the
// quote of the best unit where that is near, and leaves it out where the unit names no more of the question than the
// heading. An answer in doubt is below the heading: there it begins with what answers that.
func (q *parsedQuestion) beginningOfSection(passages []model.Passage, pages []passageLayout, best quotableUnit,
	quoted excerpt, isDoubtful bool) (excerpt, bool) {
	passage := passages[best.passageIndex]
	if best.isTableRow || best.ordered || q.asksWhoMay || q.unitHasAmount(best) || isPartOfMore(passages, pages, best) ||
		!q.isUnderItsHeading(passage, isDoubtful) {
		return excerpt{}, false
	}
	i := firstOfSection(passages[:len(pages)], best.passageIndex)
	p := &pages[i]
	s, ok := q.sectionBeginning(p, i)
	if !ok {
		return excerpt{}, false
	}
	isNear := i == best.passageIndex && (quoted.start <= s.end || quoted.end-s.start <= maxSectionBytes &&
		best.kind == markdown.Paragraph && p.isPlainUntil(best))
	if isNear {
		s.end = max(s.end, quoted.end)
		return s, s.end-s.start <= maxListBytes
	}
	limit := maxSectionAddedShare
	if isDoubtful && isUnderQuestion(passage) {
		limit = maxDoubtfulAddedShare
	}
	return s, q.addedShare(q.matchText(innermostHeading(passages[i])), best.ownMatch) < limit
}

// isUnderItsHeading reports whether the passage is of a section whose heading names much of the question or, where the
// answer is put below it, is a question. The title of a page is none: what is below it may be of anything.
func (q *parsedQuestion) isUnderItsHeading(p model.Passage, isDoubtful bool) bool {
	if p.IsQnA || !strings.Contains(p.Heading, headingSeparator) {
		return false
	}
	return isDoubtful && isUnderQuestion(p) ||
		q.matchedShare(q.matchText(innermostHeading(p)), q.isSingleWord) >= minSectionNamedShare
}

const headingSeparator = " › "

func innermostHeading(p model.Passage) string {
	return p.Heading[strings.LastIndex(p.Heading, "›")+1:]
}

// firstOfSection returns the first passage of the section that passage i is of, as far as they are there.
func firstOfSection(passages []model.Passage, i int) int {
	for range maxProcedureParts {
		before, _ := precedingPassage(passages, i)
		if before < 0 || passages[before].Heading != passages[i].Heading {
			break
		}
		i = before
	}
	return i
}

// sectionBeginning returns the beginning of the passage's text, if it can stand for itself.
func (q *parsedQuestion) sectionBeginning(p *passageLayout, i int) (s excerpt, ok bool) {
	for n, u := range p.units {
		switch {
		case n == 0 && (u.firstBlock > 0 || u.start > p.blocks[0].Start || u.kind == markdown.Table ||
			u.kind == markdown.Paragraph && p.isTitleLike(u) || p.isTitle(u) || p.isRestOfSentence(u) ||
			refersBack(p.text[u.start:u.end]) ||
			p.blocks[0].Kind != markdown.Paragraph):
			return excerpt{}, false
		case n == 0:
			s = excerpt{passageIndex: i, start: u.start, end: u.end}
		case u.end-s.start > maxSectionBeginning || n >= maxSectionSentences || !p.isRightBehind(p.units[n-1], u),
			u.kind == markdown.Code && !q.wantsCode:
			return s, s.end-s.start <= maxUnitBytes
		default:
			s.end = u.end
		}
		if u.kind != markdown.Paragraph {
			break
		}
	}
	return s, s.end > s.start && s.end-s.start <= maxUnitBytes
}

// isRightBehind reports whether the unit follows another with nothing left out between them.
func (p *passageLayout) isRightBehind(before, u quotableUnit) bool {
	first := u.firstBlock
	if title := p.titleAbove(first); title >= 0 && p.isLeadIn(title) {
		first = title
	}
	return first-before.lastBlock <= 1 && !p.hasMarkup(before.end, u.start) && u.kind != markdown.Table
}

// isPlainUntil reports whether all up to the unit is sentences.
func (p *passageLayout) isPlainUntil(u quotableUnit) bool {
	return !slices.ContainsFunc(p.blocks, func(b markdown.Block) bool {
		return b.Start < u.start && b.Kind != markdown.Paragraph
	})
}

// sectionExcerpt returns the beginning of what is under a heading, with the table right below it, where the
// question is for all of it: where its words are those of the heading, and no sentence holds one that the heading
// lacks.
func (q *parsedQuestion) sectionExcerpt(p *passageLayout, u quotableUnit) (excerpt, bool) {
	if q.wantsSteps || q.asksWhoMay || q.wantsFact && !q.isBareSubject() || q.wantsList && !p.isAboveTable(u) ||
		len(q.negatedTerms) > 0 || !q.wantsList && !q.isCoveredByTitle(p) {
		return excerpt{}, false
	}
	if p.isStackOfHeadlines() {
		return excerpt{}, false
	}
	s, n := excerpt{passageIndex: u.passageIndex}, 0
	for _, v := range p.units {
		switch {
		case s.end == 0 && v.end <= u.start && p.isTitleLike(v):
			continue
		case s.end > 0 && p.hasMarkup(s.end, v.start):
			return s, s.start <= u.start && s.end >= u.end
		case v.firstBlock > u.lastBlock && v.kind == markdown.Table && !v.isTableRow && v.end-s.start <= maxUnitBytes,
			v.kind == markdown.Paragraph && (s.end == 0 || n < maxSectionSentences && v.end-s.start <= maxSectionBytes):
			if s.end == 0 {
				s.start = v.start
			}
			s.end = v.end
			n++
		default:
			return s, s.start <= u.start && s.end >= u.end
		}
		if v.kind == markdown.Table {
			break
		}
	}
	return s, s.start <= u.start && s.end >= u.end
}

// isBareSubject reports whether the message is hardly more than the name of its subject: "price?".
func (q *parsedQuestion) isBareSubject() bool {
	return q.contentWordCount() <= 1 && len(splitWords(q.foldedText)) <= maxBareWords
}

// isCoveredByTitle reports whether the passage's title names all of the question, and that the passage is one section:
// no heading is in it.
func (q *parsedQuestion) isCoveredByTitle(p *passageLayout) bool {
	hasHeading := slices.ContainsFunc(p.blocks, func(b markdown.Block) bool {
		return b.Kind == markdown.Heading && b.Start > 0
	})
	return !hasHeading && q.contentWordCount() > 0 && q.isNamedBy(p.titleMatch, isFrameWord)
}

// Pages of websites often lose the marks of their headings: "Delivery" or "Q. Who delivers it?" is then a line, and
// what it is above is the next paragraph. Such a line counts as a heading of that paragraph, and a quote that
// begins with the paragraph may begin with the line.

// minTitledBytes is how long a paragraph is at least that has a line for its title.
const minTitledBytes = 32

// titleAbove returns the block of the line that is the title of the paragraph n, -1 for none.
func (p *passageLayout) titleAbove(n int) int {
	if n == 0 || p.blocks[n].Kind != markdown.Paragraph || p.blocks[n-1].Kind != markdown.Paragraph ||
		!isTitleLine(p.blockText(n-1)) && !p.isShortLeadIn(n-1) || !isTitledText(p.blockText(n)) ||
		p.hasMarkup(p.blocks[n-1].End, p.blocks[n].Start) {
		return -1
	}
	return n - 1
}

// isShortLeadIn reports whether the block is a line such as "On the phone:".
func (p *passageLayout) isShortLeadIn(n int) bool {
	text := p.blockText(n)
	return len(text) < maxShortSentenceBytes && !strings.Contains(text, "\n") && p.isLeadIn(n)
}

func (p *passageLayout) blockText(n int) string {
	return strings.TrimSpace(p.text[p.blocks[n].Start:p.blocks[n].End])
}

// isTitledText reports whether a line may be the title of the text: it is sentences, and no question itself.
func isTitledText(text string) bool {
	return len(text) >= minTitledBytes && endsStatement(text) && !isTitleLine(text)
}

// isTitleLine reports whether the text is a line that is a question, or a few words that are no sentence.
func isTitleLine(text string) bool {
	if text == "" || len(text) > maxLineBytes {
		return false
	}
	first, _ := utf8.DecodeRuneInString(text)
	switch {
	case strings.Contains(text, "\n"), strings.HasPrefix(text, "**"), !saysSomething(text),
		unicode.IsLower(first), endsStatement(text), endsWithColon(text), linkShare(text) > 0:
		return false
	case endsAsSentence(text):
		return true
	}
	return len(text) < maxShortSentenceBytes && !strings.HasSuffix(text, ",")
}

// isTitleOfNext reports whether the block is the title of the paragraph behind it: it says nothing by itself.
func (p *passageLayout) isTitleOfNext(n int) bool {
	return n+1 < len(p.blocks) && p.titleAbove(n+1) == n && !p.isLeadIn(n)
}

// withTitleLine begins a quote of a paragraph with the line above it that is its title, where that names what of the
// question the quote does not, or what its first words refer to.
func (q *parsedQuestion) withTitleLine(p *passageLayout, s excerpt) excerpt {
	n := slices.IndexFunc(p.blocks, func(b markdown.Block) bool { return b.Start == s.start })
	if n < 0 || s.leadEnd > 0 {
		return s
	}
	title, text := p.titleAbove(n), p.text[s.start:s.end]
	if title >= 0 && (p.isLeadIn(title) || refersBack(text) ||
		q.addedShare(q.matchText(text), q.matchText(p.blockText(title))) > 0) {
		s.start = p.blocks[title].Start
	}
	return s
}

// matchTitleLine returns how the unit matches with the title above its paragraph, which is quoted before its first
// sentence; nil without one.
func (q *parsedQuestion) matchTitleLine(c *unitContext, u quotableUnit) (found []float64, isFirst bool) {
	p := c.layout
	if c.isQnA || u.kind != markdown.Paragraph || u.firstBlock != u.lastBlock {
		return nil, false
	}
	title := p.titleAbove(u.firstBlock)
	if title < 0 {
		return nil, false
	}
	return q.matchText(p.blockText(title)), u.start == p.blocks[u.firstBlock].Start
}

// A part of a contract is asked for by its number: "What does clause 2.3 say?", "What is in Article VI?".

var (
	partNumber   = regexp.MustCompile(`^(?:\d{1,3}(?:\.\d{1,3})*|[IVXLC]{1,7})$`)
	partBeginner = regexp.MustCompile(`^[#*\s]*(?:§+ ?|\p{L}+\.? )?(\d{1,3}(?:\.\d{1,3})*|[IVXLC]{1,7})` +
		`(?:[.):]+\s|\s+[^\s\p{Ll}]|\s*$)`)
	partWord = regexp.MustCompile(`^[#*\s]*(§|\p{L}+)`)
)

// askedPart returns the number of the part that a message asks for and for nothing else; empty for none.
func askedPart(message string) (number string) {
	before, tokens := "", words.AppendTokens(nil, message)
	if len(tokens) > maxContactWords {
		return ""
	}
	for _, token := range tokens {
		text := message[token.Start:token.End]
		isNamed := partNouns()[before] || strings.HasSuffix(strings.TrimRight(message[:token.Start], " "), "§")
		isNumber := partNumber.MatchString(text) && (isNamed || strings.Contains(text, "."))
		switch before = token.Word; {
		case isNumber && number == "":
			number = text
		case isNumber, !partNouns()[before] && !partFillers()[before] && !politeWords()[before] && !isStopWordOfAny(before):
			return ""
		}
	}
	return number
}

// answerNumberedPart quotes what is under the number of a part.
func answerNumberedPart(req model.Request, message string) (reply, bool) {
	number := askedPart(message)
	if number == "" {
		return reply{}, false
	}
	for i, p := range req.Passages {
		if e, ok := partIn(p.Text, number); ok {
			e.passageIndex = i
			return quoteLine(req, e), true
		}
	}
	picked := passagesUnderPart(req.Passages, number)
	if len(picked) == 0 {
		return reply{}, false
	}
	r := quoteExcerpts(req.Passages, picked, "")
	r.score = contactConfidence
	return r, true
}

// maxPartPassages is how many passages of a part are quoted.
const maxPartPassages = 3

// passagesUnderPart returns the passages of the first source that has a heading with the number.
func passagesUnderPart(passages []model.Passage, number string) (picked []excerpt) {
	for i, p := range passages {
		isUnder := slices.ContainsFunc(headingPath(p), func(part string) bool { return partNumberOf(part) == number })
		if isUnder && (len(picked) == 0 || p.SourceID == passages[picked[0].passageIndex].SourceID) {
			picked = append(picked, excerpt{passageIndex: i, end: len(p.Text)})
		}
	}
	slices.SortStableFunc(picked, func(a, b excerpt) int {
		return passages[a.passageIndex].Ordinal - passages[b.passageIndex].Ordinal
	})
	return picked[:min(len(picked), maxPartPassages)]
}

// partNumberOf returns the number that a line begins with, as parts of contracts do; empty for none.
func partNumberOf(line string) string {
	m := partBeginner.FindStringSubmatch(line)
	if m == nil {
		return ""
	}
	word := ""
	if w := partWord.FindStringSubmatch(line); w != nil {
		word = words.Fold(w[1])
	}
	isRoman := m[1][0] > '9'
	if isRoman && word == words.Fold(m[1]) || word == "§" || word == "" || partNouns()[word] {
		return m[1]
	}
	return ""
}

// maxPartBytes is how much of a part is quoted.
const maxPartBytes = 1500

// partIn returns the lines of the text that belong to the number: from the one that begins with it to the next that
// begins with another.
func partIn(text, number string) (e excerpt, found bool) {
	at := 0
	for line := range strings.Lines(text) {
		n := partNumberOf(line)
		switch {
		case !found && n == number:
			e.start, found = at, true
		case found && (n != "" && !strings.HasPrefix(n, number+".") || strings.HasPrefix(line, "#")):
			return e, true
		}
		if at += len(line); found && at-e.start <= maxPartBytes && strings.TrimSpace(line) != "" {
			e.end = at - (len(line) - len(strings.TrimRight(line, " \n")))
		}
	}
	return e, found && e.end > e.start
}

// A sentence may only say that there are some of what is asked for: "There are three ways." What they are is said
// behind it.

const (
	maxAnnouncingWords  = 16 // of such a sentence
	announcedReach      = 3  // words from the number to what it counts
	maxAnnouncedFurther = 2  // sentences that are quoted with it
)

// announcedExcerpt returns the unit with what is behind it, where it only announces that.
func (q *parsedQuestion) announcedExcerpt(p *passageLayout, u quotableUnit) (excerpt, bool) {
	text := p.text[u.start:u.end]
	if q.wantsNumber || q.countedStem != "" || q.unitHasAmount(u) || hasPrice(text) || !q.announces(text) {
		return excerpt{}, false // "4 euros" is what was asked for, and announces nothing
	}
	to := p.unitIndex(u)
	for p.isFollowedBy(to) && to-p.unitIndex(u) < maxAnnouncedFurther {
		to++
	}
	s := excerpt{passageIndex: u.passageIndex, start: u.start, end: p.units[to].end}
	if next := u.lastBlock + 1; p.units[to].end == u.end && next < len(p.blocks) &&
		p.blocks[next].Kind == markdown.Item {
		s.end = p.blocks[p.groupEnd(next)].End
	}
	return s, s.end > u.end && s.end-s.start <= maxListBytes
}

// announces reports whether a sentence says how many there are of what the question names, and not which.
func (q *parsedQuestion) announces(text string) bool {
	if strings.ContainsAny(text, ",:：(;،") || !q.lang.HasCapitalNouns() && q.readSentence(text).names > 0 {
		return false
	}
	n, left, found := 0, 0, false
	for token := range words.Tokens(text) {
		if n++; n > maxAnnouncingWords || token.Unspaced {
			return false
		}
		if words.KindOf(token.Word) == words.Number && q.isNewNumber(token.Word) || indefiniteNumbers()[token.Word] {
			left = announcedReach
			continue
		}
		left--
		found = found || left >= 0 && slices.ContainsFunc(q.wordLikeness(token.Word), func(l termLikeness) bool {
			return l.strength >= minNamedStrength && q.terms[l.termIndex].fromLastMessage
		})
	}
	return found
}
