package parley

import (
	"slices"
	"time"
)

// EventLeadsSubmit is the event of a lead that was submitted or completed (docs/interface/webhooks.md#lead-submitted).
const EventLeadsSubmit = "leads.submit"

// webhookEvents are the events that webhooks may subscribe to, a row each. Any event that is recorded may be one.
var webhookEvents = []string{
	EventLeadsSubmit,
}

// WebhookEvents lists the events that webhooks may subscribe to.
func WebhookEvents() []string { return slices.Clone(webhookEvents) }

// IsWebhookEvent reports whether webhooks may subscribe to a kind of events.
func IsWebhookEvent(kind string) bool { return slices.Contains(webhookEvents, kind) }

// Webhook is an address that events are sent to (docs/interface/webhooks.md#delivery).
type Webhook struct {
	ID                WebhookID
	AccountID         AccountID
	AgentID           AgentID // empty for all agents of the account
	Endpoint          string  // URL
	Events            []string
	SealedSigningKeys string // the keys that sign deliveries, sealed; never the secret itself
	KeyID             KeyID  // of the API key that is the secret; empty if the webhook has its own secret
	CreatedAt         time.Time
	UpdatedAt         time.Time
}

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
	Event       string
	Body        string // as sent; the same in every attempt
	State       DeliveryState
	Attempts    int
	DueAt       time.Time // when the next attempt is due, while pending
	LastStatus  int       // HTTP status of the latest attempt; 0 without a reply
	LastError   string    // why the latest attempt failed
	CreatedAt   time.Time
	UpdatedAt   time.Time
	DeliveredAt *time.Time
}
