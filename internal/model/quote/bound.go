package quote

import (
	"parley/internal/model"
	"slices"
	"unicode/utf8"
)

const (
	// maxEndBytes is how many bytes the built-in model reads at the beginning of a long message, and as many at its end.
	maxEndBytes = 8 << 10
	// maxQuestionTerms is how many different words with a meaning it looks for in the passages, of one question.
	maxQuestionTerms = 200
)

// shortenMessages returns the messages with no more of each of the user's than is read.
func shortenMessages(messages []model.Message) []model.Message {
	long := func(m model.Message) bool { return m.Role == "user" && len(m.Text) > 2*maxEndBytes }
	if !slices.ContainsFunc(messages, long) {
		return messages
	}
	messages = slices.Clone(messages)
	for i, m := range messages {
		if long(m) {
			messages[i].Text = textEnds(m.Text)
		}
	}
	return messages
}

// textEnds returns the beginning and the end of a text, a line each, without halves of characters.
func textEnds(text string) string {
	to, from := maxEndBytes, len(text)-maxEndBytes
	for to > 0 && !utf8.RuneStart(text[to]) {
		to--
	}
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return text[:to] + "\n" + text[from:]
}
