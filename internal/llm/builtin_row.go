package llm

import (
	"slices"
	"strings"

	"parley/internal/prose"
)

// A table is read by row: where the question names one row rather than the others, that row is quoted, under the table's head.

// mostRows is how many rows are quoted that fit equally well; of more the table is quoted whole.
const (
	mostRows = 3
	rowLead  = 0.1 // share of the question that a row must hold beyond the middle one
)

// tableRows adds the rows that the question names, and reports whether there are any.
func (t *topic) tableRows(c *setting, u unit, last int) bool {
	head, rows := tableOf(c.page.text, c.page.blocks[last])
	if head.end == 0 || len(rows) < 2 || t.list {
		return false
	}
	covers := make([]float64, len(rows))
	for i, r := range rows {
		covers[i] = t.share(t.match(c.page.text[r.start:r.end]), t.single)
	}
	best := slices.Max(covers)
	chosen := t.chosenRows(c.page.text, rows, covers)
	sorted := slices.Sorted(slices.Values(covers))
	fit := 0
	for _, v := range covers {
		if v >= best-1e-9 {
			fit++
		}
	}
	if fit > mostRows || best < sorted[(len(sorted)-1)/2]+rowLead && !t.namesRows(c.page.text, rows, chosen) {
		return false
	}
	c.head = t.match(c.page.text[u.start:head.end])
	for i, r := range rows {
		if chosen[i] {
			t.unit(c, unit{stretch: stretch{passage: c.passage, start: r.start, end: r.end}, first: last, last: last, kind: prose.Table, row: true})
		}
	}
	c.head = nil
	return true
}

// chosenRows are the rows that hold most of the question, and those that name what these leave out: "the difference between Pro and Team"
// wants two.
func (t *topic) chosenRows(text string, rows []stretch, covers []float64) []bool {
	chosen, held := make([]bool, len(rows)), make([]float64, len(t.items))
	best := slices.Max(covers)
	for i, r := range rows {
		if covers[i] >= best-1e-9 {
			chosen[i] = true
			held = merge(held, t.match(text[r.start:r.end]))
		}
	}
	for i, r := range rows {
		found := t.match(firstCell(text[r.start:r.end]))
		for j, s := range t.items {
			if s.own && !s.pair && s.measure == noMeasure && found[j] >= surelyNamed && held[j] < kinStrength {
				chosen[i] = true
			}
		}
	}
	return chosen
}

// namesRows reports that the question names each of the chosen rows, more than one and not all, by a word of its first cell.
func (t *topic) namesRows(text string, rows []stretch, chosen []bool) bool {
	n := 0
	for i, r := range rows {
		if !chosen[i] {
			continue
		}
		if n++; t.share(t.match(firstCell(text[r.start:r.end])), t.single) == 0 {
			return false
		}
	}
	return 1 < n && n < len(rows) && n <= mostRows
}

func firstCell(row string) string {
	cell, _, _ := strings.Cut(strings.TrimLeft(row, "| "), "|")
	return cell
}

// surelyNamed is how much a row's word must be like the question's.
const surelyNamed = 0.95

// together gives the best unit with what the other chosen rows of its table hold.
func (t *topic) together(p *page, best unit) unit {
	if !best.row {
		return best
	}
	for _, u := range p.units {
		if u.row && u.first == best.first {
			best.own = merge(best.own, u.own)
		}
	}
	t.joinPairs(best.own)
	return best
}

// joinPairs counts two neighbours of the question as found where both are: a row and the head of its table are one statement.
func (t *topic) joinPairs(found []float64) {
	for i, s := range t.items {
		if s.pair {
			found[i] = max(found[i], min(found[s.a], found[s.b]))
		}
	}
}

// tableOf gives the head of a table, with the line below it, and its rows. A table without such a line has none.
func tableOf(text string, b prose.Block) (head stretch, rows []stretch) {
	at, line := b.Start, 0
	for at < b.End {
		end := b.End
		if n := strings.IndexByte(text[at:b.End], '\n'); n >= 0 {
			end = at + n
		}
		row := stretch{start: at, end: end}
		switch {
		case line == 0:
			head = row
		case line == 1 && strings.Trim(text[at:end], "|-: \t\r") == "":
			head.end = end
		case line == 1:
			return stretch{}, nil
		case strings.TrimSpace(text[at:end]) != "":
			rows = append(rows, stretch{start: at, end: at + len(strings.TrimRight(text[at:end], " \t\r"))})
		}
		at, line = end+1, line+1
	}
	return head, rows
}

// rows quotes the head of the table with the rows that fit as well as the best.
func (t *topic) rows(pages []page, best unit) (picked []stretch) {
	p := &pages[best.passage]
	head, _ := tableOf(p.text, p.blocks[best.first])
	head.passage = best.passage
	picked = []stretch{head}
	for _, u := range p.units {
		if u.row && u.first == best.first {
			s := u.stretch
			s.joined = true
			picked = append(picked, s)
		}
	}
	return picked
}
