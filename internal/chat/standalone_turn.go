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

func (st StandaloneTurn) newTurn() *Turn {
	return &Turn{agent: st.Agent, backend: st.Backend, question: st.Question, history: st.History,
		request: Request{Channel: st.Channel}}
}

// Query returns the search that a turn would make.
func (st StandaloneTurn) Query() retrieval.Query { return st.newTurn().query() }

// Prompt returns the request that a turn would send to the model, with these passages.
func (st StandaloneTurn) Prompt(hits []retrieval.Hit) model.Request {
	t := st.newTurn()
	t.hits = hits
	return t.fitContext(t.prompt())
}

// MaxHistoryMessages is the most earlier messages that a turn loads.
const MaxHistoryMessages = maxHistoryMessages

// Redact returns an answer as it may be stored: without personal data where the agent masks it.
func (st StandaloneTurn) Redact(m parley.Message) parley.Message {
	return st.newTurn().redactMessage(m)
}
