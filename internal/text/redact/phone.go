package redact

import (
	"slices"
	"strings"
)

const (
	minPhoneDigits = 7
	maxPhoneDigits = 15
)

// findPhones finds telephone numbers: international ones, national ones as they are usually written, and any digits
// that a word like "phone" leads to.
func (f *foldedText) findPhones() (found []span) {
	for _, s := range f.longestRuns(minPhoneDigits, maxPhoneDigits, f.isPhone) {
		found = append(found, f.widenPhone(s))
	}
	return found
}

func (f *foldedText) isPhone(run []digitGroup) bool {
	span := span{run[0].Start, run[len(run)-1].End}
	number := f.digitsIn(span)
	first := span.Start
	if f.charAt(first-1) == '+' && !isASCIIDigit(f.charAt(first-2)) && !isWordLetter(f.charAt(first-2)) {
		return number[0] != '0' && (len(run) > 1 || len(number) > minPhoneDigits)
	}
	if f.isAmount(span) {
		return false
	}
	switch f.cueBefore(first) {
	case cuePhone:
		return true
	case cueItem:
		return false
	default:
		return f.isNational(run, number)
	}
}

// isAmount reports whether a sign of money or measure is beside the number.
func (f *foldedText) isAmount(s span) bool {
	const signs = "$€£¥₹₽%°"
	before, after := f.charAt(s.Start-1), f.charAt(s.End)
	if before == ' ' {
		before = f.charAt(s.Start - 2)
	}
	if after == ' ' {
		after = f.charAt(s.End + 1)
	}
	return strings.ContainsRune(signs, before) || strings.ContainsRune(signs, after) || f.charAt(s.End) == ',' &&
		isASCIIDigit(f.charAt(s.End+1))
}

// phoneShapes are the lengths of the groups of national numbers that do not begin with a zero.
var phoneShapes = map[string]bool{
	"3-3-4": true, "1-3-3-4": true, "3-4": true, // North America
	"3-4-4": true, "2-4-4": true, "2-5-4": true, // China, Brazil
	"3-3-3": true, "3-2-2-2": true, "3-3-2-2": true, "1-3-3-2-2": true, // Spain, Poland, Turkey, Russia
	"5-5": true, "3-7": true, // India, Italy
}

func (f *foldedText) isNational(run []digitGroup, number []byte) bool {
	if len(run) == 1 {
		return strings.HasPrefix(string(number), "00") && number[2] != '0' && len(number) >= 11
	}
	joinedBy := func(gap string) bool {
		return !slices.ContainsFunc(run[:len(run)-1], func(g digitGroup) bool { return g.gap != gap })
	}
	points, spaces := joinedBy("."), joinedBy(" ")
	first := run[0].size()
	switch {
	case f.charAt(run[0].Start-1) == '(' && strings.HasPrefix(run[0].gap, ")"):
		return first >= 2 && first <= 5 && len(number) <= 13 && !f.isYear(run[0])
	case number[0] == '0':
		return isZeroPrefixedPhone(run, number, points)
	case slices.ContainsFunc(run[:len(run)-1], func(g digitGroup) bool { return strings.ContainsAny(g.gap, "/") }):
		return false
	}
	switch s := groupLengths(run); s {
	case "3-4":
		return run[0].gap == "-"
	case "3-3-3":
		return !points && number[0] >= '4'
	case "2-4-4", "3-7":
		return spaces && number[0] != '1' && number[0] != '2'
	case "5-5":
		return number[0] >= '6' && (spaces || run[0].gap == "-")
	case "3-3-4":
		return true
	default:
		return phoneShapes[s] && !points
	}
}

// isZeroPrefixedPhone reports whether a number is a number that begins with a zero, as long-distance numbers do in much
// of the world; 0.1234567 does not.
func isZeroPrefixedPhone(run []digitGroup, number []byte, points bool) bool {
	if points && len(run) == 2 && run[0].size() < 3 {
		return false
	}
	for _, g := range run[1:] {
		if g.size() == 1 && len(run) < 4 {
			return false
		}
	}
	return len(number) >= 8 && len(number) <= 14 && (number[1] != '0' || number[2] != '0')
}

func (f *foldedText) isYear(g digitGroup) bool {
	v := f.shortNumber(g.span)
	return g.size() == 4 && 1900 <= v && v < 2100
}

// widenPhone widens the span by the signs that belong to the number: a plus, a bracket, an extension.
func (f *foldedText) widenPhone(s span) span {
	if f.charAt(s.Start-1) == '+' {
		s.Start--
	}
	if f.charAt(s.Start-1) == '(' && slices.Contains(f.chars[s.Start:s.End], ')') {
		s.Start--
	}
	s.End = f.extensionEnd(s.End)
	return s
}

// extensionEnd returns where an extension of the line ends that begins here: "x12", " ext. 12".
func (f *foldedText) extensionEnd(i int) int {
	end := i
	if f.charAt(end) == ' ' {
		end++
	}
	label := slices.IndexFunc(extensionLabels, func(word string) bool { return f.hasWordAt(end, word) })
	if label < 0 {
		return i
	}
	end += len(extensionLabels[label])
	if f.charAt(end) == '.' {
		end++
	}
	if f.charAt(end) == ' ' {
		end++
	}
	from := end
	for isASCIIDigit(f.charAt(end)) && end-from < 6 {
		end++
	}
	if end == from || isASCIIDigit(f.charAt(end)) || isWordLetter(f.charAt(end)) {
		return i
	}
	return end
}

var extensionLabels = []string{"extension", "ext", "x"}

func (f *foldedText) hasWordAt(i int, word string) bool {
	for j, c := range word {
		if f.charAt(i+j) != c {
			return false
		}
	}
	return true
}
