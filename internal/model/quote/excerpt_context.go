package quote

import (
	"slices"
	"strings"
	"unicode/utf8"

	"parley/internal/text/markdown"
)

// groupEnd returns the last of the blocks that belong together from the first on: a list, or what a line leads to.
func (p *passageLayout) groupEnd(first int) int {
	last := first
	if b := p.blocks[first]; b.Kind == markdown.Item || p.isLeadIn(first) {
		for last+1 < len(p.blocks) && p.belongsToGroup(first, last+1) {
			last++
		}
	}
	return last
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

// belongsToGroup reports whether the block belongs to the list or code that a leading line or an item began.
func (p *passageLayout) belongsToGroup(first, i int) bool {
	b, head := p.blocks[i], p.blocks[i-1]
	switch b.Kind {
	case markdown.Item:
		return head.Kind == markdown.Item || i-1 == first || head.Level > 0
	case markdown.Code, markdown.Table:
		return i-1 == first || b.Level > 0
	case markdown.Paragraph:
		return b.Level > 0 && head.Kind == markdown.Item
	default: // a heading or markup ends what was before it
		return false
	}
}

// excerptAround widens the unit to what must be read with it: the whole list where it fits, the sibling of a list, or
// the sentences beside it.
func (q *parsedQuestion) excerptAround(p *passageLayout, u quotableUnit) excerpt {
	if u.firstBlock == u.lastBlock && u.kind == markdown.Paragraph {
		if s, ok := q.sectionExcerpt(p, u); ok {
			return s
		}
		limits := q.quoteLimits()
		limits.addsNeighbours = !q.unitHasAmount(u) && !q.asksWhoMay
		limits.addsSecond = !q.wantsNumber || !q.hasNewNumber(p.text[u.start:u.end]) ||
			!q.isNamedBy(mergeMatches(p.titleMatch, u.ownMatch), isFrameWord)
		return p.sentencesAround(u, limits)
	}
	if u.ordered && !p.isLeadIn(u.firstBlock) {
		return u.excerpt
	}
	if b := p.blocks[u.firstBlock]; u.start > b.Start || u.end < p.blocks[u.lastBlock].End {
		return p.listWindow(u)
	}
	return p.withSiblingLists(u)
}

// listWindow returns as much of the long list around the unit as an answer may hold, whole blocks only, from its
// beginning if it can.
func (p *passageLayout) listWindow(u quotableUnit) excerpt {
	from := slices.IndexFunc(p.blocks, func(b markdown.Block) bool { return b.Start == u.start })
	to := from
	size := func(a, b int) int { return p.blocks[b].End - p.blocks[a].Start }
	for from > u.firstBlock && size(from-1, to) <= maxListBytes {
		from--
	}
	for to < u.lastBlock && size(from, to+1) <= maxListBytes {
		to++
	}
	return excerpt{passageIndex: u.passageIndex, start: p.blocks[from].Start, end: p.blocks[to].End}
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
		return p.isLeadIn(v.firstBlock) && distance == 1 && openingWord(p.text[v.start:v.end]) == word
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

func openingWord(text string) string {
	word, _, _ := strings.Cut(strings.TrimLeft(text, "*_ "), " ")
	return word
}

// sentencesAround adds the next sentences while the quote is short, and the one before if this one refers to it.
func (p *passageLayout) sentencesAround(u quotableUnit, r quoteLimits) excerpt {
	at := slices.IndexFunc(p.units, func(v quotableUnit) bool { return v.excerpt == u.excerpt })
	from, to := at, at
	if from > 0 && p.units[from-1].lastBlock == u.firstBlock && refersBack(p.text[u.start:u.end]) {
		from--
	}
	for to+1 < len(p.units) && to-from < r.maxSentences && p.units[to].end-p.units[from].start < r.targetBytes &&
		p.continuesText(p.units[to], p.units[to+1]) {
		to++
	}
	if from > 0 && p.units[to].end-p.units[from].start < r.targetBytes/2 &&
		p.continuesText(p.units[from-1], p.units[from]) {
		from--
	}
	if r.addsNeighbours {
		from, to = p.addNeighbours(at, from, to, r.addsSecond)
	}
	return excerpt{passageIndex: u.passageIndex, start: p.units[from].start, end: p.units[to].end}
}

// maxNeighbourRunes is how long a quote grows by the sentences beside the one that was chosen, in code points: by the
// one before it and the one after it, and by one more after these.
const maxNeighbourRunes = 660

// addNeighbours adds the sentence before the chosen one and the one after it: the answer is often beside the sentence
// that holds the words of the question.
func (p *passageLayout) addNeighbours(at, from, to int, second bool) (int, int) {
	fits := func(from, to int) bool {
		return utf8.RuneCountInString(p.text[p.units[from].start:p.units[to].end]) <= maxNeighbourRunes
	}
	if to == at && to+1 < len(p.units) && p.continuesText(p.units[to], p.units[to+1]) && fits(from, to+1) {
		to++
	}
	if from == at && from > 0 && p.continuesText(p.units[from-1], p.units[from]) && fits(from-1, to) {
		from--
	}
	if second && to+1 < len(p.units) && p.continuesText(p.units[to], p.units[to+1]) && fits(from, to+1) {
		to++
	}
	return from, to
}

// maxShortSentenceBytes is how short a sentence is whose next paragraph is quoted too.
const maxShortSentenceBytes = 80

// continuesText reports whether the next unit continues the text: the same block, or the paragraph right below.
func (p *passageLayout) continuesText(u, next quotableUnit) bool {
	text := p.text[next.start:next.end]
	if u.lastBlock == next.firstBlock {
		return next.start-u.end < 4 // a sentence that is not to be quoted may be between
	}
	if next.firstBlock != u.lastBlock+1 || next.kind != markdown.Paragraph || linkShare(text) >= 0.3 ||
		strings.HasSuffix(text, "?") {
		return false
	}
	return u.end-u.start < maxShortSentenceBytes || openingWord(text) == openingWord(p.text[u.start:u.end])
}

// maxSectionBytes is how much is quoted of what is under a heading, in bytes.
const maxSectionBytes = 700

// sectionExcerpt returns the beginning of what is under a heading, with the table right below it, where the
// question is for all of it: where its words are those of the heading, and no sentence holds one that the heading
// lacks.
func (q *parsedQuestion) sectionExcerpt(p *passageLayout, u quotableUnit) (excerpt, bool) {
	if q.wantsSteps || q.asksWhoMay || q.wantsFact && !q.isBareSubject() || q.wantsList && !p.isAboveTable(u) ||
		len(q.negatedTerms) > 0 || !q.wantsList && !q.isCoveredByTitle(p) {
		return excerpt{}, false
	}
	s := excerpt{passageIndex: u.passageIndex}
	for _, v := range p.units {
		switch {
		case v.firstBlock > u.lastBlock && v.kind == markdown.Table && !v.isTableRow && v.end-s.start <= maxUnitBytes,
			v.kind == markdown.Paragraph && (s.end == 0 || v.end-s.start <= maxSectionBytes):
			if s.end == 0 {
				s.start = v.start
			}
			s.end = v.end
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
