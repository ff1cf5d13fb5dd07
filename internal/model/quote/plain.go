package quote

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/text/prose"
)

// readability prefers what reads well by itself: prose over code, full sentences over fragments, text over links. What is mostly
// links leads elsewhere and is never an answer.
func readability(text string, kind prose.Kind) float64 {
	f := 1.0
	switch {
	case kind == prose.Code:
		f = 0.5
	case kind == prose.Table:
		f = 0.8
	case len(text) < shortUnitBytes, strings.HasSuffix(text, "```"):
		f = 0.85
	}
	if strings.Contains(text, "![") || strings.Contains(text, "<br") {
		f *= 0.7
	}
	if r, _ := utf8.DecodeRuneInString(text); unicode.IsLower(r) && kind == prose.Paragraph {
		f *= 0.8 // the rest of a sentence
	}
	if pointerPattern.MatchString(text) {
		f *= 0.45
	}
	switch links := linkShare(text); {
	case links > maxLinkShare, movedPattern.MatchString(text):
		return 0
	default:
		f *= 1 - 1.4*links
	}
	switch end := trimTrailingMarkup(text); {
	case strings.HasSuffix(end, "?"):
		f *= 0.4
	case strings.HasSuffix(end, ":"):
		f *= 0.7
	}
	return f
}

// pointerPattern finds sentences that send the reader elsewhere.
var pointerPattern = regexp.MustCompile(`(?i)\b(this (guide|page|document|article|section)|following (locations|pages|guides)|more (information|details)|read more|see also|check out|learn more)\b`)

var movedPattern = regexp.MustCompile(`(?i)\b(has|have) been (moved|reorganized)\b`)

const maxLinkShare = 0.45

// linkShare is the share of the text that is Markdown links.
func linkShare(text string) float64 {
	inside := 0
	for i := 0; i < len(text); {
		open := strings.IndexByte(text[i:], '[')
		if open < 0 {
			break
		}
		middle := strings.Index(text[i+open:], "](")
		if middle < 0 {
			break
		}
		end := strings.IndexByte(text[i+open+middle:], ')')
		if end < 0 {
			break
		}
		inside += middle + end + 1
		i += open + middle + end + 1
	}
	return float64(inside) / float64(max(len(text), 1))
}
