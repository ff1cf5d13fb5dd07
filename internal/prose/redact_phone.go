package prose

import (
	"slices"
	"strconv"
	"strings"
)

const (
	fewestInPhone = 7
	mostInPhone   = 15
)

// phones finds telephone numbers: international ones, national ones as they are usually written, and any digits that a word
// like "phone" leads to.
func (r *reading) phones() (found []Span) {
	for _, s := range r.longest(fewestInPhone, mostInPhone, r.isPhone) {
		found = append(found, r.widened(s))
	}
	return found
}

func (r *reading) isPhone(run []group) bool {
	span := Span{run[0].Start, run[len(run)-1].End}
	number := r.digits(span)
	first := span.Start
	if r.char(first-1) == '+' && !isFigure(r.char(first-2)) && !isJoined(r.char(first-2)) {
		return number[0] != '0' && (len(run) > 1 || len(number) > fewestInPhone)
	}
	if r.amount(span) {
		return false
	}
	switch r.cue(first) {
	case phoneCue:
		return true
	case itemCue:
		return false
	default:
		return r.isNational(run, number)
	}
}

// amount reports a sign of money or measure beside the number.
func (r *reading) amount(s Span) bool {
	const signs = "$€£¥₹₽%°"
	before, after := r.char(s.Start-1), r.char(s.End)
	if before == ' ' {
		before = r.char(s.Start - 2)
	}
	if after == ' ' {
		after = r.char(s.End + 1)
	}
	return strings.ContainsRune(signs, before) || strings.ContainsRune(signs, after) || r.char(s.End) == ',' && isFigure(r.char(s.End+1))
}

// shapes are the lengths of the groups of national numbers that do not begin with a zero.
var shapes = map[string]bool{
	"3-3-4": true, "1-3-3-4": true, "3-4": true, // North America
	"3-4-4": true, "2-4-4": true, "2-5-4": true, // China, Brazil
	"3-3-3": true, "3-2-2-2": true, "3-3-2-2": true, "1-3-3-2-2": true, // Spain, Poland, Turkey, Russia
	"5-5": true, "3-7": true, // India, Italy
}

func (r *reading) isNational(run []group, number []byte) bool {
	if len(run) == 1 {
		return strings.HasPrefix(string(number), "00") && number[2] != '0' && len(number) >= 11
	}
	shape := make([]string, len(run))
	points, spaces := true, true
	for i, g := range run {
		shape[i] = strconv.Itoa(g.size())
		if i < len(run)-1 {
			points, spaces = points && g.gap == ".", spaces && g.gap == " "
		}
	}
	first := run[0].size()
	switch {
	case r.char(run[0].Start-1) == '(' && strings.HasPrefix(run[0].gap, ")"):
		return first >= 2 && first <= 5 && len(number) <= 13 && !r.isYear(run[0])
	case number[0] == '0':
		return zeroed(run, number, points)
	case slices.ContainsFunc(run[:len(run)-1], func(g group) bool { return strings.ContainsAny(g.gap, "/") }):
		return false
	}
	switch s := strings.Join(shape, "-"); s {
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
		return shapes[s] && !points
	}
}

// zeroed judges a number that begins with a zero, as long-distance numbers do in much of the world; 0.1234567 does not.
func zeroed(run []group, number []byte, points bool) bool {
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

func (r *reading) isYear(g group) bool {
	v := r.value(g.Span)
	return g.size() == 4 && 1900 <= v && v < 2100
}

// widened takes the signs along that belong to the number: a plus, a bracket, an extension.
func (r *reading) widened(s Span) Span {
	if r.char(s.Start-1) == '+' {
		s.Start--
	}
	if r.char(s.Start-1) == '(' && slices.Contains(r.chars[s.Start:s.End], ')') {
		s.Start--
	}
	s.End = r.extension(s.End)
	return s
}

// extension gives where an extension of the line ends that begins here: "x12", " ext. 12".
func (r *reading) extension(i int) int {
	end := i
	if r.char(end) == ' ' {
		end++
	}
	switch {
	case r.has(end, "extension"):
		end += len("extension")
	case r.has(end, "ext"):
		end += len("ext")
	case r.has(end, "x"):
		end++
	default:
		return i
	}
	if r.char(end) == '.' {
		end++
	}
	if r.char(end) == ' ' {
		end++
	}
	from := end
	for isFigure(r.char(end)) && end-from < 6 {
		end++
	}
	if end == from || isFigure(r.char(end)) || isJoined(r.char(end)) {
		return i
	}
	return end
}

func (r *reading) has(i int, word string) bool {
	for j, c := range word {
		if r.char(i+j) != c {
			return false
		}
	}
	return true
}
