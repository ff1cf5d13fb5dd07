// Package tokenizer cuts texts into the pieces that embedding models know, and returns their numbers. It reads
// tokenizer.json, the file of the tokenizers library, with the models WordPiece, WordLevel and Unigram, and vocab.txt,
// the older list of pieces of BERT. What a file asks for and is not known here is an error when the file is read.
//
// Unlike the library it takes names of special pieces, such as [SEP], for words where they occur in a text: a text that
// somebody has written cannot end itself.
package tokenizer

import (
	"strings"
	"unicode/utf8"
)

const (
	bytesOfPiece       = 64      // of a text that are looked at for each piece that is wanted
	maxNormalizedBytes = 1 << 20 // of a text after each normalizer
)

// Tokenizer cuts texts into pieces. It may be used by any number of goroutines.
type Tokenizer struct {
	normalizers []normalizer
	splitters   []splitter
	model       pieceModel
	prefix      []int32 // before each text
	suffix      []int32 // and after it
	highest     int32   // number of a piece
}

// normalizer changes a text before it is split.
type normalizer func(text string) string

// splitter splits a part of a text into words, which it appends.
type splitter func(part string, isFirst bool, words []string) []string

// pieceModel cuts words into pieces.
type pieceModel interface {
	// encode appends the numbers of a word's pieces.
	encode(word string, ids []int32, scratch *scratch) []int32

	// unknownID returns the number that stands for what has no piece; below 0 if there is none.
	unknownID() int32
}

// scratch is memory that is used again for the words of a text.
type scratch struct{ cells []cell }

// HighestID returns the highest number of a piece.
func (t *Tokenizer) HighestID() int { return int(t.highest) }

// Encode returns the numbers of a text's pieces with those that the model wants around them, at most limit.
func (t *Tokenizer) Encode(text string, limit int) []int32 {
	limit -= len(t.prefix) + len(t.suffix)
	ids := append(make([]int32, 0, 64), t.prefix...)
	return append(t.appendPieces(ids, text, max(0, limit), false), t.suffix...)
}

// EncodeKnown returns the numbers of the pieces of a text that have one, at most limit, and nothing around them.
func (t *Tokenizer) EncodeKnown(text string, limit int) []int32 {
	return t.appendPieces(make([]int32, 0, 64), text, max(0, limit), true)
}

func (t *Tokenizer) appendPieces(ids []int32, text string, limit int, skipsUnknown bool) []int32 {
	var s scratch
	first := len(ids)
	for _, word := range t.words(clip(text, limit*bytesOfPiece)) {
		start := len(ids)
		ids = t.model.encode(word, ids, &s)
		if skipsUnknown {
			ids = removeID(ids, start, t.model.unknownID())
		}
		if len(ids)-first >= limit {
			return ids[:first+limit]
		}
	}
	return ids
}

// words returns the words of a text as the model is to cut them.
func (t *Tokenizer) words(text string) []string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	for _, normalize := range t.normalizers {
		text = clip(normalize(text), maxNormalizedBytes)
	}
	words := []string{text}
	for _, split := range t.splitters {
		var parts []string
		for i, word := range words {
			parts = split(word, i == 0, parts)
		}
		words = parts
	}
	return words
}

// removeID removes a number from the list, from a place on.
func removeID(ids []int32, start int, id int32) []int32 {
	remaining := ids[:start]
	for _, other := range ids[start:] {
		if other != id {
			remaining = append(remaining, other)
		}
	}
	return remaining
}

// clip returns the beginning of a text, whole characters of it.
func clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}
