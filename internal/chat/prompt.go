package chat

import (
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"

	"parley"
	"parley/internal/llm"
	"parley/internal/retrieval"
)

// found is how many passages retrieval looks for; the built-in model chooses among all of them, and a connected model, which
// is paid by the word, is given the first offered ones.
const (
	found   = 12
	offered = 8
)

// historyBytes is how much of the conversation so far a model is shown, the newest messages first; see budget.go for what a
// connected model has room for.
const historyBytes = 32 << 10

// query asks retrieval for the message in the light of the user's earlier ones.
func (t *Turn) query() retrieval.Query {
	q := retrieval.Query{Text: t.question, Limit: found, Synonyms: t.agent.Synonyms}
	for i, m := range t.history {
		if m.Author == parley.ByUser && !ledToCalls(t.history[i+1:]) {
			q.Earlier = append(q.Earlier, m.Text())
		}
		if m.Author == parley.ByAssistant {
			q.Answer = m.Text()
		}
	}
	if n := len(q.Earlier); n > 3 {
		q.Earlier = q.Earlier[n-3:]
	}
	return q
}

// ledToCalls reports that what follows a message of the user is a call, or a question for what it needs: an order to do something says nothing of what later
// questions are about. So it is with the question that the client's results belong to.
func ledToCalls(next []parley.Message) bool {
	return len(next) > 0 && (llm.AsksForInputs(next[0].Text()) || slices.ContainsFunc(next[0].Parts, func(p parley.Part) bool { return p.Type == "tool-call" }))
}

// prompt is what the model is asked.
func (t *Turn) prompt() llm.Request {
	req := llm.Request{Model: t.back.Name, System: t.instructions(), Temperature: t.agent.Temp, Messages: t.told()}
	if !t.request.Continue {
		req.Messages = append(req.Messages, llm.Message{Role: "user", Text: t.question})
	}
	hits := t.hits
	if t.back.Label != llm.BuiltinName {
		hits = hits[:min(offered, len(hits))]
	}
	for _, h := range hits {
		req.Passages = append(req.Passages, llm.Passage{Passage: h.Passage, Score: h.Score, Terms: h.Terms, Signs: llm.Signs(h.Signs)})
	}
	return req
}

func (t *Turn) owed(i int) bool { return t.request.Continue && i >= len(t.history)-2 }

// spoken gives a stored message as a model knows it: a call goes with the words before it, and its result is a message of
// its own.
func spoken(m parley.Message) (list []llm.Message) {
	open := llm.Message{Role: m.Role()}
	flush := func() {
		if open.Text != "" || len(open.ToolCalls) > 0 {
			list = append(list, open)
		}
		open = llm.Message{Role: m.Role()}
	}
	for i, p := range m.Parts {
		switch p.Type {
		case "text":
			if len(open.ToolCalls) > 0 {
				flush()
			}
			open.Text += p.Text
		case "tool-call":
			if p.ToolName == handOverTool { // the model is not offered it
				continue
			}
			open.ToolCalls = append(open.ToolCalls, llm.ToolCall{ID: p.ToolCallID, Name: p.ToolName, Input: p.Input})
			flush()
			list = append(list, llm.Message{Role: "tool", ToolCallID: p.ToolCallID, Text: string(resultOf(m.Parts[i:], p.ToolCallID))})
		}
	}
	flush()
	return list
}

// resultOf finds what became of a call; models want an end to each.
func resultOf(parts []parley.Part, call string) json.RawMessage {
	for _, p := range parts {
		if p.Type == "tool-result" && p.ToolCallID == call {
			return p.Output
		}
	}
	return parley.ToolOutput{Status: parley.ToolIgnored}.JSON()
}

func panicked(p any) error { return fmt.Errorf("chat: panic: %v\n%s", p, debug.Stack()) }
