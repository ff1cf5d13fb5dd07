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
func (r *foldedText) findPhones() (found []span) {
	for _, s := range r.longestRuns(minPhoneDigits, maxPhoneDigits, r.isPhone) {
		found = append(found, r.widenPhone(s))
	}
	return found
}

func (r *foldedText) isPhone(run []digitGroup) bool {
	span := span{run[0].Start, run[len(run)-1].End}
	number := r.digitsIn(span)
	first := span.Start
	if r.charAt(first-1) == '+' && !isASCIIDigit(r.charAt(first-2)) && !isWordLetter(r.charAt(first-2)) {
		return number[0] != '0' && (len(run) > 1 || len(number) > minPhoneDigits)
	}
	if r.isAmount(span) {
		return false
	}
	switch r.cueBefore(first) {
	case cuePhone:
		return true
	case cueItem:
		return false
	default:
		return r.isNational(run, number)
	}
}

// isAmount reports whether a sign of money or measure is beside the number.
func (r *foldedText) isAmount(s span) bool {
	const signs = "$€£¥₹₽%°"
	before, after := r.charAt(s.Start-1), r.charAt(s.End)
	if before == ' ' {
		before = r.charAt(s.Start - 2)
	}
	if after == ' ' {
		after = r.charAt(s.End + 1)
	}
	return strings.ContainsRune(signs, before) || strings.ContainsRune(signs, after) || r.charAt(s.End) == ',' &&
		isASCIIDigit(r.charAt(s.End+1))
}

// phoneShapes are the lengths of the groups of national numbers that do not begin with a zero.
var phoneShapes = map[string]bool{
	"3-3-4": true, "1-3-3-4": true, "3-4": true, // North America
	"3-4-4": true, "2-4-4": true, "2-5-4": true, // China, Brazil
	"3-3-3": true, "3-2-2-2": true, "3-3-2-2": true, "1-3-3-2-2": true, // Spain, Poland, Turkey, Russia
	"5-5": true, "3-7": true, // India, Italy
}

func (r *foldedText) isNational(run []digitGroup, number []byte) bool {
	if len(run) == 1 {
		return strings.HasPrefix(string(number), "00") && number[2] != '0' && len(number) >= 11
	}
	joinedBy := func(gap string) bool {
		return !slices.ContainsFunc(run[:len(run)-1], func(g digitGroup) bool { return g.gap != gap })
	}
	points, spaces := joinedBy("."), joinedBy(" ")
	first := run[0].size()
	switch {
	case r.charAt(run[0].Start-1) == '(' && strings.HasPrefix(run[0].gap, ")"):
		return first >= 2 && first <= 5 && len(number) <= 13 && !r.isYear(run[0])
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

func (r *foldedText) isYear(g digitGroup) bool {
	v := r.shortNumber(g.span)
	return g.size() == 4 && 1900 <= v && v < 2100
}

// widenPhone widens the span by the signs that belong to the number: a plus, a bracket, an extension.
func (r *foldedText) widenPhone(s span) span {
	if r.charAt(s.Start-1) == '+' {
		s.Start--
	}
	if r.charAt(s.Start-1) == '(' && slices.Contains(r.chars[s.Start:s.End], ')') {
		s.Start--
	}
	s.End = r.extensionEnd(s.End)
	return s
}

// extensionEnd returns where an extension of the line ends that begins here: "x12", " ext. 12".
func (r *foldedText) extensionEnd(i int) int {
	end := i
	if r.charAt(end) == ' ' {
		end++
	}
	label := slices.IndexFunc(extensionLabels, func(word string) bool { return r.hasWordAt(end, word) })
	if label < 0 {
		return i
	}
	end += len(extensionLabels[label])
	if r.charAt(end) == '.' {
		end++
	}
	if r.charAt(end) == ' ' {
		end++
	}
	from := end
	for isASCIIDigit(r.charAt(end)) && end-from < 6 {
		end++
	}
	if end == from || isASCIIDigit(r.charAt(end)) || isWordLetter(r.charAt(end)) {
		return i
	}
	return end
}

var extensionLabels = []string{"extension", "ext", "x"}

func (r *foldedText) hasWordAt(i int, word string) bool {
	for j, c := range word {
		if r.charAt(i+j) != c {
			return false
		}
	}
	return true
}
