package chat

import (
	"slices"
	"unicode/utf8"

	"parley"
	"parley/internal/model"
)

// How the context of a connected model is divided: the message to answer comes first, then the passages, then the
// conversation, of which the newest messages stay.
const (
	// of the conversation, however large the context is: they are paid for in every turn
	maxHistoryTokens     = maxHistoryBytes / 4
	messageDivisor       = 4     // one earlier message, or one result, takes at most this part of it
	reservedAnswerTokens = 4_000 // kept free for the answer, or a quarter of the context where that is less
)

// recentMessages returns the newest messages of the conversation, which the model gets. When the turn continues with
// the client's results, these are at least the message with the calls and the question before it.
func (t *Turn) recentMessages() []parley.Message {
	budget, from := maxHistoryBytes, len(t.history)
	for i, m := range slices.Backward(t.history) {
		for _, p := range m.Parts {
			budget -= t.shownBytes(len(p.Text)) + len(p.Input) + t.shownBytes(len(p.Output))
			if p.File != nil {
				budget -= t.shownBytes(len(t.fileTexts[p.File.ID]))
			}
		}
		if budget < 0 && !t.mustKeepMessage(i) {
			break
		}
		from = i
	}
	return t.history[from:]
}

// shownBytes returns how many bytes of a text of n count: a connected model gets the beginning and the end of a long
// one.
func (t *Turn) shownBytes(n int) int {
	if t.backend.ContextTokens == 0 {
		return n
	}
	return min(n, maxHistoryBytes/messageDivisor)
}

// historyMessages returns the earlier messages in the form for models. Those that the turn continues stay whole.
func (t *Turn) historyMessages() (list []model.Message) {
	recent := t.recentMessages()
	for i, m := range recent {
		messages := modelMessages(t.withFileNotes(m))
		if t.backend.ContextTokens > 0 && !t.mustKeepMessage(len(t.history)-len(recent)+i) {
			for k := range messages {
				messages[k].Text = shortenText(messages[k].Text, maxHistoryTokens/messageDivisor)
			}
		}
		list = append(list, messages...)
	}
	return list
}

// fitContext makes the request small enough for the model. A message to answer that takes more than half of the budget
// is shortened. Then the oldest messages are left out, a call always with its results; then results are shortened; then
// the last passages are left out.
func (t *Turn) fitContext(req model.Request) model.Request {
	budget := t.backend.ContextTokens - min(reservedAnswerTokens, t.backend.ContextTokens/4)
	if t.backend.ContextTokens == 0 || requestBytes(req)/2 < budget { // no script takes more than a token for two bytes
		return req
	}
	req.Messages, req.Passages = slices.Clone(req.Messages), slices.Clone(req.Passages)
	if i := lastUserIndex(req.Messages); i >= 0 {
		req.Messages[i].Text = shortenText(req.Messages[i].Text, budget/2)
	}
	budget -= req.FixedTokens() + messageTokens(req.Messages)
	for i := range req.Passages {
		budget -= req.Passages[i].Tokens()
	}
	for n := oldestExchange(req.Messages); budget < 0 && n > 0; n = oldestExchange(req.Messages) {
		budget += messageTokens(req.Messages[:n])
		req.Messages = req.Messages[n:]
	}
	for i := range req.Messages {
		if m := &req.Messages[i]; budget < 0 && m.Role == "tool" {
			budget += m.Tokens()
			m.Text = shortenText(m.Text, t.backend.ContextTokens/16)
			budget -= m.Tokens()
		}
	}
	for last := len(req.Passages) - 1; budget < 0 && last > 0; last-- {
		budget += req.Passages[last].Tokens()
		req.Passages = req.Passages[:last]
	}
	return req
}

func messageTokens(messages []model.Message) (n int) {
	for _, m := range messages {
		n += m.Tokens()
	}
	return n
}

// lastUserIndex returns the index of the message that the turn answers, -1 if there is none.
func lastUserIndex(messages []model.Message) int {
	for i, m := range slices.Backward(messages) {
		if m.Role == "user" {
			return i
		}
	}
	return -1
}

// oldestExchange returns how many messages are left out together with the oldest one: a message of the user with all
// that answers it. It returns 0 if only the message to answer is left, with what the turn has added.
func oldestExchange(messages []model.Message) int {
	for i := 1; i <= lastUserIndex(messages); i++ {
		if messages[i].Role == "user" {
			return i
		}
	}
	return 0
}

func requestBytes(req model.Request) int {
	n := len(req.System) + len(req.UserData) + 4096
	for _, m := range req.Messages {
		n += len(m.Text) + 32
		for _, c := range m.ToolCalls {
			n += len(c.Input) + 32
		}
	}
	for i := range req.Passages {
		n += len(req.Passages[i].Text) + 256
	}
	for _, tool := range req.Tools {
		n += len(tool.Description) + len(tool.Parameters) + 64
	}
	return n
}

// elision marks where a text was shortened.
const elision = " […] "

// shortenText returns the beginning and the end of a text that is longer than so many tokens.
func shortenText(text string, tokens int) string {
	if len(text)/2 < tokens || model.EstimateTokens(text) <= tokens {
		return text
	}
	head, tail := tokens*2/3, tokens/3
	from, to := 0, len(text)
	for step := len(text) / 64; from+step < to && step > 0 && model.EstimateTokens(text[:from+step]) <= head; {
		from += step
	}
	for step := len(text) / 64; to-step > from && step > 0 && model.EstimateTokens(text[to-step:]) <= tail; {
		to -= step
	}
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	return text[:from] + elision + text[to:]
}
