package redact

// findEmails goes from each @ to either side.
func (r *foldedText) findEmails() (found []span) {
	end := 0
	for i, c := range r.chars {
		if c != '@' || i < end {
			continue
		}
		start := i
		for start > end && isLocalPartChar(r.chars[start-1]) {
			start--
		}
		for start < i && !isASCIIDigit(r.chars[start]) && !isWordLetter(r.chars[start]) {
			start++
		}
		start = r.skipParameterName(start, i)
		if stop := r.domainEnd(i + 1); start < i && stop > 0 {
			found, end = append(found, span{start, stop}), stop
		}
	}
	return found
}

// skipParameterName leaves the name of a parameter out of the address that is its value: the "q=" of
// "?q=ann%40example.com".
func (r *foldedText) skipParameterName(start, at int) int {
	if before := r.charAt(start - 1); before != '?' && before != '#' && !r.isEscaped(at) {
		return start
	}
	for i := at - 1; i > start; i-- {
		if i < at-1 && (r.chars[i] == '=' || r.chars[i] == '&') {
			return i + 1
		}
	}
	return start
}

func isLocalPartChar(c rune) bool {
	switch c {
	case '.', '%', '+', '-', '\'', '&', '_', '=':
		return true
	}
	return isASCIIDigit(c) || isWordLetter(c)
}

// domainEnd returns where a host name with a top level ends that begins here, 0 where there is none.
func (r *foldedText) domainEnd(i int) (end int) {
	for labels := 1; ; labels++ {
		from, letters := i, 0
		for isASCIIDigit(r.charAt(i)) || isWordLetter(r.charAt(i)) && r.charAt(i) != '_' || r.charAt(i) == '-' && i > from {
			if !isASCIIDigit(r.chars[i]) && r.chars[i] != '-' {
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
		if r.charAt(i) != '.' {
			return end
		}
		i++
	}
}
