package parley

import (
	"encoding/json"
	"time"
)

// Contact is a person whom the client knows by its own id (docs/interface/contacts.md#contact).
type Contact struct {
	Person
	StripeAccounts json.RawMessage // the list that the client sent; nil for none
}

// AttributeType is the type of the values of a custom attribute.
type AttributeType string

// The types of custom attributes (docs/interface/contacts.md#attributes).
const (
	AttributeText    AttributeType = "text"
	AttributeNumber  AttributeType = "number"
	AttributeBoolean AttributeType = "boolean"
	AttributeDate    AttributeType = "date" // a day, 2026-01-31, or an ISO 8601 time
)

// AttributeTypes lists the types of custom attributes.
func AttributeTypes() []AttributeType {
	return []AttributeType{AttributeText, AttributeNumber, AttributeBoolean, AttributeDate}
}

// Attribute is a custom property of an agent's contacts (docs/interface/contacts.md#attributes).
type Attribute struct {
	AccountID   AccountID
	AgentID     AgentID
	Name        string // unique within the agent; never changes
	Label       string // for display
	Type        AttributeType
	Description string
	CreatedAt   time.Time
	UpdatedAt   time.Time
	ArchivedAt  *time.Time // from then on contacts keep their values and accept no new ones
}
