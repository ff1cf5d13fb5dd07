package quote

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley/internal/text/words"
)

// fillFromCaptures fills the inputs whose holes the message filled, and returns the message with those stretches
// blanked out.
func (cd *callDraft) fillFromCaptures(message string, captures map[string]capturedSpan) string {
	rest := message
	for _, in := range cd.inputs {
		c, ok := captures[in.name]
		if !ok || c.end <= c.start {
			continue
		}
		if v, used, ok := in.parseValue(message, c); ok {
			cd.values[in.name] = v
			rest = blankSpan(rest, used)
		}
	}
	return rest
}

// fillByPattern fills what it recognizes by its form, anywhere in the text, and returns the text with it blanked out.
func (cd *callDraft) fillByPattern(message string) string {
	for _, in := range cd.inputs {
		if cd.values[in.name] != nil {
			continue
		}
		if v, used, ok := in.findValue(message); ok {
			cd.values[in.name] = v
			message = blankSpan(message, used)
		}
	}
	return cd.fillLoneNumber(message)
}

// fillLoneNumber returns the only number that is left over to the only input that wants one.
func (cd *callDraft) fillLoneNumber(rest string) string {
	var open []toolInput
	for _, in := range cd.inputs {
		if cd.values[in.name] == nil && (in.kind == inputReference || in.kind == inputNumber || in.kind == inputInteger) {
			open = append(open, in)
		}
	}
	if len(open) != 1 || len(open[0].pattern().FindAllStringIndex(words.BlankEmails(rest), 2)) != 1 {
		return rest
	}
	v, used, ok := open[0].parseValue(rest, capturedSpan{0, len(rest), true, true})
	if !ok {
		return rest
	}
	cd.values[open[0].name] = v
	return blankSpan(rest, used)
}

// fillFromAnswer fills inputs from the answer to a question: what it recognizes by its form, and the whole rest where
// one input is left.
func (cd *callDraft) fillFromAnswer(message string, requested []toolInput) {
	cd.userTexts = append(cd.userTexts, message)
	rest := cd.fillByPattern(message)
	var left []toolInput
	for _, in := range requested {
		if cd.values[in.name] == nil {
			left = append(left, in)
		}
	}
	if len(left) > 1 { // what has a form of its own would have been found
		left = slices.DeleteFunc(left, func(in toolInput) bool {
			return in.kind != inputText && in.kind != inputPersonName && in.kind != inputFreeText
		})
	}
	if len(left) != 1 {
		return
	}
	if v, ok := left[0].parseAnswer(rest); ok {
		cd.values[left[0].name] = v
	}
}

func blankSpan(text string, used byteSpan) string {
	return text[:used.start] + strings.Repeat(" ", used.end-used.start) + text[used.end:]
}

type byteSpan struct{ start, end int }

var (
	phonePattern     = regexp.MustCompile(`\+?\(?\p{Nd}[\p{Nd} ()./-]{4,22}\p{Nd}`)
	referencePattern = regexp.MustCompile(`[\p{Latin}\p{Cyrillic}\p{Nd}]*(?:[-_/.]?[\p{Latin}\p{Cyrillic}\p{Nd}]+)*` +
		`\p{Nd}[\p{Latin}\p{Cyrillic}\p{Nd}]*(?:[-_/][\p{Latin}\p{Cyrillic}\p{Nd}]+)*`)
	numberPattern = regexp.MustCompile(`[-+]?\p{Nd}[\p{Nd}.,']*`)
)

// ownNamePattern is what customers say before their names, selfIntroPattern before a word with a capital.
var (
	ownNamePattern = formatPattern(`(?i)(?:\b(%s)|(%s))[\s:]*`,
		func(l languageFile) []string { return patternsIf(!l.Unspaced, l.Tools.OwnNamePatterns) },
		func(l languageFile) []string { return patternsIf(l.Unspaced, l.Tools.OwnNamePatterns) })
	selfIntroPattern = formatPattern(`\b(?:%s)\s+`,
		func(l languageFile) []string { return l.Tools.SelfIntroPatterns })
)

func (t toolInput) pattern() *regexp.Regexp {
	switch t.kind {
	case inputEmail:
		return words.EmailPattern
	case inputPhone:
		return phonePattern
	case inputNumber, inputInteger:
		return numberPattern
	default:
		return referencePattern
	}
}

func (t toolInput) findValue(message string) (json.RawMessage, byteSpan, bool) {
	switch t.kind {
	case inputEmail, inputPhone, inputChoice:
		return t.parseValue(message, capturedSpan{0, len(message), true, true})
	case inputPersonName:
		return t.findOwnName(message)
	default:
		return nil, byteSpan{}, false
	}
}

// findOwnName finds the name that the user has introduced themselves with.
func (t toolInput) findOwnName(message string) (json.RawMessage, byteSpan, bool) {
	if m := ownNamePattern().FindStringIndex(message); m != nil {
		if end := nameEnd(message, m[1], false); end > m[1] {
			return t.nameValue(message[m[1]:end]), byteSpan{m[1], end}, true
		}
	}
	for _, m := range selfIntroPattern().FindAllStringIndex(message, -1) {
		if end := nameEnd(message, m[1], true); end > m[1] {
			return t.nameValue(message[m[1]:end]), byteSpan{m[1], end}, true
		}
	}
	return nil, byteSpan{}, false
}

const maxNameWords = 4 // words

// nameEnd returns how far a name goes: words with capitals, or the first word or two if none has any.
func nameEnd(message string, from int, capitals bool) int {
	end, upper := from, false
	for i, at := 0, from; i < maxNameWords && at < len(message); i++ {
		word := message[at:]
		if n := strings.IndexFunc(word, func(r rune) bool {
			return !unicode.IsLetter(r) && !strings.ContainsRune("'’-.", r) && !unicode.IsMark(r)
		}); n >= 0 {
			word = word[:n]
		}
		first, _ := utf8.DecodeRuneInString(word)
		isUpper := unicode.IsUpper(first) || !unicode.IsLower(first)
		if strings.Trim(word, ".'’-") == "" || !isUpper &&
			(capitals || upper || i > 1 || breakWords()[strings.ToLower(word)]) {
			break
		}
		upper = upper || isUpper
		end = at + len(strings.TrimRight(word, ".'’-"))
		if at += len(word); !strings.HasPrefix(message[at:], " ") || strings.HasSuffix(word, ".") && len(word) > 3 {
			break
		}
		at++
	}
	return end
}

func (t toolInput) nameValue(name string) json.RawMessage {
	parts := strings.Fields(name)
	switch {
	case t.namePart == namePartFirst:
		name = parts[0]
	case t.namePart == namePartLast:
		name = parts[len(parts)-1]
	}
	return jsonString(name)
}

func jsonString(s string) json.RawMessage {
	b, err := json.Marshal(strings.ToValidUTF8(s, "\uFFFD"))
	if err != nil {
		return nil
	}
	return b
}

// cutAtBreakWord cuts a value off where the sentence goes on to something else.
func cutAtBreakWord(value string) string {
	fields := strings.Fields(value)
	if i := slices.IndexFunc(fields, func(w string) bool {
		return breakWords()[strings.ToLower(strings.Trim(w, ",.!?;:"))]
	}); i >= 0 {
		fields = fields[:i]
	}
	return strings.Join(fields[:min(len(fields), maxValueWords)], " ")
}
