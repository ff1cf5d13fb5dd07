package parley

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
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
	PairingID      string // UUID of a command line that asks for a key
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
var sortableBase64 = base64.NewEncoding(idLetters).
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

// IsID reports whether s has the form of one of the ids above, in the case in which they are stored.
func IsID(s string) bool {
	_, isMessage := messageUUID(s)
	return isMessage || IsUUID(s) && s == NormalizeUUID(s) || isNanoID(s)
}

// idLetters are the letters of ids that are no UUIDs.
const idLetters = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"

func isNanoID(s string) bool { return len(s) == 21 && strings.Trim(s, idLetters) == "" }

// IsMessageID reports whether s may be the id of a message: one of ours, or one that came from another service with the
// message and stays as it was there.
func IsMessageID(s string) bool {
	return len(s) >= 4 && len(s) <= 64 && strings.Trim(s, idLetters+".") == "" && !strings.ContainsAny(s[:1], "-_.")
}

// messageUUID returns the UUID that the id of a message is made of.
func messageUUID(s string) (id uuid.UUID, ok bool) {
	text, ok := strings.CutPrefix(s, "msg_")
	b, err := sortableBase64.DecodeString(text)
	if !ok || err != nil || len(b) != len(id) {
		return id, false
	}
	copy(id[:], b)
	return id, sortableBase64.EncodeToString(b) == text
}

// DeriveID returns the id that takes the place of another one where rows get new ids. It follows from that one and a
// salt, and has its form and, where it sorts by time, its time.
func DeriveID(salt []byte, id string) string {
	mac := hmac.New(sha256.New, salt)
	mac.Write([]byte(id))
	sum := mac.Sum(nil)
	if old, ok := messageUUID(id); ok {
		derived := deriveUUID(old, sum)
		return "msg_" + sortableBase64.EncodeToString(derived[:])
	}
	if old, err := uuid.Parse(id); err == nil && len(id) == 36 {
		return deriveUUID(old, sum).String()
	}
	text := base64.RawURLEncoding.EncodeToString(sum)[:21]
	return strings.Replace(text[:1], "-", "_", 1) + text[1:]
}

func deriveUUID(old uuid.UUID, sum []byte) (id uuid.UUID) {
	copy(id[:], sum)
	if old.Version() == 7 { // its first six bytes are the time
		copy(id[:6], old[:6])
	}
	id[6], id[8] = old[6]&0xf0|id[6]&0x0f, old[8]&0xc0|id[8]&0x3f
	return id
}
