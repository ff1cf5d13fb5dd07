package office

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

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
