package draft

import (
	"errors"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"parley"
	"parley/internal/text/words"
)

// NormalizeText makes text fit to be stored and cut: valid UTF-8 in usual letters and composed form, without control
// characters, with LF at line ends, no spaces before them, and at most one blank line at a time.
func NormalizeText(text string) string {
	text = resolveMarks(strings.ToValidUTF8(text, "\ufffd"))
	var b strings.Builder
	b.Grow(len(text))
	blank := 0
	for line := range strings.Lines(strings.NewReplacer("\r\n", "\n", "\r", "\n", "\f", "\n\n", "\v", "\n", "\u2028",
		"\n", "\u2029", "\n\n").Replace(text)) {
		line = strings.TrimRightFunc(strings.Map(PrintableRune, line), unicode.IsSpace)
		if line == "" {
			blank++
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
			if blank > 0 {
				b.WriteByte('\n')
			}
		}
		blank = 0
		b.WriteString(line)
	}
	return norm.NFC.String(words.ToStandardForm(b.String()))
}

// PrintableRune returns the usual form of a character, or -1 for one that no reader sees.
func PrintableRune(r rune) rune {
	switch {
	case r == '\t', r == '\n':
		return r
	case r == 0xa0, r == 0x202f, r == 0x2007:
		return ' '
	case r == 0x2010, r == 0x2011: // a number written with it is looked for with the usual one
		return '-'
	case r == 0xad, r == 0xfeff, r == 0x200b, r == 0x2060, r < ' ', 0x7f <= r && r < 0xa0,
		r == 0x61c, r == 0x200e, r == 0x200f, 0x202a <= r && r <= 0x202e, 0x2066 <= r && r <= 0x2069,
		0xe0000 <= r && r <= 0xe007f, r == 0xfffe, r == 0xffff:
		return -1
	case 0xe000 <= r && r <= 0xf8ff: // a font's own signs, mostly bullets
		return ' '
	}
	return r
}

// PrintableRuneOrMark is PrintableRune for a text in which raised and lowered text is marked.
func PrintableRuneOrMark(r rune) rune {
	if strings.ContainsRune(markSigns, r) {
		return r
	}
	return PrintableRune(r)
}

// ShortLine returns a text as one short line.
func ShortLine(text string) string {
	return parley.ClipBytes(CollapseSpaces(NormalizeText(text)), 200)
}

// CollapseSpaces joins the lines of a text, and writes one space between words.
func CollapseSpaces(text string) string { return strings.Join(strings.Fields(text), " ") }

// ParseSmallInt reads a small number that a file holds; it returns fallback for what is none, and limit for more than
// that.
func ParseSmallInt(s string, fallback, limit int) int {
	n, err := strconv.ParseUint(strings.TrimSpace(s), 10, 31)
	if n == 0 || err != nil && !errors.Is(err, strconv.ErrRange) {
		return fallback
	}
	return min(int(n), limit)
}
