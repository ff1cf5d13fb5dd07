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

// formatGeneral writes a number with as many digits as it has, at most the 15 that a workbook keeps.
func formatGeneral(x float64) string {
	if math.Abs(x) >= 1e15 || x != 0 && math.Abs(x) < 1e-9 {
		return strings.ToUpper(strconv.FormatFloat(x, 'g', 15, 64))
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 15, 64), 64)
	if err != nil {
		rounded = x
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// formatDigits writes a number that is not negative.
func (s *formatSection) formatDigits(x float64) string {
	switch {
	case slices.ContainsFunc(s.tokens, func(t formatToken) bool { return t.kind == exponentToken }):
		return s.formatScientific(x)
	case s.fractionAt() > 0:
		return s.formatFraction(x)
	}
	whole, decimals := s.places()
	for _, t := range s.tokens {
		if t.kind == percentToken {
			x *= 100
		}
	}
	digits, fraction := roundDecimal(x/math.Pow(1000, float64(s.scale())), decimals)
	return s.fillPlaces(digits, fraction, whole, s.groups())
}

// fractionAt returns the token of a slash between digits, or 0.
func (s *formatSection) fractionAt() int {
	for i, t := range s.tokens {
		if t.kind == slashToken && i > 0 && i+1 < len(s.tokens) && s.tokens[i-1].kind == digitToken &&
			(s.tokens[i+1].kind == digitToken || isDigitText(s.tokens[i+1].text)) {
			return i
		}
	}
	return 0
}

func isDigitText(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// places counts the places of digits before and behind the point.
func (s *formatSection) places() (whole, decimals int) {
	behind := false
	for _, t := range s.tokens {
		switch {
		case t.kind == pointToken:
			behind = true
		case t.kind == digitToken && behind:
			decimals++
		case t.kind == digitToken:
			whole++
		}
	}
	return whole, decimals
}

// scale returns how many times a number is divided by 1000: a comma behind the last digit of the whole part.
func (s *formatSection) scale() (n int) {
	last := -1
	for i, t := range s.tokens {
		if t.kind == digitToken {
			last = i
		}
	}
	for i, t := range s.tokens {
		beforePoint := i+1 < len(s.tokens) && t.kind == commaToken && s.endsWhole(i)
		if t.kind == commaToken && (i > last || beforePoint) {
			n++
		}
	}
	return n
}

// endsWhole reports whether only commas are between a token and the point.
func (s *formatSection) endsWhole(i int) bool {
	for i++; i < len(s.tokens) && s.tokens[i].kind == commaToken; i++ {
		continue
	}
	return i < len(s.tokens) && s.tokens[i].kind == pointToken
}

// groups reports whether thousands are apart: a comma is between digits of the whole part.
func (s *formatSection) groups() bool {
	for i, t := range s.tokens {
		if t.kind == pointToken {
			return false
		}
		if t.kind == commaToken && i > 0 && i+1 < len(s.tokens) && s.tokens[i-1].kind == digitToken &&
			s.tokens[i+1].kind == digitToken {
			return true
		}
	}
	return false
}

// roundDecimal returns the digits of a number before and behind its point, rounded to some decimals, half up.
func roundDecimal(x float64, decimals int) (whole, fraction string) {
	exact := strconv.FormatFloat(x, 'g', 15, 64)
	if short, err := strconv.ParseFloat(exact, 64); err == nil {
		x = short
	}
	whole, fraction, _ = strings.Cut(strconv.FormatFloat(x, 'f', -1, 64), ".")
	if len(fraction) > decimals {
		up := fraction[decimals] >= '5'
		digits := []byte(whole + fraction[:decimals])
		for i := len(digits) - 1; up && i >= 0; i-- {
			if up = digits[i] == '9'; up {
				digits[i] = '0'
			} else {
				digits[i]++
			}
		}
		if up {
			digits = append([]byte{'1'}, digits...)
		}
		whole, fraction = string(digits[:len(digits)-decimals]), string(digits[len(digits)-decimals:])
	}
	fraction += strings.Repeat("0", decimals-len(fraction))
	if whole == "0" {
		whole = ""
	}
	return whole, fraction
}

// fillPlaces writes digits into the places of a section.
func (s *formatSection) fillPlaces(whole, fraction string, places int, grouped bool) string {
	var b strings.Builder
	place, decimal, behind := 0, 0, false
	trailing := strings.TrimRight(fraction, "0")
	extra := max(len(whole)-places, 0)
	for _, t := range s.tokens {
		switch t.kind {
		case literalToken:
			b.WriteString(t.text)
		case percentToken:
			b.WriteByte('%')
		case generalToken:
			b.WriteString(formatGeneral(parseDigits(whole, fraction)))
		case pointToken:
			behind = true
			if places == 0 { // .5
				b.WriteString(whole)
			}
			if trailing != "" || s.hasFixedDecimal() {
				b.WriteByte('.')
			}
		case digitToken:
			switch {
			case behind:
				if t.text == "0" || decimal < len(trailing) {
					b.WriteByte(fraction[decimal])
				}
				decimal++
			default:
				if place == 0 && extra > 0 {
					writeGrouped(&b, whole[:extra], places+extra, grouped)
				}
				at := len(whole) - places + place
				if at >= 0 {
					writeGrouped(&b, whole[at:at+1], places-place, grouped)
				} else if t.text == "0" {
					writeGrouped(&b, "0", places-place, grouped)
				}
				place++
			}
		default:
		}
	}
	return b.String()
}

func parseDigits(whole, fraction string) float64 {
	x, _ := strconv.ParseFloat("0"+whole+"."+fraction+"0", 64)
	return x
}

// hasFixedDecimal reports whether a decimal is written even if it is 0.
func (s *formatSection) hasFixedDecimal() bool {
	behind := false
	for _, t := range s.tokens {
		behind = behind || t.kind == pointToken
		if behind && t.kind == digitToken && t.text == "0" {
			return true
		}
	}
	return false
}

// writeGrouped writes digits; left is how many places there are from the first of them on.
func writeGrouped(b *strings.Builder, digits string, left int, grouped bool) {
	for i := range len(digits) {
		b.WriteByte(digits[i])
		if left--; grouped && left > 0 && left%3 == 0 {
			b.WriteByte(',')
		}
	}
}

func (s *formatSection) formatScientific(x float64) string {
	var mantissa, rest formatSection
	exponentDigits, sign := 0, ""
	for i, t := range s.tokens {
		switch {
		case t.kind == exponentToken:
			sign = t.text
			for _, t := range s.tokens[i+1:] {
				if t.kind == digitToken {
					exponentDigits++
				} else {
					rest.tokens = append(rest.tokens, t)
				}
			}
		case sign == "":
			mantissa.tokens = append(mantissa.tokens, t)
		}
	}
	places, decimals := mantissa.places()
	step := max(places, 1)
	exponent := 0
	if x != 0 {
		exponent = int(roundDown(math.Log10(x)/float64(step))) * step
	}
	whole, fraction := roundDecimal(x/math.Pow(10, float64(exponent)), decimals)
	if len(whole) > step { // rounded up to the next power
		exponent += step
		whole, fraction = roundDecimal(x/math.Pow(10, float64(exponent)), decimals)
	}
	text := strconv.Itoa(max(exponent, -exponent))
	text = strings.Repeat("0", max(exponentDigits-len(text), 0)) + text
	switch {
	case exponent < 0:
		text = "-" + text
	case sign == "+":
		text = "+" + text
	}
	return mantissa.fillPlaces(whole, fraction, places, false) + "E" + text + rest.fillPlaces("", "", 0, false)
}

// formatFraction writes a number as a whole number and a fraction: 2 1/2.
func (s *formatSection) formatFraction(x float64) string {
	at := s.fractionAt()
	first := at
	for first > 0 && s.tokens[first-1].kind == digitToken {
		first--
	}
	width, fixed, end := 0, "", at+1
	for ; end < len(s.tokens); end++ {
		t := s.tokens[end]
		if t.kind != digitToken && !isDigitText(t.text) {
			break
		}
		width++
		fixed += t.text
	}
	head, tail := formatSection{tokens: s.tokens[:first]}, formatSection{tokens: s.tokens[end:]}
	places, _ := head.places()
	whole, rest := roundDown(x), x-roundDown(x)
	if places == 0 {
		whole, rest = 0, x
	}
	n, d := nearestFraction(rest, min(width, 3))
	if limit, err := strconv.Atoi(fixed); err == nil && limit > 0 {
		n, d = int(math.Round(rest*float64(limit))), limit
	}
	if n == d && places > 0 {
		whole, n = whole+1, 0
	}
	digits, _ := roundDecimal(whole, 0)
	text := strings.TrimRight(head.fillPlaces(digits, "", places, head.groups()), " ")
	switch {
	case n == 0 && places > 0 && digits == "":
		text = strings.TrimRight(text, "0") + "0"
	case n == 0 && places == 0:
		text += "0"
	case n != 0:
		text = strings.TrimSpace(text + " " + strconv.Itoa(n) + "/" + strconv.Itoa(d))
	}
	return text + tail.fillPlaces("", "", 0, false)
}

// nearestFraction returns the fraction nearest to x whose denominator has at most so many digits.
func nearestFraction(x float64, digits int) (n, d int) {
	limit := int(math.Pow(10, float64(digits))) - 1
	best := math.Inf(1)
	for try := 1; try <= limit; try++ {
		near := math.Round(x * float64(try))
		if off := math.Abs(x - near/float64(try)); off < best-1e-12 {
			n, d, best = int(near), try, off
		}
	}
	return n, max(d, 1)
}
