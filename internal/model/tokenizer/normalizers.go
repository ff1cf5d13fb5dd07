package tokenizer

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// bertNormalizer is what BERT does with a text before it is split.
type bertNormalizer struct {
	cleans, separatesIdeographs, stripsAccents, lowers bool
}

func (n bertNormalizer) normalize(text string) string {
	if isASCII(text) {
		return n.normalizeASCII(text)
	}
	if n.cleans {
		text = strings.Map(cleanRune, text)
	}
	if n.separatesIdeographs {
		text = separateIdeographs(text)
	}
	if n.stripsAccents {
		text = stripAccents(norm.NFD.String(text))
	}
	if n.lowers {
		text = strings.ToLower(text)
	}
	return text
}

// normalizeASCII does the same with what has neither accents nor ideographs.
func (n bertNormalizer) normalizeASCII(text string) string {
	out := make([]byte, 0, len(text))
	for i := range len(text) {
		c := text[i]
		if n.cleans {
			switch {
			case c == '\t' || c == '\n' || c == '\r':
				c = ' '
			case c < ' ' || c == 0x7f:
				continue
			}
		}
		if n.lowers && 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		out = append(out, c)
	}
	return string(out)
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// cleanRune returns a character as it is after cleaning; below 0 for one that is removed.
func cleanRune(r rune) rune {
	switch {
	case r == '\t' || r == '\n' || r == '\r':
		return ' '
	case r == utf8.RuneError || unicode.Is(unicode.C, r):
		return -1
	case unicode.IsSpace(r):
		return ' '
	}
	return r
}

// ideographs are the blocks of which BERT takes each character for a word.
var ideographs = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0x3400, Hi: 0x4dbf, Stride: 1}, {Lo: 0x4e00, Hi: 0x9fff, Stride: 1},
		{Lo: 0xf900, Hi: 0xfaff, Stride: 1}},
	R32: []unicode.Range32{{Lo: 0x20000, Hi: 0x2a6df, Stride: 1}, {Lo: 0x2a700, Hi: 0x2b73f, Stride: 1},
		{Lo: 0x2b740, Hi: 0x2b81f, Stride: 1}, {Lo: 0x2b920, Hi: 0x2ceaf, Stride: 1},
		{Lo: 0x2f800, Hi: 0x2fa1f, Stride: 1}},
}

func separateIdeographs(text string) string {
	var out strings.Builder
	for _, r := range text {
		if !unicode.Is(ideographs, r) {
			out.WriteRune(r)
			continue
		}
		out.WriteByte(' ')
		out.WriteRune(r)
		out.WriteByte(' ')
	}
	return out.String()
}

// stripAccents removes the marks that are written over and under letters.
func stripAccents(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, text)
}

// normalizeNMT removes the control characters that SentencePiece removes, and makes spaces of others.
func normalizeNMT(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 1 && r <= 8, r == 0xb, r >= 0xe && r <= 0x1f, r == 0x7f, r == 0x8f, r == 0x9f:
			return -1
		case r == '\t', r == '\n', r == '\f', r == '\r', r == 0x1680, r >= 0x200b && r <= 0x200f, r == 0x2028,
			r == 0x2029, r == 0x2581, r == 0xfeff, r == utf8.RuneError:
			return ' '
		}
		return r
	}, text)
}

// stripSpaces returns the normalizer that removes spaces at the ends.
func stripSpaces(left, right bool) normalizer {
	return func(text string) string {
		if left {
			text = strings.TrimLeftFunc(text, unicode.IsSpace)
		}
		if right {
			text = strings.TrimRightFunc(text, unicode.IsSpace)
		}
		return text
	}
}

func prepend(prefix string) normalizer {
	return func(text string) string {
		if text == "" {
			return text
		}
		return prefix + text
	}
}
