package llm

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// place fills the inputs whose holes the message filled, and gives the message with those stretches blanked out.
func (w *wish) place(message string, captures map[string]capture) string {
	rest := message
	for _, in := range w.inputs {
		c, ok := captures[in.name]
		if !ok || c.end <= c.start {
			continue
		}
		if v, used, ok := in.read(message, c); ok {
			w.values[in.name] = v
			rest = blank(rest, used)
		}
	}
	return rest
}

// find fills what its form gives away, wherever it stands, and gives the text with it blanked out.
func (w *wish) find(message string) string {
	for _, in := range w.inputs {
		if w.values[in.name] != nil {
			continue
		}
		if v, used, ok := in.spot(message); ok {
			w.values[in.name] = v
			message = blank(message, used)
		}
	}
	return w.loose(message)
}

// loose gives the only number that is left over to the only input that wants one.
func (w *wish) loose(rest string) string {
	var open []input
	for _, in := range w.inputs {
		if w.values[in.name] == nil && (in.kind == reference || in.kind == number || in.kind == integer) {
			open = append(open, in)
		}
	}
	if len(open) != 1 || len(open[0].pattern().FindAllStringIndex(withoutEmails(rest), 2)) != 1 {
		return rest
	}
	v, used, ok := open[0].read(rest, capture{0, len(rest), true, true})
	if !ok {
		return rest
	}
	w.values[open[0].name] = v
	return blank(rest, used)
}

// hear fills inputs from the answer to a question: what its form gives away, and the rest whole where one input is left.
func (w *wish) hear(message string, asked []input) {
	w.texts = append(w.texts, message)
	rest := w.find(message)
	var left []input
	for _, in := range asked {
		if w.values[in.name] == nil {
			left = append(left, in)
		}
	}
	if len(left) > 1 { // what has a form of its own would have been found
		left = slices.DeleteFunc(left, func(in input) bool { return in.kind != text && in.kind != person && in.kind != freeText })
	}
	if len(left) != 1 {
		return
	}
	if v, ok := left[0].take(rest); ok {
		w.values[left[0].name] = v
	}
}

// blank replaces a stretch by as many spaces.
func blank(text string, used span) string {
	return text[:used.start] + strings.Repeat(" ", used.end-used.start) + text[used.end:]
}

type span struct{ start, end int }

var (
	emailForm = regexp.MustCompile(`[\p{L}\p{N}._%+'-]*[\p{L}\p{N}_%+-]@(?:[\p{L}\p{N}-]+\.)+\p{L}{2,}`)
	phoneForm = regexp.MustCompile(`\+?\(?\p{Nd}[\p{Nd} ()./-]{4,22}\p{Nd}`)
	refForm   = regexp.MustCompile(`[\p{Latin}\p{Cyrillic}\p{Nd}]*(?:[-_/.]?[\p{Latin}\p{Cyrillic}\p{Nd}]+)*\p{Nd}[\p{Latin}\p{Cyrillic}\p{Nd}]*(?:[-_/][\p{Latin}\p{Cyrillic}\p{Nd}]+)*`)
	numForm   = regexp.MustCompile(`[-+]?\p{Nd}[\p{Nd}.,']*`)
	nameForm  = regexp.MustCompile(`(?i)(?:\b(my name is|name is|my name's|ich hei(?:ß|ss)e|mein name ist|me llamo|mi nombre es|je m['’]appelle|mon nom est|mi chiamo|meu nome é|me chamo|mijn naam is|меня зовут)|(我叫|我的名字是))[\s:]*`)
	iAmForm   = regexp.MustCompile(`\b(?:I am|I'm|I’m|i am|i'm|this is|This is|[Ss]oy|[Jj]e suis|[Ss]ono)\s+`)
)

func (in input) pattern() *regexp.Regexp {
	switch in.kind {
	case email:
		return emailForm
	case phone:
		return phoneForm
	case number, integer:
		return numForm
	default:
		return refForm
	}
}

// spot finds a value that its form gives away.
func (in input) spot(message string) (json.RawMessage, span, bool) {
	switch in.kind {
	case email, phone, choice:
		return in.read(message, capture{0, len(message), true, true})
	case person:
		return in.spotName(message)
	default:
		return nil, span{}, false
	}
}

// spotName finds the name that somebody gives as their own.
func (in input) spotName(message string) (json.RawMessage, span, bool) {
	if m := nameForm.FindStringIndex(message); m != nil {
		if end := nameEnd(message, m[1], false); end > m[1] {
			return in.named(message[m[1]:end]), span{m[1], end}, true
		}
	}
	for _, m := range iAmForm.FindAllStringIndex(message, -1) {
		if end := nameEnd(message, m[1], true); end > m[1] {
			return in.named(message[m[1]:end]), span{m[1], end}, true
		}
	}
	return nil, span{}, false
}

const longestName = 4 // words

// nameEnd tells how far a name goes: words with capitals, or the first word or two where none has any.
func nameEnd(message string, from int, capitals bool) int {
	end, upper := from, false
	for i, at := 0, from; i < longestName && at < len(message); i++ {
		word := message[at:]
		if n := strings.IndexFunc(word, func(r rune) bool {
			return !unicode.IsLetter(r) && !strings.ContainsRune("'’-.", r) && !unicode.IsMark(r)
		}); n >= 0 {
			word = word[:n]
		}
		first, _ := utf8.DecodeRuneInString(word)
		isUpper := unicode.IsUpper(first) || !unicode.IsLower(first)
		if strings.Trim(word, ".'’-") == "" || !isUpper && (capitals || upper || i > 1 || breaks[strings.ToLower(word)]) {
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

func (in input) named(name string) json.RawMessage {
	parts := strings.Fields(name)
	switch {
	case in.part == firstName:
		name = parts[0]
	case in.part == lastName:
		name = parts[len(parts)-1]
	}
	return quoted(name)
}

func quoted(s string) json.RawMessage {
	b, err := json.Marshal(strings.ToValidUTF8(s, "\uFFFD"))
	if err != nil {
		return nil
	}
	return b
}

// untilBreak cuts a value off where the sentence goes on to something else.
func untilBreak(value string) string {
	fields := strings.Fields(value)
	if i := slices.IndexFunc(fields, func(w string) bool { return breaks[strings.ToLower(strings.Trim(w, ",.!?;:"))] }); i >= 0 {
		fields = fields[:i]
	}
	return strings.Join(fields[:min(len(fields), longestValue)], " ")
}

// withoutEmails blanks addresses out, whose digits are no numbers.
func withoutEmails(text string) string {
	return emailForm.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat(" ", len(s)) })
}
