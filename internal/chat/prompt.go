package chat

import (
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

// historyBytes is how much of the conversation so far the model is shown, the newest messages first.
const historyBytes = 32 << 10

// query asks retrieval for the message in the light of the user's earlier ones.
func (t *Turn) query() retrieval.Query {
	q := retrieval.Query{Text: t.request.Message, Limit: found}
	for _, m := range t.history {
		if m.Author == parley.ByUser {
			q.Earlier = append(q.Earlier, m.Text())
		}
	}
	if n := len(q.Earlier); n > 3 {
		q.Earlier = q.Earlier[n-3:]
	}
	return q
}

// prompt is what the model is asked.
func (t *Turn) prompt() llm.Request {
	req := llm.Request{Model: t.back.Name, System: t.agent.Instructions, Temperature: t.agent.Temp}
	room := historyBytes
	for _, m := range slices.Backward(t.history) {
		text := m.Text()
		if room -= len(text); room < 0 {
			break
		}
		if text != "" {
			req.Messages = append(req.Messages, llm.Message{Role: m.Role(), Text: text})
		}
	}
	slices.Reverse(req.Messages)
	req.Messages = append(req.Messages, llm.Message{Role: "user", Text: t.request.Message})
	hits := t.hits
	if t.back.Label != llm.BuiltinName {
		hits = hits[:min(offered, len(hits))]
	}
	for _, h := range hits {
		req.Passages = append(req.Passages, llm.Passage{Passage: h.Passage, Score: h.Score, Coverage: h.Coverage, Terms: h.Terms})
	}
	return req
}

func panicked(p any) error { return fmt.Errorf("chat: panic: %v\n%s", p, debug.Stack()) }
