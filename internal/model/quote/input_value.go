package quote

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"parley"
	"parley/internal/model"
	"parley/internal/text/language"
	"parley/internal/text/words"
)

const maxValueWords = 6 // words of an input that is not free text

// parseValue takes the input's value from a stretch of the message and returns which bytes it used.
func (t toolInput) parseValue(message string, c capturedSpan) (json.RawMessage, byteSpan, bool) {
	piece := message[c.start:c.end]
	at := func(from, to int) byteSpan { return byteSpan{c.start + from, c.start + to} }
	switch t.kind {
	case inputEmail:
		if m := words.EmailPattern.FindStringIndex(piece); m != nil {
			return jsonString(piece[m[0]:m[1]]), at(m[0], m[1]), true
		}
	case inputReference:
		if m := referencePattern.FindStringIndex(words.BlankEmails(piece)); m != nil {
			return jsonString(piece[m[0]:m[1]]), at(m[0], m[1]), true
		}
	case inputPhone:
		for _, m := range phonePattern.FindAllStringIndex(piece, -1) {
			if countDigits(piece[m[0]:m[1]]) >= 6 {
				return jsonString(strings.TrimSpace(piece[m[0]:m[1]])), at(m[0], m[1]), true
			}
		}
	case inputNumber, inputInteger:
		if m := numberPattern.FindStringIndex(piece); m != nil {
			if v, ok := t.parseNumber(piece[m[0]:m[1]]); ok {
				return v, at(m[0], m[1]), true
			}
		}
	case inputChoice:
		return t.parseChoice(piece, c.start)
	case inputBoolean:
		v, ok := parseYesNo(piece)
		return v, at(0, len(piece)), ok
	case inputPersonName:
		if end := nameEnd(piece, 0, false); end > 0 {
			return t.nameValue(piece[:end]), at(0, end), true
		}
	case inputFreeText:
		if c.reachesEnd {
			c.end = len(message)
			piece = message[c.start:]
		}
		if v := trimPunctuation(piece); v != "" {
			return jsonString(v), at(0, len(piece)), true
		}
	case inputText:
		if i := strings.IndexAny(piece, ",;!?\n。，！？"); i >= 0 {
			piece = piece[:i]
		}
		if v := trimPunctuation(cutAtBreakWord(piece)); v != "" {
			return jsonString(v), at(0, len(piece)), true
		}
	}
	return nil, byteSpan{}, false
}

// parseAnswer reads a bare answer: the whole of it where the input is text.
func (t toolInput) parseAnswer(answer string) (json.RawMessage, bool) {
	answer = strings.TrimSpace(answer)
	if t.kind != inputFreeText {
		answer = trimPunctuation(leadInPattern().ReplaceAllString(answer, ""))
	}
	switch {
	case answer == "" || isRedacted(answer):
		return nil, false
	case t.kind == inputText || t.kind == inputFreeText:
		return jsonString(answer), true
	case t.kind == inputPersonName:
		return t.nameValue(answer), true
	case t.kind == inputReference && !strings.ContainsFunc(answer, unicode.IsDigit):
		return jsonString(answer), len(strings.Fields(answer)) == 1 && strings.ToUpper(answer) == answer
	}
	v, _, ok := t.parseValue(answer, capturedSpan{0, len(answer), true, true})
	return v, ok
}

// leadInPattern is what an answer may begin with before it comes to the point. Where words are not set apart, nothing
// need be between the two.
var leadInPattern = formatPattern(`(?i)^(?:%s)[\s:]+|^(?:%s)`,
	func(l languageFile) []string { return l.Tools.LeadInPatterns },
	func(l languageFile) []string { return patternsIf(l.Unspaced, l.Tools.LeadInPatterns) })

func patternsIf(isWanted bool, patterns []string) []string {
	if !isWanted {
		return nil
	}
	return patterns
}

func trimPunctuation(s string) string {
	return strings.Trim(s, " \t\r\n.,;:!?\"'“”„«»()。，！？：；#")
}

func countDigits(s string) (n int) {
	for _, r := range s {
		if unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// parseChoice finds the one of the choices that is in the text, the longest where one is part of another.
func (t toolInput) parseChoice(piece string, start int) (json.RawMessage, byteSpan, bool) {
	best, used := "", byteSpan{}
	var value json.RawMessage
	for _, raw := range t.choices {
		c := parley.JSONText(raw)
		if from, to := findFolded(piece, c); to > from && len(c) > len(best) {
			best, value, used = c, raw, byteSpan{start + from, start + to}
		}
	}
	return value, used, best != ""
}

// findFolded finds the words of a phrase in a row, case and accents aside.
func findFolded(text, phrase string) (from, to int) {
	all, want := words.AppendTokens(nil, text), words.AppendTokens(nil, phrase)
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

// parseNumber reads 1,234.5 and 1.234,5 and 3,5.
func (t toolInput) parseNumber(s string) (json.RawMessage, bool) {
	s = strings.TrimRight(asciiDigits(s), ".,'")
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
	if err != nil || t.kind == inputInteger && (f != math.Trunc(f) || math.Abs(f) > 1<<53) {
		return nil, false
	}
	return json.RawMessage(strconv.FormatFloat(f, 'f', -1, 64)), true
}

// asciiDigits writes digits of other scripts as 0 to 9.
func asciiDigits(s string) string {
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

func parseYesNo(piece string) (json.RawMessage, bool) {
	for t := range words.Tokens(piece) {
		switch {
		case yesWords()[t.Word]:
			return json.RawMessage("true"), true
		case noWords()[t.Word]:
			return json.RawMessage("false"), true
		}
	}
	return nil, false
}

func inputQuestion(l words.Language, missing []toolInput) string {
	d := textsIn(l)
	labels := make([]string, len(missing))
	for i, in := range missing {
		labels[i] = in.label()
	}
	return d.NeedInputs[0] + strings.Join(labels, d.ListSeparator) + d.NeedInputs[1]
}

// label returns what the input is called, with its choices.
func (t toolInput) label() string {
	label := t.shortDescription
	if label == "" {
		label = t.plainName()
	}
	if len(t.choices) == 0 {
		return label
	}
	choices := make([]string, len(t.choices))
	for i, c := range t.choices {
		choices[i] = parley.JSONText(c)
	}
	return label + " (" + strings.Join(choices, ", ") + ")"
}

func (t toolInput) plainName() string { return strings.Join(splitNameWords(t.name), " ") }

// AsksForInputs reports whether the text is how the built-in model asks for inputs that a call lacks. The message
// before it went to a tool, so that it says nothing of what later questions are about.
func AsksForInputs(text string) bool {
	for d := range allTexts() {
		if _, ok := parseInputQuestion(d, text); ok {
			return true
		}
	}
	return false
}

func parseInputQuestion(t *language.Texts, text string) (string, bool) {
	text, begins := strings.CutPrefix(strings.TrimSpace(text), t.NeedInputs[0])
	text, ends := strings.CutSuffix(text, t.NeedInputs[1])
	return text, begins && ends
}

// parseRequestedInputs returns the inputs that the question asks for; ok is false if it is no question of this tool.
func (cd *callDraft) parseRequestedInputs(text string) (all []toolInput, ok bool) {
	for d := range allTexts() {
		if list, ok := parseInputQuestion(d, text); ok {
			return matchLabels(cd.inputs, list, d.ListSeparator, map[[2]int]bool{})
		}
	}
	return nil, false
}

// matchLabels reads the list as labels of the inputs, in their order. A label may hold commas and may begin like
// another, so that what leads nowhere is noted, by how much of either was left.
func matchLabels(inputs []toolInput, list, comma string, deadEnds map[[2]int]bool) (all []toolInput, ok bool) {
	position := [2]int{len(inputs), len(list)}
	if deadEnds[position] {
		return nil, false
	}
	for i, in := range inputs {
		rest, begins := strings.CutPrefix(list, in.label())
		if !in.required || !begins {
			continue
		}
		if rest == "" {
			return []toolInput{in}, true
		}
		if rest, begins = strings.CutPrefix(rest, comma); !begins {
			continue
		}
		if more, ok := matchLabels(inputs[i+1:], rest, comma, deadEnds); ok {
			return append([]toolInput{in}, more...), true
		}
	}
	deadEnds[position] = true
	return nil, false
}

// replyLanguage returns the language that the user last wrote in for sure, else the tool's, else the agent's.
func (cd *callDraft) replyLanguage(req model.Request) words.Language {
	own := []string{strings.Join(cd.tool.Triggers, " "), cd.tool.Description}
	return surestLanguage(slices.Concat(agentTexts(req), own, userTexts(req.Messages), cd.userTexts))
}

func isRedacted(text string) bool {
	return containsAny(text, "[email]", "[phone]", "[card]", "[id]")
}
