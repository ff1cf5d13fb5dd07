package tokenizer

import (
	"errors"
	"fmt"
)

// trie finds the pieces that a text begins with, byte by byte. The edges are in one hash table, which takes one look
// for each byte and less memory than a map of the pieces.
type trie struct {
	edges  []edge
	count  int
	values []int32 // by node: the number of the piece that ends there, or noPiece
}

// edge leads from a node by a byte to another; the root is no edge's end.
type edge struct{ key, node uint32 }

const (
	noPiece       = -1
	nodeBits      = 24
	maxPieceBytes = 512
	firstEdges    = 1 << 8
)

func newTrie() *trie {
	return &trie{edges: make([]edge, firstEdges), values: []int32{noPiece}}
}

// child returns the node that a byte leads to; 0 if there is none.
func (t *trie) child(node uint32, b byte) uint32 {
	key := node<<8 | uint32(b)
	mask := uint32(len(t.edges) - 1)
	for at := hash(key) & mask; ; at = (at + 1) & mask {
		if e := t.edges[at]; e.node == 0 || e.key == key {
			return e.node
		}
	}
}

func hash(key uint32) uint32 {
	key *= 2654435769
	return key ^ key>>15
}

// walk returns the node that a text leads to; 0 if there is none, and for an empty text.
func (t *trie) walk(text string) (node uint32) {
	for i := range len(text) {
		if node = t.child(node, text[i]); node == 0 {
			return 0
		}
	}
	return node
}

// find returns the number of a piece, or noPiece.
func (t *trie) find(piece string) int32 {
	if node := t.walk(piece); node > 0 {
		return t.values[node]
	}
	return noPiece
}

var errTooManyPieces = errors.New("the vocabulary is too large")

// add adds a piece. Of pieces that are the same the last one counts.
func (t *trie) add(piece string, value int32) error {
	if len(piece) > maxPieceBytes {
		return fmt.Errorf("a piece of the vocabulary has %d bytes, at most %d", len(piece), maxPieceBytes)
	}
	node := uint32(0)
	for i := range len(piece) {
		next := t.child(node, piece[i])
		if next == 0 {
			if len(t.values) >= 1<<nodeBits-1 {
				return errTooManyPieces
			}
			next = uint32(len(t.values))
			t.values = append(t.values, noPiece)
			t.addEdge(edge{node<<8 | uint32(piece[i]), next})
		}
		node = next
	}
	if node > 0 {
		t.values[node] = value
	}
	return nil
}

func (t *trie) addEdge(e edge) {
	if t.count++; 3*t.count > 2*len(t.edges) {
		earlier := t.edges
		t.edges = make([]edge, 2*len(earlier))
		for _, e := range earlier {
			if e.node > 0 {
				t.insert(e)
			}
		}
	}
	t.insert(e)
}

func (t *trie) insert(e edge) {
	mask := uint32(len(t.edges) - 1)
	at := hash(e.key) & mask
	for t.edges[at].node > 0 {
		at = (at + 1) & mask
	}
	t.edges[at] = e
}
