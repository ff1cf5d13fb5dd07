package parley

import (
	"encoding/json"
	"time"
)

// ActionKind is what an action does when the model calls it. The search filter actionType refers to it.
type ActionKind string

// The kinds of actions. A procedure is called like an action and has a kind of its own.
const (
	ActionHTTP         ActionKind = "http"          // sends a request and returns a part of the reply to the model
	ActionClient       ActionKind = "client"        // runs at the client (docs/interface/chat.md#tools-of-the-client)
	ActionCollectLeads ActionKind = "collect-leads" // stores who the customer is and how to reach them
	ActionEscalate     ActionKind = "escalate"      // hands the conversation over to a person
	ActionCustomButton ActionKind = "custom-button" // shows a link
	ActionWebSearch    ActionKind = "web-search"    // searches the web, if the operator has configured an engine
	ActionProcedure    ActionKind = "procedure"     // runs a playbook
)

// ActionKinds lists the kinds of actions that can be defined.
func ActionKinds() []ActionKind {
	return []ActionKind{
		ActionHTTP, ActionClient, ActionCollectLeads, ActionEscalate, ActionCustomButton, ActionWebSearch,
	}
}

// Action is something an agent can do besides answering. Actions are defined by manifests ("parley apply").
type Action struct {
	ID          ActionID
	AccountID   AccountID
	AgentID     AgentID
	Key         string // stable name in the manifest
	Kind        ActionKind
	Name        string // of the tool, for models and clients: 1 to 64 of a-z A-Z 0-9 _ -
	Description string // when to use it, for the model
	Triggers    []string
	Inputs      []ActionInput
	Config      json.RawMessage // object, by kind
	Secrets     string          // sealed values, to which Config refers as ${NAME}; empty for none
	SecretNotes map[string]SecretNote
	Enabled     bool
	Position    int
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// SecretNote says when a secret was given, and by whom. There is none of one that was given before that was noted.
type SecretNote struct {
	At time.Time `json:"at"`
	By string    `json:"by"` // an actor of the audit chain
}

// ActionInput is one typed input of an action or a procedure.
type ActionInput struct {
	Name        string   `json:"name"`
	Type        string   `json:"type"` // string, number, integer, boolean
	Description string   `json:"description,omitempty"`
	Required    bool     `json:"required,omitempty"`
	Enum        []string `json:"enum,omitempty"` // of a string
}

// Procedure is a sequence of steps that run when a message matches a trigger: one after the other, unless a step leads
// to a later one.
type Procedure struct {
	ID          ProcedureID
	AccountID   AccountID
	AgentID     AgentID
	Key         string
	Name        string
	Description string
	Triggers    []string
	Inputs      []ActionInput
	Steps       []ProcedureStep
	Enabled     bool
	Position    int
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// ProcedureStep is a text for the customer, an action, a condition or another procedure. Exactly one of Text, Action,
// If and Procedure is set. Its texts may have {input} placeholders, and {step.place} for what an earlier action has
// returned.
type ProcedureStep struct {
	Key       string            `json:"key,omitempty"`       // by which other steps of the procedure name it
	Text      string            `json:"say,omitempty"`       // for the model to pass on
	Action    string            `json:"action,omitempty"`    // key of an action that runs in the server
	Procedure string            `json:"procedure,omitempty"` // key of a procedure that goes on in place of this one
	Input     map[string]string `json:"with,omitempty"`      // of the action or the procedure: input → text
	If        *StepCondition    `json:"if,omitempty"`
	Goto      string            `json:"goto,omitempty"` // where it leads, if its condition holds: a later step, or StepEnd
	Else      string            `json:"else,omitempty"` // where a condition leads that does not hold
}

// StepEnd is where a step leads that ends its procedure.
const StepEnd = "end"

// StepCondition compares an input, or what an earlier action returned.
type StepCondition struct {
	Field    string `json:"field"` // the name of an input, or the key of a step with a place in its result: track.status
	Operator string `json:"operator" enum:"@stepOperator"`
	Value    string `json:"value,omitempty"` // may have placeholders; what is missing counts as empty
}

// The operators of conditions.
const (
	StepIs       = "is"
	StepIsNot    = "isNot"
	StepContains = "contains"
	StepAbove    = "above" // of numbers
	StepBelow    = "below"
)

// StepOperators lists the operators of conditions.
func StepOperators() []string { return []string{StepIs, StepIsNot, StepContains, StepAbove, StepBelow} }

// ProcedureOutcome is how a run of a procedure ended.
type ProcedureOutcome string

// The outcomes of procedures.
const (
	ProcedureCompleted ProcedureOutcome = "completed"
	ProcedureFailed    ProcedureOutcome = "failed"
	ProcedureAbandoned ProcedureOutcome = "abandoned" // an input that it waited for never came
	ProcedureEscalated ProcedureOutcome = "escalated"
)

// ProcedureRun is one run of a procedure.
type ProcedureRun struct {
	ID             string // UUID
	AccountID      AccountID
	AgentID        AgentID
	ConversationID ConversationID
	Key            string // of the procedure
	Name           string
	Inputs         map[string]json.RawMessage // those that are known so far, and results of steps as step.place
	Step           int                        // the next one
	Outcome        ProcedureOutcome           // empty while the procedure waits or runs
	StartedAt      time.Time
	EndedAt        *time.Time
}

// Lead holds the contact details that a customer has left through a collect-leads action.
type Lead struct {
	ID             string // UUID
	AccountID      AccountID
	AgentID        AgentID
	ConversationID ConversationID
	Name           string
	Email          string
	Phone          string
	Fields         map[string]string // further fields of the form
	CreatedAt      time.Time
}

// ToolStatus is the state of a tool call.
type ToolStatus string

// The states of tool calls.
const (
	ToolSuccess ToolStatus = "success"
	ToolError   ToolStatus = "error"
	ToolPending ToolStatus = "pending"
	ToolIgnored ToolStatus = "ignored"
)

// ToolResultTimeout is how long a call that runs at the client stays pending. After that it counts as ignored.
const ToolResultTimeout = 24 * time.Hour

// ToolCall is one call of a tool. It is stored in addition to the parts of its message.
type ToolCall struct {
	ID             string // UUID
	AccountID      AccountID
	AgentID        AgentID
	ConversationID ConversationID
	MessageID      MessageID
	TurnID         TurnID
	CallID         string // as clients see it
	Tool           string
	Kind           ActionKind
	RunsOnClient   bool // the client runs it
	Input          json.RawMessage
	Output         json.RawMessage // {status, data?, error?}; nil while pending
	Status         ToolStatus
	CreatedAt      time.Time
	AnsweredAt     *time.Time
}

// ToolOutput is the result of a tool in the form in which clients see it.
type ToolOutput struct {
	Status ToolStatus      `json:"status"`
	Data   json.RawMessage `json:"data,omitempty"`
	Error  string          `json:"error,omitempty"`
}

// JSON encodes the output.
func (o ToolOutput) JSON() json.RawMessage {
	b, err := json.Marshal(o)
	if err != nil { // Data is not JSON
		b, _ = json.Marshal(ToolOutput{Status: ToolError, Error: "the tool's result is not JSON"})
	}
	return b
}
