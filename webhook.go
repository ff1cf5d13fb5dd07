package parley

import "time"

// EventLeadsSubmit is the event of a lead that was created or completed (facts 6.3).
const EventLeadsSubmit = "leads.submit"

// WebhookEvents lists the events that are sent to webhooks.
func WebhookEvents() []string { return []string{EventLeadsSubmit} }

// Webhook is an address to which events are sent (facts 6.3).
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
