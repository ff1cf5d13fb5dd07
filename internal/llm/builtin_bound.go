package llm

import (
	"slices"
	"unicode/utf8"
)

const (
	// readAtEnds is how many bytes the built-in model reads at the beginning of a long message, and as many at its end.
	readAtEnds = 8 << 10
	// mostSubjects is how many different words with a meaning it looks for in the passages, of one question.
	mostSubjects = 200
)

// shortened gives the messages with no more of each of the user's than is read.
func shortened(messages []Message) []Message {
	long := func(m Message) bool { return m.Role == "user" && len(m.Text) > 2*readAtEnds }
	if !slices.ContainsFunc(messages, long) {
		return messages
	}
	messages = slices.Clone(messages)
	for i, m := range messages {
		if long(m) {
			messages[i].Text = ends(m.Text)
		}
	}
	return messages
}

// ends gives the beginning and the end of a text, a line each, without halves of characters.
func ends(text string) string {
	to, from := readAtEnds, len(text)-readAtEnds
	for to > 0 && !utf8.RuneStart(text[to]) {
		to--
	}
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return text[:to] + "\n" + text[from:]
}
