package prose

import "slices"

// group is a run of digits.
type group struct {
	Span
	out  bool   // part of something else: a word, a date, a time, an amount
	gap  string // what stands between it and the next one, where that may go on the number
	next bool   // the next group goes on the number
}

func (g group) size() int { return g.End - g.Start }

// tight reports that the next group hangs on this one, so that no number ends between them.
func (g group) tight() bool { return g.gap == "-" || g.gap == "." || g.gap == "/" || g.gap == "_" }

// gaps are what may stand between the groups of one number.
var gaps = map[string]bool{" ": true, "-": true, ".": true, "/": true, " - ": true, " / ": true, ") ": true, ")": true, " (": true, "(": true, ")-": true, ") (": true}

const longestGap = 3

// groups finds the runs of digits and which of them may be part of a number that is masked.
func (r *reading) groups() (all []group) {
	for i := 0; i < len(r.chars); i++ {
		if !isFigure(r.chars[i]) {
			continue
		}
		g := group{Span: Span{i, i}}
		for isFigure(r.char(i)) {
			i++
		}
		g.End = i
		g.out = r.partOfWord(g.Span) || r.partOfTime(g.Span)
		all = append(all, g)
	}
	for i := range all[:max(0, len(all)-1)] {
		if d := all[i+1].Start - all[i].End; d <= longestGap {
			all[i].gap = r.gap(all[i].End, all[i+1].Start)
		}
		if n := all[i+1].size(); all[i].gap == "," && (n <= 2 || n == 3 && all[i].size() <= 3) {
			all[i].out, all[i+1].out = true, true
		}
	}
	spread(all)
	dates(all, r)
	addresses(all)
	for i := range all[:max(0, len(all)-1)] {
		all[i].next = gaps[all[i].gap] && !all[i].out && !all[i+1].out
	}
	return all
}

// partOfWord reports a letter right beside the digits, or behind a hyphen or slash: they are of a code, a hash or an address. What
// follows "phone=" is a value of its own.
func (r *reading) partOfWord(s Span) bool {
	if r.extension(s.End) > s.End {
		return isJoined(r.char(s.Start - 1))
	}
	return isJoined(r.char(s.Start-1)) || isJoined(r.char(s.End)) ||
		isHook(r.char(s.Start-1)) && r.char(s.Start-1) != '=' && isJoined(r.char(s.Start-2)) || isHook(r.char(s.End)) && isJoined(r.char(s.End+1))
}

func isHook(c rune) bool { return c == '-' || c == '/' || c == '_' || c == '=' }

// partOfTime reports a colon between digits.
func (r *reading) partOfTime(s Span) bool {
	return r.char(s.Start-1) == ':' && isFigure(r.char(s.Start-2)) || r.char(s.End) == ':' && isFigure(r.char(s.End+1))
}

// spread takes out what hangs on a group that is out.
func spread(all []group) {
	for i := 1; i < len(all); i++ {
		all[i].out = all[i].out || all[i-1].out && all[i-1].tight()
	}
	for i := len(all) - 2; i >= 0; i-- {
		all[i].out = all[i].out || all[i+1].out && all[i].tight()
	}
}

// dates takes out dates: 2026-11-21, 21.11.2026, 11/21/26.
func dates(all []group, r *reading) {
	for i := 0; i+2 < len(all); i++ {
		a, b, c := all[i], all[i+1], all[i+2]
		if a.out || a.gap != b.gap || a.gap != "-" && a.gap != "." && a.gap != "/" {
			continue
		}
		alone := c.gap != a.gap && (i == 0 || all[i-1].gap != a.gap)
		first, middle, last := r.value(a.Span), r.value(b.Span), r.value(c.Span)
		day := func(g group, v int) bool { return g.size() <= 2 && 1 <= v && v <= 31 }
		year := func(g group, v int) bool { return g.size() == 4 && 1800 <= v && v < 2200 }
		if day(b, middle) && (year(a, first) && day(c, last) || day(a, first) && (year(c, last) || c.size() == 2 && alone)) {
			for j := i; j < i+3; j++ {
				all[j].out = true
			}
		}
	}
}

// addresses takes out IP addresses and versions: four or more short groups between points.
func addresses(all []group) {
	for i := 0; i < len(all); {
		end := i
		for end+1 < len(all) && all[end].gap == "." && all[end].size() <= 3 {
			end++
		}
		long := slices.ContainsFunc(all[i:end+1], func(g group) bool { return g.size() > 3 })
		pairs := !slices.ContainsFunc(all[i:end+1], func(g group) bool { return g.size() != 2 })
		if end-i == 3 && !long && !pairs {
			for j := i; j <= end; j++ {
				all[j].out = true
			}
		}
		i = end + 1
	}
}

// value reads a short run of digits.
func (r *reading) value(s Span) (n int) {
	if s.End-s.Start > 4 {
		return -1
	}
	for _, c := range r.chars[s.Start:s.End] {
		n = 10*n + int(c-'0')
	}
	return n
}

// digits gives the digits of a stretch.
func (r *reading) digits(s Span) []byte {
	all := make([]byte, 0, s.End-s.Start)
	for _, c := range r.chars[s.Start:s.End] {
		if isFigure(c) {
			all = append(all, byte(c))
		}
	}
	return all
}

// mostGroups is in how many groups a number may be written.
const mostGroups = 8

// longest finds, from each group on, the longest run of groups that is accepted as one number of so many digits.
func (r *reading) longest(fewest, most int, accepts func(run []group) bool) (found []Span) {
	all := r.groups()
	taken := -1 // the last group that was found
	for i := 0; i < len(all); i++ {
		if i > 0 && taken != i-1 && all[i-1].tight() {
			continue
		}
		end, size := i, all[i].size()
		for all[end].next && size+all[end+1].size() <= most && end-i < mostGroups-1 {
			end++
			size += all[end].size()
		}
		for j := end; j >= i && !all[i].out && fewest <= size && size <= most; j-- {
			if !all[j].tight() && accepts(all[i:j+1]) {
				found = append(found, Span{all[i].Start, all[j].End})
				i, taken = j, j
				break
			}
			size -= all[j].size()
		}
	}
	return found
}
