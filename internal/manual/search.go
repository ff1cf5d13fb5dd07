package manual

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	maxQuery      = 200 // bytes
	maxQueryWords = 12
	maxHits       = 30
)

// What a word of the query counts for, by where it is.
const (
	chapterWeight = 6.0 // the title of the chapter, for the chapter itself
	headingWeight = 3.0
	titleWeight   = 1.0 // the title of the chapter, for its sections
	textWeight    = 1.0
)

// hit is a section that a search found.
type hit struct {
	Chapter   *chapter
	ID, Title string
	Lead      string
	score     float64
}

// Path returns the address of what was found.
func (h hit) Path() string {
	if h.ID == "" {
		return h.Chapter.Path()
	}
	return h.Chapter.Path() + "#" + h.ID
}

// search finds the sections that have the words of the query, the best first. A word is found by its beginning, and
// counts the more the fewer sections have it.
func (e *edition) search(query string) []hit {
	var hits []hit
	wanted := e.weighWords(query)
	for _, c := range e.chapters {
		for _, s := range c.sections {
			if score := s.score(c, wanted); score > 0 {
				hits = append(hits, hit{c, s.ID, s.Title, s.lead, score})
			}
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	if len(hits) > 0 {
		best := hits[0].score
		hits = slices.DeleteFunc(hits, func(h hit) bool { return h.score < best/2 })
	}
	return hits[:min(len(hits), maxHits)]
}

// wantedWord is a word of a query: what it begins with, and what it counts.
type wantedWord struct {
	start  string
	weight float64
}

// weighWords returns the words of a query with their weights, each once, in their order: so sums are always the same.
func (e *edition) weighWords(query string) (wanted []wantedWord) {
	for _, word := range strings.Fields(foldWords(query)) {
		start := wordStart(word)
		isKnown := slices.ContainsFunc(wanted, func(w wantedWord) bool { return w.start == start })
		if len(wanted) < maxQueryWords && !isKnown {
			wanted = append(wanted, wantedWord{start, e.weightOf(start)})
		}
	}
	return wanted
}

// weightOf returns what a word counts: the more the fewer sections have it.
func (e *edition) weightOf(start string) float64 {
	having, all := 0, 0
	for _, c := range e.chapters {
		for _, s := range c.sections {
			if all++; strings.Contains(s.heading, start) || strings.Contains(s.words, start) {
				having++
			}
		}
	}
	return math.Log(float64(all+1) / float64(having+1))
}

// wordStart returns what a word that is looked for begins with, so that a plural finds the singular as well.
func wordStart(word string) string {
	if len(word) > 3 {
		word = strings.TrimSuffix(word, "s")
	}
	return " " + word
}

func (s *section) score(c *chapter, wanted []wantedWord) (score float64) {
	for _, w := range wanted {
		start, weight := w.start, w.weight
		switch inHeading := strings.Contains(s.heading, start); {
		case inHeading && s.Level == 1:
			score += chapterWeight * weight
		case inHeading:
			score += headingWeight * weight
		}
		if s.Level > 1 && strings.Contains(c.words, start) {
			score += titleWeight * weight
		}
		if strings.Contains(s.words, start) {
			score += textWeight * weight
		}
	}
	return score
}

// cutQuery bounds a text that the page repeats.
func cutQuery(query string) string {
	query = strings.ToValidUTF8(query, "")
	if len(query) <= maxQuery {
		return query
	}
	end := maxQuery
	for !utf8.RuneStart(query[end]) {
		end--
	}
	return query[:end]
}
