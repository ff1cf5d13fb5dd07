package parley

import (
	"encoding/json"
	"time"
)

// Contact is a person whom the client knows by an id of its own (facts 2.9).
type Contact struct {
	Person
	StripeAccounts json.RawMessage // a list as the client sent it; nil for none
}

// AttributeType is what the values of a custom attribute are.
type AttributeType string

// The types of custom attributes (facts 4.10).
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

// Attribute is a property of an agent's contacts that the operator has made up (facts 4.10).
type Attribute struct {
	AccountID   AccountID
	AgentID     AgentID
	Name        string // unique within the agent, never changed
	Label       string // for people
	Type        AttributeType
	Description string
	CreatedAt   time.Time
	UpdatedAt   time.Time
	ArchivedAt  *time.Time // contacts keep their values, and take no new ones
}
