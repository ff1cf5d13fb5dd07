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
	exact := q.exactRows(c.layout.text, rows, chosen)
	if exact != nil {
		chosen = exact
	}
	sorted := slices.Sorted(slices.Values(covers))
	fitCount := 0
	for _, v := range covers {
		if v >= best-1e-9 {
			fitCount++
		}
	}
	if exact == nil && (fitCount > maxQuotedRows || best < sorted[(len(sorted)-1)/2]+minRowLead &&
		!q.namesEachRow(c.layout.text, rows, chosen)) {
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

// maxLineHeadBytes is how long the name is that a line of a list begins with.
const maxLineHeadBytes = 60

// addListLines adds the lines of a list that the question names by what is before their colon, "Plus: 4 euros", or
// that are of the day that it names, "Tue–Fri: 9:00", and reports whether there are any.
func (q *parsedQuestion) addListLines(c *unitContext, u quotableUnit) bool {
	if u.kind != markdown.Item || u.ordered || q.wantsList || q.wantsSteps || c.isQnA {
		return false
	}
	lines, chosen := q.namedLines(c.layout, u)
	n := len(chosen)
	if n == 0 || n == lines || n > maxQuotedRows || n > 1 && !q.compares {
		return false
	}
	if c.layout.isLeadIn(u.firstBlock) {
		c.tableHeadMatch = q.matchText(c.layout.blockText(u.firstBlock))
	}
	for _, s := range chosen {
		s.passageIndex = c.passageIndex
		q.addUnit(c, quotableUnit{excerpt: s, firstBlock: u.firstBlock, lastBlock: u.lastBlock, kind: u.kind,
			isTableRow: true})
	}
	c.tableHeadMatch = nil
	return true
}

// namedLines returns how many lines a list has that begin with a name, and those whose name the question has; none
// where other lines are among them.
func (q *parsedQuestion) namedLines(p *passageLayout, u quotableUnit) (lines int, chosen []excerpt) {
	question := joinedWords(q.originalText)
	for _, b := range p.blocks[u.firstBlock : u.lastBlock+1] {
		if b.Kind != markdown.Item {
			continue
		}
		text := strings.TrimSpace(p.text[b.ContentStart:b.End])
		head, _, ok := strings.Cut(text, ":")
		isOrder := len(splitWords(head)) > 1 && givesInstruction(text) // "Start: free" begins with a name
		if !ok || len(head) > maxLineHeadBytes || strings.Contains(text, "\n") || isOrder {
			return 0, nil
		}
		lines++
		found := q.matchText(head)
		isNamed := strings.Contains(question, joinedWords(head)) || q.isOfAskedDay(head)
		if isNamed && q.matchedShare(found, q.isSingleWord) > 0 {
			start := b.ContentStart + strings.Index(p.text[b.ContentStart:b.End], text)
			chosen = append(chosen, excerpt{start: start, end: start + len(text)})
		}
	}
	return lines, chosen
}

// exactRows returns the rows with a code that the question names, else those of the chosen whose first cell is in it
// word by word; all of these where things are compared. Nil for none.
func (q *parsedQuestion) exactRows(text string, rows []excerpt, chosen []bool) []bool {
	exact, n := make([]bool, len(rows)), 0
	mark := func(isExact func(i int, row string) bool) bool {
		for i, r := range rows {
			if exact[i] = isExact(i, text[r.start:r.end]); exact[i] {
				n++
			}
		}
		return n > 0 && n <= maxQuotedRows && n < len(rows)
	}
	if len(q.codes) > 0 && mark(func(_ int, row string) bool { return len(q.missingCodes(row)) < len(q.codes) }) {
		return exact
	}
	n = 0
	question := joinedWords(q.originalText)
	isNamed := func(row string) bool {
		if q.isOfAskedDay(firstCell(row)) {
			return true
		}
		cell := joinedWords(firstCell(row))
		return len(strings.Fields(cell)) > 0 && q.matchedShare(q.matchText(cell), q.isSingleWord) > 0 &&
			strings.Contains(question, cell)
	}
	if mark(func(i int, row string) bool { return (chosen[i] || q.compares) && isNamed(row) }) && (n > 1 || !q.compares) {
		return withoutShorter(text, rows, exact)
	}
	return nil
}

// withoutShorter leaves out the rows whose first cell is a part of that of another: "Delta" beside "Delta Plus".
func withoutShorter(text string, rows []excerpt, chosen []bool) []bool {
	left := slices.Clone(chosen)
	for i, r := range rows {
		cell := joinedWords(firstCell(text[r.start:r.end]))
		left[i] = chosen[i] && !slices.ContainsFunc(rows, func(other excerpt) bool {
			longer := joinedWords(firstCell(text[other.start:other.end]))
			return chosen[slices.Index(rows, other)] && len(longer) > len(cell) && strings.Contains(longer, cell)
		})
	}
	return left
}

// joinedWords returns the words of a text with a space around each.
func joinedWords(text string) string {
	return " " + strings.Join(tokensOf(text), " ") + " "
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
			best.isCompared = best.isCompared || q.compares && u.excerpt != best.excerpt
			best.ownMatch = mergeMatches(best.ownMatch, u.ownMatch)
		}
	}
	q.matchJoinedPairs(best.ownMatch)
	best.meantMatch = best.ownMatch
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

// excerptRows quotes the row that fits as a sentence, or the head of the table with the rows that fit as well as each
// other.
func (q *parsedQuestion) excerptRows(pages []passageLayout, best quotableUnit) (picked []excerpt) {
	p := &pages[best.passageIndex]
	if best.kind == markdown.Item {
		return p.excerptLines(best)
	}
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
	if len(picked) == 2 {
		if cells := q.rowAsSentence(p.text, head, picked[1]); cells != nil {
			return cells
		}
	}
	return picked
}

// excerptLines quotes the lines of a list that the question names, each by itself.
func (p *passageLayout) excerptLines(best quotableUnit) (picked []excerpt) {
	for _, u := range p.units {
		if u.isTableRow && u.firstBlock == best.firstBlock {
			s := u.excerpt
			s.continuesPrevious = len(picked) > 0
			picked = append(picked, s)
		}
	}
	return picked
}

// rowAsSentence returns a row as what it says of the thing in its first cell: "Umbrella: price €29.90, size large". Of
// the columns only those are said that are asked for, if any are. Nil for a row that has other cells than its head.
func (q *parsedQuestion) rowAsSentence(text string, head, row excerpt) (picked []excerpt) {
	names, cells := tableCells(text, firstLine(text, head)), tableCells(text, row)
	if len(names) != len(cells) || len(cells) < 2 || isEmptyCell(cells[0]) {
		return nil
	}
	columns := q.askedColumns(text, names, cells)
	picked = append(picked, cells[0])
	for i, n := range columns {
		joint := ": "
		if i > 0 {
			joint = ", "
		}
		if !isEmptyCell(names[n]) {
			name := names[n]
			name.joint, joint = joint, " "
			picked = append(picked, name)
		}
		cell := cells[n]
		cell.joint = joint
		picked = append(picked, cell)
	}
	return picked
}

// askedColumns returns the columns whose head the question names, else those whose cell has the amount that it asks
// for, else all that are not empty.
func (q *parsedQuestion) askedColumns(text string, names, cells []excerpt) (columns []int) {
	first := q.matchText(text[cells[0].start:cells[0].end])
	isNamed := func(n int) bool {
		found := q.matchText(text[names[n].start:names[n].end])
		return slices.ContainsFunc(q.terms, func(s questionTerm) bool {
			i := q.termIndex(s.word)
			return s.fromLastMessage && !s.isPair && found[i] >= relatedStrength && first[i] < relatedStrength
		})
	}
	isMeasured := func(n int) bool {
		return slices.ContainsFunc(q.terms, func(s questionTerm) bool {
			return s.fromLastMessage && s.measure > measureAmount &&
				q.answersMeasure(s.measure, text[cells[n].start:cells[n].end])
		})
	}
	isAny := func(int) bool { return true }
	for _, isAsked := range []func(int) bool{isNamed, isMeasured, isAny} {
		for n := 1; n < len(cells); n++ {
			if !isEmptyCell(cells[n]) && isAsked(n) {
				columns = append(columns, n)
			}
		}
		if len(columns) > 0 {
			break
		}
	}
	return columns
}

func firstLine(text string, head excerpt) excerpt {
	if n := strings.IndexByte(text[head.start:head.end], '\n'); n >= 0 {
		head.end = head.start + n
	}
	return head
}

func isEmptyCell(cell excerpt) bool { return cell.end <= cell.start }

// tableCells returns the cells of a line of a table, without the space around them.
func tableCells(text string, line excerpt) (cells []excerpt) {
	from, end := line.start, line.end
	for from < end && (text[from] == ' ' || text[from] == '|') {
		if from++; text[from-1] == '|' {
			break
		}
	}
	for end > from && (text[end-1] == ' ' || text[end-1] == '\r') {
		end--
	}
	if end > from && text[end-1] == '|' {
		end--
	}
	for at := from; at <= end; at++ {
		if at < end && (text[at] != '|' || at > 0 && text[at-1] == '\\') {
			continue
		}
		cell := excerpt{passageIndex: line.passageIndex, start: from, end: at}
		for cell.start < cell.end && text[cell.start] == ' ' {
			cell.start++
		}
		for cell.end > cell.start && text[cell.end-1] == ' ' {
			cell.end--
		}
		cells = append(cells, cell)
		from = at + 1
	}
	return cells
}
