// Package prose finds the sentences of a text, which may be Markdown. It never fails and takes time in proportion to
// the text. All spans are byte spans of the text that was handed in, on code point boundaries.
package prose

import (
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/text/language"
	"parley/internal/text/markdown"
)

// Span is a byte span.
type Span struct{ Start, End int }

// Sentences returns the sentences of text[start:end], without the space around them. A blank line always ends one, and
// so does a short line that is followed by a capital: such lines are not wrapped prose.
func Sentences(text string, start, end int) []Span {
	return slices.Collect(EachSentence(text, start, end))
}

// EachSentence yields the sentences one at a time.
func EachSentence(text string, start, end int) iter.Seq[Span] {
	return func(yield func(Span) bool) { eachSentence(text, start, end, yield) }
}

func eachSentence(text string, start, end int, yield func(Span) bool) {
	begin, isWanted := start, true
	cut := func(at int) {
		if s, e := trimSpan(text, begin, at); e > s {
			isWanted = isWanted && yield(Span{s, e})
		}
		begin = at
	}
	line := start
	for i := start; i < end && isWanted; {
		r, n := utf8.DecodeRuneInString(text[i:end])
		i += n
		switch {
		case r == '\n':
			if endsLine(text, line, i, end) {
				cut(i)
			}
			line = i
		case isFullStop(r):
			i = skipClosingMarks(text, i, end)
			cut(i)
		case r == '.' || r == '!' || r == '?' || r == '…' || r == '؟' || r == '।' || r == '۔':
			stop := i - n
			i = skipClosingMarks(text, i, end)
			if endsSentence(text, stop, i, begin, end) {
				cut(i)
			}
		}
	}
	cut(end)
}

// isFullStop reports whether a mark ends a sentence whatever follows.
func isFullStop(r rune) bool {
	return r == '。' || r == '！' || r == '？' || r == '．' || r == '｡'
}

// skipClosingMarks passes over further marks, quotes, brackets and emphasis behind the end of a sentence.
func skipClosingMarks(text string, i, end int) int {
	for i < end {
		r, n := utf8.DecodeRuneInString(text[i:end])
		if !strings.ContainsRune(`.!?…。！？"'”’»)]*_）」』`, r) {
			break
		}
		i += n
	}
	return i
}

// endsSentence decides about a mark at stop with text going on at next.
func endsSentence(text string, stop, next, begin, end int) bool {
	if next >= end {
		return true
	}
	r, _ := utf8.DecodeRuneInString(text[next:end])
	if !unicode.IsSpace(r) {
		return false
	}
	if text[stop] == '.' && (isAbbreviation(text[begin:stop]) || isOrdinal(text[begin:stop], text[next:end])) {
		return false
	}
	rest := strings.TrimLeft(text[next:min(end, next+64)], " \t\r\n\"'“‘«([*_`„¿¡")
	after, _ := utf8.DecodeRuneInString(rest)
	if quoted := strings.ContainsAny(text[stop:next], "\"'”’»)]*_"); quoted && unicode.IsLower(after) {
		return false // the mark belongs to what is set apart: click **Forgot password?** and wait
	}
	return rest == "" || !unicode.IsLower(after) || text[stop] != '.' && unicode.IsLetter(after)
}

// isAbbreviation looks at the word before a full stop: a title, a Latin short form, an initial.
func isAbbreviation(before string) bool {
	before = before[max(0, len(before)-maxAbbreviationBytes):] // or each full stop would look at the whole sentence again
	word := before[strings.LastIndexAny(before, " \t\n(\"'“")+1:]
	if word == "" {
		return false
	}
	if utf8.RuneCountInString(word) == 1 {
		r, _ := utf8.DecodeRuneInString(word)
		return !unicode.IsLower(r) && unicode.IsLetter(r) && word != "I" || word == "v"
	}
	return abbreviations()[strings.ToLower(word)]
}

// maxAbbreviationBytes is more bytes than any abbreviation has.
const maxAbbreviationBytes = 32

var (
	abbreviations = language.Set(func(l *language.Language) language.Words { return l.Sources.Abbreviations })
	ordinalNouns  = language.Set(func(l *language.Language) language.Words { return l.Sources.OrdinalNouns })
)

// isOrdinal reports whether the full stop belongs to a German number of a day or a century: "am 8. Februar".
func isOrdinal(before, after string) bool {
	digits := len(before) - len(strings.TrimRight(before, "0123456789"))
	if digits == 0 || digits > 2 || len(before) > digits && before[len(before)-digits-1] != ' ' {
		return false
	}
	after = strings.TrimLeft(after, " \n")
	end := strings.IndexFunc(after, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		end = len(after)
	}
	return end <= maxAbbreviationBytes && ordinalNouns()[after[:end]]
}

const maxShortLineBytes = 48

// endsLine decides whether the line from start to next, and with it a sentence, ends at the line break.
func endsLine(text string, start, next, end int) bool {
	rest := strings.TrimLeft(text[next:min(end, next+64)], " \t\r")
	if rest == "" || rest[0] == '\n' {
		return true
	}
	if n, _ := markdown.ItemMarker(rest); n > 0 || rest[0] == '#' || rest[0] == '|' || rest[0] == '>' {
		return true
	}
	r, _ := utf8.DecodeRuneInString(rest)
	last := strings.TrimRight(text[start:next], " \t\r\n")
	return next-start < maxShortLineBytes && !unicode.IsLower(r) && last != "" && last[len(last)-1] != ','
}

func trimSpan(text string, start, end int) (int, int) {
	s := text[start:end]
	t := strings.TrimLeftFunc(s, unicode.IsSpace)
	start += len(s) - len(t)
	return start, start + len(strings.TrimRightFunc(t, unicode.IsSpace))
}
