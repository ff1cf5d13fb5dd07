package llm

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How far the reading of a marker came.
type markState byte

const (
	markBroken markState = iota // no marker, whatever follows
	markOpen                    // may become one
	markWhole
)

// markBrackets are the brackets of markers, and those that stand for them where a source's own text has such a thing.
var markBrackets = map[rune]rune{'[': ']', '【': '】', shieldOpen: shieldClose, shieldOpenWide: shieldCloseWide}

const (
	shieldOpen      = '⟦'
	shieldClose     = '⟧'
	shieldOpenWide  = '〖'
	shieldCloseWide = '〗'
)

// markWords are what some models write before the number.
var markWords = []string{"source", "sources", "passage", "passages", "ref", "doc", "quelle", "quellen", "fuente", "fuentes", "fonte", "fonti", "来源", "来源："}

// mostInRange bounds what [1-9] stands for.
const mostInRange = 12

// readMark reads a marker such as [1], [1, 2], [1-3], [^1], [source 2], 【1】 or 【1†name】 from the beginning of its text. Numbers
// are from 1 to 99: longer ones are years and the like.
func readMark(text string) (list []int, state markState) {
	open, n := utf8.DecodeRuneInString(text)
	closing, rest := markBrackets[open], text[n:]
	for first := true; ; first = false {
		var number int
		if number, rest, state = markNumber(rest, first); state != markWhole {
			return nil, state
		}
		list = append(list, number)
		sign, n := utf8.DecodeRuneInString(rest)
		switch rest = rest[n:]; {
		case n == 0:
			return nil, markOpen
		case sign == closing:
			return list, wholeUnless(rest)
		case sign == '†':
			return list, dagger(rest, closing)
		case strings.ContainsRune("-–—", sign):
			upTo, behind, state := markNumber(rest, false)
			if state != markWhole {
				return nil, state
			}
			for between := number + 1; between < upTo && between <= number+mostInRange; between++ {
				list = append(list, between)
			}
			list = append(list, upTo)
			sign, n = utf8.DecodeRuneInString(behind)
			switch rest = behind[n:]; {
			case n == 0:
				return nil, markOpen
			case sign == closing:
				return list, wholeUnless(rest)
			}
		}
		if !strings.ContainsRune(",;&、，", sign) {
			return nil, markBroken
		}
	}
}

func wholeUnless(rest string) markState {
	if rest != "" {
		return markBroken
	}
	return markWhole
}

// dagger passes over the name behind a number.
func dagger(rest string, closing rune) markState {
	i := strings.IndexRune(rest, closing)
	switch {
	case i < 0 && !strings.ContainsAny(rest, "\n["):
		return markOpen
	case i < 0:
		return markBroken
	}
	return wholeUnless(rest[i+utf8.RuneLen(closing):])
}

// markNumber reads one number with the spaces around it and the word before it.
func markNumber(text string, first bool) (n int, rest string, state markState) {
	rest = strings.TrimLeft(text, " ")
	if first && (strings.HasPrefix(rest, "^") || strings.HasPrefix(rest, "#")) {
		rest = rest[1:]
	}
	word := rest[:len(rest)-len(strings.TrimLeftFunc(rest, unicode.IsLetter))]
	behind := rest[len(word):]
	if word != "" && !slices.ContainsFunc(markWords, func(w string) bool {
		return strings.EqualFold(w, word) || behind == "" && len(w) > len(word) && strings.EqualFold(w[:len(word)], word)
	}) {
		return 0, "", markBroken
	}
	rest = strings.TrimLeft(behind, " ")
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	for _, c := range rest[:digits] {
		n = n*10 + int(c-'0')
		if n > 99 {
			return 0, "", markBroken
		}
	}
	switch {
	case rest == "" || digits == len(rest) && (n > 0 || digits == 1):
		return n, "", openUnless(digits > 0 && n == 0)
	case digits == 0 || n == 0:
		return 0, "", markBroken
	}
	return n, strings.TrimLeft(rest[digits:], " "), markWhole
}

func openUnless(broken bool) markState {
	if broken {
		return markBroken
	}
	return markOpen
}

// markLength gives the bytes of the marker that the text begins with, 0 where there is none. A Markdown link is none.
func markLength(text string) int {
	text = text[:min(len(text), longestMark+4)]
	for i, c := range text {
		if c != ']' && c != '】' {
			continue
		}
		end := i + utf8.RuneLen(c)
		if _, state := readMark(text[:end]); state == markWhole && !strings.HasPrefix(text[end:], "(") {
			return end
		}
		return 0
	}
	return 0
}

var shields = strings.NewReplacer("[", string(shieldOpen), "]", string(shieldClose), "【", string(shieldOpenWide), "】", string(shieldCloseWide))

var unshields = strings.NewReplacer(string(shieldOpen), "[", string(shieldClose), "]", string(shieldOpenWide), "【", string(shieldCloseWide), "】")

// shieldMark writes a marker that stands in a source's text so that it cannot be taken for the number of a source.
func shieldMark(mark string) string { return shields.Replace(mark) }

// unshieldMark gives back what shieldMark was given.
func unshieldMark(mark string) string { return unshields.Replace(mark) }

func shielded(mark []byte) bool {
	c, _ := utf8.DecodeRune(mark)
	return c == shieldOpen || c == shieldOpenWide
}
