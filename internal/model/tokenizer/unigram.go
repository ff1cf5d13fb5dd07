package tokenizer

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// unigram cuts a word so that the scores of its pieces, which are logarithms of their frequency, have the largest sum.
type unigram struct {
	pieces       *trie
	scores       []float64 // by piece
	unknown      int32
	unknownScore float64
	byteIDs      []int32 // pieces of the single bytes, which spell what has no piece; nil if there are none
}

// unknownPenalty is how much lower than the worst piece a character without a piece scores.
const unknownPenalty = 10

// cell is the best way to cut a word up to a place.
type cell struct {
	score float64
	id    int32 // of the last piece
	start int32 // where that begins; below 0 for a place that no way leads to
}

func (m *unigram) unknownID() int32 { return m.unknown }

// newUnigram returns the model of the pieces, whose numbers are their places.
func newUnigram(list []piece, unknown int32, spellsBytes bool, special map[string]bool) (*unigram, error) {
	m := &unigram{pieces: newTrie(), scores: make([]float64, len(list)), unknown: unknown}
	lowest := math.Inf(1)
	for id, p := range list {
		m.scores[id] = p.score
		lowest = min(lowest, p.score)
		if special[p.text] {
			continue
		}
		if err := m.pieces.add(p.text, int32(id)); err != nil {
			return nil, err
		}
	}
	m.unknownScore = lowest - unknownPenalty
	if spellsBytes {
		m.byteIDs = findBytes(list)
	}
	return m, nil
}

// findBytes returns the pieces of all bytes; nil if one is missing.
func findBytes(list []piece) []int32 {
	found := map[string]int32{}
	for id, p := range list {
		if strings.HasPrefix(p.text, "<0x") {
			found[p.text] = int32(id)
		}
	}
	ids := make([]int32, 256)
	for b := range ids {
		id, ok := found[fmt.Sprintf("<0x%02X>", b)]
		if !ok {
			return nil
		}
		ids[b] = id
	}
	return ids
}

func (m *unigram) encode(word string, ids []int32, s *scratch) []int32 {
	m.fill(word, s)
	first := len(ids)
	unknownEnd := -1 // of a run of characters without a piece
	for end := len(word); end > 0; end = int(s.cells[end].start) {
		c := s.cells[end]
		switch {
		case c.id != m.unknown:
			ids = m.appendUnknown(ids, word, end, unknownEnd)
			ids, unknownEnd = append(ids, c.id), -1
		case unknownEnd < 0:
			unknownEnd = end
		}
	}
	ids = m.appendUnknown(ids, word, 0, unknownEnd)
	reverse(ids[first:])
	return ids
}

// appendUnknown appends what stands for a run of characters without a piece, which begins at start, in reverse. The run
// is none if its end is below 0.
func (m *unigram) appendUnknown(ids []int32, word string, start, end int) []int32 {
	switch {
	case end < 0:
	case m.byteIDs != nil:
		for i := end - 1; i >= start; i-- {
			ids = append(ids, m.byteIDs[word[i]])
		}
	case m.unknown >= 0:
		ids = append(ids, m.unknown)
	}
	return ids
}

// fill finds the best way to each place of the word.
func (m *unigram) fill(word string, s *scratch) {
	if cap(s.cells) < len(word)+1 {
		s.cells = make([]cell, 2*len(word)+1)
	}
	s.cells = s.cells[:len(word)+1]
	for i := range s.cells {
		s.cells[i].start = -1
	}
	s.cells[0].score = 0
	for start := 0; start < len(word); {
		_, size := utf8.DecodeRuneInString(word[start:])
		if !m.addPieces(word, start, size, s.cells) {
			improve(&s.cells[start+size], s.cells[start].score+m.unknownScore, m.unknown, start)
		}
		start += size
	}
}

// addPieces adds the pieces that begin at a place, and reports whether one is the first character alone.
func (m *unigram) addPieces(word string, start, size int, cells []cell) (hasSingle bool) {
	node, score := uint32(0), cells[start].score
	for i := start; i < len(word); i++ {
		if node = m.pieces.child(node, word[i]); node == 0 {
			break
		}
		if id := m.pieces.values[node]; id != noPiece {
			improve(&cells[i+1], score+m.scores[id], id, start)
			hasSingle = hasSingle || i+1 == start+size
		}
	}
	return hasSingle
}

func improve(c *cell, score float64, id int32, start int) {
	if c.start < 0 || score > c.score {
		c.score, c.id, c.start = score, id, int32(start)
	}
}

func reverse(ids []int32) {
	for i, j := 0, len(ids)-1; i < j; i, j = i+1, j-1 {
		ids[i], ids[j] = ids[j], ids[i]
	}
}
