package chat

import (
	"parley"
	"parley/internal/model"
	"parley/internal/retrieval"
)

// StandaloneTurn is a question with what was said before it, apart from any conversation: whoever measures answers, or gives one again,
// looks and asks as a turn does.
type StandaloneTurn struct {
	Agent    *parley.Agent
	Backend  model.Backend
	Question string
	History  []parley.Message // oldest first
	Channel  parley.Channel   // of the conversation; decides about instructions
}

func (d StandaloneTurn) newTurn() *Turn {
	return &Turn{agent: d.Agent, backend: d.Backend, question: d.Question, history: d.History, request: Request{Channel: d.Channel}}
}

// Query is what a turn would ask retrieval.
func (d StandaloneTurn) Query() retrieval.Query { return d.newTurn().query() }

// Prompt is what a turn would ask the model, with what retrieval has found.
func (d StandaloneTurn) Prompt(hits []retrieval.Hit) model.Request {
	t := d.newTurn()
	t.hits = hits
	return t.fitContext(t.prompt())
}

// MaxHistoryMessages is how many messages of a conversation a turn recalls.
const MaxHistoryMessages = maxHistoryMessages

// Redact is an answer as it may be kept: without personal data where the agent redacts.
func (d StandaloneTurn) Redact(m parley.Message) parley.Message { return d.newTurn().redactMessage(m) }
