package parley

import (
	"encoding/json"
	"slices"
	"strings"
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
	UserID        EndUserID // empty when anonymous; changes only when its visitor shows who it is
	Status        ConversationStatus
	Paused        bool
	ParentID      ConversationID
	ParentSummary string
	EmbedOrigin   string     // the page that it began on, without the query
	EmbedTitle    string     // the title of that page, by its own word
	EmbedLocale   string     // the language of that page (BCP 47)
	VisitorID     VisitorID  // whose browser it began in; empty if in none
	ClaimedBy     UserID     // the member who answers since it was taken over; empty while nobody does
	WaitingSince  *time.Time // when the customer began to wait for a person; nil while they do not
	SnoozedUntil  *time.Time // until when people have put it aside; nil: they have not
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
	Comment        string      // of the end user on the rating
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
	Type       string          `json:"type"` // text, tool-call, tool-result, file
	Text       string          `json:"text,omitempty"`
	ToolCallID string          `json:"toolCallId,omitempty"`
	ToolName   string          `json:"toolName,omitempty"`
	Input      json.RawMessage `json:"input,omitempty"`
	Output     json.RawMessage `json:"output,omitempty"`
	File       *SentFile       `json:"file,omitempty"`
}

// PartFile is the type of a part that is a file.
const PartFile = "file"

// SentFile is a file that a customer or a member has sent with a message. Its bytes are those of the attachment with
// its id.
type SentFile struct {
	ID        AttachmentID `json:"id"`
	Name      string       `json:"name"`
	MediaType string       `json:"mediaType"`
	Size      int64        `json:"size"`
}

// MaxFileText is the most bytes that are kept of the text of a visitor's file, for models.
const MaxFileText = 20_000

// FileParts returns the parts of a message that are its files.
func FileParts(files []Attachment) (parts []Part) {
	for _, f := range files {
		parts = append(parts, Part{Type: PartFile, File: &SentFile{ID: f.ID, Name: f.Name, MediaType: f.MediaType,
			Size: f.Size}})
	}
	return parts
}

// FileNames returns the names of files, which stand for a text that a message lacks.
func FileNames(files []SentFile) string {
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = f.Name
	}
	return strings.Join(names, ", ")
}

// Files returns the files that were sent with the message.
func (m *Message) Files() (list []SentFile) {
	for _, p := range m.Parts {
		if p.Type == PartFile && p.File != nil {
			list = append(list, *p.File)
		}
	}
	return list
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
	Quote       string   `json:"quote,omitempty"` // the span's text, of which at most MaxQuoteChars are kept
}

// MaxQuoteChars is the most characters of a passage that a citation quotes.
const MaxQuoteChars = 500

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
	VisitorID      VisitorID // whom it answers in the widget; empty elsewhere
	Model          string    // the name of the model that answers; known while it does, and not stored with the turn
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
	Bounds        *AnswerBounds  `json:"bounds,omitempty"`  // that the answer's score was held against
	Reason        AnswerReason   `json:"reason,omitempty"`  // empty where the model does not tell
	Rewrite       *TraceRewrite  `json:"rewrite,omitempty"`
	Rerank        *TraceRerank   `json:"rerank,omitempty"`
	Millis        TraceMillis    `json:"millis"`
	Error         string         `json:"error,omitempty"`
}

// AnswerBounds are the scores from which on a model answers without doubt, and at all.
type AnswerBounds struct {
	Sure   float64 `json:"sure"`
	Unsure float64 `json:"unsure"`
}

// AnswerReason is what decided whether a model answers without doubt, with doubt or not at all.
type AnswerReason string

// The reasons of the built-in model.
const (
	ReasonScore        AnswerReason = "score"         // the score, by its bounds alone
	ReasonNothingFound AnswerReason = "nothing-found" // no passage holds anything to quote
	// The score would do, but the passages hold too little of the question, or no amount where one is asked for.
	ReasonOffTopic AnswerReason = "off-topic"
	ReasonNoAmount AnswerReason = "no-amount"
	ReasonNamed    AnswerReason = "named" // the score is too low, but the headings name all of the question
	// The score would do for an answer without doubt, but what is quoted names too little of the question, or stands in
	// for a title that fits better.
	ReasonNotFirm AnswerReason = "not-firm"
	ReasonTitle   AnswerReason = "title"
	// A line is quoted that has the form of what is asked for, as a telephone number; no bounds are looked at.
	ReasonContact AnswerReason = "contact"
)

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

// VisibleParts returns the message's parts for clients, without its files. A tool call without a result is followed by
// a result with its state: pending until the call is older than ToolResultTimeout, and ignored from then on.
func (m *Message) VisibleParts(now time.Time) []Part {
	waiting := ToolOutput{Status: ToolPending}
	if now.Sub(m.CreatedAt) >= ToolResultTimeout {
		waiting.Status = ToolIgnored
	}
	parts := make([]Part, 0, len(m.Parts))
	for _, p := range m.Parts {
		if p.Type == PartFile {
			continue
		}
		parts = append(parts, p)
		if p.Type == "tool-call" && !slices.ContainsFunc(m.Parts, p.IsAnsweredBy) {
			parts = append(parts,
				Part{Type: "tool-result", ToolCallID: p.ToolCallID, ToolName: p.ToolName, Output: waiting.JSON()})
		}
	}
	return parts
}
