package llm

import "parley/internal/prose"

// longSection is how much is quoted of what stands under a heading, in bytes.
const longSection = 700

// section gives the beginning of what stands under a heading, with the table right below it, where the question is for all of it: where
// its words are those of the heading, and no sentence holds one that the heading lacks.
func (t *topic) section(p *page, u unit) (stretch, bool) {
	if t.steps || t.may || t.fact && !t.bare() || t.list && !p.tabled(u) || len(t.denied) > 0 || !t.list && !t.headedBy(p) {
		return stretch{}, false
	}
	s := stretch{passage: u.passage}
	for _, v := range p.units {
		switch {
		case v.first > u.last && v.kind == prose.Table && !v.row && v.end-s.start <= longUnit, v.kind == prose.Paragraph && (s.end == 0 || v.end-s.start <= longSection):
			if s.end == 0 {
				s.start = v.start
			}
			s.end = v.end
		default:
			return s, s.start <= u.start && s.end >= u.end
		}
		if v.kind == prose.Table {
			break
		}
	}
	return s, s.start <= u.start && s.end >= u.end
}

// bare reports a message that is hardly more than the name of its subject: "price?".
func (t *topic) bare() bool { return t.asked() <= 1 && len(spoken(t.question)) <= bareWords }

// headedBy reports that the passage's title names all of the question, and that the passage is one section: no heading stands in it.
func (t *topic) headedBy(p *page) bool {
	for _, b := range p.blocks {
		if b.Kind == prose.Heading && b.Start > 0 {
			return false
		}
	}
	for i, s := range t.items {
		if s.own && !s.pair && !framed(s.word) && p.title[i] < kinStrength {
			return false
		}
	}
	return t.asked() > 0
}
