package redact

import "strings"

// findCodes finds identity numbers that hold letters, and any code that a word like "passport" leads to.
func (f *foldedText) findCodes() (found []span) {
	for i := 0; i < len(f.chars); {
		if !isCodeChar(f.chars[i]) {
			i++
			continue
		}
		from := i
		for isCodeChar(f.charAt(i)) {
			i++
		}
		if s, ok := f.checkCode(span{from, i}); ok {
			found, i = append(found, s), s.End
		}
	}
	return found
}

func isCodeChar(c rune) bool { return isLatinLetter(c) || isASCIIDigit(c) }

// checkCode reports whether a word of letters and digits is a code that is masked, and where it ends: a letter may
// follow behind a hyphen.
func (f *foldedText) checkCode(s span) (span, bool) {
	if s.End-s.Start > 20 || isWordChar(f.charAt(s.Start-1)) || isWordLetter(f.charAt(s.End)) {
		return s, false
	}
	code := string(f.chars[s.Start:s.End])
	if c := f.charAt(s.End); (c == '-' || c == ' ') && len(code) == 8 && isLatinLetter(f.charAt(s.End+1)) &&
		!isCodeChar(f.charAt(s.End+2)) {
		if whole := code + string(f.charAt(s.End+1)); isDNI(whole) && (c == '-' || f.cueBefore(s.Start) == cueID) {
			return span{s.Start, s.End + 2}, true
		}
	}
	if f.charAt(s.End) == '-' && isWordChar(f.charAt(s.End+1)) {
		return s, false
	}
	switch {
	case isDNI(code), isCodiceFiscale(code), isResidentID(code):
		return s, true
	}
	figures := len(f.digitsIn(s))
	return s, len(code) >= 6 && len(code) <= 14 && figures >= minDigits && f.cueBefore(s.Start) == cueID
}

func isWordChar(c rune) bool { return isWordLetter(c) || isASCIIDigit(c) || isConnector(c) && c != '=' }

// isDNI reports whether a code is a Spanish identity number: eight digits, or a letter and seven for foreigners, and a
// check letter.
func isDNI(code string) bool {
	if len(code) != 9 || !isLatinLetter(rune(code[8])) {
		return false
	}
	first := strings.IndexByte("xyz", code[0])
	if first >= 0 {
		code = string(rune('0'+first)) + code[1:]
	}
	n := 0
	for _, c := range code[:8] {
		if !isASCIIDigit(c) {
			return false
		}
		n = n*10 + int(c-'0')
	}
	return "trwagmyfpdxbnjzsqvhlcke"[n%23] == code[8]
}

// isResidentID reports whether a code is a Chinese identity number: place, birth date, sequence and a check character
// (ISO 7064, MOD 11-2).
func isResidentID(code string) bool {
	if len(code) != 18 || code[6:8] != "19" && code[6:8] != "20" || code[10:12] > "12" || code[12:14] > "31" {
		return false
	}
	sum := 0
	for _, c := range code[:17] {
		if !isASCIIDigit(c) {
			return false
		}
		sum = (sum + int(c-'0')) * 2 % 11
	}
	return "10x98765432"[sum%11] == code[17]
}

// isCodiceFiscale reports whether a code is an Italian tax code by its form and its check letter.
func isCodiceFiscale(code string) bool {
	const form = "llllllddlddldddl"
	if len(code) != len(form) {
		return false
	}
	sum := 0
	for i, c := range []byte(code) {
		if (form[i] == 'd') != isASCIIDigit(rune(c)) {
			return false
		}
		v := int(c - 'a')
		if form[i] == 'd' {
			v = int(c - '0')
		}
		switch {
		case i == 15:
			return sum%26 == v
		case i%2 == 0:
			sum += codiceFiscaleOddValues[v]
		default:
			sum += v
		}
	}
	return false
}

// codiceFiscaleOddValues are what letters and digits count at the odd places of an Italian tax code.
var codiceFiscaleOddValues = [26]int{1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22,
	25, 24, 23}
