package parley

import (
	"encoding/json"
	"slices"
	"time"
)

// ConversationStatus is the state of a conversation (interface 3.2).
type ConversationStatus string

// The states of a conversation. A pause is a flag beside them.
const (
	ConversationOngoing   ConversationStatus = "ongoing"
	ConversationEnded     ConversationStatus = "ended"
	ConversationTakenOver ConversationStatus = "taken_over"
)

// ConversationStatuses lists the states of a conversation.
func ConversationStatuses() []ConversationStatus {
	return []ConversationStatus{ConversationOngoing, ConversationEnded, ConversationTakenOver}
}

// API is the part of the house a conversation came through: an id that a client chose is unique within its face only.
type API string

// The faces that open conversations.
const (
	APIV2 API = "v2"
	APIV1 API = "v1"
)

// Conversation is an exchange between an end user and an agent (interface 2.3, 2.4).
type Conversation struct {
	ID            ConversationID
	AccountID     AccountID
	AgentID       AgentID
	API           API
	ExternalID    string // the client's own id, of faces whose clients choose them: unique per agent and face
	Channel       Channel
	Streamed      bool      // its answer was asked for as a stream: the first one, or the last where the client keeps the conversation
	Title         string    // empty until there is one
	UserID        EndUserID // empty when anonymous; never changes
	Status        ConversationStatus
	Paused        bool
	ParentID      ConversationID
	ParentSummary string
	EmbedOrigin   string
	MessageCount  int
	CreatedAt     time.Time
	UpdatedAt     time.Time // last activity
}

// AuthorKind says who wrote a message.
type AuthorKind string

// The authors of messages.
const (
	AuthorUser      AuthorKind = "user"
	AuthorAssistant AuthorKind = "assistant"
	AuthorHuman     AuthorKind = "human"
	AuthorSystem    AuthorKind = "system"
)

// MessageState says whether a message is whole.
type MessageState string

// The states of a message.
const (
	MessageComplete    MessageState = "complete"
	MessageInterrupted MessageState = "interrupted" // the turn was cancelled; the text so far is kept
	MessageFailed      MessageState = "failed"
)

// Message is one entry of a conversation. Its order is Seq, counted per conversation from 1, never the clock.
type Message struct {
	ID             MessageID
	ConversationID ConversationID
	Seq            int64
	Author         AuthorKind
	State          MessageState
	TurnID         TurnID
	AuthorID       UserID // the member who wrote it; of AuthorHuman only
	Parts          []Part
	Feedback       string     // positive, negative or empty
	Score          *float64   // confidence of the answer, 0 to 1
	Citations      []Citation // what the answer's sentences rest on
	FinishReason   string
	Model          string
	CreatedAt      time.Time
}

// Role returns the message's role on the wire: everything that is not the user's is the assistant's.
func (m *Message) Role() string {
	if m.Author == AuthorUser {
		return "user"
	}
	return "assistant"
}

// Text joins the message's text parts.
func (m *Message) Text() string {
	var s string
	for _, p := range m.Parts {
		if p.Type == "text" {
			s += p.Text
		}
	}
	return s
}

// Part is a piece of a message: text, a tool call or a tool result (interface 2.4).
type Part struct {
	Type       string          `json:"type"` // text, tool-call, tool-result
	Text       string          `json:"text,omitempty"`
	ToolCallID string          `json:"toolCallId,omitempty"`
	ToolName   string          `json:"toolName,omitempty"`
	Input      json.RawMessage `json:"input,omitempty"`
	Output     json.RawMessage `json:"output,omitempty"`
}

// IsAnsweredBy reports whether result is the result of the call p.
func (p Part) IsAnsweredBy(result Part) bool {
	return p.Type == "tool-call" && result.Type == "tool-result" && result.ToolCallID == p.ToolCallID
}

// Citation ties a stretch of an answer to the source text it rests on. With the version's text at hand a machine can check
// it: the bytes [Start, End) of the version whose SHA-256 is VersionHash support the bytes [AnswerStart, AnswerEnd) of the
// answer's text.
type Citation struct {
	SourceID    SourceID `json:"sourceId"`
	Name        string   `json:"name"`
	URL         string   `json:"url,omitempty"`
	VersionHash string   `json:"versionHash"`
	Start       int      `json:"start"`
	End         int      `json:"end"`
	AnswerStart int      `json:"answerStart"`
	AnswerEnd   int      `json:"answerEnd"`
}

// Turn is one answer in the making: it belongs to the server, not to a request. While it is open nobody else may write to
// its conversation, and its owner renews the lease.
type Turn struct {
	ID             TurnID
	AccountID      AccountID
	AgentID        AgentID
	ConversationID ConversationID
	UserMessageID  MessageID
	MessageID      MessageID // the answer's
	Owner          string
	LeaseUntil     time.Time
	Reserved       Credits
	StartedAt      time.Time
}

// Trace is what a turn did, kept so that an answer can be explained a month later.
type Trace struct {
	TurnID        TurnID         `json:"turnId"`
	MessageID     MessageID      `json:"messageId,omitempty"`
	State         string         `json:"state"` // done, failed, interrupted
	Model         string         `json:"model"`
	BackEnd       string         `json:"backEnd"`
	PromptVersion string         `json:"promptVersion"`
	ConfigVersion int64          `json:"configVersion"`
	Question      string         `json:"question"`         // what retrieval was asked, with earlier turns folded in
	SearchMethod  string         `json:"search,omitempty"` // what passages were found by: words, or words and vectors
	Passages      []TracePassage `json:"passages"`         // in the order in which the model was offered them
	ToolCalls     []string       `json:"toolCalls"`
	InputTokens   int            `json:"inputTokens"` // of the answer and of the rewriting
	OutputTokens  int            `json:"outputTokens"`
	Refused       bool           `json:"refused,omitempty"` // the answer says that the sources do not hold it
	Rewrite       *TraceRewrite  `json:"rewrite,omitempty"`
	Millis        TraceMillis    `json:"millis"`
	Error         string         `json:"error,omitempty"`
}

// TracePassage is one passage that retrieval offered to the model, with what the answer took from it: the trace explains the
// answer even when the source is gone.
type TracePassage struct {
	ID       PassageID `json:"id"`
	SourceID SourceID  `json:"sourceId"`
	Name     string    `json:"name,omitempty"` // of the source, then
	Heading  string    `json:"heading,omitempty"`
	Rank     float64   `json:"rank"`  // what retrieval ordered by, the highest first
	Score    float64   `json:"score"` // how likely it was to answer the question, 0 to 1
	IsCited  bool      `json:"cited,omitempty"`
	Quotes   []string  `json:"quotes,omitempty"` // the cited stretches, each once
}

// TraceRewrite is what came of having the model put a follow-up into words that can be searched for.
type TraceRewrite struct {
	State        string  `json:"state"` // model, failed, too late
	Millis       float64 `json:"millis"`
	InputTokens  int     `json:"inputTokens"`
	OutputTokens int     `json:"outputTokens"`
}

// TraceMillis are durations in milliseconds, counted from the turn's start.
type TraceMillis struct {
	RetrievalDone float64 `json:"retrieved"`
	FirstToken    float64 `json:"firstToken"`
	AnswerDone    float64 `json:"answered"`
}

// VisibleParts returns the message's parts as they are shown: behind each tool call without a result stands one that says how the call
// stands (interface 2.4), pending until it is older than ToolResultTimeout and ignored from then on.
func (m *Message) VisibleParts(now time.Time) []Part {
	waiting := ToolOutput{Status: ToolPending}
	if now.Sub(m.CreatedAt) >= ToolResultTimeout {
		waiting.Status = ToolIgnored
	}
	parts := make([]Part, 0, len(m.Parts))
	for _, p := range m.Parts {
		parts = append(parts, p)
		if p.Type == "tool-call" && !slices.ContainsFunc(m.Parts, p.IsAnsweredBy) {
			parts = append(parts, Part{Type: "tool-result", ToolCallID: p.ToolCallID, ToolName: p.ToolName, Output: waiting.JSON()})
		}
	}
	return parts
}
