package prose

import "strings"

// codes finds identity numbers that hold letters, and any code that a word like "passport" leads to.
func (r *reading) codes() (found []Span) {
	for i := 0; i < len(r.chars); {
		if !isCode(r.chars[i]) {
			i++
			continue
		}
		from := i
		for isCode(r.char(i)) {
			i++
		}
		if s, ok := r.codeAt(Span{from, i}); ok {
			found, i = append(found, s), s.End
		}
	}
	return found
}

func isCode(c rune) bool { return isLatin(c) || isFigure(c) }

// codeAt judges one word of letters and digits, with a letter that may hang on it behind a hyphen.
func (r *reading) codeAt(s Span) (Span, bool) {
	if s.End-s.Start > 20 || isWordish(r.char(s.Start-1)) || isJoined(r.char(s.End)) {
		return s, false
	}
	code := string(r.chars[s.Start:s.End])
	if c := r.char(s.End); (c == '-' || c == ' ') && len(code) == 8 && isLatin(r.char(s.End+1)) && !isCode(r.char(s.End+2)) {
		if whole := code + string(r.char(s.End+1)); isDNI(whole) && (c == '-' || r.cue(s.Start) == idCue) {
			return Span{s.Start, s.End + 2}, true
		}
	}
	if r.char(s.End) == '-' && isWordish(r.char(s.End+1)) {
		return s, false
	}
	switch {
	case isDNI(code), isCodiceFiscale(code), isResidentID(code):
		return s, true
	}
	figures := len(r.digits(s))
	return s, len(code) >= 6 && len(code) <= 14 && figures >= fewestDigits && r.cue(s.Start) == idCue
}

func isWordish(c rune) bool { return isJoined(c) || isFigure(c) || isHook(c) && c != '=' }

// isDNI judges a Spanish identity number: eight digits, or a letter and seven for foreigners, and a check letter.
func isDNI(code string) bool {
	if len(code) != 9 || !isLatin(rune(code[8])) {
		return false
	}
	first := strings.IndexByte("xyz", code[0])
	if first >= 0 {
		code = string(rune('0'+first)) + code[1:]
	}
	n := 0
	for _, c := range code[:8] {
		if !isFigure(c) {
			return false
		}
		n = n*10 + int(c-'0')
	}
	return "trwagmyfpdxbnjzsqvhlcke"[n%23] == code[8]
}

// isResidentID judges a Chinese identity number: place, birth date, sequence and a check character (ISO 7064, MOD 11-2).
func isResidentID(code string) bool {
	if len(code) != 18 || code[6:8] != "19" && code[6:8] != "20" || code[10:12] > "12" || code[12:14] > "31" {
		return false
	}
	sum := 0
	for _, c := range code[:17] {
		if !isFigure(c) {
			return false
		}
		sum = (sum + int(c-'0')) * 2 % 11
	}
	return "10x98765432"[sum%11] == code[17]
}

// isCodiceFiscale judges an Italian tax code by its form and its check letter.
func isCodiceFiscale(code string) bool {
	const form = "llllllddlddldddl"
	if len(code) != len(form) {
		return false
	}
	sum := 0
	for i, c := range []byte(code) {
		if (form[i] == 'd') != isFigure(rune(c)) {
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
			sum += oddValues[v]
		default:
			sum += v
		}
	}
	return false
}

// oddValues are what letters and digits count at the odd places of an Italian tax code.
var oddValues = [26]int{1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23}
