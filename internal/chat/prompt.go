package chat

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"

	"parley"
	"parley/internal/model"
	"parley/internal/model/quote"
	"parley/internal/retrieval"
)

// maxRetrievedPassages is how many passages retrieval looks for; the built-in model chooses among all of them, and a connected model, which
// is paid by the word, is given the first offered ones.
const (
	maxRetrievedPassages = 12
	maxOfferedPassages   = 8
)

// maxHistoryBytes is how much of the conversation so far a model is shown, the newest messages first; see budget.go for what a
// connected model has room for.
const maxHistoryBytes = 32 << 10

// query asks retrieval for the message in the light of the user's earlier ones.
func (t *Turn) query() retrieval.Query {
	q := retrieval.Query{Text: t.question, Limit: maxRetrievedPassages, Synonyms: t.agent.Synonyms}
	for i, m := range t.history {
		if m.Author == parley.AuthorUser && !isFollowedByCall(t.history[i+1:]) {
			q.Earlier = append(q.Earlier, m.Text())
		}
		if m.Author == parley.AuthorAssistant {
			q.Answer = m.Text()
		}
	}
	if n := len(q.Earlier); n > 3 {
		q.Earlier = q.Earlier[n-3:]
	}
	return q
}

// isFollowedByCall reports that what follows a message of the user is a call, or a question for what it needs: an order to do something says nothing of what later
// questions are about. So it is with the question that the client's results belong to.
func isFollowedByCall(next []parley.Message) bool {
	return len(next) > 0 && (quote.AsksForInputs(next[0].Text()) || slices.ContainsFunc(next[0].Parts, func(p parley.Part) bool { return p.Type == "tool-call" }))
}

// prompt is what the model is asked.
func (t *Turn) prompt() model.Request {
	req := model.Request{Model: t.backend.Name, System: t.instructions(), Temperature: t.agent.Temp, Messages: t.historyMessages()}
	if !t.request.Continue {
		req.Messages = append(req.Messages, model.Message{Role: "user", Text: t.question})
	}
	hits := t.hits
	if t.backend.Label != model.BuiltinName {
		hits = hits[:min(maxOfferedPassages, len(hits))]
	}
	for _, h := range hits {
		req.Passages = append(req.Passages, model.Passage{Passage: h.Passage, Score: h.Score, TermWeights: h.Terms, Signals: model.MatchSignals(h.Signs)})
	}
	return req
}

func (t *Turn) mustKeepMessage(i int) bool { return t.request.Continue && i >= len(t.history)-2 }

// modelMessages returns a stored message as a model knows it: a call goes with the words before it, and its result is a message of
// its own.
func modelMessages(m parley.Message) (list []model.Message) {
	open := model.Message{Role: m.Role()}
	flush := func() {
		if open.Text != "" || len(open.ToolCalls) > 0 {
			list = append(list, open)
		}
		open = model.Message{Role: m.Role()}
	}
	for i, p := range m.Parts {
		switch p.Type {
		case "text":
			if len(open.ToolCalls) > 0 {
				flush()
			}
			open.Text += p.Text
		case "tool-call":
			if p.ToolName == handoverToolName { // the model is not offered it
				continue
			}
			open.ToolCalls = append(open.ToolCalls, model.ToolCall{ID: p.ToolCallID, Name: p.ToolName, Input: p.Input})
			flush()
			list = append(list, model.Message{Role: "tool", ToolCallID: p.ToolCallID, Text: string(callResult(m.Parts[i:], p.ToolCallID))})
		}
	}
	flush()
	return list
}

// callResult finds what became of a call; models want an end to each.
func callResult(parts []parley.Part, call string) json.RawMessage {
	for _, p := range parts {
		if p.Type == "tool-result" && p.ToolCallID == call {
			return p.Output
		}
	}
	return parley.ToolOutput{Status: parley.ToolIgnored}.JSON()
}

func panicError(p any) error { return fmt.Errorf("chat: panic: %v\n%s", p, debug.Stack()) }
