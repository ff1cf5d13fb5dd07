package llm

import (
	"parley/internal/words"
)

// stretch is a part of a passage's text that is quoted as it stands.
type stretch struct {
	passage    int
	start, end int
}

const (
	readPassages = 12  // so many of the best are read closely
	longAnswer   = 900 // bytes
	longUnit     = 1200
	shortUnit    = 48
	shortAnswer  = 220 // a quote this short takes the next sentence along
)

// pick chooses what to quote. It gives nothing where no passage holds an answer; the score tells how well they do.
func (t *topic) pick(passages []Passage) ([]stretch, float64) {
	pages := make([]page, min(readPassages, len(passages)))
	for i := range pages {
		pages[i] = t.layOut(i, passages[i])
	}
	best := strongest(pages)
	if best.score == 0 {
		return nil, 0
	}
	score := t.confidence(passages, best)
	if score < refuseBelow {
		return nil, score
	}
	picked := []stretch{pages[best.passage].around(best)}
	if more := t.second(pages, best, picked[0]); more != nil {
		picked = append(picked, *more)
	}
	return picked, score
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
	if more.score == 0 {
		return nil
	}
	s := pages[more.passage].around(more)
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
