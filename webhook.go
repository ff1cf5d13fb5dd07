package parley

import (
	"slices"
	"strings"
	"time"
)

// Webhook is an address that events are sent to (docs/interface/webhooks.md#delivery).
type Webhook struct {
	ID                WebhookID
	AccountID         AccountID
	AgentID           AgentID // empty for all agents of the account
	Endpoint          string  // URL
	Events            []EventKind
	SealedSigningKeys string     // the keys that sign deliveries, sealed; never the secret itself
	KeyID             KeyID      // of the API key that is the secret; empty if the webhook has its own secret
	Channel           Channel    // where the conversations of a channel begin; empty of a webhook that only sends
	Name              string     // of a channel; empty of a webhook that only sends
	DisabledAt        *time.Time // since when nothing is sent; nil while it is on
	CreatedAt         time.Time
	UpdatedAt         time.Time
}

// IsChannel reports whether messages come in by the webhook, too: a program connects a messenger by it
// (docs/interface/channels.md).
func (w *Webhook) IsChannel() bool { return w.Channel != "" }

// ExternalID returns the name that a conversation of the channel has, of which the messenger knows an id.
func (w *Webhook) ExternalID(messengerID string) string { return string(w.ID) + "/" + messengerID }

// MessengerID returns the messenger's id of a conversation of the channel; false for a conversation of something else.
func (w *Webhook) MessengerID(c *Conversation) (id string, ok bool) {
	id, ok = strings.CutPrefix(c.ExternalID, string(w.ID)+"/")
	id, _, _ = strings.Cut(id, formerNameMark)
	return id, ok && w.IsChannel()
}

// formerNameMark is in no id of a messenger.
const formerNameMark = "\n"

// FormerExternalID returns the name of a conversation of a channel once another one has its id at the messenger.
func (c *Conversation) FormerExternalID() string { return c.ExternalID + formerNameMark + string(c.ID) }

// EventNames returns the kinds of events that the webhook subscribes to.
func (w *Webhook) EventNames() []string { return names(w.Events) }

// webhookEvents are the events that webhooks may subscribe to, a row each. Any event that is recorded may be one.
var webhookEvents = []EventKind{
	EventLeadsSubmit,
	EventFormsSubmit,
	EventConversationCreated,
	EventConversationTakenOver,
	EventConversationHandedBack,
	EventConversationPaused,
	EventConversationResumed,
	EventConversationEnded,
	EventConversationDeleted,
	EventMessageCreated,
	EventMessageFeedback,
	EventTicketCreated,
	EventTicketUpdated,
	EventTicketMessage,
	EventTicketOverdue,
	EventSourceTrained,
	EventSourceFailed,
	EventSourceDeleted,
	EventAgentCreated,
	EventAgentUpdated,
	EventAgentDeleted,
	EventVoiceStarted,
	EventVoiceEnded,
}

// submissionEvents are those that hold what a customer has submitted. What they are about is not erased before they are
// sent. The others name what has changed, and nothing more.
var submissionEvents = []EventKind{EventLeadsSubmit, EventFormsSubmit}

// SubmissionEvents lists the events that hold what a customer has submitted.
func SubmissionEvents() []EventKind { return slices.Clone(submissionEvents) }

// IsSubmissionEvent reports whether an event of a kind holds what a customer has submitted.
func IsSubmissionEvent(kind EventKind) bool { return slices.Contains(submissionEvents, kind) }

// publicWebhookEvents are those that REST v1 knows.
var publicWebhookEvents = []EventKind{EventLeadsSubmit}

// EventWebhookTest is what a webhook is sent to try it. It is no event that happens.
const EventWebhookTest EventKind = "webhook.test"

// WebhookEvents lists the events that webhooks may subscribe to.
func WebhookEvents() []EventKind { return slices.Clone(webhookEvents) }

// IsWebhookEvent reports whether webhooks may subscribe to a kind of events.
func IsWebhookEvent(kind EventKind) bool { return slices.Contains(webhookEvents, kind) }

// channelEvents are the events of its conversations that a channel is sent.
var channelEvents = []EventKind{
	EventMessageCreated,
	EventTurnFailed,
	EventConversationTakenOver,
	EventConversationHandedBack,
	EventConversationPaused,
	EventConversationResumed,
	EventConversationEnded,
}

// ChannelEvents lists the events of its conversations that a channel is sent.
func ChannelEvents() []EventKind { return slices.Clone(channelEvents) }

// DeliveryState is the state of a delivery.
type DeliveryState string

// The states of deliveries.
const (
	DeliveryPending   DeliveryState = "pending"
	DeliveryDelivered DeliveryState = "delivered"
	DeliveryDead      DeliveryState = "dead" // it failed and is not tried again
)

// DeliveryStates lists the states of deliveries.
func DeliveryStates() []DeliveryState {
	return []DeliveryState{DeliveryPending, DeliveryDelivered, DeliveryDead}
}

// Delivery is one event that is sent to one webhook.
type Delivery struct {
	ID        DeliveryID
	AccountID AccountID
	AgentID   AgentID
	WebhookID WebhookID
	Event     EventKind

	ConversationID ConversationID // of a channel, whose deliveries keep their order; empty for others
	EventNumber    int64          // of the event in the account's log, by which they are ordered; 0 for others

	Body        string // as sent; the same in every attempt
	State       DeliveryState
	Attempts    int
	DueAt       time.Time // when the next attempt is due, while pending
	LastStatus  int       // HTTP status of the latest attempt; 0 without a reply
	LastError   string    // why the latest attempt failed
	LastMillis  int64     // how long the latest attempt took
	LastAnswer  string    // the beginning of the body of the reply to it, as text; empty without one
	CreatedAt   time.Time
	UpdatedAt   time.Time
	DeliveredAt *time.Time
}
