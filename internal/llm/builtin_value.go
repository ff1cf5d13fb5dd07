package llm

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"parley/internal/words"
)

const longestValue = 6 // words of an input that is not free text

// breaks end a value that stands inside a sentence.
var breaks = wordSet(`please pls bitte because since and or for with thanks thank so if when und oder weil für mit danke porque y e por para gracias parce et ou
	pour avec merci asap now today but aber pero mais s'il that which who`)

// read takes the input's value from a stretch of the message and tells which bytes it used.
func (in input) read(message string, c capture) (json.RawMessage, span, bool) {
	piece := message[c.start:c.end]
	at := func(from, to int) span { return span{c.start + from, c.start + to} }
	switch in.kind {
	case email:
		if m := emailForm.FindStringIndex(piece); m != nil {
			return quoted(piece[m[0]:m[1]]), at(m[0], m[1]), true
		}
	case reference:
		if m := refForm.FindStringIndex(withoutEmails(piece)); m != nil {
			return quoted(piece[m[0]:m[1]]), at(m[0], m[1]), true
		}
	case phone:
		for _, m := range phoneForm.FindAllStringIndex(piece, -1) {
			if digits(piece[m[0]:m[1]]) >= 6 {
				return quoted(strings.TrimSpace(piece[m[0]:m[1]])), at(m[0], m[1]), true
			}
		}
	case number, integer:
		if m := numForm.FindStringIndex(piece); m != nil {
			if v, ok := in.number(piece[m[0]:m[1]]); ok {
				return v, at(m[0], m[1]), true
			}
		}
	case choice:
		return in.choose(piece, c.start)
	case boolean:
		v, ok := yesOrNo(piece)
		return v, at(0, len(piece)), ok
	case person:
		if end := nameEnd(piece, 0, false); end > 0 {
			return in.named(piece[:end]), at(0, end), true
		}
	case freeText:
		if c.open {
			c.end = len(message)
			piece = message[c.start:]
		}
		if v := unmarked(piece); v != "" {
			return quoted(v), at(0, len(piece)), true
		}
	case text:
		if i := strings.IndexAny(piece, ",;!?\n。，！？"); i >= 0 {
			piece = piece[:i]
		}
		if v := unmarked(untilBreak(piece)); v != "" {
			return quoted(v), at(0, len(piece)), true
		}
	}
	return nil, span{}, false
}

// take reads a bare answer: the whole of it where the input is text.
func (in input) take(answer string) (json.RawMessage, bool) {
	answer = strings.TrimSpace(answer)
	if in.kind != freeText {
		answer = unmarked(leadIn.ReplaceAllString(answer, ""))
	}
	switch {
	case answer == "" || isMasked(answer):
		return nil, false
	case in.kind == text || in.kind == freeText:
		return quoted(answer), true
	case in.kind == person:
		return in.named(answer), true
	case in.kind == reference && !strings.ContainsFunc(answer, unicode.IsDigit):
		return quoted(answer), len(strings.Fields(answer)) == 1 && strings.ToUpper(answer) == answer
	}
	v, _, ok := in.read(answer, capture{0, len(answer), true, true})
	return v, ok
}

// leadIn is what an answer may begin with before it comes to the point.
var leadIn = regexp.MustCompile(`(?i)^(?:(?:it|that|this)(?: is|['’]s)|(?:my|the|our) [\p{L} -]{1,40}? is|es ist|das ist|(?:meine?|die|der|das) [\p{L} -]{1,40}? (?:ist|lautet)|c['’]est|(?:mon|ma|le|la) [\p{L} -]{1,40}? est|(?:mi|el|la) [\p{L} -]{1,40}? es|是|我的[\p{Han}]{1,6}是)[\s:]+|^(?:是|我的[\p{Han}]{1,6}是)`)

func unmarked(s string) string {
	return strings.Trim(s, " \t\r\n.,;:!?\"'“”„«»()。，！？：；#")
}

func digits(s string) (n int) {
	for _, r := range s {
		if unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// choose finds the one of the choices that stands in the text, the longest where one is part of another.
func (in input) choose(piece string, start int) (json.RawMessage, span, bool) {
	best, used := "", span{}
	var value json.RawMessage
	for _, raw := range in.choices {
		c := plainValue(raw)
		if from, to := findFolded(piece, c); to > from && len(c) > len(best) {
			best, value, used = c, raw, span{start + from, start + to}
		}
	}
	return value, used, best != ""
}

// findFolded finds the words of a phrase in a row, case and accents aside.
func findFolded(text, phrase string) (from, to int) {
	all, want := words.Cut(nil, text), words.Cut(nil, phrase)
	for i := 0; len(want) > 0 && i+len(want) <= len(all); i++ {
		same := true
		for j := range want {
			same = same && all[i+j].Word == want[j].Word
		}
		if same {
			return all[i].Start, all[i+len(want)-1].End
		}
	}
	return 0, 0
}

// number reads 1,234.5 and 1.234,5 and 3,5.
func (in input) number(s string) (json.RawMessage, bool) {
	s = strings.TrimRight(ascii(s), ".,'")
	s = strings.ReplaceAll(s, "'", "")
	comma, point := strings.LastIndexByte(s, ','), strings.LastIndexByte(s, '.')
	switch {
	case comma > point && (strings.Count(s, ",") > 1 || point < 0 && len(s)-comma == 4):
		s = strings.ReplaceAll(s, ",", "")
	case comma > point:
		s = strings.ReplaceAll(strings.ReplaceAll(s, ".", ""), ",", ".")
	case strings.Count(s, ".") > 1:
		s = strings.ReplaceAll(s, ".", "")
	default:
		s = strings.ReplaceAll(s, ",", "")
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || in.kind == integer && (f != math.Trunc(f) || math.Abs(f) > 1<<53) {
		return nil, false
	}
	return json.RawMessage(strconv.FormatFloat(f, 'f', -1, 64)), true
}

// ascii writes digits of other scripts as 0 to 9.
func ascii(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 || !unicode.IsDigit(r) {
			return r
		}
		for _, block := range unicode.Nd.R16 {
			if rune(block.Lo) <= r && r <= rune(block.Hi) {
				return '0' + (r-rune(block.Lo))%10
			}
		}
		return r
	}, s)
}

var (
	yesWords = joined(yeses, wordSet(`y true da 是 好 はい`))
	noWords  = joined(noes, wordSet(`n false 否 不`))
)

func yesOrNo(piece string) (json.RawMessage, bool) {
	for t := range words.Tokens(piece) {
		switch {
		case yesWords[t.Word]:
			return json.RawMessage("true"), true
		case noWords[t.Word]:
			return json.RawMessage("false"), true
		}
	}
	return nil, false
}
