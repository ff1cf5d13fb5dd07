package llm

import (
	"slices"
	"strings"

	"parley/internal/prose"
	"parley/internal/words"
)

// page is a passage laid out for a question.
type page struct {
	text   string
	said   string // the text that counts: without its code where the question is not about code
	blocks []prose.Block
	units  []unit
	whole  []float64 // how it matches with its title
	title  []float64
}

// unit is the least that can be quoted: a sentence, or a list, a table or code with the line that leads to it.
type unit struct {
	stretch
	first, last int // blocks
	kind        prose.Kind
	ordered     bool      // numbered steps
	row         bool      // one row of a table
	own         []float64 // how its own words match
	found       []float64 // and with what stands above and around it
	score       float64
}

// layOut cuts the passage into units and scores them.
func (t *topic) layOut(i int, p Passage) page {
	pg := page{text: p.Text, blocks: blocksOf(p.Text)}
	pg.title = merge(t.match(p.Heading), t.match(p.SourceName))
	pg.said = p.Text
	if !t.code {
		pg.said = withoutCode(p.Text, pg.blocks)
	}
	pg.whole = merge(pg.title, t.match(pg.said))
	c := setting{page: &pg, passage: i, above: pg.title, focus: t.headed(p.Heading), first: true}
	c.worth = (0.55 + 0.45*p.Score) * (1 - rankLoss*float64(i)) * (1 - focusLoss*(1-c.focus)) * (1 - lackLoss*(1-t.cover(pg.whole)))
	if t.lacksName(pg.whole) {
		c.worth *= 1 - nameLoss
	}
	if t.otherTongue(p.Text) {
		c.worth *= 1 - tongueLoss
	}
	for n := 0; n < len(pg.blocks); {
		b, last := pg.blocks[n], pg.group(n)
		switch {
		case b.Kind == prose.Heading:
			c.above, c.first = merge(c.above, t.match(p.Text[b.Start:b.End])), true
		case b.Kind != prose.Markup:
			t.units(&c, n, last)
		}
		n = last + 1
	}
	return pg
}

// units adds what can be quoted of the blocks, which belong together.
func (t *topic) units(c *setting, first, last int) {
	b, end := c.page.blocks[first], c.page.blocks[last].End
	if first == last && b.Kind == prose.Paragraph {
		for _, s := range prose.Sentences(c.page.text, b.Start, b.End) {
			if !leadsOn(c.page.text[s.Start:s.End]) {
				t.unit(c, unit{stretch: stretch{passage: c.passage, start: s.Start, end: s.End}, first: first, last: first, kind: b.Kind})
			}
		}
		return
	}
	kind, ordered := b.Kind, b.Ordered
	if kind == prose.Paragraph {
		kind, ordered = c.page.blocks[first+1].Kind, c.page.blocks[first+1].Ordered
	}
	u := unit{stretch: stretch{passage: c.passage, start: b.Start, end: end}, first: first, last: last, kind: kind, ordered: ordered}
	if c.page.blocks[last].Kind == prose.Table && t.tableRows(c, u, last) {
		return
	}
	if end-b.Start <= longAnswer || ordered { // steps are never cut
		t.unit(c, u)
		return
	}
	for _, b := range c.page.blocks[first : last+1] {
		u.start, u.end = b.Start, b.End
		t.unit(c, u)
	}
}

// Words of the headings above count less than words of the unit itself: they say what it is about, not what it says.
// What stands first under them is most likely to say it. The rest of the passage counts least.
const (
	headingShare      = 0.6
	headingShareFirst = 0.75
	aroundShare       = 0.3
)

// setting is where a unit stands.
type setting struct {
	page    *page
	passage int
	above   []float64 // how the headings above match
	head    []float64 // and the head of the table that the unit is a row of, which is read with it; nil for none
	first   bool      // nothing between it and the heading names anything of the question
	focus   float64   // how much of the headings the question asks for
	worth   float64   // of the passage
}

// unit scores the unit and adds it.
func (t *topic) unit(c *setting, u unit) {
	if size := u.end - u.start; size > longWhole || size > longUnit && !u.ordered && u.kind != prose.Code && !u.row {
		return
	}
	if !t.code && u.readAs(c.page) == prose.Code {
		return
	}
	text := c.page.text[u.start:u.end]
	share := headingShare
	if c.first {
		share = headingShareFirst
	}
	u.own = t.match(c.page.saidBy(t, u))
	if c.head != nil {
		u.own = merge(u.own, c.head)
		t.joinPairs(u.own)
	}
	if t.list && u.kind == prose.Table {
		u.own = t.match(c.page.named(u))
	}
	u.found = slices.Clone(u.own)
	for i := range u.found {
		u.found[i] = max(u.found[i], share*c.above[i], aroundShare*c.page.whole[i])
	}
	u.score = t.weigh(u.found) * c.worth * plainness(text, u.readAs(c.page)) * u.entire(text) * t.fit(c, u)
	c.page.units = append(c.page.units, u)
	c.first = c.first && t.cover(u.own) == 0
}

// Weights of what a passage loses.
const (
	rankLoss  = 0.012 // for each better one before it
	focusLoss = 0.35  // for headings that speak of something else
	lackLoss  = 0.5   // for the words of the question that neither it nor its title holds

	nameLoss   = 0.3  // for a name of the question that neither it nor its title holds
	tongueLoss = 0.25 // for another language than the question's, where both show
)

// headed is how much of the outermost and of the innermost heading the question names.
func (t *topic) headed(heading string) float64 {
	page, _, _ := strings.Cut(heading, " › ")
	return (t.focus(page) + t.focus(heading[strings.LastIndex(heading, "›")+1:])) / 2
}

// focus is the share of the heading's content words that the question names.
func (t *topic) focus(heading string) float64 {
	content, met := 0.0, 0.0
	for token := range words.Tokens(heading) {
		if !t.lang.IsStop(token.Word) {
			content++
			met += slices.Max(append(t.match(token.Word), 0))
		}
	}
	if content == 0 {
		return 0.5
	}
	return met / content
}

func merge(a, b []float64) []float64 {
	all := slices.Clone(a)
	for i := range all {
		all[i] = max(all[i], b[i])
	}
	return all
}
