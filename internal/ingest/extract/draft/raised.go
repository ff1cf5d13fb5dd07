package draft

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Signs around raised and lowered text, which readers write and NormalizeText replaces: what a raised number means is
// seen by the words around it, which a reader of runs does not know yet.
const (
	raisedStart  = '\x0e'
	markEnd      = '\x0f'
	loweredStart = '\x10'
	noteStart    = '\x12'
	markSigns    = "\x0e\x0f\x10\x12"
)

// Raised returns a text as superscript: a power, cents, minutes, or the mark of a note.
func Raised(text string) string { return markText(raisedStart, text) }

// Lowered returns a text as subscript.
func Lowered(text string) string { return markText(loweredStart, text) }

// NoteMark returns a text as the mark of a note.
func NoteMark(text string) string { return markText(noteStart, text) }

func markText(start rune, text string) string {
	if strings.TrimSpace(text) == "" || strings.ContainsAny(text, markSigns) {
		return text
	}
	word := strings.TrimSpace(text)
	at := strings.Index(text, word)
	return text[:at] + string(start) + word + string(markEnd) + text[at+len(word):]
}

// resolveMarks writes raised and lowered text as people type it. Marks of notes move to the end of their sentence, in
// brackets, so that they are neither part of a number nor in the middle of a phrase.
func resolveMarks(text string) string {
	if !strings.ContainsAny(text, markSigns) {
		return text
	}
	m := markResolver{notes: noteMarks(text)}
	for line := range strings.Lines(text) {
		m.resolveLine(line)
	}
	return m.out.String()
}

// noteAtLine matches the mark that a note begins with.
var noteAtLine = regexp.MustCompile(`(?m)^[\s|>#*+-]*(?:\d+\. )?` +
	`[\x0e\x12]([^\x0e\x0f\n]{1,12})\x0f[.):]?[ \t]*[^\s/⁄\x0e\x10]`)

// noteMarks returns the marks of which the text holds the note: a line that begins with the mark.
func noteMarks(text string) map[string]bool {
	notes := map[string]bool{}
	for _, found := range noteAtLine.FindAllStringSubmatch(text, -1) {
		notes[strings.Trim(found[1], " .()[]")] = true
	}
	return notes
}

type markResolver struct {
	out     strings.Builder
	notes   map[string]bool
	pending []string // marks of notes of the open sentence
}

func (m *markResolver) resolveLine(line string) {
	for i := 0; i < len(line); {
		at := strings.IndexAny(line[i:], markSigns)
		if at < 0 {
			m.writeText(line[i:])
			break
		}
		m.writeText(line[i : i+at])
		i += at
		start := rune(line[i])
		end := strings.IndexAny(line[i+1:], markSigns)
		if start == markEnd || end < 0 || line[i+1+end] != byte(markEnd) {
			i++
			continue
		}
		inner := line[i+1 : i+1+end]
		for i += end + 2; i < len(line) && rune(line[i]) == start; i += end + 2 { // of runs one after another
			if end = strings.IndexByte(line[i:], byte(markEnd)) - 1; end < 0 {
				break
			}
			inner += line[i+1 : i+1+end]
		}
		if inner = strings.TrimSpace(strings.Map(dropMarks, inner)); inner != "" {
			m.writeMarked(start, inner, line[i:])
		}
	}
	m.flushNotes()
}

func dropMarks(r rune) rune {
	if strings.ContainsRune(markSigns, r) {
		return -1
	}
	return r
}

// writeText writes plain text; where a sentence, a cell or a line ends, the pending marks of notes come first.
func (m *markResolver) writeText(text string) {
	for len(m.pending) > 0 && text != "" {
		at := sentenceEnd(text)
		if at < 0 {
			break
		}
		m.out.WriteString(strings.TrimRight(text[:at], " "))
		m.flushNotes()
		if text[at] == '|' {
			m.out.WriteByte(' ')
		}
		text = text[at:]
	}
	m.out.WriteString(text)
}

// sentenceEnd returns where the sentence that is open at the beginning of a text ends, before its sign; -1 if it goes
// on.
func sentenceEnd(text string) int {
	for i := range len(text) {
		switch text[i] {
		case '\n', '|', ';':
			return i
		case '.', '!', '?':
			if i+1 == len(text) || strings.IndexByte(" \n\x0e\x12)\"", text[i+1]) >= 0 {
				return i
			}
		}
	}
	return -1
}

func (m *markResolver) flushNotes() {
	for _, note := range m.pending {
		m.out.WriteString(" [" + note + "]")
	}
	m.pending = m.pending[:0]
}

// writeMarked writes a marked text between what is written and the rest of its line.
func (m *markResolver) writeMarked(start rune, inner, rest string) {
	before := m.lastWord()
	switch {
	case start == loweredStart:
		m.writeLowered(inner, before, rest)
		return
	case isFractionSign(rest) && isDigits(inner): // 2 1/2
		if endsWithDigit(before) {
			m.out.WriteByte(' ')
		}
		m.out.WriteString(inner)
		return
	}
	note := strings.Trim(inner, " .()[]")
	switch {
	case strings.HasPrefix(inner, "[") || strings.HasPrefix(inner, "("): // apart already
		if endsWithDigit(before) {
			m.out.WriteByte(' ')
		}
		m.out.WriteString(inner)
	case before == "" && (start == noteStart || m.notes[note]):
		m.out.WriteString("[" + note + "]")
		if !strings.HasPrefix(rest, " ") {
			m.out.WriteByte(' ')
		}
	case strings.HasSuffix(before, "["):
		m.out.WriteString(inner)
	case before == "":
		m.out.WriteString(inner)
	case start == noteStart:
		m.pending = append(m.pending, note)
	default:
		m.writeRaised(inner, before, rest, m.notes[note])
	}
}

// lastWord returns the end of what is written, from the last space on.
func (m *markResolver) lastWord() string {
	text := m.out.String()
	text = text[max(len(text)-24, 0):]
	if at := strings.LastIndexAny(text, " \n\t|("); at >= 0 {
		text = text[at+1:]
	}
	return text
}

func (m *markResolver) writeRaised(inner, before, rest string, hasNote bool) {
	number := digitsAtEnd(before)
	if (inner == "o" || inner == "O") && number != "" && degreesAfter.MatchString(rest) {
		m.out.WriteString("°")
		return
	}
	if m.isTyped(inner, before) {
		m.out.WriteString(inner)
		return
	}
	kind := raisedAs(inner, before, number, strings.ToLower(rest[:min(len(rest), 24)]), m.textBefore(), hasNote)
	switch kind {
	case asNote:
		m.pending = append(m.pending, strings.Trim(inner, " .()[]"))
	case asDecimals:
		m.out.WriteString(inner)
	case asMinutes:
		m.out.WriteString(":" + inner)
	case asCents:
		sign := "."
		if strings.Contains(number, ".") {
			sign = ","
		}
		m.out.WriteString(sign + inner)
	default:
		m.out.WriteString(power(inner))
	}
}

// textBefore returns the words before the last one, in lower case.
func (m *markResolver) textBefore() string {
	text := m.out.String()
	text = text[max(len(text)-40, 0):]
	return strings.ToLower(text[strings.LastIndexByte(text, '\n')+1:])
}

// isTyped reports whether raised letters are written as they are: 1st, 20 °C, Mme, Parley™.
func (m *markResolver) isTyped(inner, before string) bool {
	if strings.ContainsFunc(inner, unicode.IsDigit) || m.notes[inner] {
		return false
	}
	letters := 0
	for _, r := range inner {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters != 1 || !endsWithDigit(before) || ordinalSigns[strings.ToLower(inner)]
}

// ordinalSigns are single letters that are raised behind a number.
var ordinalSigns = map[string]bool{"a": true, "o": true, "e": true, "º": true, "ª": true, "h": true}

type raisedKind uint8

const (
	asPower raisedKind = iota
	asNote
	asMinutes
	asCents
	asDecimals // the sign before them is there already
)

// raisedAs decides what a raised text is by the word before it, the number at that word's end, and the text around it.
func raisedAs(inner, before, number, rest, above string, hasNote bool) raisedKind {
	twoDigits := len(inner) == 2 && isDigits(inner) || inner == "–" || inner == "-" || inner == "—"
	switch {
	case bracketedMark.MatchString(inner):
		return asNote
	case number != "" && signedDecimals.MatchString(inner):
		return asDecimals
	case number != "" && strings.ContainsAny(before[len(before)-1:], ".,"):
		return raisedBehindSign(twoDigits, number, hasNote)
	case number == "":
		if inner == "1" || !takesPower(before) {
			return asNote
		}
		if isUnit(before) && isDigits(strings.TrimLeft(inner, "-−–")) && len(inner) <= 2 {
			return asPower
		}
		if r, _ := utf8.DecodeLastRuneInString(before); hasNote || isDigits(inner) && (!unicode.IsLetter(r) ||
			utf8.RuneCountInString(before) > 3) || noteListPattern.MatchString(inner) {
			return asNote
		}
		return asPower
	case twoDigits && (currencyBefore.MatchString(above) || currencyAfter.MatchString(rest)):
		return asCents
	case twoDigits && isGrouped(number) && !hasNote:
		return asCents
	case twoDigits && isHour(number) && inner < "60" && isDigits(inner) && !hasNote && (timeAfter.MatchString(rest) ||
		number != "10" && number != "2" && !unitAfter.MatchString(rest)):
		return asMinutes
	case hasNote && (number != "10" || inner == "1" || currencyAfter.MatchString(rest)),
		noteListPattern.MatchString(inner):
		return asNote
	case (inner == "1" || inner == "0") && number != "10", isMarkOfAmount(inner, number, rest, above):
		return asNote
	}
	return asPower
}

// raisedBehindSign decides on what is raised behind the sign of decimals, which may be the end of a sentence, too.
func raisedBehindSign(twoDigits bool, number string, hasNote bool) raisedKind {
	if twoDigits && !hasNote && len(number) <= len("999.") {
		return asDecimals
	}
	return asNote
}

// isMarkOfAmount reports whether a raised digit is the mark of a note: it is behind a price, a year or an amount, and
// no power of it is meant.
func isMarkOfAmount(inner, number, rest, above string) bool {
	if !isDigits(inner) || len(inner) > 1 || operatorAfter.MatchString(rest) || operatorBefore.MatchString(above) {
		return false
	}
	if currencyBefore.MatchString(above) || currencyAfter.MatchString(rest) || priceOrYear.MatchString(number) {
		return true
	}
	return number != "10" && number != "2" && amountAfter.MatchString(rest)
}

// takesPower reports whether a word may have a power: no currency and no share of a hundred has one.
func takesPower(word string) bool {
	return !currencyWord.MatchString(strings.ToLower(strings.TrimLeft(word, "0123456789.,'/")))
}

var (
	bracketedMark   = regexp.MustCompile(`^\(?(?:\d{1,2}|[a-z*†])\)$`)
	signedDecimals  = regexp.MustCompile(`^[.,](?:\d\d|[-–—])$`)
	priceOrYear     = regexp.MustCompile(`^(?:19|20)\d\d$|[.,]\d\d$`)
	currencyWord    = regexp.MustCompile(`^(?:[€$£¥₹₽%‰]|eur|euros?|usd|gbp|chf|pln|dollars?|pounds?|zł|kč|kr|руб)\.?$`)
	operatorAfter   = regexp.MustCompile(`^\s*(?:[=×*·^/+≈<>]|x\s|is\b|ist\b|equals\b)`)
	operatorBefore  = regexp.MustCompile(`(?:[×*·^/+=≈]|\bx)\s*[\d.,]+$`)
	amountAfter     = regexp.MustCompile(`^\s*(?:[%°]|(?:` + amountWords + `)(?:[^\pL²³]|$))`)
	noteListPattern = regexp.MustCompile(`^\d+(\s*[,;]\s*\d+)+$`)
	currencyBefore  = regexp.MustCompile(`(€|\$|£|¥|₹|eur|usd|gbp|chf|fr\.?|zł|kč)\s*[\d.,]+$`)
	currencyAfter   = regexp.MustCompile(`^\s*(€|\$|£|¥|₹|eur|usd|gbp|chf|pln|fr\.|zł|kč|kr|dollar|pound|cents?\b|lei|` +
		`евро|руб|₽)`)
	degreesAfter = regexp.MustCompile(`^\s*[CF]\b`)
	timeAfter    = regexp.MustCompile(`^\s*(uhr|h\b|a\.?m\b|p\.?m\b|o'clock|heures|час)`)
	unitAfter    = regexp.MustCompile(`^\s*(°|%|pa\b|pascal|m\b|cm|mm|km|kg|g\b|hz|w\b|v\b|j\b|n\b|mol|bit|byte|[×x*/·=])`)
)

// amountWords are units behind numbers of which no power is told; 20² cm may well be an area.
const amountWords = `kg|g|mg|t|tons?|tonnes?|lbs?|oz|ml|cl|l|lit(?:er|re)s?|kb|mb|gb|tb|` +
	`w|kw|kwh|v|a|ah|mah|h|min|hours?|minutes?|seconds?|days?|nights?|weeks?|months?|years?|people|persons?|guests?|` +
	`seats?|pieces?|adults?|children|points?|credits?|stück|stunden?|minuten?|sekunden?|tagen?|nächten?|wochen?|` +
	`monaten?|jahren?|personen|gäste|plätze|liter|kilo|gramm|prozent|heures?|jours?|nuits?|semaines?|` +
	`mois|ans?|personnes?|litres?|horas?|minutos?|días?|dias?|noches?|noites?|semanas?|meses|años?|anos?|` +
	`personas|pessoas|litros?|ore|minuti|giorni|notti|settimane|mesi|anni|persone|litri|uur|dagen|weken|` +
	`maanden|jaar|personen|godzin|dni|miesięcy|osób|часов|дней|месяцев|человек`

func isFractionSign(rest string) bool {
	return strings.HasPrefix(rest, "/") || strings.HasPrefix(rest, "⁄")
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func endsWithDigit(s string) bool { return s != "" && '0' <= s[len(s)-1] && s[len(s)-1] <= '9' }

func digitsAtEnd(word string) string {
	return strings.TrimLeft(word[len(strings.TrimRight(word, "0123456789.,'")):], ".,'")
}

func isHour(number string) bool {
	return isDigits(number) && len(number) <= 2 && (len(number) == 1 || number <= "24")
}

// isGrouped reports whether a number has its thousands apart: 1.299 and 1,299.
func isGrouped(number string) bool {
	at := strings.LastIndexAny(number, ".,'")
	return at > 0 && len(number)-at == 4
}

// isUnit reports whether a word is a unit or a variable that takes a power.
func isUnit(word string) bool {
	word = strings.TrimLeft(word, "0123456789.,'/·*(")
	if at := strings.LastIndexAny(word, "/·*=+"); at >= 0 {
		word = word[at+1:]
	}
	return unitWords[strings.ToLower(word)] || utf8.RuneCountInString(word) == 1
}

var unitWords = map[string]bool{"mm": true, "cm": true, "dm": true, "km": true, "qm": true, "ft": true, "in": true,
	"yd": true, "mi": true, "nm": true, "µm": true, "ha": true, "sec": true, "min": true, "мм": true, "см": true,
	"км": true, "дм": true}

// raisedSigns are the digits and signs that have a raised form of their own.
var raisedSigns = map[rune]rune{'0': '⁰', '1': '¹', '2': '²', '3': '³', '4': '⁴', '5': '⁵', '6': '⁶', '7': '⁷',
	'8': '⁸', '9': '⁹', '-': '⁻', '−': '⁻', '–': '⁻', '+': '⁺', 'n': 'ⁿ'}

// power writes an exponent in raised signs, or behind ^.
func power(inner string) string {
	var b strings.Builder
	for _, r := range inner {
		if raisedSigns[r] == 0 {
			if utf8.RuneCountInString(inner) == 1 {
				return "^" + inner
			}
			return "^(" + inner + ")"
		}
		b.WriteRune(raisedSigns[r])
	}
	return b.String()
}

// writeLowered keeps a lowered number apart from digits around it: 1010 to the base 2 is no 10102.
func (m *markResolver) writeLowered(inner, before, rest string) {
	if endsWithDigit(before) && isDigits(inner[:1]) {
		m.out.WriteByte('_')
	}
	m.out.WriteString(inner)
	if endsWithDigit(inner) && rest != "" && isDigits(rest[:1]) {
		m.out.WriteByte(' ')
	}
}
