package model

import "parley/internal/text/words"

// IsSmallTalk reports whether a message is nothing but a greeting, thanks or a goodbye: it asks for nothing.
func IsSmallTalk(message string) bool {
	_, ok := answerSmallTalk(message, words.English)
	return ok
}

// InsightRequest asks a model for a title of a conversation and how its customer sounds, on a line each. The conversation goes into
// one message, fenced: it is what the model works on, not what it is told.
func InsightRequest(model string, messages []Message) Request {
	return Request{Model: model, System: insightText, SystemOnly: true, MaxTokens: maxInsightTokens, Messages: []Message{{Role: "user", Text: fencedTranscript(messages)}}}
}

// maxInsightTokens is the longest answer to it.
const maxInsightTokens = 100
