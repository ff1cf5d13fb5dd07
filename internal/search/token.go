package search

import (
	"iter"
	"slices"
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
	isSign bool // the name of a sign, such as that of a currency
	isForm bool // another form of a word, or of several
}

// tokens returns the words of a text: runs of letters, digits and their marks, with the signs that belong to them as in
// "C++". Of scripts that are written without spaces they are the single characters and the pairs of neighbours; a
// symbol such as an emoji is a word of its own, and the sign of a currency beside digits is its name.
func tokens(text string) iter.Seq[token] {
	return func(yield func(token) bool) {
		dense := false // the rune before
		for i := 0; i < len(text); {
			r, n := words.DecodeRune(text, i)
			before := dense
			dense = words.IsUnspacedRune(r) && isWordRune(r)
			switch {
			case dense:
				next, m := decodeNext(text, i+n)
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
			default:
				name, end := words.SignWord(text, i)
				switch {
				case name != "":
					if n = end - i; !yield(token{word: encodeSigns(name), start: i, end: end, isSign: true}) {
						return
					}
				case unicode.Is(unicode.So, r):
					if !yieldToken(yield, text, i, i+n, false) {
						return
					}
				}
			}
			i += n
		}
	}
}

func decodeNext(text string, i int) (rune, int) {
	if i >= len(text) {
		return utf8.RuneError, 0
	}
	return words.DecodeRune(text, i)
}

func yieldToken(yield func(token) bool, text string, start, end int, part bool) bool {
	word := parley.ClipBytes(encodeSigns(foldWord(text[start:end])), maxTokenBytes)
	return word == "" || yield(token{word: word, start: start, end: end, isPart: part})
}

// wordEnd returns the end of the word that begins at i.
func wordEnd(text string, i int) int {
	start := i
	for i < len(text) {
		r, n := words.DecodeRune(text, i)
		if !isWordRune(r) || words.IsUnspacedRune(r) {
			end := words.JoinedEnd(text, i)
			if end == i {
				break
			}
			i, n = end, 0
		}
		i += n
	}
	return words.SignsEnd(text, start, i)
}

// signCodes are what stands for the signs of words in the index: databases would part words at the signs.
var signCodes = strings.NewReplacer("+", "\ue001", "#", "\ue002", "&", "\ue003", ".", "\ue004")

func encodeSigns(word string) string {
	if !strings.ContainsAny(word, "+#&.") {
		return word
	}
	return signCodes.Replace(word)
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

// queryWord is a word that a query asks for: a conversation must hold one of its forms.
type queryWord struct {
	forms []string // the first is the word itself
}

// queryWords returns the distinct words that a query asks for, in its order.
func queryWords(query string) []queryWord {
	list := wordsWithForms(query, slices.Collect(tokens(query)))
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(w queryWord) bool {
		key := strings.Join(w.forms, " ")
		isSeen := seen[key]
		seen[key] = true
		return isSeen
	})
}

func wordsWithForms(query string, all []token) (list []queryWord) {
	at := make([]int, len(all)) // of the tokens in list
	for i, t := range all {
		at[i] = -1
		if !t.isPart {
			at[i] = len(list)
			list = append(list, queryWord{forms: append([]string{t.word}, otherSpellings(query, t)...)})
		}
	}
	for f := range joinedForms(query, all) {
		for i := f.first; i <= f.last; i++ {
			if w := at[i]; w >= 0 && !slices.Contains(list[w].forms, f.word) {
				list[w].forms = append(list[w].forms, f.word)
			}
		}
	}
	return list
}

// otherSpellings returns the words that say the same as a word of a query.
func otherSpellings(query string, t token) (list []string) {
	for _, names := range currencies {
		if slices.Contains(names, t.word) {
			return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == t.word })
		}
	}
	if spelled := spellUmlauts(query[t.start:t.end]); spelled != "" {
		list = append(list, spelled)
	}
	return list
}

// currencies are the names and codes of some currencies; the index holds the first for the sign.
var currencies = [][]string{{"dollar", "dollars", "usd"}, {"euro", "euros", "eur"}, {"pound", "pounds", "gbp"}}

// withOldTokens lets the words find what was put into the index before signs belonged to words.
func withOldTokens(list []queryWord) (old []queryWord) {
	for _, w := range list {
		plain := strings.Trim(w.forms[0], "\ue001\ue002\ue003\ue004")
		if plain, _, _ = strings.Cut(plain, "\ue003"); plain != w.forms[0] {
			w.forms = append(slices.Clone(w.forms), plain)
		}
		old = append(old, w)
	}
	return old
}

// distinctForms returns the forms of all words, each once.
func distinctForms(list []queryWord) (all []string) {
	seen := map[string]bool{}
	for _, w := range list {
		for _, form := range w.forms {
			if !seen[form] {
				seen[form] = true
				all = append(all, form)
			}
		}
	}
	return all
}

// maxDistinctBytes bounds the bytes of a message's distinct words: PostgreSQL keeps no more of one row.
const maxDistinctBytes = 800_000

// distinctWords returns the distinct words of a text and their other forms, in its order.
func distinctWords(text string) []string {
	var list []string
	seen, size := map[string]bool{}, 0
	add := func(word string) (isFull bool) {
		if seen[word] {
			return false
		}
		if size += len(word) + 1; size > maxDistinctBytes {
			return true
		}
		seen[word] = true
		list = append(list, strings.Clone(word))
		return false
	}
	for t := range tokensWithForms(text) {
		if add(t.word) {
			break
		}
	}
	return list
}
