package llm

import (
	"slices"
	"strings"

	"parley/internal/prose"
)

// group gives the last of the blocks that belong together from the first on: a list, or what a line leads to.
func (p *page) group(first int) int {
	last := first
	if b := p.blocks[first]; b.Kind == prose.Item || p.leads(first) {
		for last+1 < len(p.blocks) && p.follows(first, last+1) {
			last++
		}
	}
	return last
}

// leads reports that the block only leads to what follows.
func (p *page) leads(n int) bool {
	b := p.blocks[n]
	return b.Kind == prose.Paragraph && leadsOn(p.text[b.Start:b.End])
}

// leadsOn reports a line that ends in a colon, of whatever script.
func leadsOn(text string) bool {
	text = bare(text)
	return strings.HasSuffix(text, ":") || strings.HasSuffix(text, "：")
}

func bare(text string) string { return strings.TrimRight(text, "*_ \r\n") }

// follows reports that the block belongs to the list or code that a leading line or an item began.
func (p *page) follows(first, i int) bool {
	b, head := p.blocks[i], p.blocks[i-1]
	switch b.Kind {
	case prose.Item:
		return head.Kind == prose.Item || i-1 == first || head.Level > 0
	case prose.Code, prose.Table:
		return i-1 == first || b.Level > 0
	case prose.Paragraph:
		return b.Level > 0 && head.Kind == prose.Item
	default: // a heading or markup ends what stood before it
		return false
	}
}

// around widens the unit to what must be read with it: the whole list where it fits, the sibling of a list, or the sentences
// beside it.
func (t *topic) around(p *page, u unit) stretch {
	if u.first == u.last && u.kind == prose.Paragraph {
		if s, ok := t.section(p, u); ok {
			return s
		}
		return p.sentences(u, t.room())
	}
	if u.ordered && !p.leads(u.first) {
		return u.stretch
	}
	if b := p.blocks[u.first]; u.start > b.Start || u.end < p.blocks[u.last].End {
		return p.window(u)
	}
	return p.siblings(u)
}

// window gives as much of the long list around the unit as an answer may hold, whole blocks only, from its beginning if it can.
func (p *page) window(u unit) stretch {
	from := slices.IndexFunc(p.blocks, func(b prose.Block) bool { return b.Start == u.start })
	to := from
	size := func(a, b int) int { return p.blocks[b].End - p.blocks[a].Start }
	for from > u.first && size(from-1, to) <= longAnswer {
		from--
	}
	for to < u.last && size(from, to+1) <= longAnswer {
		to++
	}
	return stretch{passage: u.passage, start: p.blocks[from].Start, end: p.blocks[to].End}
}

// siblings takes the lists beside this one along whose leading lines begin alike ("On mobile:", "On the desktop:").
func (p *page) siblings(u unit) stretch {
	s := u.stretch
	if !p.leads(u.first) {
		return s
	}
	word := opening(p.text[u.start:u.end])
	at := slices.IndexFunc(p.units, func(v unit) bool { return v.stretch == u.stretch })
	alike := func(v unit, beside int) bool {
		return p.leads(v.first) && beside == 1 && opening(p.text[v.start:v.end]) == word
	}
	for i := at - 1; i >= 0 && alike(p.units[i], p.units[i+1].first-p.units[i].last) && s.end-p.units[i].start <= longAnswer; i-- {
		s.start = p.units[i].start
	}
	for i := at + 1; i < len(p.units) && alike(p.units[i], p.units[i].first-p.units[i-1].last) && p.units[i].end-s.start <= longAnswer; i++ {
		s.end = p.units[i].end
	}
	return s
}

func opening(text string) string {
	word, _, _ := strings.Cut(strings.TrimLeft(text, "*_ "), " ")
	return word
}

// sentences takes the next sentences along while the quote is short, and the one before if this one leans on it.
func (p *page) sentences(u unit, r room) stretch {
	at := slices.IndexFunc(p.units, func(v unit) bool { return v.stretch == u.stretch })
	from, to := at, at
	if from > 0 && p.units[from-1].last == u.first && leans(p.text[u.start:u.end]) {
		from--
	}
	for to+1 < len(p.units) && to-from < r.sentences && p.units[to].end-p.units[from].start < r.bytes && p.goesOn(p.units[to], p.units[to+1]) {
		to++
	}
	if from > 0 && p.units[to].end-p.units[from].start < r.bytes/2 && p.goesOn(p.units[from-1], p.units[from]) {
		from--
	}
	return stretch{passage: u.passage, start: p.units[from].start, end: p.units[to].end}
}

// veryShort is how short a sentence is that takes the next paragraph along.
const veryShort = 80

// goesOn reports that the next unit continues the text: the same block, or the paragraph right below.
func (p *page) goesOn(u, next unit) bool {
	text := p.text[next.start:next.end]
	if u.last == next.first {
		return next.start-u.end < 4 // a sentence that is not to be quoted may stand between
	}
	if next.first != u.last+1 || next.kind != prose.Paragraph || linked(text) >= 0.3 || strings.HasSuffix(text, "?") {
		return false
	}
	return u.end-u.start < veryShort || opening(text) == opening(p.text[u.start:u.end])
}
