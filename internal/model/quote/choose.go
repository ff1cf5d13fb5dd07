package quote

import (
	"parley/internal/model"
	"slices"
)

// chooseTool finds the tool whose trigger the message holds: the one with the most words, then the longest; -1 for none.
func chooseTool(tools []model.Tool, message string) (best int, found triggerMatch) {
	best = -1
	sentences := splitSentences(message)
	var top trigger
	for i, tool := range tools {
		for _, phrase := range tool.Triggers {
			t := parsedTriggers.parse(phrase)
			if best >= 0 && (len(t.words) < len(top.words) || len(t.words) == len(top.words) && len(t.text) <= len(top.text)) {
				continue
			}
			for j := range sentences {
				if m, ok := t.matchSentence(&sentences[j]); ok && sentences[j].callsForTool(&t, m, parseInputs(tool.Parameters)) {
					best, found, top = i, m, t
					break
				}
			}
		}
	}
	return best, found
}

// callsForTool reports that the sentence calls for the tool and does not merely speak of it.
func (s *parsedSentence) callsForTool(t *trigger, m triggerMatch, inputs []toolInput) bool {
	if s.isDenied(m) || s.recountsPast(t, m) || len(t.words) == 1 && !s.isBrief(m, inputs, len(t.placeholders) > 0) {
		return false
	}
	switch s.mood(m.wordIndexes[0]) {
	case moodJudgement:
		return t.isQuestion
	case moodHowQuestion:
		return t.isQuestion || countFilledInputs(s.text, m, inputs) > 0
	case moodOwnQuestion:
		return t.isQuestion || countFilledInputs(s.text, m, inputs) > 0 || s.asksAboutOwnThing(m)
	default:
		return true
	}
}

// countFilledInputs counts the holes that hold a value of the kind that their input wants.
func countFilledInputs(text string, m triggerMatch, inputs []toolInput) (n int) {
	for _, in := range inputs {
		if c, ok := m.captures[in.name]; ok && c.end > c.start {
			if _, _, ok := in.parseValue(text, c); ok {
				n++
			}
		}
	}
	return n
}

// isBrief reports that a sentence with a trigger of one word says little else, apart from what fills its holes.
func (s *parsedSentence) isBrief(m triggerMatch, inputs []toolInput, holes bool) bool {
	if countFilledInputs(s.text, m, inputs) > 0 {
		return true
	}
	others := 0
	for i, h := range s.tokens {
		if !h.isStop && !slices.Contains(m.wordIndexes, i) && !politeWords[h.Word] {
			others++
		}
	}
	most := maxStrayWords
	if holes {
		most = 1 // what fills them is missing
	}
	return others <= most || s.tokens[m.wordIndexes[0]].Unspaced
}

// asksAboutOwnThing reports that the question is about the speaker's own thing and begins with it.
func (s *parsedSentence) asksAboutOwnThing(m triggerMatch) bool {
	for i := s.clauseStart(m.wordIndexes[0]); i < m.wordIndexes[0]; i++ {
		if h := s.tokens[i]; !h.isStop && !politeWords[h.Word] {
			return false
		}
	}
	for i := s.clauseStart(m.wordIndexes[0]); i < len(s.tokens); i++ {
		if possessiveWords[s.tokens[i].Word] {
			return true
		}
	}
	return false
}
