package chat

import (
	"parley"
	"parley/internal/model"
	"parley/internal/retrieval"
)

// StandaloneTurn is a question with its history, apart from any conversation. Evaluation and replays use it to search
// and prompt as a turn does.
type StandaloneTurn struct {
	Agent    *parley.Agent
	Backend  model.Backend
	Question string
	History  []parley.Message // oldest first
	Channel  parley.Channel   // of the conversation; selects instructions
}

func (d StandaloneTurn) newTurn() *Turn {
	return &Turn{agent: d.Agent, backend: d.Backend, question: d.Question, history: d.History,
		request: Request{Channel: d.Channel}}
}

// Query returns the search that a turn would make.
func (d StandaloneTurn) Query() retrieval.Query { return d.newTurn().query() }

// Prompt returns the request that a turn would send to the model, with these passages.
func (d StandaloneTurn) Prompt(hits []retrieval.Hit) model.Request {
	t := d.newTurn()
	t.hits = hits
	return t.fitContext(t.prompt())
}

// MaxHistoryMessages is the most earlier messages that a turn loads.
const MaxHistoryMessages = maxHistoryMessages

// Redact returns an answer as it may be stored: without personal data where the agent masks it.
func (d StandaloneTurn) Redact(m parley.Message) parley.Message { return d.newTurn().redactMessage(m) }
