package retrieval

import (
	"sync"

	"parley"
	"parley/internal/retrieval"
	letters "parley/internal/text/words"
)

// gramScan does the least that a search must do which looks at every passage that shares trigrams with the question: it
// reads the posting lists of these trigrams and counts each passage in them.
type gramScan struct {
	lists        [][][]uint32 // of each question
	passageCount int
	sums         sync.Pool
}

func newGramScan(list []parley.Passage, queries []retrieval.Query) *gramScan {
	lists := map[uint64][]uint32{}
	wanted := make([][]uint64, len(queries))
	for i, q := range queries {
		for g := range gramSet(q.Text, q.Earlier...) {
			lists[g] = nil
			wanted[i] = append(wanted[i], g)
		}
	}
	for doc, p := range list {
		for g := range gramSet(p.Heading, p.Text) {
			if docs, ok := lists[g]; ok {
				lists[g] = append(docs, uint32(doc))
			}
		}
	}
	b := &gramScan{passageCount: len(list)}
	for _, grams := range wanted {
		var candidates [][]uint32
		for _, g := range grams {
			candidates = append(candidates, lists[g])
		}
		b.lists = append(b.lists, candidates)
	}
	return b
}

func gramSet(text string, more ...string) map[uint64]bool {
	all := map[uint64]bool{}
	var buf [64]uint64
	for _, text := range append(more, text) {
		for t := range letters.Tokens(text) {
			for _, g := range letters.Grams(buf[:0], t.Word) {
				all[g] = true
			}
		}
	}
	return all
}

func (s *gramScan) scan(question int) {
	sums, _ := s.sums.Get().([]float32)
	if sums == nil {
		sums = make([]float32, s.passageCount)
	}
	for _, list := range s.lists[question] {
		for _, doc := range list {
			sums[doc]++
		}
	}
	clear(sums)
	s.sums.Put(sums) //nolint:staticcheck // a slice's header is small beside what it is of
}
