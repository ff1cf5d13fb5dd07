package tokenizer

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// splitSpaces splits at spaces, which it removes.
func splitSpaces(part string, _ bool, words []string) []string {
	start := -1
	for i, r := range part {
		switch {
		case isSpace(r) && start >= 0:
			words, start = append(words, part[start:i]), -1
		case !isSpace(r) && start < 0:
			start = i
		}
	}
	if start >= 0 {
		words = append(words, part[start:])
	}
	return words
}

func isSpace(r rune) bool {
	return r == ' ' || r >= utf8.RuneSelf && unicode.IsSpace(r) || r >= '\t' && r <= '\r'
}

// splitBERT splits at spaces, which it removes, and at punctuation, each of which is a word.
func splitBERT(part string, _ bool, words []string) []string {
	start := -1 // of a word; below 0 between words
	end := func(at int) {
		if start >= 0 {
			words, start = append(words, part[start:at]), -1
		}
	}
	for i, r := range part {
		switch {
		case isSpace(r):
			end(i)
		case isPunctuation(r):
			end(i)
			words = append(words, part[i:i+utf8.RuneLen(r)])
		case start < 0:
			start = i
		}
	}
	end(len(part))
	return words
}

// splitPunctuation makes a word of each punctuation character.
func splitPunctuation(part string, _ bool, words []string) []string {
	return isolate(part, isPunctuation, words)
}

// isolate makes a word of each character of a kind, and of what is between them.
func isolate(part string, isOfKind func(rune) bool, words []string) []string {
	start := 0
	for i, r := range part {
		if !isOfKind(r) {
			continue
		}
		if start < i {
			words = append(words, part[start:i])
		}
		start = i + utf8.RuneLen(r)
		words = append(words, part[i:start])
	}
	if start < len(part) {
		words = append(words, part[start:])
	}
	return words
}

// isPunctuation goes by BERT, which counts all of ASCII's signs.
func isPunctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= '!' && r <= '/' || r >= ':' && r <= '@' || r >= '[' && r <= '`' || r >= '{' && r <= '~'
	}
	return unicode.IsPunct(r)
}

// splitRuns makes a word of each run of letters and digits, and of each run of other signs; spaces are removed.
func splitRuns(part string, _ bool, words []string) []string {
	const space, wordSign, otherSign = 0, 1, 2
	kind := func(r rune) int {
		switch {
		case isSpace(r):
			return space
		case r == '_' || unicode.IsLetter(r) || unicode.In(r, unicode.M, unicode.N, unicode.Pc):
			return wordSign
		}
		return otherSign
	}
	start, current := 0, space
	for i, r := range part {
		next := kind(r)
		if next == current {
			continue
		}
		if current != space {
			words = append(words, part[start:i])
		}
		start, current = i, next
	}
	if current != space {
		words = append(words, part[start:])
	}
	return words
}

// splitDigits makes a word of each digit, or of each run of digits.
func splitDigits(single bool) splitter {
	if single {
		return func(part string, _ bool, words []string) []string { return isolate(part, unicode.IsNumber, words) }
	}
	return func(part string, _ bool, words []string) []string {
		start := 0
		wasDigit := false
		for i, r := range part {
			if isDigit := unicode.IsNumber(r); i > 0 && isDigit != wasDigit {
				words = append(words, part[start:i])
				start = i
			}
			wasDigit = unicode.IsNumber(r)
		}
		if start < len(part) {
			words = append(words, part[start:])
		}
		return words
	}
}

// metaspace writes a sign in place of each space, one before the text where it is wanted, and splits before the signs.
type metaspace struct {
	sign               string
	prefixes           bool // a part that does not begin with the sign
	prefixesFirst      bool // likewise, of a text's parts the first one alone
	keepsWordsTogether bool
}

func (m metaspace) split(part string, isFirst bool, words []string) []string {
	if part == "" {
		return words
	}
	part = strings.ReplaceAll(part, " ", m.sign)
	if (m.prefixes || m.prefixesFirst && isFirst) && !strings.HasPrefix(part, m.sign) {
		part = m.sign + part
	}
	if m.keepsWordsTogether {
		return append(words, part)
	}
	for part != "" {
		end := len(part)
		if i := strings.Index(part[1:], m.sign); i >= 0 {
			end = i + 1
		}
		words, part = append(words, part[:end]), part[end:]
	}
	return words
}

// splitPattern splits at what a pattern finds: what is found is removed, or is a word.
func splitPattern(pattern *regexp.Regexp, removes, inverts bool) splitter {
	return func(part string, _ bool, words []string) []string {
		add := func(text string, isMatch bool) {
			if text != "" && !(removes && isMatch != inverts) {
				words = append(words, text)
			}
		}
		start := 0
		for _, m := range pattern.FindAllStringIndex(part, -1) {
			add(part[start:m[0]], false)
			add(part[m[0]:m[1]], true)
			start = m[1]
		}
		add(part[start:], false)
		return words
	}
}
