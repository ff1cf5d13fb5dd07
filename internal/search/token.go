package search

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley"
	"parley/internal/text/words"
)

// maxTokenBytes is the most bytes of a word that are told apart.
const maxTokenBytes = 64

// token is a word of a text: folded, and cut where it is very long.
type token struct {
	word       string
	start, end int // byte span in the text
	// one character of a longer run of a script without spaces: the text has it, a query does not ask for it
	isPart bool
}

// tokens returns the words of a text: runs of letters, digits and their marks. Of scripts that are written without
// spaces they are the single characters and the pairs of neighbours; a symbol such as an emoji is a word of its own.
func tokens(text string) iter.Seq[token] {
	return func(yield func(token) bool) {
		dense := false // the rune before
		for i := 0; i < len(text); {
			r, n := utf8.DecodeRuneInString(text[i:])
			before := dense
			dense = words.IsUnspacedRune(r) && isWordRune(r)
			switch {
			case dense:
				next, m := utf8.DecodeRuneInString(text[i+n:])
				pair := words.IsUnspacedRune(next) && isWordRune(next)
				if !yieldToken(yield, text, i, i+n, before || pair) || pair && !yieldToken(yield, text, i, i+n+m, false) {
					return
				}
			case unicode.IsLetter(r), unicode.IsNumber(r):
				end := wordEnd(text, i)
				if !yieldToken(yield, text, i, end, false) {
					return
				}
				n = end - i
			case unicode.Is(unicode.So, r):
				if !yieldToken(yield, text, i, i+n, false) {
					return
				}
			}
			i += n
		}
	}
}

func yieldToken(yield func(token) bool, text string, start, end int, part bool) bool {
	word := parley.ClipBytes(foldWord(text[start:end]), maxTokenBytes)
	return word == "" || yield(token{word, start, end, part})
}

// wordEnd returns the end of the word that begins at i.
func wordEnd(text string, i int) int {
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !isWordRune(r) || words.IsUnspacedRune(r) {
			break
		}
		i += n
	}
	return i
}

func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r))
}

// foldWord is words.Fold that does nothing to a word which is folded already.
func foldWord(s string) string {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			return words.Fold(s)
		}
	}
	return s
}

// queryWords returns the distinct words that a query asks for, in its order.
func queryWords(query string) []string {
	var list []string
	seen := map[string]bool{}
	for t := range tokens(query) {
		if !t.isPart && !seen[t.word] {
			seen[t.word] = true
			list = append(list, t.word)
		}
	}
	return list
}

// maxDistinctBytes bounds the bytes of a message's distinct words: PostgreSQL keeps no more of one row.
const maxDistinctBytes = 800_000

// distinctWords returns the distinct words of a text, in its order.
func distinctWords(text string) []string {
	var list []string
	seen, size := map[string]bool{}, 0
	for t := range tokens(text) {
		if seen[t.word] {
			continue
		}
		if size += len(t.word) + 1; size > maxDistinctBytes {
			break
		}
		seen[t.word] = true
		list = append(list, strings.Clone(t.word))
	}
	return list
}
