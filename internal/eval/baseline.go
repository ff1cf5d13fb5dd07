package eval

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"parley"
	"parley/internal/retrieval"
	"parley/internal/words"
)

// plain is BM25 over stemmed words and nothing else: what a search must beat to be worth its code.
type plain struct {
	passages []parley.Passage
	lengths  []int
	total    int
	lists    map[string][]posting
	lang     words.Language // of most passages; short questions tell little
	votes    [words.Count]int
}

type posting struct{ passage, times int }

// The usual parameters.
const (
	plainK1 = 1.2
	plainB  = .75
)

func newPlain() *plain { return &plain{lists: map[string][]posting{}} }

// Len tells how many passages there are.
func (x *plain) Len() int { return len(x.passages) }

// Put adds passages.
func (x *plain) Put(passages ...parley.Passage) {
	for _, p := range passages {
		stems, lang := stemsOf(p.Heading+"\n"+p.Text, x.lang)
		if x.votes[lang]++; x.votes[lang] > x.votes[x.lang] {
			x.lang = lang
		}
		times := map[string]int{}
		for _, s := range stems {
			times[s]++
		}
		for s, n := range times {
			x.lists[s] = append(x.lists[s], posting{len(x.passages), n})
		}
		x.passages, x.lengths, x.total = append(x.passages, p), append(x.lengths, len(stems)), x.total+len(stems)
	}
}

// stemsOf gives the stems of all words: function words too, which count for little by themselves.
func stemsOf(text string, fallback words.Language) (stems []string, lang words.Language) {
	tokens := words.Cut(nil, text)
	lang, sure := words.Guess(tokens)
	if !sure {
		lang = fallback
	}
	for _, t := range tokens {
		stems = append(stems, lang.Stem(t.Word))
	}
	return stems, lang
}

// Nearest gives the passages with the highest scores. The user's message before the last one counts as much as the last.
func (x *plain) Nearest(q retrieval.Query) []retrieval.Hit {
	text := q.Text
	if n := len(q.Earlier); n > 0 {
		text = q.Earlier[n-1] + "\n" + text
	}
	asked, _ := stemsOf(text, x.lang)
	slices.Sort(asked)
	scores := make([]float64, len(x.passages))
	average := float64(x.total) / float64(max(len(x.passages), 1))
	for _, stem := range slices.Compact(asked) {
		list := x.lists[stem]
		n, df := float64(len(x.passages)), float64(len(list))
		idf := math.Log(1 + (n-df+.5)/(df+.5))
		for _, p := range list {
			tf := float64(p.times)
			scores[p.passage] += idf * tf * (plainK1 + 1) / (tf + plainK1*(1-plainB+plainB*float64(x.lengths[p.passage])/average))
		}
	}
	return x.best(scores, q.Limit)
}

func (x *plain) best(scores []float64, most int) (hits []retrieval.Hit) {
	for i, s := range scores {
		if s > 0 {
			hits = append(hits, retrieval.Hit{Passage: x.passages[i], Rank: s})
		}
	}
	slices.SortFunc(hits, func(a, b retrieval.Hit) int {
		return cmp.Or(cmp.Compare(b.Rank, a.Rank), strings.Compare(string(a.Passage.ID), string(b.Passage.ID)))
	})
	return hits[:min(most, len(hits))]
}
