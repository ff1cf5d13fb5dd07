package llm

import "parley/internal/words"

// otherTongue reports a text that is surely in another language than the question.
func (t *topic) otherTongue(text string) bool {
	if !t.tongue {
		return false
	}
	tokens := words.Cut(nil, text)
	lang, sure := words.Guess(tokens)
	if !sure || lang == t.lang {
		return false
	}
	theirs, ours := 0, 0
	for _, token := range tokens {
		if lang.IsStop(token.Word) {
			theirs++
		}
		if t.lang.IsStop(token.Word) {
			ours++
		}
	}
	return theirs > 2*ours
}
