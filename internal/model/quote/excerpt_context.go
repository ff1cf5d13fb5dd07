package quote

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"parley"
	"parley/internal/model"
	"parley/internal/text/markdown"
	"parley/internal/text/words"
)

// groupEnd returns the last of the blocks that belong together from the first on: a list, or what a line leads to.
func (p *passageLayout) groupEnd(first int) int {
	last := first
	if b := p.blocks[first]; b.Kind == markdown.Item || p.isLeadIn(first) {
		for last+1 < len(p.blocks) {
			if p.belongsToGroup(first, last+1) {
				last++
			} else if next := p.nextStep(first, last); next > 0 {
				last = next
			} else {
				break
			}
		}
	}
	return last
}

// maxBetweenSteps is how many blocks may be between a step and the next, such as a picture or a remark.
const maxBetweenSteps = 3

// nextStep returns the block of the step that follows the last one of the group, with something between them that is
// not indented; 0 if there is none.
func (p *passageLayout) nextStep(first, last int) int {
	n := lastStepNumber(p, excerpt{start: p.blocks[first].Start, end: p.blocks[last].End})
	for i := last + 1; n > 0 && i < len(p.blocks) && i <= last+1+maxBetweenSteps; i++ {
		switch b := p.blocks[i]; {
		case b.Kind == markdown.Heading, b.Kind == markdown.Item && !p.isStep(i, n+1):
			return 0
		case b.Kind == markdown.Item:
			return i
		}
	}
	return 0
}

// isLeadIn reports whether the block only leads to what follows.
func (p *passageLayout) isLeadIn(n int) bool {
	b := p.blocks[n]
	return b.Kind == markdown.Paragraph && endsWithColon(p.text[b.Start:b.End])
}

// endsWithColon reports whether the line ends in a colon, of whatever script.
func endsWithColon(text string) bool {
	text = trimTrailingMarkup(text)
	return strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")
}

func trimTrailingMarkup(text string) string { return strings.TrimRight(text, "*_ \r\n") }

// maxItemGap is how many line breaks there may be between an item and a paragraph that belongs to it.
const maxItemGap = 2

// belongsToGroup reports whether the block belongs to the list or code that a leading line or an item began.
func (p *passageLayout) belongsToGroup(first, i int) bool {
	b, head := p.blocks[i], p.blocks[i-1]
	switch b.Kind {
	case markdown.Item:
		return head.Kind == markdown.Item || i-1 == first || head.Level > 0
	case markdown.Code, markdown.Table:
		return i-1 == first || p.isIndented(b)
	case markdown.Paragraph:
		return b.Level > 0 && head.Kind == markdown.Item && strings.Count(p.text[head.End:b.Start], "\n") <= maxItemGap
	default: // a heading or markup ends what was before it
		return false
	}
}

func (p *passageLayout) isIndented(b markdown.Block) bool {
	line := p.text[strings.LastIndexByte(p.text[:b.Start], '\n')+1 : b.Start]
	return line != "" && strings.Trim(line, " \t") == ""
}

// excerptAround widens the unit to what must be read with it: the whole list where it fits, the sibling of a list, or
// what a sentence cannot be understood without.
func (q *parsedQuestion) excerptAround(p *passageLayout, u quotableUnit) excerpt {
	if u.firstBlock != u.lastBlock || u.kind != markdown.Paragraph {
		return q.withTitleLine(p, p.withWholeSentences(u, p.widenList(u)))
	}
	if q.wantsOverview {
		return q.withTitleLine(p, p.withWholeSentences(u, p.sentencesAround(u)))
	}
	if s, ok := q.sectionExcerpt(p, u); ok {
		return q.withTitleLine(p, p.withWholeSentences(u, s))
	}
	if q.asksForAmountOfSubject() {
		return q.withTitleLine(p, p.withWholeSentences(u, p.sentenceAlone(u)))
	}
	if s, ok := q.announcedExcerpt(p, u); ok {
		return q.withTitleLine(p, p.withWholeSentences(u, s))
	}
	likely := q.answeringSentences(p, u)
	first := likely[0].quotableUnit
	return q.withLikely(p, q.withTitleLine(p, p.withWholeSentences(first, p.sentenceAlone(first))), likely)
}

func (p *passageLayout) widenList(u quotableUnit) excerpt {
	if u.ordered && !p.isLeadIn(u.firstBlock) || p.isPartOfList(u) {
		return u.excerpt
	}
	return p.withSiblingLists(u)
}

// isPartOfList reports whether the unit is an item of a list that is too long to be quoted whole.
func (p *passageLayout) isPartOfList(u quotableUnit) bool {
	return !u.isTableRow && (u.start > p.blocks[u.firstBlock].Start || u.end < p.blocks[u.lastBlock].End)
}

// isPartOfMore reports whether the unit is not whole without what other passages hold, or an item of a long list.
func isPartOfMore(passages []model.Passage, pages []passageLayout, u quotableUnit) bool {
	p := &pages[u.passageIndex]
	switch {
	case u.kind != markdown.Item && u.kind != markdown.Code:
		return false
	case u.kind == markdown.Item && p.isPartOfList(u), p.codeRestOf(u.excerpt) != nil:
		return true
	case u.firstBlock == 0:
		if before, _ := precedingPassage(passages[:len(pages)], u.passageIndex); before >= 0 {
			return true
		}
	}
	next, _ := followingPassage(passages[:len(pages)], u.passageIndex)
	return u.lastBlock == len(p.blocks)-1 && next >= 0
}

// listExcerpts returns the whole list that the unit is of, or is an item of, and where that is too long the line that
// leads to it with as many items as an answer holds, and how many more there are. Instructions are never cut.
func (q *parsedQuestion) listExcerpts(passages []model.Passage, pages []passageLayout, u quotableUnit,
	first excerpt) []excerpt {
	if !isPartOfMore(passages, pages, u) {
		return []excerpt{first}
	}
	lead, items := wholeList(passages, pages, u)
	limit := maxListBytes
	if pages[u.passageIndex].isProcedure(u) {
		limit = maxWholeUnitBytes
	}
	from, to := 0, len(items)
	if size := excerptBytes(append(slices.Clone(items), lead...)); size > limit {
		from, to = fittingItems(items, q.bestItem(pages, items, u), limit-excerptBytes(lead))
	}
	picked := joinItems(pages, append(slices.Clone(lead), items[from:to]...))
	if more := len(items) - (to - from); more > 0 {
		picked[len(picked)-1].note = fmt.Sprintf(textsIn(q.replyLanguage).MoreItems, more)
	}
	return picked
}

// fittingItems returns a range of items around the best one: from the first on if the best is then among them. At least
// two are left out, or none.
func fittingItems(items []excerpt, best, limit int) (from, to int) {
	fits := func(from, to int) bool { return excerptBytes(items[from:to]) <= limit }
	from, to = best, best+1
	if fits(0, to) {
		from = 0
	}
	for to < len(items) && fits(from, to+1) {
		to++
	}
	for from > 0 && fits(from-1, to) {
		from--
	}
	switch {
	case len(items)-(to-from) != 1:
	case to-1 > best:
		to--
	case from < best:
		from++
	default:
		return 0, len(items)
	}
	return from, to
}

// bestItem returns the item of the unit that holds most of the question.
func (q *parsedQuestion) bestItem(pages []passageLayout, items []excerpt, u quotableUnit) (best int) {
	top := -1.0
	for i, s := range items {
		if s.passageIndex != u.passageIndex || s.end <= u.start || s.start >= u.end {
			continue
		}
		if share := q.ownCoverage(q.matchText(pages[s.passageIndex].text[s.start:s.end])); share > top {
			best, top = i, share
		}
	}
	return best
}

// joinItems joins what follows each other in one passage.
func joinItems(pages []passageLayout, items []excerpt) (joined []excerpt) {
	for _, s := range items {
		if n := len(joined) - 1; n >= 0 && joined[n].passageIndex == s.passageIndex &&
			isBlank(pages[s.passageIndex].text[joined[n].end:s.start]) {
			joined[n].end = s.end
			continue
		}
		s.continuesPrevious = len(joined) > 0
		joined = append(joined, s)
	}
	return joined
}

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

// wholeList returns the line that leads to the list of the unit, if there is one, and all of its items, also those in
// the passages before and after it.
func wholeList(passages []model.Passage, pages []passageLayout, u quotableUnit) (lead, items []excerpt) {
	lead, items = pages[u.passageIndex].listItems(u.passageIndex, u.firstBlock)
	for range maxProcedureParts {
		if len(lead) > 0 {
			break
		}
		i := items[0].passageIndex
		before, from := precedingPassage(passages[:len(pages)], i)
		if before < 0 {
			break
		}
		own := slices.DeleteFunc(slices.Clone(items), func(s excerpt) bool { return s.passageIndex == i && s.start < from })
		earlierLead, earlier := pages[before].listAtEnd(before)
		if len(earlier) == 0 || len(own) == 0 || own[0].passageIndex != i || !isBlank(pages[i].text[from:own[0].start]) {
			break
		}
		lead, items = earlierLead, append(earlier, own...)
	}
	for range maxProcedureParts {
		more := followingItems(passages, pages, items[len(items)-1])
		if len(more) == 0 {
			break
		}
		items = append(items, more...)
	}
	return lead, items
}

// followingItems returns the items that the list of s goes on with in the next passage, where s is its last one.
func followingItems(passages []model.Passage, pages []passageLayout, s excerpt) (items []excerpt) {
	next, from := followingPassage(passages[:len(pages)], s.passageIndex)
	if next < 0 || !isBlank(pages[s.passageIndex].text[s.end:]) {
		return nil
	}
	p := &pages[next]
	at := slices.IndexFunc(p.blocks, func(b markdown.Block) bool { return b.Start >= from })
	if at < 0 || p.blocks[at].Kind != markdown.Item || p.blocks[at].Ordered || !isBlank(p.text[from:p.blocks[at].Start]) {
		return nil
	}
	_, items = p.listItems(next, at)
	return items
}

// listAtEnd returns the list that the passage ends with.
func (p *passageLayout) listAtEnd(i int) (lead, items []excerpt) {
	for at := 0; at < len(p.blocks); {
		last := p.groupEnd(at)
		if b := p.blocks[min(at+1, last)]; last == len(p.blocks)-1 && b.Kind == markdown.Item && !b.Ordered {
			return p.listItems(i, at)
		}
		at = last + 1
	}
	return nil, nil
}

// listItems returns the items of the list that begins with a block, each with what is below it, and the line that leads
// to them.
func (p *passageLayout) listItems(i, first int) (lead, items []excerpt) {
	last, top := p.groupEnd(first), math.MaxInt
	for _, b := range p.blocks[first : last+1] {
		if b.Kind == markdown.Item {
			top = min(top, b.Level)
		}
	}
	for n, b := range p.blocks[first : last+1] {
		s := excerpt{passageIndex: i, start: b.Start, end: b.End}
		switch {
		case n == 0 && b.Kind == markdown.Paragraph:
			lead = []excerpt{s}
		case b.Kind == markdown.Item && b.Level == top || len(items) == 0:
			items = append(items, s)
		default:
			items[len(items)-1].end = b.End
		}
	}
	return lead, items
}

// withSiblingLists adds the neighbouring lists whose leading lines begin alike ("On mobile:", "On the desktop:").
func (p *passageLayout) withSiblingLists(u quotableUnit) excerpt {
	s := u.excerpt
	if !p.isLeadIn(u.firstBlock) {
		return s
	}
	word := openingWord(p.text[u.start:u.end])
	at := slices.IndexFunc(p.units, func(v quotableUnit) bool { return v.excerpt == u.excerpt })
	alike := func(v quotableUnit, distance int) bool {
		return p.isLeadIn(v.firstBlock) && distance == 1 && (openingWord(p.text[v.start:v.end]) == word ||
			p.isBoldLine(v.firstBlock) && p.isBoldLine(u.firstBlock))
	}
	for i := at - 1; i >= 0 && alike(p.units[i], p.units[i+1].firstBlock-p.units[i].lastBlock) &&
		s.end-p.units[i].start <= maxListBytes; i-- {
		s.start = p.units[i].start
	}
	for i := at + 1; i < len(p.units) && alike(p.units[i], p.units[i].firstBlock-p.units[i-1].lastBlock) &&
		p.units[i].end-s.start <= maxListBytes; i++ {
		s.end = p.units[i].end
	}
	return s
}

// isBoldLine reports whether the block is set in bold, as a title is.
func (p *passageLayout) isBoldLine(n int) bool {
	text := strings.TrimSpace(p.text[p.blocks[n].Start:p.blocks[n].End])
	return strings.HasPrefix(text, "**") && strings.HasSuffix(strings.TrimRight(text, ":："), "**") &&
		strings.Count(text, "**") == 2
}

// isTitle reports whether the unit is a heading that is not marked as one: "**Is anything missing?**".
func (p *passageLayout) isTitle(u quotableUnit) bool {
	return u.kind == markdown.Paragraph && p.isBoldLine(u.firstBlock) && !endsStatement(p.text[u.start:u.end])
}

// insteadOfTitle returns the best unit that is no title, and whether it stands in for a title that would be better:
// then the answer is in doubt.
func insteadOfTitle(pages []passageLayout, best quotableUnit) (unit quotableUnit, isInstead bool) {
	if best.score == 0 || !pages[best.passageIndex].isTitle(best) {
		return best, false
	}
	for i := range pages {
		for _, u := range pages[i].units {
			if u.score > unit.score && !u.isTableRow && !pages[i].isTitle(u) {
				unit = u
			}
		}
	}
	return unit, true
}

func openingWord(text string) string {
	word, _, _ := strings.Cut(strings.TrimLeft(text, "*_ "), " ")
	return word
}

// An overview is a paragraph, or so much of it.
const (
	overviewBytes        = 600
	maxOverviewSentences = 8
)

// sentencesAround returns the sentences from the unit on, or before it where it is one of the last of its paragraph.
func (p *passageLayout) sentencesAround(u quotableUnit) excerpt {
	from := p.unitIndex(u)
	to := from
	size := func() int { return p.units[to].end - p.units[from].start }
	for to-from+1 < maxOverviewSentences && size() < overviewBytes {
		switch {
		case p.isFollowedBy(to):
			to++
		case from > 0 && p.isFollowedBy(from-1) && !p.isTitleLike(p.units[from-1]):
			from--
		default:
			return excerpt{passageIndex: u.passageIndex, start: p.units[from].start, end: p.units[to].end}
		}
	}
	return excerpt{passageIndex: u.passageIndex, start: p.units[from].start, end: p.units[to].end}
}

func (p *passageLayout) unitIndex(u quotableUnit) int {
	return slices.IndexFunc(p.units, func(v quotableUnit) bool { return v.excerpt == u.excerpt })
}

// isFollowedBy reports whether the unit after unit i is the next sentence of its paragraph.
func (p *passageLayout) isFollowedBy(i int) bool {
	return i+1 < len(p.units) && p.units[i].kind == markdown.Paragraph && p.units[i+1].kind == markdown.Paragraph &&
		p.units[i].lastBlock == p.units[i+1].firstBlock && p.units[i+1].start-p.units[i].end < maxSentenceGap
}

// maxSentenceGap is how many bytes may be between two sentences: a longer one that is not to be quoted may be there.
const maxSentenceGap = 4

// sentenceAlone returns the sentence with those behind it that it cannot be understood without: those that limit what
// it says, and the one that says more than "Yes.".
func (p *passageLayout) sentenceAlone(u quotableUnit) excerpt {
	at := p.unitIndex(u)
	to := at
	for p.isFollowedBy(to) && (limitsBefore(p.text[p.units[to+1].start:p.units[to+1].end]) ||
		to == at && isBareWord(p.text[u.start:u.end])) {
		to++
	}
	return excerpt{passageIndex: u.passageIndex, start: u.start, end: p.units[to].end}
}

// limitsBefore reports whether the sentence limits what is said before it: "But students pay half."
func limitsBefore(sentence string) bool {
	return beginsWithPhrase(sentence, limitPhrases()) || slices.ContainsFunc(limitsUnspaced(), func(p string) bool {
		return strings.HasPrefix(sentence, p)
	})
}

// isBareWord reports whether the sentence is a word or two: "Yes, of course."
func isBareWord(sentence string) bool {
	n := 0
	for token := range words.Tokens(parley.ClipBytes(sentence, maxPhraseBytes)) {
		if n++; token.Unspaced || n > maxBareWords {
			return false
		}
	}
	return true
}

// isTitleLike reports whether the unit is a line that ends as no sentence does: no quote begins with it that is of
// something else.
func (p *passageLayout) isTitleLike(u quotableUnit) bool {
	text := p.text[u.start:u.end]
	return len(text) < maxShortSentenceBytes && p.blocks[u.firstBlock].Start == u.start && !endsAsSentence(text)
}

// maxShortSentenceBytes is how short a line is that may be a title.
const maxShortSentenceBytes = 80

// isStackOfHeadlines reports whether most paragraphs of the passage are lines that end as no sentence does: titles and
// links to other pages.
func (p *passageLayout) isStackOfHeadlines() bool {
	all, lines := 0, 0
	for _, b := range p.blocks {
		if b.Kind != markdown.Paragraph {
			continue
		}
		all++
		if text := p.text[b.Start:b.End]; len(text) < maxLineBytes && !endsAsSentence(text) && !endsWithColon(text) {
			lines++
		}
	}
	return lines > 2 && 2*lines > all
}

// hasMarkup reports whether there is something between two places that is not for readers: the mark of a callout, or of
// a quotation.
func (p *passageLayout) hasMarkup(from, to int) bool {
	return strings.Contains(p.text[from:to], "\n>") || slices.ContainsFunc(p.blocks, func(b markdown.Block) bool {
		return b.Kind == markdown.Markup && from <= b.Start && b.End <= to
	})
}
