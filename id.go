package parley

import (
	"crypto/rand"
	"encoding/base64"
	"strings"

	"github.com/google/uuid"
)

// Named string types keep the ids of different nouns apart at compile time. An agent id is 21 url-safe characters,
// a message id begins with "msg_", and the others are UUIDs.
type (
	AccountID      string // UUID
	UserID         string // UUID of a member of the operator's team, never an end user
	KeyID          string // UUID
	AgentID        string // 21 url-safe characters
	SourceID       string // UUID
	VersionID      string // UUID of one version of a source's content
	PassageID      string // UUID
	PersonID       string // UUID of a contact, lead, ticket customer or end user
	ConversationID string // UUID v7
	MessageID      string // "msg_" and 22 url-safe characters that sort by time
	TurnID         string // UUID v7
	ActionID       string // UUID
	ProcedureID    string // UUID
	TicketID       string // UUID; clients know a ticket by its number
	StatusID       string // UUID of a ticket status
	TeamID         string // UUID
	RuleID         string // UUID of a routing rule
	AttachmentID   string // UUID
	SavedReplyID   string // UUID
	SavedViewID    string // UUID
	WebhookID      string // UUID
	ModelServerID  string // UUID
	VoiceSessionID string // UUID
	DeliveryID     string // UUID v7 of one event on its way to one webhook
	WebSessionID   string // UUID of a person's session in a browser
	PasskeyID      string // UUID
	InviteID       string // UUID of a link by which somebody signs in once
	VisitorID      string // UUID of a browser in which an agent's widget was used
	EndUserID      string // the client's own id of an end user: at most 128 of a-z A-Z 0-9 . _ -
)

// NewUUID returns a random (version 4) UUID, for ids without an order.
func NewUUID() string { return uuid.NewString() }

// NewTimedUUID returns a version 7 UUID, for ids whose rows are written in the order of time.
func NewTimedUUID() string {
	id, err := uuid.NewV7()
	if err != nil {
		panic(err) // without a random source nothing is safe
	}
	return id.String()
}

// NewAgentID returns 21 url-safe random characters (126 bits). It never begins with a hyphen, which a command line
// would take for a flag.
func NewAgentID() AgentID {
	for {
		if id := nanoid(); id[0] != '-' {
			return AgentID(id)
		}
	}
}

// sortableBase64 is base64's url-safe alphabet in the order of its bytes, so that encoded numbers sort like the
// numbers.
var sortableBase64 = base64.NewEncoding("-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz").
	WithPadding(base64.NoPadding)

// NewMessageID returns "msg_" and a version 7 UUID in 22 url-safe characters. It sorts by time so that the
// database's index of messages grows at its end. Nothing else may rely on that: messages are ordered by their
// sequence.
func NewMessageID() MessageID {
	id, err := uuid.NewV7()
	if err != nil {
		panic(err) // as in NewTimedUUID
	}
	return MessageID("msg_" + sortableBase64.EncodeToString(id[:]))
}

// NewCallID returns "call_" and 21 url-safe random characters: the id of a tool call as clients see it.
func NewCallID() string { return "call_" + nanoid() }

func nanoid() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand aborts the program instead
	return base64.RawURLEncoding.EncodeToString(b[:])[:21]
}

// NormalizeUUID returns a UUID in lower case, as ids are stored, and any other text unchanged.
func NormalizeUUID(s string) string {
	if IsUUID(s) {
		return strings.ToLower(s)
	}
	return s
}

// IsUUID reports whether s has the canonical 36-character form of a UUID.
func IsUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	_, err := uuid.Parse(s)
	return err == nil
}
