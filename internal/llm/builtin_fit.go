package llm

import (
	"slices"

	"parley/internal/prose"
)

// entire tells steps that go on from others, which are not there, from those that begin at the beginning.
func (u unit) entire(text string) float64 {
	if u.ordered && '2' <= text[0] && text[0] <= '9' {
		return 0.6
	}
	return 1
}

// Weights of how well the kind of a unit suits the form of the question.
const (
	stepsFit   = 0.8  // steps, as far as what stands above them names what is asked
	strayFit   = 0.25 // steps under a heading that names nothing of it: they lead to something else
	listFit    = 0.15 // a list that tells no steps
	tellsFit   = 0.1  // a sentence that tells what to do
	definesFit = 0.35 // the first sentence under the heading that names a thing, where the question is what it is
	numberFit  = 0.2  // a unit without a number, where one is asked for
	allowsFit  = 0.2  // a sentence that says who may, where that is the question
	tableFit   = 0.5  // a table or a list, where the question is which things there are
	denyFit    = 0.5  // a unit that denies what the question denies; against one that does not
)

func (t *topic) fit(c *setting, u unit) float64 {
	f := 1.0
	switch {
	case t.steps && c.page.steps(u):
		f += stepsFit*t.cover(c.lead(t, u)) - strayFit
	case t.steps && u.kind == prose.Item:
		f -= listFit
	case t.steps && c.page.reads(u) == prose.Paragraph && instructs(c.page.text[u.start:u.end]):
		f += tellsFit * t.cover(c.above)
	case (t.what || t.fact) && c.page.steps(u):
		f -= strayFit
	case t.may && u.kind == prose.Paragraph && allows(c.page.text[u.start:u.end]):
		f += allowsFit
	case t.list && (u.kind == prose.Table || u.kind == prose.Item || u.kind == prose.Paragraph && c.page.tabled(u)):
		f += tableFit * t.cover(c.listed(t, u))
	case t.what && c.first:
		f += definesFit * c.focus
	}
	if t.number && !u.row && !t.numbers(c.page.text[u.start:u.end]) {
		f -= numberFit
	}
	if len(t.denied) > 0 {
		denies := t.negated(c.page.text[u.start:u.end])
		if slices.ContainsFunc(t.denied, func(i int) bool { return slices.Contains(denies, i) }) {
			f += denyFit
		} else {
			f -= denyFit
		}
	}
	return f
}

// lead is how the headings and the line that leads to the unit match.
func (c *setting) lead(t *topic, u unit) []float64 {
	if b := c.page.blocks[u.first]; b.Kind == prose.Paragraph {
		return merge(c.above, t.match(c.page.text[b.Start:b.End]))
	}
	return c.above
}

// readAs tells as what the unit is read; a row is a statement, once its head is said.
func (u unit) readAs(p *page) prose.Kind {
	if u.row {
		return prose.Item
	}
	return p.reads(u)
}

// reads tells as what the unit is read: code behind a sentence is part of it.
func (p *page) reads(u unit) prose.Kind {
	if u.kind == prose.Code && p.blocks[u.first].Kind == prose.Paragraph {
		return prose.Paragraph
	}
	return u.kind
}

// steps reports that the unit tells what to do, one thing after the other.
func (p *page) steps(u unit) bool {
	if u.ordered {
		return true
	}
	items, telling := 0, 0
	for _, b := range p.blocks[u.first : u.last+1] {
		if b.Kind == prose.Item {
			items++
			if instructs(p.text[b.Inner:b.End]) {
				telling++
			}
		}
	}
	return telling > 0 && 2*telling >= items
}

// listed is how that matches which says what a table or a list holds: the headings above, a sentence that leads to it, the head of its
// first column.
func (c *setting) listed(t *topic, u unit) []float64 {
	text := c.page.text[u.start:u.end]
	switch {
	case u.kind == prose.Table:
		text = c.page.named(u)
	case u.kind == prose.Item && !c.page.leads(u.first):
		return c.above
	case u.kind == prose.Item:
		b := c.page.blocks[u.first]
		text = c.page.text[b.Start:b.End]
	}
	return merge(c.above, t.match(text))
}

// named is the head of a table's first column.
func (p *page) named(u unit) string {
	return firstCell(p.text[u.start:u.end])
}

// tabled reports a sentence of a paragraph with a table right below it.
func (p *page) tabled(u unit) bool {
	return u.last+1 < len(p.blocks) && p.blocks[u.last+1].Kind == prose.Table
}
