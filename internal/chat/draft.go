package chat

import (
	"parley"
	"parley/internal/llm"
	"parley/internal/retrieval"
)

// Draft is a question with what was said before it, apart from any conversation: whoever measures answers, or gives one again,
// looks and asks as a turn does.
type Draft struct {
	Agent    *parley.Agent
	Back     llm.Backend
	Question string
	History  []parley.Message // oldest first
	Channel  parley.Channel   // of the conversation; decides about instructions
}

func (d Draft) turn() *Turn {
	return &Turn{agent: d.Agent, back: d.Back, question: d.Question, history: d.History, request: Request{Channel: d.Channel}}
}

// Query is what a turn would ask retrieval.
func (d Draft) Query() retrieval.Query { return d.turn().query() }

// Prompt is what a turn would ask the model, with what retrieval has found.
func (d Draft) Prompt(hits []retrieval.Hit) llm.Request {
	t := d.turn()
	t.hits = hits
	return t.fit(t.prompt())
}

// Remembered is how many messages of a conversation a turn recalls.
const Remembered = remembered

// Keep is an answer as it may be kept: without personal data where the agent redacts.
func (d Draft) Keep(m parley.Message) parley.Message { return d.turn().kept(m) }
