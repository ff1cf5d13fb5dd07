package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Some signs make another word of a letter: C, C++, C# and .NET are four things, and AT&T is no "at".

// SignsEnd returns the end of the signs behind the word from start to i that belong to it; i for none.
func SignsEnd(text string, start, i int) int {
	if i == len(text) || text[i] != '+' && text[i] != '#' && text[i] != '&' {
		return i
	}
	_, end := appendSigns(nil, text, start, i)
	return end
}

// SignWord returns the word that a sign at i begins or is, such as "euro", and where it ends; empty for most signs.
func SignWord(text string, i int) (word string, end int) { return signWord(text, i, signAt(text, i)) }

// JoinedEnd returns where a word goes on behind characters at i that nobody sees; i if it does not.
func JoinedEnd(text string, i int) int { return ignoredEnd(text, i) }

const (
	maxPlusLetters      = 2 // before two signs or three: "g++", "A+++"
	maxAmpersandLetters = 3 // on either side: "AT&T", "R&D"
	minNameLetters      = 3 // behind the apostrophe of a name: "O'Hara"
)

// appendSigns ends the word from start to i, and adds the signs behind it that belong to it.
func appendSigns(b []byte, text string, start, i int) ([]byte, int) {
	if i == len(text) {
		return b, i
	}
	switch text[i] {
	case '+':
		if end := plusEnd(text, start, i); end > i {
			return append(b, text[i:end]...), end
		}
	case '#':
		if i == start+1 && isASCIILetter(text[start]) && !beginsWord(text, i+1) && !beginsSign(text, i+1, "#+") {
			return append(b, '#'), i + 1
		}
	case '&':
		if end := ampersandEnd(text, start, i); end > i {
			b = append(b, '&')
			for _, r := range text[i+1 : end] {
				b = appendFolded(b, r)
			}
			return b, end
		}
	default:
		if n := apostropheLength(text, i); n > 0 && i == start+1 && text[start]|0x20 == 'o' &&
			hasLetters(text[i+n:], minNameLetters) {
			return foldWord(b, text, i+n)
		}
	}
	return b, i
}

// plusEnd returns the end of the plus signs at i; i if they do not belong to the word.
func plusEnd(text string, start, i int) int {
	end := i
	for end < len(text) && text[end] == '+' {
		end++
	}
	letters := 1
	if end-i > 1 {
		letters = maxPlusLetters
	}
	if end-i > 3 || i-start > letters || !hasOnlyLetters(text[start:i]) {
		return i
	}
	if beginsWord(text, end) && (end-i == 1 || !isDigit(text[end])) {
		return i
	}
	return end
}

// ampersandEnd returns the end of an abbreviation with an ampersand at i, i where it is none: not in the query of an
// address, nor before a character that is written by its name.
func ampersandEnd(text string, start, i int) int {
	if i-start > maxAmpersandLetters || !hasOnlyLetters(text[start:i]) || start > 0 && beginsSign(text, start-1, "?&=;/") {
		return i
	}
	end := i + 1
	for end < len(text) && isASCIILetter(text[end]) {
		end++
	}
	if end == i+1 || end-i-1 > maxAmpersandLetters || beginsWord(text, end) || beginsSign(text, end, "=;&") {
		return i
	}
	return end
}

// signWord returns the word that a sign at i begins or is, and where it ends; empty for most signs.
func signWord(text string, i int, r rune) (word string, end int) {
	switch r {
	case '.':
		if end = i + len(dotNet); end <= len(text) && strings.EqualFold(text[i:end], dotNet) && !beginsWord(text, end) &&
			standsBeforeNet(text[:i]) {
			return dotNet, end
		}
	case '$', '€', '£', '₹', '₽', '₩', '¥':
		end = i + utf8.RuneLen(r)
		if isBesideDigit(text, i, end) {
			return currencyNames[r], end
		}
	}
	return "", i
}

const dotNet = ".net"

// standsBeforeNet reports whether .NET may follow the text: not a name of a host.
func standsBeforeNet(before string) bool {
	for _, family := range []string{"asp", "vb", "ado"} {
		n := len(before) - len(family)
		if n >= 0 && strings.EqualFold(before[n:], family) && (n == 0 || !endsWord(before[:n])) {
			return true
		}
	}
	return !endsWord(before) && !strings.HasSuffix(before, ".")
}

// currencyNames are the words that a currency's sign is read as.
var currencyNames = map[rune]string{'$': "dollar", '€': "euro", '£': "pound", '₹': "rupee", '₽': "рубль", '₩': "won",
	'¥': "yen"}

// isBesideDigit reports whether a digit is before the sign or behind it, perhaps with a space between them. "R$"
// and the like are other currencies.
func isBesideDigit(text string, start, end int) bool {
	if start > 0 && isASCIILetter(text[start-1]) || beginsWord(text, end) && !isDigit(text[end]) {
		return false
	}
	behind, before := trimSpaceStart(text[end:]), trimSpaceEnd(text[:start])
	return behind != "" && isDigit(behind[0]) || before != "" && isDigit(before[len(before)-1])
}

// trimSpaceStart and trimSpaceEnd leave out one space, be it a narrow one or one that does not break a line.
func trimSpaceStart(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if unicode.Is(unicode.Zs, r) {
		return s[n:]
	}
	return s
}

func trimSpaceEnd(s string) string {
	r, n := utf8.DecodeLastRuneInString(s)
	if unicode.Is(unicode.Zs, r) {
		return s[:len(s)-n]
	}
	return s
}

func apostropheLength(text string, i int) int {
	for _, sign := range []string{"'", "’", "ʼ", "‘", "´", "`"} {
		if strings.HasPrefix(text[i:], sign) {
			return len(sign)
		}
	}
	return 0
}

func isASCIILetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func hasOnlyLetters(s string) bool {
	for i := range len(s) {
		if !isASCIILetter(s[i]) {
			return false
		}
	}
	return s != ""
}

// hasLetters reports whether a text begins with so many letters.
func hasLetters(text string, n int) bool {
	for _, r := range text {
		if n == 0 || !unicode.IsLetter(r) {
			break
		}
		n--
	}
	return n == 0
}

func beginsSign(text string, i int, signs string) bool {
	return i < len(text) && strings.IndexByte(signs, text[i]) >= 0
}

func beginsWord(text string, i int) bool {
	r, _ := decodeNext(text, i)
	return isWordRune(r) && !IsUnspacedRune(r)
}

func endsWord(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return isWordRune(r)
}
