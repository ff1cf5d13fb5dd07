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
	if head.end == 0 || len(rows) < 2 {
		return false
	}
	covers := make([]float64, len(rows))
	for i, r := range rows {
		covers[i] = t.share(t.match(c.page.text[r.start:r.end]), t.single)
	}
	best := slices.Max(covers)
	sorted := slices.Sorted(slices.Values(covers))
	fit := 0
	for _, v := range covers {
		if v >= best-1e-9 {
			fit++
		}
	}
	if best < sorted[(len(sorted)-1)/2]+rowLead || fit > mostRows {
		return false
	}
	above := c.above
	c.above = merge(above, t.match(c.page.text[u.start:head.end]))
	for i, r := range rows {
		if covers[i] >= best-1e-9 {
			t.unit(c, unit{stretch: stretch{passage: c.passage, start: r.start, end: r.end}, first: last, last: last, kind: prose.Table, row: true})
		}
	}
	c.above = above
	return true
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
