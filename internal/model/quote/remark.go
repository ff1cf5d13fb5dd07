package quote

import "parley/internal/text/words"

// IsSmallTalk reports whether a message is nothing but a greeting, thanks or a goodbye: it asks for nothing.
func IsSmallTalk(message string) bool {
	_, ok := answerSmallTalk(message, words.English)
	return ok
}
