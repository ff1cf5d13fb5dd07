package parley

import (
	"slices"
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
	DisabledAt        *time.Time // since when nothing is sent; nil while it is on
	CreatedAt         time.Time
	UpdatedAt         time.Time
}

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
	ID          DeliveryID
	AccountID   AccountID
	AgentID     AgentID
	WebhookID   WebhookID
	Event       EventKind
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
