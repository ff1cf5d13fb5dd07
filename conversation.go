package parley

import (
	"encoding/json"
	"slices"
	"time"
)

// ConversationStatus is the state of a conversation.
type ConversationStatus string

// The states of a conversation. A pause is a separate flag.
const (
	ConversationOngoing   ConversationStatus = "ongoing"
	ConversationEnded     ConversationStatus = "ended"
	ConversationTakenOver ConversationStatus = "taken_over"
)

// ConversationStatuses lists the states of a conversation.
func ConversationStatuses() []ConversationStatus {
	return []ConversationStatus{ConversationOngoing, ConversationEnded, ConversationTakenOver}
}

// API is the API through which a conversation began. Ids that clients choose are unique within one API only.
type API string

// The APIs that open conversations.
const (
	APIV2 API = "v2"
	APIV1 API = "v1"
)

// Conversation is an exchange between an end user and an agent.
type Conversation struct {
	ID            ConversationID
	AccountID     AccountID
	AgentID       AgentID
	API           API
	ExternalID    string // the client's own id, of APIs whose clients choose ids: unique per agent and API
	Channel       Channel
	Streamed      bool      // the first answer was streamed; the latest one, if the client stores the conversation
	Title         string    // may be empty
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

// AuthorKind is the kind of author of a message.
type AuthorKind string

// The authors of messages.
const (
	AuthorUser      AuthorKind = "user"
	AuthorAssistant AuthorKind = "assistant"
	AuthorHuman     AuthorKind = "human"
	AuthorSystem    AuthorKind = "system"
)

// MessageState says whether a message is complete.
type MessageState string

// The states of a message.
const (
	MessageComplete    MessageState = "complete"
	MessageInterrupted MessageState = "interrupted" // the turn was cancelled; the text is incomplete
	MessageFailed      MessageState = "failed"
)

// AnswerState says what an answer of the agent says of itself.
type AnswerState string

// The states of an answer. A model that returns no score says neither of itself.
const (
	AnswerSure    AnswerState = "answered"
	AnswerUnsure  AnswerState = "unsure"  // it says that it is not sure, and quotes what is nearest
	AnswerRefused AnswerState = "refused" // it says that the sources do not hold it
)

// AnswerStates lists what an answer can say of itself.
func AnswerStates() []AnswerState { return []AnswerState{AnswerSure, AnswerUnsure, AnswerRefused} }

// Message is one entry of a conversation. Messages are ordered by Seq, which counts from 1 in each conversation,
// never by time.
type Message struct {
	ID             MessageID
	ConversationID ConversationID
	Seq            int64
	Author         AuthorKind
	State          MessageState
	TurnID         TurnID
	AuthorID       UserID // the member who wrote it; of AuthorHuman only
	Parts          []Part
	Feedback       string      // positive, negative or empty
	Score          *float64    // confidence of the answer, 0 to 1
	AnswerState    AnswerState // empty where the model does not tell
	Citations      []Citation  // the sources of the answer's sentences
	FinishReason   string
	Model          string
	CreatedAt      time.Time
}

// Role returns the message's role for clients: every message that is not the user's is the assistant's.
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

// Part is a part of a message: text, a tool call or a tool result.
type Part struct {
	Type       string          `json:"type"` // text, tool-call, tool-result
	Text       string          `json:"text,omitempty"`
	ToolCallID string          `json:"toolCallId,omitempty"`
	ToolName   string          `json:"toolName,omitempty"`
	Input      json.RawMessage `json:"input,omitempty"`
	Output     json.RawMessage `json:"output,omitempty"`
}

// IsAnsweredBy reports whether result is the result of the tool call p.
func (p Part) IsAnsweredBy(result Part) bool {
	return p.Type == "tool-call" && result.Type == "tool-result" && result.ToolCallID == p.ToolCallID
}

// Citation links a span of an answer to the source text that supports it. A program can verify it against the
// version's text: the bytes [Start, End) of the version whose SHA-256 is VersionHash support the bytes
// [AnswerStart, AnswerEnd) of the answer's text.
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

// Turn is an answer while it is being produced. It belongs to the server, not to a request. While it is open,
// nothing else may write to its conversation. Its owner renews the lease.
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

// Trace records what a turn did, so that an answer can be explained later.
type Trace struct {
	TurnID        TurnID         `json:"turnId"`
	MessageID     MessageID      `json:"messageId,omitempty"`
	State         string         `json:"state"` // done, failed, interrupted
	Model         string         `json:"model"`
	BackEnd       string         `json:"backEnd"`
	PromptVersion string         `json:"promptVersion"`
	ConfigVersion int64          `json:"configVersion"`
	Question      string         `json:"question"`         // the query of retrieval, with the context of earlier turns
	SearchMethod  string         `json:"search,omitempty"` // how passages were found: by words, or by words and vectors
	Passages      []TracePassage `json:"passages"`         // in the order in which the model was given them
	ToolCalls     []string       `json:"toolCalls"`
	InputTokens   int            `json:"inputTokens"` // of the answer and of the rewrite
	OutputTokens  int            `json:"outputTokens"`
	Refused       bool           `json:"refused,omitempty"` // the answer says that the sources do not contain it
	Unsure        bool           `json:"unsure,omitempty"`  // the answer says that it is not sure
	Rewrite       *TraceRewrite  `json:"rewrite,omitempty"`
	Rerank        *TraceRerank   `json:"rerank,omitempty"`
	Millis        TraceMillis    `json:"millis"`
	Error         string         `json:"error,omitempty"`
}

// TracePassage is one passage that the model was given, with what the answer cites of it. So the trace explains the
// answer even after the source is deleted.
type TracePassage struct {
	ID       PassageID `json:"id"`
	SourceID SourceID  `json:"sourceId"`
	Name     string    `json:"name,omitempty"` // of the source at that time
	Heading  string    `json:"heading,omitempty"`
	Rank     float64   `json:"rank"`  // by which retrieval orders passages, the highest first
	Score    float64   `json:"score"` // how likely it was to answer the question, 0 to 1
	IsCited  bool      `json:"cited,omitempty"`
	Quotes   []string  `json:"quotes,omitempty"` // the cited spans, each once
}

// TraceRewrite is the result of having the model rewrite a follow-up question as a search query.
type TraceRewrite struct {
	State        string  `json:"state"` // model, failed, too late
	Millis       float64 `json:"millis"`
	InputTokens  int     `json:"inputTokens"`
	OutputTokens int     `json:"outputTokens"`
}

// TraceRerank is the result of having a reranking server order the passages that the search found.
type TraceRerank struct {
	State      string    `json:"state"` // done, failed, late, paused
	Millis     float64   `json:"millis"`
	Candidates int       `json:"candidates"`       // passages that the search found for it
	Scores     []float64 `json:"scores,omitempty"` // of the trace's passages, in their order; the server's own numbers
}

// TraceMillis holds times in milliseconds since the start of the turn.
type TraceMillis struct {
	RetrievalDone float64 `json:"retrieved"`
	FirstToken    float64 `json:"firstToken"`
	AnswerDone    float64 `json:"answered"`
}

// VisibleParts returns the message's parts for clients. A tool call without a result is followed by a result with
// its state: pending until the call is older than ToolResultTimeout, and ignored from then on.
func (m *Message) VisibleParts(now time.Time) []Part {
	waiting := ToolOutput{Status: ToolPending}
	if now.Sub(m.CreatedAt) >= ToolResultTimeout {
		waiting.Status = ToolIgnored
	}
	parts := make([]Part, 0, len(m.Parts))
	for _, p := range m.Parts {
		parts = append(parts, p)
		if p.Type == "tool-call" && !slices.ContainsFunc(m.Parts, p.IsAnsweredBy) {
			parts = append(parts,
				Part{Type: "tool-result", ToolCallID: p.ToolCallID, ToolName: p.ToolName, Output: waiting.JSON()})
		}
	}
	return parts
}
