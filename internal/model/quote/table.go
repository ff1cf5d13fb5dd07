package quote

import (
	"slices"
	"strings"

	"parley/internal/text/markdown"
)

// A table is read by row: where the question names one row rather than the others, that row is quoted, under the
// table's head.

// maxQuotedRows is how many rows are quoted that fit equally well; of more the table is quoted whole.
const (
	maxQuotedRows = 3
	minRowLead    = 0.1 // share of the question that a row must hold beyond the middle one
)

// addTableRows adds the rows that the question names, and reports whether there are any.
func (q *parsedQuestion) addTableRows(c *unitContext, u quotableUnit, last int) bool {
	head, rows := splitTable(c.layout.text, c.layout.blocks[last])
	if head.end == 0 || len(rows) < 2 || q.wantsList {
		return false
	}
	covers := make([]float64, len(rows))
	for i, r := range rows {
		covers[i] = q.matchedShare(q.matchText(c.layout.text[r.start:r.end]), q.isSingleWord)
	}
	best := slices.Max(covers)
	chosen := q.chooseRows(c.layout.text, rows, covers)
	sorted := slices.Sorted(slices.Values(covers))
	fitCount := 0
	for _, v := range covers {
		if v >= best-1e-9 {
			fitCount++
		}
	}
	if fitCount > maxQuotedRows || best < sorted[(len(sorted)-1)/2]+minRowLead &&
		!q.namesEachRow(c.layout.text, rows, chosen) {
		return false
	}
	c.tableHeadMatch = q.matchText(c.layout.text[u.start:head.end])
	for i, r := range rows {
		if chosen[i] {
			q.addUnit(c, quotableUnit{excerpt: excerpt{passageIndex: c.passageIndex, start: r.start, end: r.end},
				firstBlock: last, lastBlock: last, kind: markdown.Table, isTableRow: true})
		}
	}
	c.tableHeadMatch = nil
	return true
}

// chooseRows returns the rows that hold most of the question, and those that name what these leave out: "the difference
// between Pro and Team" wants two.
func (q *parsedQuestion) chooseRows(text string, rows []excerpt, covers []float64) []bool {
	chosen, matched := make([]bool, len(rows)), make([]float64, len(q.terms))
	best := slices.Max(covers)
	for i, r := range rows {
		if covers[i] >= best-1e-9 {
			chosen[i] = true
			matched = mergeMatches(matched, q.matchText(text[r.start:r.end]))
		}
	}
	for i, r := range rows {
		found := q.matchText(firstCell(text[r.start:r.end]))
		for j, s := range q.terms {
			if s.fromLastMessage && !s.isPair && s.measure == measureNone && found[j] >= minNamedStrength &&
				matched[j] < relatedStrength {
				chosen[i] = true
			}
		}
	}
	return chosen
}

// namesEachRow reports whether the question names each of the chosen rows, more than one and not all, by a word of its
// first cell.
func (q *parsedQuestion) namesEachRow(text string, rows []excerpt, chosen []bool) bool {
	n := 0
	for i, r := range rows {
		if !chosen[i] {
			continue
		}
		if n++; q.matchedShare(q.matchText(firstCell(text[r.start:r.end])), q.isSingleWord) == 0 {
			return false
		}
	}
	return 1 < n && n < len(rows) && n <= maxQuotedRows
}

func firstCell(row string) string {
	cell, _, _ := strings.Cut(strings.TrimLeft(row, "| "), "|")
	return cell
}

const minNamedStrength = 0.95

// mergeTableRows returns the best unit with what the other chosen rows of its table hold.
func (q *parsedQuestion) mergeTableRows(p *passageLayout, best quotableUnit) quotableUnit {
	if !best.isTableRow {
		return best
	}
	for _, u := range p.units {
		if u.isTableRow && u.firstBlock == best.firstBlock {
			best.ownMatch = mergeMatches(best.ownMatch, u.ownMatch)
		}
	}
	q.matchJoinedPairs(best.ownMatch)
	return best
}

// matchJoinedPairs counts two neighbours of the question as found where both are: a row and the head of its table are
// one statement.
func (q *parsedQuestion) matchJoinedPairs(found []float64) {
	for i, s := range q.terms {
		if s.isPair {
			found[i] = max(found[i], min(found[s.firstTerm], found[s.secondTerm]))
		}
	}
}

// splitTable returns the head of a table, with the line below it, and its rows. A table without such a line has none.
func splitTable(text string, b markdown.Block) (head excerpt, rows []excerpt) {
	at, line := b.Start, 0
	for at < b.End {
		end := b.End
		if n := strings.IndexByte(text[at:b.End], '\n'); n >= 0 {
			end = at + n
		}
		row := excerpt{start: at, end: end}
		switch {
		case line == 0:
			head = row
		case line == 1 && strings.Trim(text[at:end], "|-: \t\r") == "":
			head.end = end
		case line == 1:
			return excerpt{}, nil
		case strings.TrimSpace(text[at:end]) != "":
			rows = append(rows, excerpt{start: at, end: at + len(strings.TrimRight(text[at:end], " \t\r"))})
		}
		at, line = end+1, line+1
	}
	return head, rows
}

// isCut reports whether the block is a table without its head, or code without its beginning, because it was cut
// between passages: such a part is not understood.
func (p *passageLayout) isCut(n int) bool {
	b := p.blocks[n]
	switch {
	case n > 0:
		return false
	case b.Kind == markdown.Table:
		head, _ := splitTable(p.text, b)
		return head.end == 0
	}
	return b.Kind == markdown.Code && leadingCodeEnd(p.text) > 0
}

// excerptRows quotes the head of the table with the rows that fit as well as the best.
func (q *parsedQuestion) excerptRows(pages []passageLayout, best quotableUnit) (picked []excerpt) {
	p := &pages[best.passageIndex]
	head, _ := splitTable(p.text, p.blocks[best.firstBlock])
	head.passageIndex = best.passageIndex
	picked = []excerpt{head}
	for _, u := range p.units {
		if u.isTableRow && u.firstBlock == best.firstBlock {
			s := u.excerpt
			s.continuesPrevious = true
			picked = append(picked, s)
		}
	}
	return picked
}
