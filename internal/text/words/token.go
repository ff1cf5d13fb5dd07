package words

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

// Token is a word of a text. In scripts written without spaces every pair of neighbouring characters is a token, and
// the last character of a run is one more.
type Token struct {
	Word       string // folded
	Start, End int    // byte span in the text
	Unspaced   bool   // of a script without spaces between words
}

// Tokens returns the words of the text in order: runs of letters and digits. A number keeps its inner points ("6.15.0")
// and loses the commas that group its digits ("1,000" is "1000"). Signs that make another word of a letter are kept
// ("C++", "C#", ".NET", "AT&T"), the apostrophe of "O'Brien" is left out, and the sign of a currency beside digits is
// the currency's name. The targets of Markdown links are passed over.
func Tokens(text string) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		var buf [64]byte
		eachToken(text, buf[:0], func(b []byte, from int, t Token) ([]byte, bool) {
			t.Word = string(b[from:])
			return b[:0], yield(t)
		})
	}
}

// AppendTokens returns the tokens of the text, appended to what is handed in. All words share one string.
func AppendTokens(into []Token, text string) []Token {
	first := len(into)
	var ends []int
	folded := eachToken(text, make([]byte, 0, len(text)+len(text)/8), func(b []byte, _ int, t Token) ([]byte, bool) {
		into, ends = append(into, t), append(ends, len(b))
		return b, true
	})
	all, from := string(folded), 0
	for i, end := range ends {
		into[first+i].Word, from = all[from:end], end
	}
	return into
}

// eachToken appends the folded words of the text to b, one after another. It hands every one on with where it begins in
// b, and goes on with the bytes it gets back.
func eachToken(text string, b []byte, word func(b []byte, from int, t Token) ([]byte, bool)) []byte {
	for i, more := 0, true; i < len(text) && more; {
		r, n := decodeRune(text, i)
		from := len(b)
		switch {
		case r == ']':
			i += linkTargetLength(text[i:])
		case !isWordRune(r):
			if name, end := signWord(text, i, r); name != "" {
				b, more = word(append(b, name...), from, Token{Start: i, End: end})
				n = end - i
			}
			i += n
		case IsUnspacedRune(r):
			end := i + n
			b = appendFolded(b, r)
			if next, m := decodeNext(text, end); IsUnspacedRune(next) {
				b, end = appendFolded(b, next), end+m
			}
			b, more = word(b, from, Token{Start: i, End: end, Unspaced: true})
			i += n
		default:
			var end int
			if b, end = foldWord(b, text, i); len(b) > from {
				b, more = word(b, from, Token{Start: i, End: end})
			}
			i = end
		}
	}
	return b
}

// foldedASCII holds the letters and digits of ASCII as they are folded.
var foldedASCII = func() (table [256]byte) {
	for c := byte(0); c < utf8.RuneSelf; c++ {
		if isWordRune(rune(c)) {
			table[c] = appendFolded(nil, rune(c))[0]
		}
	}
	return table
}()

// foldedLetters holds the letters and digits of most alphabets that are folded into one letter.
var foldedLetters = func() (table [0x2000]rune) {
	for r := range rune(len(table)) {
		if !isWordRune(r) || IsUnspacedRune(r) {
			continue
		}
		if letter, n := utf8.DecodeRune(appendFolded(nil, r)); n > 0 && n == len(appendFolded(nil, r)) {
			table[r] = letter
		}
	}
	return table
}()

func foldWord(b []byte, text string, i int) ([]byte, int) {
	start := i
	for i < len(text) {
		if c := foldedASCII[text[i]]; c != 0 {
			b = append(b, c)
			i++
			continue
		}
		r, n := decodeRune(text, i)
		switch {
		case uint32(r) < uint32(len(foldedLetters)) && foldedLetters[r] != 0:
			b = utf8.AppendRune(b, foldedLetters[r])
		case isWordRune(r) && !IsUnspacedRune(r):
			b = appendFolded(b, r)
		case (r == '.' || r == ',') && betweenDigits(text, i):
			if r == '.' {
				b = append(b, '.')
			}
		default:
			end := ignoredEnd(text, i)
			if end == i {
				return appendSigns(b, text, start, i)
			}
			i, n = end, 0
		}
		i += n
	}
	return b, i
}

// decodeRune returns the character at i, put together where it is written as several.
func decodeRune(text string, i int) (rune, int) {
	if c := text[i]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	r, n := utf8.DecodeRuneInString(text[i:])
	if n < len(text)-i && mayBeComposed(r) {
		return composeRune(text[i:], r, n)
	}
	return r, n
}

func decodeNext(text string, i int) (rune, int) {
	if i >= len(text) {
		return 0, 0
	}
	return decodeRune(text, i)
}

func betweenDigits(text string, i int) bool {
	return i > 0 && i+1 < len(text) && isDigit(text[i-1]) && isDigit(text[i+1])
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || isRadical(r))
}

// isRadical reports whether a character is a radical, which files for printing hold instead of a character.
func isRadical(r rune) bool { return r >= 0x2E80 && r <= 0x2FDF }

// IsUnspacedRune reports whether r belongs to a script that is written without spaces between words, or whose words are
// so short in characters that pairs of characters tell them apart: Chinese, Japanese, Korean, Thai, Lao, Khmer,
// Burmese.
func IsUnspacedRune(r rune) bool {
	switch {
	case r < 0xE00:
		return false
	case r <= 0xEFF, r >= 0x1000 && r <= 0x109F, r >= 0x1780 && r <= 0x17FF:
		return true
	case isRadical(r), r >= 0x3040 && r <= 0x30FF, r >= 0x31F0 && r <= 0x31FF, r >= 0x3400 && r <= 0x4DBF,
		r >= 0x4E00 && r <= 0x9FFF:
		return true
	}
	return r >= 0xAC00 && r <= 0xD7A3 || r >= 0xF900 && r <= 0xFAFF || r >= 0xFF66 && r <= 0xFF9F || r >= 0x20000 &&
		r <= 0x3FFFF
}

// IsUnspaced reports whether the word of a token is of a script without spaces between words.
func IsUnspaced(word string) bool {
	r, _ := decodeNext(word, 0)
	return IsUnspacedRune(r)
}

// maxTargetBytes bounds the search for the end of a link's target.
const maxTargetBytes = 500

// linkTargetLength returns how much to pass over at a closing bracket: "](target)" or the bracket alone.
func linkTargetLength(s string) int {
	if len(s) < 3 || s[1] != '(' {
		return 1
	}
	s = s[:min(len(s), maxTargetBytes)]
	for i := 2; i < len(s); i++ {
		switch s[i] {
		case ')':
			return i + 1
		case ' ', '\n', ']':
			return 1
		}
	}
	return 1
}

// Grams appends the hashes of the word's 4-character stretches, with its two edges as characters: "_word_" has _wor,
// word and ord_. A shorter word is one stretch. In scripts without spaces they are the first character, and the pair.
func Grams(into []uint64, word string) []uint64 {
	if first, n := decodeNext(word, 0); IsUnspacedRune(first) {
		into = append(into, hash4(0, 0, first, 2))
		if second, _ := decodeNext(word, n); second != 0 {
			into = append(into, hash4(0, first, second, 1))
		}
		return into
	}
	const edge = '_'
	var a, b, c rune = 0, 0, edge
	count := 1
	push := func(r rune) {
		count++
		if count >= 4 {
			into = append(into, hash4(a, b, c, r))
		}
		a, b, c = b, c, r
	}
	for i := 0; i < len(word); {
		r, n := decodeRune(word, i)
		push(r)
		i += n
	}
	push(edge)
	if count < 4 {
		into = append(into, hash4(a, b, c, 0))
	}
	return into
}

// Hash returns a 64-bit hash that is the same on every machine and in every run, because results must not depend on
// either.
func Hash(s string) uint64 {
	h := uint64(hashOffset)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * hashPrime
	}
	return mixBits(h)
}

// The numbers of the hash FNV-1a.
const (
	hashOffset = 14695981039346656037
	hashPrime  = 1099511628211
)

func hash4(a, b, c, d rune) uint64 {
	const prime = 0x9E3779B97F4A7C15
	h := uint64(uint32(a))
	h = h*prime + uint64(uint32(b))
	h = h*prime + uint64(uint32(c))
	h = h*prime + uint64(uint32(d))
	return mixBits(h)
}

func mixBits(h uint64) uint64 {
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	h ^= h >> 32
	return h
}
