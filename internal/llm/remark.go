package llm

import "parley/internal/words"

// IsRemark reports whether a message is nothing but a greeting, thanks or a goodbye: it asks for nothing.
func IsRemark(message string) bool {
	_, ok := smallTalk(message, words.English)
	return ok
}

// InsightRequest asks a model for a title of a conversation and how its customer sounds, on a line each. The conversation goes into
// one message, fenced: it is what the model works on, not what it is told.
func InsightRequest(model string, messages []Message) Request {
	return Request{Model: model, System: insightText, Bare: true, MaxTokens: insightTokens, Messages: []Message{{Role: "user", Text: transcript(messages)}}}
}

// insightTokens is the longest answer to it.
const insightTokens = 100
