package eval

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"parley"
	"parley/internal/retrieval"
	"parley/internal/text/words"
)

// bm25Index is BM25 over stemmed words and nothing else: what a search must beat to be worth its code.
type bm25Index struct {
	passages      []parley.Passage
	lengths       []int
	totalLength   int
	postings      map[string][]posting
	lang          words.Language // of most passages; short questions tell little
	languageVotes [words.LanguageCount]int
}

type posting struct{ passageIndex, frequency int }

// The usual parameters.
const (
	bm25K1 = 1.2
	bm25B  = .75
)

func newBM25Index() *bm25Index { return &bm25Index{postings: map[string][]posting{}} }

// Len returns how many passages there are.
func (bi *bm25Index) Len() int { return len(bi.passages) }

// Put adds passages.
func (bi *bm25Index) Put(passages ...parley.Passage) {
	for _, p := range passages {
		stems, lang := stemsOf(p.Heading+"\n"+p.Text, bi.lang)
		if bi.languageVotes[lang]++; bi.languageVotes[lang] > bi.languageVotes[bi.lang] {
			bi.lang = lang
		}
		times := map[string]int{}
		for _, s := range stems {
			times[s]++
		}
		for s, n := range times {
			bi.postings[s] = append(bi.postings[s], posting{len(bi.passages), n})
		}
		bi.passages, bi.lengths, bi.totalLength = append(bi.passages, p), append(bi.lengths, len(stems)),
			bi.totalLength+len(stems)
	}
}

// stemsOf returns the stems of all words: function words too, which count for little by themselves.
func stemsOf(text string, fallback words.Language) (stems []string, lang words.Language) {
	tokens := words.AppendTokens(nil, text)
	lang, isSure := words.GuessLanguage(tokens)
	if !isSure {
		lang = fallback
	}
	for _, t := range tokens {
		stems = append(stems, lang.Stem(t.Word))
	}
	return stems, lang
}

// Nearest returns the passages with the highest scores. The user's message before the last one counts as much as the
// last.
func (bi *bm25Index) Nearest(q retrieval.Query) []retrieval.Hit {
	text := q.Text
	if n := len(q.Earlier); n > 0 {
		text = q.Earlier[n-1] + "\n" + text
	}
	queryStems, _ := stemsOf(text, bi.lang)
	slices.Sort(queryStems)
	scores := make([]float64, len(bi.passages))
	average := float64(bi.totalLength) / float64(max(len(bi.passages), 1))
	for _, stem := range slices.Compact(queryStems) {
		list := bi.postings[stem]
		n, df := float64(len(bi.passages)), float64(len(list))
		idf := math.Log(1 + (n-df+.5)/(df+.5))
		for _, p := range list {
			tf := float64(p.frequency)
			scores[p.passageIndex] += idf * tf * (bm25K1 + 1) / (tf +
				bm25K1*(1-bm25B+bm25B*float64(bi.lengths[p.passageIndex])/average))
		}
	}
	return bi.topHits(scores, q.Limit)
}

func (bi *bm25Index) topHits(scores []float64, limit int) (hits []retrieval.Hit) {
	for i, s := range scores {
		if s > 0 {
			hits = append(hits, retrieval.Hit{Passage: bi.passages[i], Rank: s})
		}
	}
	slices.SortFunc(hits, func(a, b retrieval.Hit) int {
		return cmp.Or(cmp.Compare(b.Rank, a.Rank), strings.Compare(string(a.Passage.ID), string(b.Passage.ID)))
	})
	return hits[:min(limit, len(hits))]
}
