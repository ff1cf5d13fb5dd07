package redact

// findEmails goes from each @ to either side.
func (f *foldedText) findEmails() (found []span) {
	end := 0
	for i, c := range f.chars {
		if c != '@' || i < end {
			continue
		}
		start := i
		for start > end && isLocalPartChar(f.chars[start-1]) {
			start--
		}
		for start < i && !isASCIIDigit(f.chars[start]) && !isWordLetter(f.chars[start]) {
			start++
		}
		start = f.skipParameterName(start, i)
		if stop := f.domainEnd(i + 1); start < i && stop > 0 {
			found, end = append(found, span{start, stop}), stop
		}
	}
	return found
}

// skipParameterName leaves the name of a parameter out of the address that is its value: the "q=" of
// "?q=ann%40example.com".
func (f *foldedText) skipParameterName(start, at int) int {
	if before := f.charAt(start - 1); before != '?' && before != '#' && !f.isEscaped(at) {
		return start
	}
	for i := at - 1; i > start; i-- {
		if i < at-1 && (f.chars[i] == '=' || f.chars[i] == '&') {
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

// domainEnd returns where a host name with a top level ends that begins here, 0 if there is none.
func (f *foldedText) domainEnd(i int) (end int) {
	for labels := 1; ; labels++ {
		from, letters := i, 0
		for isASCIIDigit(f.charAt(i)) || isWordLetter(f.charAt(i)) && f.charAt(i) != '_' || f.charAt(i) == '-' && i > from {
			if !isASCIIDigit(f.chars[i]) && f.chars[i] != '-' {
				letters++
			}
			i++
		}
		if i == from {
			return end
		}
		if stop := i; labels > 1 && letters >= 2 {
			for f.chars[stop-1] == '-' {
				stop--
			}
			end = stop
		}
		if f.charAt(i) != '.' {
			return end
		}
		i++
	}
}
