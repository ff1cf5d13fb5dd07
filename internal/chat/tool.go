package chat

import (
	"context"
	"encoding/json"
	"time"

	"parley"
	"parley/internal/model"
)

// Tool is something an agent can do besides talk. The rooms that know how fill it; a turn calls it when the model asks.
type Tool struct {
	model.Tool   // as the model is offered it
	Kind         parley.ActionKind
	Timeout      time.Duration // of one call; 0 means 30 s
	HandoverText string        // of one that hands over: what the customer is told; empty for the house's own words
	HasEffects   bool          // a call changes something outside: it is written down before it is made

	// Check puts the input of a tool that runs at the client in order, or says what is wrong with it. May be nil.
	Check func(input json.RawMessage) (json.RawMessage, error)

	// Run does the work. Its failure is an Output of status error, which the model is told and the client is not. Nil for a tool
	// that runs at the client: the answer ends with the call, and the client's result goes on with it.
	Run func(ctx context.Context, call Call) Output
}

// Call is one call of a tool in a turn.
type Call struct {
	Turn           parley.Turn
	UserID         parley.EndUserID // of the conversation; empty when anonymous
	ID             string           // as the client sees it
	IdempotencyKey string           // the same for every attempt that a client's Idempotency-Key covers: a service outside can tell them
	Redact         bool             // the agent keeps no personal data
	Input          json.RawMessage  // a JSON object; checked against the tool's parameters by Run
}

// Output is what a tool gives back.
type Output struct {
	parley.ToolOutput
	Nested []NestedCall // calls that this one made on its way, in order; shown and kept like calls of the model's
}

// NestedCall is a call that another call made, with its end.
type NestedCall struct {
	Tool   string
	Kind   parley.ActionKind
	Input  json.RawMessage
	Output parley.ToolOutput
}

// ToolsFunc returns what an agent can do, in the order in which the model is offered it.
type ToolsFunc func(ctx context.Context, agent *parley.Agent) ([]Tool, error)
