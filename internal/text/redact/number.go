package redact

import "slices"

type digitGroup struct {
	span
	isExcluded      bool   // part of something else: a word, a date, a time, an amount
	gap             string // what is between it and the next one, where that may go on the number
	continuesToNext bool   // the next group goes on the number
}

func (g digitGroup) size() int { return g.End - g.Start }

// isTightlyJoined reports whether the next group hangs on this one, so that no number ends between them.
func (g digitGroup) isTightlyJoined() bool {
	return g.gap == "-" || g.gap == "." || g.gap == "/" || g.gap == "_"
}

// allowedGaps are what may be between the groups of one number.
var allowedGaps = map[string]bool{" ": true, "-": true, ".": true, "/": true, " - ": true, " / ": true, ") ": true,
	")": true, " (": true, "(": true, ")-": true, ") (": true}

const maxGapChars = 3

// findGroups finds the runs of digits and which of them may be part of a number that is masked.
func (f *foldedText) findGroups() (all []digitGroup) {
	for i := 0; i < len(f.chars); i++ {
		if !isASCIIDigit(f.chars[i]) {
			continue
		}
		g := digitGroup{span: span{i, i}}
		for isASCIIDigit(f.charAt(i)) {
			i++
		}
		g.End = i
		g.isExcluded = f.isPartOfWord(g.span) || f.isPartOfTime(g.span)
		all = append(all, g)
	}
	for i := range all[:max(0, len(all)-1)] {
		if d := all[i+1].Start - all[i].End; d <= maxGapChars {
			all[i].gap = f.gapBetween(all[i].End, all[i+1].Start)
		}
		if n := all[i+1].size(); all[i].gap == "," && (n <= 2 || n == 3 && all[i].size() <= 3) {
			all[i].isExcluded, all[i+1].isExcluded = true, true
		}
	}
	spreadExclusions(all)
	excludeDates(all, f)
	excludeIPAddresses(all)
	for i := range all[:max(0, len(all)-1)] {
		all[i].continuesToNext = allowedGaps[all[i].gap] && !all[i].isExcluded && !all[i+1].isExcluded
	}
	return all
}

// isPartOfWord reports whether a letter is right beside the digits, or behind a hyphen or slash: they are of a code, a
// hash or an address. What follows "phone=" is a value of its own.
func (f *foldedText) isPartOfWord(s span) bool {
	if f.extensionEnd(s.End) > s.End {
		return isWordLetter(f.charAt(s.Start - 1))
	}
	return isWordLetter(f.charAt(s.Start-1)) || isWordLetter(f.charAt(s.End)) ||
		isConnector(f.charAt(s.Start-1)) && f.charAt(s.Start-1) != '=' && isWordLetter(f.charAt(s.Start-2)) ||
		isConnector(f.charAt(s.End)) && isWordLetter(f.charAt(s.End+1))
}

func isConnector(c rune) bool { return c == '-' || c == '/' || c == '_' || c == '=' }

// isPartOfTime reports whether a colon is between these and other digits.
func (f *foldedText) isPartOfTime(s span) bool {
	return f.charAt(s.Start-1) == ':' && isASCIIDigit(f.charAt(s.Start-2)) || f.charAt(s.End) == ':' &&
		isASCIIDigit(f.charAt(s.End+1))
}

// spreadExclusions excludes the groups that are joined to an excluded one.
func spreadExclusions(all []digitGroup) {
	for i := 1; i < len(all); i++ {
		all[i].isExcluded = all[i].isExcluded || all[i-1].isExcluded && all[i-1].isTightlyJoined()
	}
	for i := len(all) - 2; i >= 0; i-- {
		all[i].isExcluded = all[i].isExcluded || all[i+1].isExcluded && all[i].isTightlyJoined()
	}
}

// excludeDates excludes dates: 2026-11-21, 21.11.2026, 11/21/26.
func excludeDates(all []digitGroup, r *foldedText) {
	for i := 0; i+2 < len(all); i++ {
		a, b, c := all[i], all[i+1], all[i+2]
		if a.isExcluded || a.gap != b.gap || a.gap != "-" && a.gap != "." && a.gap != "/" {
			continue
		}
		isAlone := c.gap != a.gap && (i == 0 || all[i-1].gap != a.gap)
		first, middle, last := r.shortNumber(a.span), r.shortNumber(b.span), r.shortNumber(c.span)
		day := func(g digitGroup, v int) bool { return g.size() <= 2 && 1 <= v && v <= 31 }
		year := func(g digitGroup, v int) bool { return g.size() == 4 && 1800 <= v && v < 2200 }
		if day(b, middle) &&
			(year(a, first) && day(c, last) || day(a, first) && (year(c, last) || c.size() == 2 && isAlone)) {
			for j := i; j < i+3; j++ {
				all[j].isExcluded = true
			}
		}
	}
}

// excludeIPAddresses excludes IP addresses and versions: four or more short groups between points.
func excludeIPAddresses(all []digitGroup) {
	for i := 0; i < len(all); {
		end := i
		for end+1 < len(all) && all[end].gap == "." && all[end].size() <= 3 {
			end++
		}
		long := slices.ContainsFunc(all[i:end+1], func(g digitGroup) bool { return g.size() > 3 })
		pairs := !slices.ContainsFunc(all[i:end+1], func(g digitGroup) bool { return g.size() != 2 })
		if end-i == 3 && !long && !pairs {
			for j := i; j <= end; j++ {
				all[j].isExcluded = true
			}
		}
		i = end + 1
	}
}

// shortNumber reads a short run of digits.
func (f *foldedText) shortNumber(s span) (n int) {
	if s.End-s.Start > 4 {
		return -1
	}
	for _, c := range f.chars[s.Start:s.End] {
		n = 10*n + int(c-'0')
	}
	return n
}

func (f *foldedText) digitsIn(s span) []byte {
	all := make([]byte, 0, s.End-s.Start)
	for _, c := range f.chars[s.Start:s.End] {
		if isASCIIDigit(c) {
			all = append(all, byte(c))
		}
	}
	return all
}

const maxGroups = 8

// longestRuns finds, from each group on, the longest run of groups that is accepted as one number of so many digits.
func (f *foldedText) longestRuns(minimum, maximum int, accepts func(run []digitGroup) bool) (found []span) {
	all := f.findGroups()
	taken := -1 // the last group that was found
	for i := 0; i < len(all); i++ {
		if i > 0 && taken != i-1 && all[i-1].isTightlyJoined() {
			continue
		}
		end, size := i, all[i].size()
		for all[end].continuesToNext && size+all[end+1].size() <= maximum && end-i < maxGroups-1 {
			end++
			size += all[end].size()
		}
		for j := end; j >= i && !all[i].isExcluded && minimum <= size && size <= maximum; j-- {
			if !all[j].isTightlyJoined() && accepts(all[i:j+1]) {
				found = append(found, span{all[i].Start, all[j].End})
				i, taken = j, j
				break
			}
			size -= all[j].size()
		}
	}
	return found
}
