package llm

import (
	"context"

	"parley/internal/words"
)

// stretch is a part of a passage's text that is quoted as it stands.
type stretch struct {
	passage    int
	start, end int

	heading string // said before it, in words that are not cited
	joined  bool   // goes on with what stands before it, on the next line
}

// lead is what stands between the stretch and what was quoted before it.
func (s stretch) lead(first bool) string {
	switch {
	case first && s.heading == "":
		return ""
	case first:
		return s.heading + "\n\n"
	case s.joined:
		return "\n"
	}
	return "\n\n"
}

const (
	readPassages = 12  // so many of the best are read closely
	longAnswer   = 900 // bytes
	longUnit     = 1200
	longWhole    = 6000 // steps, code and rows, which are quoted whole or not at all
	shortUnit    = 48
	shortAnswer  = 220 // a quote this short takes the next sentence along
)

// pick chooses what to quote around the best unit.
func (t *topic) pick(passages []Passage, pages []page, best unit) []stretch {
	if best.row {
		return t.rows(pages, best)
	}
	first := t.around(&pages[best.passage], best)
	picked := course(passages, pages, best, first)
	if len(picked) > 1 {
		return picked
	}
	picked[0].heading = dangling(&pages[best.passage], passages[best.passage], best, first)
	if more := t.second(pages, best, first); more != nil {
		picked = append(picked, *more)
	}
	return picked
}

// pages lays out the passages that are read closely, as many as there is time for until ctx ends.
func (t *topic) pages(ctx context.Context, passages []Passage) (pages []page) {
	for i, p := range passages[:min(readPassages, len(passages))] {
		if ctx.Err() != nil {
			break
		}
		pages = append(pages, t.layOut(i, p))
	}
	return pages
}

// strongest gives the unit with the highest score.
func strongest(pages []page) (best unit) {
	for _, p := range pages {
		for _, u := range p.units {
			if u.score > best.score {
				best = u
			}
		}
	}
	return best
}

// A second quote is worth its place only where it holds much of the question that the first does not, and does not fall far
// behind it otherwise.
const (
	muchMore   = 0.25 // of the weight of the question's words
	goodEnough = 0.6  // of the best score
)

// second adds a stretch of another passage that speaks of what the first leaves out.
func (t *topic) second(pages []page, best unit, first stretch) *stretch {
	if len(t.denied) > 0 {
		return nil // it would most likely speak of the opposite
	}
	held := merge(pages[first.passage].title, t.match(pages[first.passage].text[first.start:first.end]))
	var more unit
	for i, p := range pages {
		for _, u := range p.units {
			if i != first.passage && u.score > max(more.score, goodEnough*best.score) && t.gain(held, u.own) >= muchMore && !leans(p.text[u.start:u.end]) {
				more = u
			}
		}
	}
	if more.score == 0 || more.row {
		return nil
	}
	s := t.around(&pages[more.passage], more)
	one, two := pages[first.passage].text[first.start:first.end], pages[s.passage].text[s.start:s.end]
	if len(one)+len(two) > longAnswer || same(one, two) {
		return nil
	}
	return &s
}

// gain is the weight of the message's words that more names and held does not, 0 to 1.
func (t *topic) gain(held, more []float64) (sum float64) {
	for i, s := range t.items {
		if s.own {
			sum += s.weight * max(0, more[i]-held[i])
		}
	}
	return sum / max(t.total, 1e-9)
}

// same reports that two texts say mostly the same in the same words.
func same(a, b string) bool {
	in := map[string]bool{}
	for token := range words.Tokens(a) {
		in[token.Word] = true
	}
	common, all := 0, 0
	for token := range words.Tokens(b) {
		all++
		if in[token.Word] {
			common++
		}
	}
	return 2*common > all
}
