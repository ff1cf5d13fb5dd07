// Package model holds the ports to language models and embedders, and the registry of model names. The packages below
// it implement the ports. No back end owns the turn: each answers one request.
package model

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"iter"

	"parley"
	"parley/internal/text/dictionary"
)

// Model answers one request as a stream of chunks.
//
// The sequence ends with a chunk that has a Finish, or with an error; nothing follows either. An error before the first
// chunk means that the answer is empty. Stopping the iteration or cancelling ctx ends the call and frees what it holds.
type Model interface {
	Stream(ctx context.Context, req Request) iter.Seq2[Chunk, error]
}

// Request is what a model is asked.
type Request struct {
	Model       string // the back end's own name of the model; empty if it has only one
	System      string // instructions; passages are not part of it
	Messages    []Message
	Passages    []Passage // what retrieval found for the last message, best first
	Tools       []Tool
	Temperature float64
	MaxTokens   int
	SystemOnly  bool   // System is the whole prompt: neither rules nor sources are added
	UserData    string // what a page says of its user, which nobody has verified; data, not instructions
}

// Message is one earlier message, or the one to answer.
type Message struct {
	Role       string // user, assistant, tool
	Text       string
	ToolCalls  []ToolCall // of an assistant
	ToolCallID string     // of a tool's result
}

// Passage is a stretch of the agent's sources offered as evidence. An answer may claim only what passages say.
type Passage struct {
	parley.Passage
	Score float64 // 0 to 1, how likely it answers the question

	// Terms weighs the question's content words (folded): rare ones more than common ones. Every passage of a request
	// has the same; nil weighs all alike.
	TermWeights map[string]float64

	// Translations says what stands for words of the question (folded) in the language of passages, where that is another
	// one and dictionaries know; every passage of a request has the same.
	Translations map[string][]dictionary.Equivalents

	// Reading is the question in the words that the sources have for it, where it was typed in others; every passage of a
	// request has the same.
	Reading Reading

	Signals MatchSignals // of which Score is made; without any, the built-in model goes by Score
}

// Reading is a question as it was typed, and as the search has read it: with other forms of its words, and without its
// typing errors. It is not shown to anybody.
type Reading struct{ Typed, Read string }

// MatchSignals say how far a passage goes to answer the question; each is 0 to 1 and grows with the evidence. Letters,
// Words and Lead are those of the search, the same in every passage of a request.
type MatchSignals struct {
	Letters float64 // share of the question's letters
	Words   float64 // share of the question's content words
	Stretch float64 // share of the question in the best two neighbouring sentences of this passage
	Title   float64 // likeness of the question to this passage's heading, or to a question that it answers
	Asked   float64 // the same by content words alone, in whatever form they are
	Lead    float64 // of the best passage over the best one of another source
}

// Tool is something the model may call.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // JSON schema of the input: an object

	// Triggers are phrases that call for the tool, with {input} where the message names an input: "track order
	// {number}". The built-in model goes by them; the others go by the description.
	Triggers []string

	IsHandover bool // a person takes over when it is called: it serves everybody who asks for one
}

// ToolCall is a call that the model asks for.
type ToolCall struct {
	ID         string
	Name       string
	Input      json.RawMessage // a JSON object, complete and valid
	InputError string          // what is wrong with what the model sent in place of it; Input is {} then
}

// NewToolCallID returns an id for a call that has none.
func NewToolCallID() string { return "call_" + rand.Text() }

// Chunk is one piece of an answer. Exactly one of its groups is set.
type Chunk struct {
	Text     string    // more of the answer's text, valid UTF-8, never cut inside a code point
	Citation *Citation // evidence for a stretch of the text so far
	ToolCall *ToolCall
	Finish   *Finish
}

// Citation ties a stretch of the answer's text to a passage.
type Citation struct {
	PassageIndex int // index in Request.Passages
	Start, End   int // byte span in the version's text, inside the passage's span
	AnswerStart  int // byte span in the answer's whole text
	AnswerEnd    int
}

// Finish ends an answer.
type Finish struct {
	Reason       string               // stop, length, tool-calls
	Score        *float64             // 0 to 1: how well the passages support the answer; nil if the model cannot tell
	IsRefusal    bool                 // the answer says that the sources do not hold it
	IsUnsure     bool                 // the answer says that it is not sure, and quotes what is nearest
	Bounds       *parley.AnswerBounds // that the score was held against; nil if there are none
	DecidedBy    parley.AnswerReason  // what decided between answer, doubt and refusal; empty if the model cannot tell
	InputTokens  int
	OutputTokens int
}
