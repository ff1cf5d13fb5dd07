package cite

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"parley/internal/text/language"
)

// How far the reading of a marker came.
type markerState byte

const (
	markerInvalid markerState = iota // no marker, whatever follows
	markerPartial                    // may become one
	markerComplete
)

// markerBrackets are the brackets of markers, and those that stand for them where a source's own text has such a thing.
var markerBrackets = map[rune]rune{'[': ']', '【': '】', escapedOpen: escapedClose, escapedOpenWide: escapedCloseWide}

const (
	escapedOpen      = '⟦'
	escapedClose     = '⟧'
	escapedOpenWide  = '〖'
	escapedCloseWide = '〗'
)

// markerWords are what some models write before the number.
var markerWords = sync.OnceValue(func() (list []string) {
	for _, l := range language.All() {
		list = slices.AppendSeq(list, l.Models.MarkerWords.All())
	}
	return list
})

// maxMarkerRange bounds what [1-9] stands for.
const maxMarkerRange = 12

// parseMarker reads a marker such as [1], [1, 2], [1-3], [^1], [source 2], 【1】 or 【1†name】 from the beginning of its
// text. Numbers are from 1 to 99: longer ones are years and the like.
func parseMarker(text string) (list []int, state markerState) {
	open, n := utf8.DecodeRuneInString(text)
	closing, rest := markerBrackets[open], text[n:]
	for first := true; ; first = false {
		var number int
		if number, rest, state = parseMarkerNumber(rest, first); state != markerComplete {
			return nil, state
		}
		list = append(list, number)
		sign, n := utf8.DecodeRuneInString(rest)
		switch rest = rest[n:]; {
		case n == 0:
			return nil, markerPartial
		case sign == closing:
			return list, completeIfEmpty(rest)
		case sign == '†':
			return list, parseDaggerName(rest, closing)
		case strings.ContainsRune("-–—", sign):
			upTo, behind, state := parseMarkerNumber(rest, false)
			if state != markerComplete {
				return nil, state
			}
			for between := number + 1; between < upTo && between <= number+maxMarkerRange; between++ {
				list = append(list, between)
			}
			list = append(list, upTo)
			sign, n = utf8.DecodeRuneInString(behind)
			switch rest = behind[n:]; {
			case n == 0:
				return nil, markerPartial
			case sign == closing:
				return list, completeIfEmpty(rest)
			}
		}
		if !strings.ContainsRune(",;&、，", sign) {
			return nil, markerInvalid
		}
	}
}

func completeIfEmpty(rest string) markerState {
	if rest != "" {
		return markerInvalid
	}
	return markerComplete
}

// parseDaggerName passes over the name behind a number.
func parseDaggerName(rest string, closing rune) markerState {
	i := strings.IndexRune(rest, closing)
	switch {
	case i < 0 && !strings.ContainsAny(rest, "\n["):
		return markerPartial
	case i < 0:
		return markerInvalid
	}
	return completeIfEmpty(rest[i+utf8.RuneLen(closing):])
}

// parseMarkerNumber reads one number with the spaces around it and the word before it.
func parseMarkerNumber(text string, first bool) (n int, rest string, state markerState) {
	rest = strings.TrimLeft(text, " ")
	if first && (strings.HasPrefix(rest, "^") || strings.HasPrefix(rest, "#")) {
		rest = rest[1:]
	}
	word := rest[:len(rest)-len(strings.TrimLeftFunc(rest, unicode.IsLetter))]
	behind := rest[len(word):]
	if word != "" && !slices.ContainsFunc(markerWords(), func(w string) bool {
		return strings.EqualFold(w, word) || behind == "" && len(w) > len(word) && strings.EqualFold(w[:len(word)], word)
	}) {
		return 0, "", markerInvalid
	}
	rest = strings.TrimLeft(behind, " ")
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	for _, c := range rest[:digits] {
		n = n*10 + int(c-'0')
		if n > 99 {
			return 0, "", markerInvalid
		}
	}
	switch {
	case rest == "" || digits == len(rest) && (n > 0 || digits == 1):
		return n, "", partialUnless(digits > 0 && n == 0)
	case digits == 0 || n == 0:
		return 0, "", markerInvalid
	}
	return n, strings.TrimLeft(rest[digits:], " "), markerComplete
}

func partialUnless(broken bool) markerState {
	if broken {
		return markerInvalid
	}
	return markerPartial
}

// MarkerLength returns the bytes of the marker that the text begins with, 0 if there is none. A Markdown link is
// none.
func MarkerLength(text string) int {
	text = text[:min(len(text), maxMarkerBytes+4)]
	for i, c := range text {
		if c != ']' && c != '】' {
			continue
		}
		end := i + utf8.RuneLen(c)
		if _, state := parseMarker(text[:end]); state == markerComplete && !strings.HasPrefix(text[end:], "(") {
			return end
		}
		return 0
	}
	return 0
}

var markerEscaper = strings.NewReplacer("[", string(escapedOpen), "]", string(escapedClose), "【",
	string(escapedOpenWide), "】", string(escapedCloseWide))

var markerUnescaper = strings.NewReplacer(string(escapedOpen), "[", string(escapedClose), "]", string(escapedOpenWide),
	"【", string(escapedCloseWide), "】")

// EscapeMarker writes a marker of a source's text so that it cannot be taken for the number of a source.
func EscapeMarker(mark string) string { return markerEscaper.Replace(mark) }

func unescapeMarker(mark string) string { return markerUnescaper.Replace(mark) }

func isEscapedMarker(mark []byte) bool {
	c, _ := utf8.DecodeRune(mark)
	return c == escapedOpen || c == escapedOpenWide
}

// CodeTracker tracks whether a text is inside Markdown code, where brackets mean something else.
type CodeTracker struct {
	tickRun   int // backticks in a row just now
	openTicks int // backticks that opened the code, 0 outside
}

func (t *CodeTracker) IsInside() bool {
	if t.tickRun > 0 {
		return t.openTicks == 0 || t.tickRun < t.openTicks
	}
	return t.openTicks > 0
}

// IsInTicks reports whether the last character was a backtick.
func (t *CodeTracker) IsInTicks() bool { return t.tickRun > 0 }

func (t *CodeTracker) Advance(c rune) {
	if c == '`' {
		t.tickRun++
		return
	}
	if t.tickRun > 0 {
		switch {
		case t.openTicks == 0:
			t.openTicks = t.tickRun
		case t.tickRun >= t.openTicks:
			t.openTicks = 0
		}
		t.tickRun = 0
	}
	if c == '\n' && t.openTicks < 3 {
		t.openTicks = 0 // a stray backtick does not hide the rest of the answer
	}
}
