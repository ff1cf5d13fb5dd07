package movein

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"time"

	"github.com/google/uuid"

	"parley"
)

// Ids stay as they are where they have the form that they have here and are not taken. Those that take their place
// follow from what they are the ids of, so that whatever is read twice is found and not written twice.

func digest(texts ...string) []byte {
	h := sha256.New()
	for _, text := range texts {
		_, _ = h.Write(append([]byte(text), 0)) // never fails
	}
	return h.Sum(nil)
}

// derivedAgentID returns the id of an agent of the account whose own one is taken, or cannot be one, whatever the
// service's address. It never begins with a hyphen.
func derivedAgentID(account parley.AccountID, remote, madeAt string) parley.AgentID {
	sum := digest("agent", string(account), remote, madeAt)
	return parley.AgentID("m" + base64.RawURLEncoding.EncodeToString(sum)[:20])
}

// secondOf returns a time as a text that tells apart what has the same id at several services, such as those that
// count theirs.
func secondOf(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }

// conversationKey returns by what a conversation of the service is known here, whatever ids it and its agent have here.
func conversationKey(agent, remote string, createdAt time.Time) string {
	return hex.EncodeToString(digest("taken over", agent, remote, secondOf(createdAt))[:16])
}

// derivedConversationID returns the id of a conversation whose own one is taken, or is no UUID.
func derivedConversationID(agent parley.AgentID, remote string) parley.ConversationID {
	return parley.ConversationID(uuid.NewSHA1(uuid.NameSpaceOID, digest("conversation", string(agent), remote)).String())
}

// ownConversationID returns the id that a conversation keeps if it is free.
func ownConversationID(agent parley.AgentID, remote string) parley.ConversationID {
	if id := parley.NormalizeUUID(remote); parley.IsUUID(id) {
		return parley.ConversationID(id)
	}
	return derivedConversationID(agent, remote)
}

// derivedMessageID returns the id of a message, the one of a number in its conversation, whose own one is taken or
// cannot be one.
func derivedMessageID(conversation parley.ConversationID, number string) parley.MessageID {
	sum := digest("message", string(conversation), number)
	return parley.MessageID("msg_" + base64.RawURLEncoding.EncodeToString(sum)[:22])
}
