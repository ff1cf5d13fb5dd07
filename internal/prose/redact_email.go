package prose

// emails goes from each @ to either side.
func (r *reading) emails() (found []Span) {
	end := 0
	for i, c := range r.chars {
		if c != '@' || i < end {
			continue
		}
		start := i
		for start > end && isLocal(r.chars[start-1]) {
			start--
		}
		for start < i && !isFigure(r.chars[start]) && !isJoined(r.chars[start]) {
			start++
		}
		start = r.afterName(start, i)
		if stop := r.domain(i + 1); start < i && stop > 0 {
			found, end = append(found, Span{start, stop}), stop
		}
	}
	return found
}

// afterName leaves the name of a parameter out of the address that is its value: the "q=" of "?q=ann%40example.com".
func (r *reading) afterName(start, at int) int {
	if before := r.char(start - 1); before != '?' && before != '#' && !r.escaped(at) {
		return start
	}
	for i := at - 1; i > start; i-- {
		if i < at-1 && (r.chars[i] == '=' || r.chars[i] == '&') {
			return i + 1
		}
	}
	return start
}

func isLocal(c rune) bool {
	switch c {
	case '.', '%', '+', '-', '\'', '&', '_', '=':
		return true
	}
	return isFigure(c) || isJoined(c)
}

// domain gives where a host name with a top level ends that begins here, 0 where there is none.
func (r *reading) domain(i int) (end int) {
	for labels := 1; ; labels++ {
		from, letters := i, 0
		for isFigure(r.char(i)) || isJoined(r.char(i)) && r.char(i) != '_' || r.char(i) == '-' && i > from {
			if !isFigure(r.chars[i]) && r.chars[i] != '-' {
				letters++
			}
			i++
		}
		if i == from {
			return end
		}
		if stop := i; labels > 1 && letters >= 2 {
			for r.chars[stop-1] == '-' {
				stop--
			}
			end = stop
		}
		if r.char(i) != '.' {
			return end
		}
		i++
	}
}
