package parley

import "time"

// ModelServer is a server of models that an account has connected by itself, beside those that the operator's settings
// name.
type ModelServer struct {
	ID            ModelServerID
	AccountID     AccountID
	Kind          ModelServerKind
	Name          string // for people
	Format        WireFormat
	URL           string     // base URL
	SealedKey     string     // the API key, sealed; empty if the server wants none
	KeySetAt      *time.Time // when the key was given; nil without one, and if it was given before that was noted
	KeySetBy      string     // who has given it: an actor of the audit chain
	Model         string     // what the server calls its model
	ModelNames    []string
	ContextTokens int // that a chat model can take in; 0 is the usual number
	Dimensions    int // of vectors that are asked for; 0 takes them as they are
	CreatedAt     time.Time
	UpdatedAt     time.Time
	State         ModelServerState
}

// ModelServerState is whether a server of models did what it was last asked for.
type ModelServerState struct {
	CheckedAt    *time.Time // when it began to work, or to fail; nil if it was never asked
	FailingSince *time.Time // nil while it works
	LastError    string     // empty while it works
}

// ModelServerKind is what a server of models is asked for.
type ModelServerKind string

// The kinds of servers of models.
const (
	ModelServerChat      ModelServerKind = "chat"      // answers
	ModelServerEmbedding ModelServerKind = "embedding" // turns texts into vectors
	ModelServerReranking ModelServerKind = "reranking" // orders passages
)

// ModelServerKinds lists the kinds of servers of models.
func ModelServerKinds() []ModelServerKind {
	return []ModelServerKind{ModelServerChat, ModelServerEmbedding, ModelServerReranking}
}

// WireFormat is the protocol of a server of models.
type WireFormat string

// The wire formats. Servers of a kind other than chat have one each.
const (
	WireFormatOpenAI    WireFormat = "openai"
	WireFormatAnthropic WireFormat = "anthropic"
	WireFormatCohere    WireFormat = "cohere"
)

// ChatWireFormats lists the wire formats of servers that answer.
func ChatWireFormats() []WireFormat { return []WireFormat{WireFormatOpenAI, WireFormatAnthropic} }
