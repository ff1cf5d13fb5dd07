package chat

import (
	"slices"
	"unicode/utf8"

	"parley"
	"parley/internal/model"
)

// How the room in a connected model's context is shared out: the message to answer comes first, then the passages, then the
// conversation, of which the newest messages stay.
const (
	maxHistoryTokens     = maxHistoryBytes / 4 // most of the conversation so far that is shown, whatever room there is: it is paid for in every turn
	messageDivisor       = 4                   // one earlier message, or one result, takes no more than this part of it
	reservedAnswerTokens = 4_000               // kept free for the answer, unless that is more than a quarter
)

// recentMessages returns the newest messages of the conversation that the model is shown. Where the client's results are waited for,
// that is at least the message with the calls and the question before it.
func (t *Turn) recentMessages() []parley.Message {
	room, from := maxHistoryBytes, len(t.history)
	for i, m := range slices.Backward(t.history) {
		for _, p := range m.Parts {
			room -= t.shownBytes(len(p.Text)) + len(p.Input) + t.shownBytes(len(p.Output))
		}
		if room < 0 && !t.mustKeepMessage(i) {
			break
		}
		from = i
	}
	return t.history[from:]
}

// shownBytes is what a long text of an earlier message counts: a connected model is shown its beginning and its end.
func (t *Turn) shownBytes(n int) int {
	if t.backend.ContextTokens == 0 {
		return n
	}
	return min(n, maxHistoryBytes/messageDivisor)
}

// historyMessages returns the earlier messages as the model knows them. Those that the turn goes on with stay whole.
func (t *Turn) historyMessages() (list []model.Message) {
	recent := t.recentMessages()
	for i, m := range recent {
		messages := modelMessages(m)
		if t.backend.ContextTokens > 0 && !t.mustKeepMessage(len(t.history)-len(recent)+i) {
			for k := range messages {
				messages[k].Text = shortenText(messages[k].Text, maxHistoryTokens/messageDivisor)
			}
		}
		list = append(list, messages...)
	}
	return list
}

// fitContext makes the request small enough for the model. A message to answer that takes more than half of the room is shortened. Then the
// oldest messages before it go, a call always together with its results; then results are shortened; then the last passages go.
func (t *Turn) fitContext(req model.Request) model.Request {
	room := t.backend.ContextTokens - min(reservedAnswerTokens, t.backend.ContextTokens/4)
	if t.backend.ContextTokens == 0 || requestBytes(req)/2 < room { // no script takes more than a token for two bytes
		return req
	}
	req.Messages, req.Passages = slices.Clone(req.Messages), slices.Clone(req.Passages)
	if i := lastUserIndex(req.Messages); i >= 0 {
		req.Messages[i].Text = shortenText(req.Messages[i].Text, room/2)
	}
	room -= req.FixedTokens() + messageTokens(req.Messages)
	for i := range req.Passages {
		room -= req.Passages[i].Tokens()
	}
	for n := oldestExchange(req.Messages); room < 0 && n > 0; n = oldestExchange(req.Messages) {
		room += messageTokens(req.Messages[:n])
		req.Messages = req.Messages[n:]
	}
	for i := range req.Messages {
		if m := &req.Messages[i]; room < 0 && m.Role == "tool" {
			room += m.Tokens()
			m.Text = shortenText(m.Text, t.backend.ContextTokens/16)
			room -= m.Tokens()
		}
	}
	for last := len(req.Passages) - 1; room < 0 && last > 0; last-- {
		room += req.Passages[last].Tokens()
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

// lastUserIndex finds the message that the turn answers, -1 where there is none.
func lastUserIndex(messages []model.Message) int {
	for i, m := range slices.Backward(messages) {
		if m.Role == "user" {
			return i
		}
	}
	return -1
}

// oldestExchange is how many messages go together when the oldest one goes: a message of the user with all that answered it. It is 0 where only
// the message to answer is left, with what the turn has done since.
func oldestExchange(messages []model.Message) int {
	for i := 1; i <= lastUserIndex(messages); i++ {
		if messages[i].Role == "user" {
			return i
		}
	}
	return 0
}

func requestBytes(req model.Request) int {
	n := len(req.System) + 4096
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

// elision stands where a text was shortened.
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
