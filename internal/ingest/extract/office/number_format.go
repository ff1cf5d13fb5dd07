package office

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// numberFormat is a format of cells as a workbook writes it (ECMA-376, part 1, 18.8.31), read into its sections.
type numberFormat struct{ sections []formatSection }

type formatSection struct {
	tokens       []formatToken
	operator     string // of its condition; empty without one
	bound        float64
	isDate       bool
	isText       bool // it has a place for a text
	isGeneral    bool
	inEnglish    bool // names of months are English
	hasMeridiem  bool // AM or PM
	placeholders int  // of digits
}

type formatTokenKind uint8

const (
	literalToken  formatTokenKind = iota
	digitToken                    // 0, # or ?
	pointToken                    // of decimals
	commaToken                    // of thousands
	percentToken                  // %
	exponentToken                 // E+ or E-
	slashToken                    // of a fraction
	textToken                     // @
	dateToken                     // y, m, d, h, s in a row
	elapsedToken                  // [h], [m], [s]
	meridiemToken                 // AM/PM
	generalToken
)

type formatToken struct {
	kind formatTokenKind
	text string
}

const maxFormatBytes = 1000

func parseNumberFormat(code string) numberFormat {
	var f numberFormat
	code = code[:min(len(code), maxFormatBytes)]
	for len(f.sections) < 4 {
		section, rest, more := parseSection([]rune(code))
		f.sections = append(f.sections, section)
		if !more {
			break
		}
		code = string(rest)
	}
	return f
}

// parseSection reads a section up to its semicolon.
func parseSection(code []rune) (s formatSection, rest []rune, more bool) {
	s.inEnglish = true
	for i := 0; i < len(code); {
		r := code[i]
		n := 1
		switch {
		case r == ';':
			s.finish()
			return s, code[i+1:], true
		case r == '"':
			for i+n < len(code) && code[i+n] != '"' {
				n++
			}
			s.add(literalToken, string(code[i+1:min(i+n, len(code))]))
			n++
		case r == '\\' && i+1 < len(code):
			s.add(literalToken, string(code[i+1]))
			n = 2
		case r == '_' && i+1 < len(code):
			s.add(literalToken, " ")
			n = 2
		case r == '*' && i+1 < len(code):
			n = 2
		case r == '[':
			for i+n < len(code) && code[i+n] != ']' {
				n++
			}
			s.addBracket(string(code[i+1 : min(i+n, len(code))]))
			n++
		default:
			n = s.addSign(code[i:])
		}
		i += n
	}
	s.finish()
	return s, nil, false
}

func (s *formatSection) add(kind formatTokenKind, text string) {
	s.tokens = append(s.tokens, formatToken{kind, text})
}

// addBracket reads what is in brackets: a condition, a currency, a place, elapsed time, or a colour.
func (s *formatSection) addBracket(text string) {
	lower := strings.ToLower(text)
	switch {
	case strings.HasPrefix(text, "$"):
		symbol, place, _ := strings.Cut(text[1:], "-")
		s.add(literalToken, symbol)
		s.inEnglish = isEnglishPlace(place)
	case lower != "" && strings.Contains("hms", lower[:1]) && strings.Trim(lower, lower[:1]) == "":
		s.add(elapsedToken, lower)
		s.isDate = true
	case text != "" && strings.ContainsRune("<>=", rune(text[0])):
		number := strings.TrimLeft(text, "<>=")
		if bound, err := strconv.ParseFloat(strings.TrimSpace(number), 64); err == nil {
			s.operator, s.bound = text[:len(text)-len(number)], bound
		}
	}
}

// isEnglishPlace reports whether names are English at the place of a format: a number of Windows, or a language tag.
func isEnglishPlace(place string) bool {
	id, err := strconv.ParseUint(place, 16, 64)
	if err != nil {
		return place == "" || strings.HasPrefix(strings.ToLower(place), "en")
	}
	return id&0x3ff == 9 || id&0xf000 == 0xf000 || id == 0
}

// addSign reads what stands for itself or for a part of the value, and returns its length.
func (s *formatSection) addSign(code []rune) int {
	r := unicode.ToLower(code[0])
	head := strings.ToLower(string(code[:min(len(code), 7)]))
	switch {
	case strings.HasPrefix(head, "general"):
		s.add(generalToken, "")
		s.isGeneral = true
		return 7
	case strings.HasPrefix(head, "am/pm"):
		s.add(meridiemToken, "")
		s.hasMeridiem = true
		return 5
	case strings.HasPrefix(head, "a/p"):
		s.add(meridiemToken, "")
		s.hasMeridiem = true
		return 3
	case r == 'e' && len(code) > 1 && (code[1] == '+' || code[1] == '-') && s.placeholders > 0:
		s.add(exponentToken, string(code[1]))
		return 2
	case strings.ContainsRune("ymdhs", r) || r == 'e' && s.placeholders == 0:
		n := 1
		for n < len(code) && unicode.ToLower(code[n]) == r {
			n++
		}
		s.add(dateToken, strings.ReplaceAll(strings.Repeat(string(r), n), "e", "yyyy"))
		s.isDate = true
		return n
	}
	kind := literalToken
	switch r {
	case '0', '#', '?':
		kind = digitToken
		s.placeholders++
	case '.':
		kind = pointToken
	case ',':
		kind = commaToken
	case '%':
		kind = percentToken
	case '/':
		kind = slashToken
	case '@':
		kind = textToken
		s.isText = true
	}
	s.add(kind, string(code[0]))
	return 1
}

// finish tells signs apart that mean something only among digits.
func (s *formatSection) finish() {
	for i := range s.tokens {
		t := &s.tokens[i]
		switch {
		case s.isDate && (t.kind == commaToken || t.kind == slashToken || t.kind == pointToken && !s.isFraction(i)),
			t.kind == slashToken && s.placeholders == 0, t.kind == commaToken && s.placeholders == 0:
			t.kind = literalToken
		}
	}
}

// isFraction reports whether a point is before digits of a second.
func (s *formatSection) isFraction(i int) bool {
	return i+1 < len(s.tokens) && s.tokens[i+1].kind == digitToken
}

// formatText returns a text as its cell shows it.
func (f numberFormat) formatText(text string) string {
	last := f.sections[len(f.sections)-1]
	if len(f.sections) < 4 && !last.isText {
		return text
	}
	var b strings.Builder
	for _, t := range last.tokens {
		switch t.kind {
		case textToken, generalToken:
			b.WriteString(text)
		case literalToken:
			b.WriteString(t.text)
		default:
		}
	}
	return strings.TrimSpace(b.String())
}

// formatNumber returns a number as its cell shows it, but for dates, which are said unambiguously.
func (f numberFormat) formatNumber(x float64, is1904 bool) string {
	s, withSign, ok := f.sectionFor(x)
	if !ok {
		return formatGeneral(x)
	}
	if s.isDate {
		if text, ok := s.formatDate(x, is1904); ok {
			return strings.TrimSpace(text)
		}
		return formatGeneral(x)
	}
	text := strings.TrimSpace(s.formatDigits(math.Abs(x)))
	if withSign && x < 0 && strings.ContainsAny(text, "123456789") {
		text = "-" + text
	}
	return text
}

// sectionFor returns the section of a number, and whether its sign is written.
func (f numberFormat) sectionFor(x float64) (s formatSection, withSign, ok bool) {
	numbers := f.sections
	if last := len(numbers) - 1; last > 0 && (last == 3 || numbers[last].isText) {
		numbers = numbers[:last]
	}
	if numbers[0].isText && len(numbers) == 1 && numbers[0].placeholders == 0 {
		return formatSection{}, false, false
	}
	if !slices.ContainsFunc(numbers, func(s formatSection) bool { return s.operator != "" }) {
		switch {
		case x < 0 && len(numbers) > 1:
			return numbers[1], false, true
		case x == 0 && len(numbers) > 2:
			return numbers[2], false, true
		}
		return numbers[0], true, true
	}
	for i, s := range numbers {
		switch {
		case s.operator != "" && s.holds(x):
			return s, !(s.operator[0] == '<' && s.bound <= 0), true
		case s.operator == "" && (i == len(numbers)-1 || i == 1 && x < 0):
			return s, i == 1 && len(numbers) == 2 && !(numbers[0].operator[0] == '>' && numbers[0].bound <= 0) ||
				len(numbers) == 3 && i == 2, true
		}
	}
	return formatSection{}, false, false
}

func (s *formatSection) holds(x float64) bool {
	switch s.operator {
	case "<":
		return x < s.bound
	case "<=":
		return x <= s.bound
	case ">":
		return x > s.bound
	case ">=":
		return x >= s.bound
	case "<>":
		return x != s.bound
	}
	return x == s.bound
}
