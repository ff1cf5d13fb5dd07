package quote

import (
	"slices"
	"strings"
)

// isDenied reports whether there is a negation before the last word of the match, in its clause, or at the clause's
// end.
func (s *parsedSentence) isDenied(m triggerMatch) bool {
	last := m.wordIndexes[len(m.wordIndexes)-1]
	from := s.clauseStart(last)
	if s.tokens[last].Unspaced {
		return s.isDeniedUnspaced(s.tokens[from].Start, s.tokens[last].Start)
	}
	if s.isQuestion() && s.beginsWithPhrase(from, len(s.tokens), politeDenialPhrases) {
		return false
	}
	for i := from; i < last; i++ {
		if denialWords[s.tokens[i].Word] && !slices.Contains(m.wordIndexes, i) && !s.isInterjectedNo(i, from) {
			return true
		}
	}
	return s.hasTrailingNegation(last)
}

// isInterjectedNo reports a "no" that begins the sentence and denies only what was said before it.
func (s *parsedSentence) isInterjectedNo(i, from int) bool {
	w := s.tokens[i].Word
	return i == from && (w == "no" || w == "non") && i+1 < len(s.tokens) && interjectionFollowers[s.tokens[i+1].Word]
}

// hasTrailingNegation reports whether there is a negation at the end of the clause, where German and Dutch put it; "or
// not" denies nothing.
func (s *parsedSentence) hasTrailingNegation(last int) bool {
	end := last
	for end+1 < len(s.tokens) && s.tokens[end+1].clauseIndex == s.tokens[last].clauseIndex {
		end++
	}
	if end == last || !trailingNegations[s.tokens[end].Word] {
		return false
	}
	before := s.tokens[end-1].Word
	return before != "oder" && before != "of"
}

func (s *parsedSentence) isDeniedUnspaced(from, to int) bool {
	text := s.text[from:to]
	for _, harmless := range []string{"不好意思", "对不起", "能不能", "可不可以", "是不是", "要不要", "好不好", "有没有", "不知道", "不如"} {
		text = strings.ReplaceAll(text, harmless, "")
	}
	return strings.ContainsAny(text, "不别没無无勿非") || strings.Contains(s.text[to:s.end], "たくない") ||
		strings.Contains(s.text[to:s.end], "ないで")
}

// beginsWithPhrase reports whether the words from one on, up to another, begin with one of the phrases.
func (s *parsedSentence) beginsWithPhrase(from, to int, phrases []string) bool {
	var b strings.Builder
	for _, h := range s.tokens[from:min(to, from+6)] {
		b.WriteString(h.Word + " ")
	}
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.HasPrefix(b.String(), p+" ") })
}
