package quote

import "parley/internal/text/words"

// isOtherLanguage reports a text that is surely in another language than the question.
func (t *parsedQuestion) isOtherLanguage(text string) bool {
	if !t.isLanguageSure {
		return false
	}
	tokens := words.AppendTokens(nil, text)
	lang, sure := words.GuessLanguage(tokens)
	if !sure || lang == t.lang {
		return false
	}
	theirs, ours := 0, 0
	for _, token := range tokens {
		if lang.IsStopWord(token.Word) {
			theirs++
		}
		if t.lang.IsStopWord(token.Word) {
			ours++
		}
	}
	return theirs > 2*ours
}
