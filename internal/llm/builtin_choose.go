package llm

import "slices"

// choose finds the tool whose trigger the message holds: the one with the most words, then the longest; -1 for none.
func choose(tools []Tool, message string) (best int, found match) {
	best = -1
	sentences := listen(message)
	var top trigger
	for i, tool := range tools {
		for _, phrase := range tool.Triggers {
			t := triggers.get(phrase)
			if best >= 0 && (len(t.words) < len(top.words) || len(t.words) == len(top.words) && len(t.text) <= len(top.text)) {
				continue
			}
			for j := range sentences {
				if m, ok := t.match(&sentences[j]); ok && sentences[j].means(&t, m, inputsOf(tool.Parameters)) {
					best, found, top = i, m, t
					break
				}
			}
		}
	}
	return best, found
}

// means reports that the sentence calls for the tool and does not merely speak of it.
func (s *told) means(t *trigger, m match, inputs []input) bool {
	if s.denies(m) || s.recounts(t, m) || len(t.words) == 1 && !s.brief(m, inputs, len(t.holes) > 0) {
		return false
	}
	switch s.frame(m.at[0]) {
	case judging:
		return t.asks
	case askingHow:
		return t.asks || filled(s.text, m, inputs) > 0
	case askingOwn:
		return t.asks || filled(s.text, m, inputs) > 0 || s.owns(m)
	default:
		return true
	}
}

// filled counts the holes that hold a value of the kind that their input wants.
func filled(text string, m match, inputs []input) (n int) {
	for _, in := range inputs {
		if c, ok := m.captures[in.name]; ok && c.end > c.start {
			if _, _, ok := in.read(text, c); ok {
				n++
			}
		}
	}
	return n
}

// brief reports that a sentence with a trigger of one word says little else, apart from what fills its holes.
func (s *told) brief(m match, inputs []input, holes bool) bool {
	if filled(s.text, m, inputs) > 0 {
		return true
	}
	others := 0
	for i, h := range s.tokens {
		if !h.stop && !slices.Contains(m.at, i) && !polite[h.Word] {
			others++
		}
	}
	most := strayWords
	if holes {
		most = 1 // what fills them is missing
	}
	return others <= most || s.tokens[m.at[0]].Dense
}

// owns reports that the question is about the speaker's own thing and begins with it.
func (s *told) owns(m match) bool {
	for i := s.clauseOf(m.at[0]); i < m.at[0]; i++ {
		if h := s.tokens[i]; !h.stop && !polite[h.Word] {
			return false
		}
	}
	for i := s.clauseOf(m.at[0]); i < len(s.tokens); i++ {
		if own[s.tokens[i].Word] {
			return true
		}
	}
	return false
}
