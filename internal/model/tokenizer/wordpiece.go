package tokenizer

import "unicode/utf8"

// wordPiece cuts a word into the longest piece that it begins with, then the longest one that goes on there, and so on.
// A word of which a part has no piece is unknown as a whole.
type wordPiece struct {
	pieces       *trie
	continuation uint32 // node where the pieces begin that go on within a word; 0 if there are none
	unknown      int32
	maxRunes     int // of a word that is looked at; longer ones are unknown
}

// setContinuation sets what the pieces begin with that go on within a word; empty if there are none.
func (m *wordPiece) setContinuation(prefix string) { m.continuation = m.pieces.walk(prefix) }

func (m *wordPiece) unknownID() int32 { return m.unknown }

func (m *wordPiece) encode(word string, ids []int32, _ *scratch) []int32 {
	if word == "" {
		return ids
	}
	first := len(ids)
	if len(word) > m.maxRunes && utf8.RuneCountInString(word) > m.maxRunes {
		return m.appendUnknown(ids)
	}
	node := uint32(0)
	for start := 0; start < len(word); {
		id, length := m.longest(node, word[start:])
		if length == 0 {
			return m.appendUnknown(ids[:first])
		}
		ids = append(ids, id)
		if start += length; start < len(word) && m.continuation == 0 {
			return m.appendUnknown(ids[:first])
		}
		node = m.continuation
	}
	return ids
}

// longest returns the longest piece at the beginning of a text, below a node of the trie; its length is 0 if there is
// none.
func (m *wordPiece) longest(node uint32, text string) (id int32, length int) {
	for i := range len(text) {
		if node = m.pieces.child(node, text[i]); node == 0 {
			break
		}
		if value := m.pieces.values[node]; value != noPiece {
			id, length = value, i+1
		}
	}
	return id, length
}

func (m *wordPiece) appendUnknown(ids []int32) []int32 {
	if m.unknown < 0 {
		return ids
	}
	return append(ids, m.unknown)
}
