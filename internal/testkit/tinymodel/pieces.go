package tinymodel

import (
	"strings"
	"unicode"
)

// Pieces returns the numbers of the pieces of a text in ASCII, with what the model wants around them, at most limit.
func (m *Transformer) Pieces(text string, limit int) []int32 {
	ids := map[string]int32{}
	for id, piece := range m.Vocabulary {
		ids[piece] = int32(id)
	}
	list := []int32{ids["[CLS]"]}
	for _, word := range words(strings.ToLower(text)) {
		list = append(list, cut(word, ids)...)
	}
	return append(list[:min(len(list), limit-1)], ids["[SEP]"])
}

// words splits a text at spaces and makes a word of each sign that is neither a letter nor a digit.
func words(text string) (list []string) {
	for _, word := range strings.Fields(text) {
		for word != "" {
			end := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
			switch {
			case end < 0:
				end = len(word)
			case end == 0:
				end = 1
			}
			list, word = append(list, word[:end]), word[end:]
		}
	}
	return list
}

// cut takes the longest piece at the beginning of what is left, again and again.
func cut(word string, ids map[string]int32) (list []int32) {
	for start := 0; start < len(word); {
		end := len(word)
		for ; end > start; end-- {
			piece := word[start:end]
			if start > 0 {
				piece = "##" + piece
			}
			if id, ok := ids[piece]; ok {
				list = append(list, id)
				break
			}
		}
		if end == start {
			return []int32{ids["[UNK]"]}
		}
		start = end
	}
	return list
}
