package redact

import (
	"strconv"
	"strings"
)

const (
	minIDDigits = 6
	maxIDDigits = 15
)

// findIDNumbers finds identity numbers that are written in digits: those with a checksum or a form of their own, and
// any that a word like "passport" leads to.
func (f *foldedText) findIDNumbers() []span {
	return f.longestRuns(minIDDigits, maxIDDigits, func(run []digitGroup) bool {
		number := string(f.digitsIn(span{run[0].Start, run[len(run)-1].End}))
		form := groupLengths(run)
		switch len(number) {
		case 9:
			if form == "3-2-4" && run[0].gap == run[1].gap && (run[0].gap == "-" || run[0].gap == " ") && isSSN(number) {
				return true
			}
		case 11:
			if (form == "11" || form == "2-3-3-3") && isSteuerID(number) || (form == "11" || form == "3-3-3-2") &&
				isCPF(number) {
				return true
			}
		case 15:
			if (form == "15" || form == "13-2" || form == "1-2-2-2-3-3-2") && isNIR(number) {
				return true
			}
		}
		return f.cueBefore(run[0].Start) == cueID
	})
}

// groupLengths returns the lengths of the groups: "3-2-4".
func groupLengths(run []digitGroup) string {
	lengths := make([]string, len(run))
	for i, g := range run {
		lengths[i] = strconv.Itoa(g.size())
	}
	return strings.Join(lengths, "-")
}

// isSSN reports whether a number is a social security number or a tax payer's number of the United States.
func isSSN(n string) bool {
	area, middle := n[:3], n[3:5]
	if area == "000" || area == "666" || middle == "00" || n[5:] == "0000" {
		return false
	}
	return area < "900" || middle >= "50"
}

// isSteuerID reports whether a number is a German tax payer's number: one digit of the first ten is there twice or
// three times, and the last one checks them (ISO 7064, MOD 11,10).
func isSteuerID(n string) bool {
	var counts [10]int
	product := 10
	for _, c := range n[:10] {
		counts[c-'0']++
		sum := (int(c-'0') + product) % 10
		if sum == 0 {
			sum = 10
		}
		product = sum * 2 % 11
	}
	repeated := 0
	for _, c := range counts {
		if c > 3 {
			return false
		}
		if c > 1 {
			repeated++
		}
	}
	return n[0] != '0' && repeated == 1 && (11-product)%10 == int(n[10]-'0')
}

// isCPF reports whether a number is a Brazilian tax payer's number by its two check digits.
func isCPF(n string) bool {
	if strings.Count(n, n[:1]) == len(n) {
		return false
	}
	for _, last := range []int{9, 10} {
		sum := 0
		for i := range last {
			sum += int(n[i]-'0') * (last + 1 - i)
		}
		if sum*10%11%10 != int(n[last]-'0') {
			return false
		}
	}
	return true
}

// isNIR reports whether a number is a French social security number by its month and its key.
func isNIR(n string) bool {
	rest := 0
	for _, c := range n[:13] {
		rest = (rest*10 + int(c-'0')) % 97
	}
	key := 10*int(n[13]-'0') + int(n[14]-'0')
	month := n[3:5]
	return strings.IndexByte("123478", n[0]) >= 0 && month >= "01" && (month <= "12" || month >= "20") && 97-rest == key
}
