package v1

import (
	"context"
	"encoding/json"

	"parley"
	"parley/internal/contact"
	"parley/internal/httpapi"
)

// Contact is a person whom the client knows by an id of its own (facts 2.9).
type Contact struct {
	ID               string                     `json:"id"`
	ExternalID       string                     `json:"external_id" doc:"Your id of the contact."`
	Name             *string                    `json:"name"`
	Email            *string                    `json:"email"`
	PhoneNumber      *string                    `json:"phonenumber"`
	StripeAccounts   []StripeAccount            `json:"stripe_accounts"`
	CustomAttributes map[string]json.RawMessage `json:"custom_attributes"`
	CreatedAt        int64                      `json:"created_at" doc:"Unix seconds."`
	UpdatedAt        int64                      `json:"updated_at" doc:"Unix seconds."`
}

// StripeAccount is a customer of Stripe's that a contact is.
type StripeAccount struct {
	Label       string `json:"label" min:"1" max:"255"`
	StripeID    string `json:"stripe_id" min:"1" max:"255"`
	StripeEmail string `json:"stripe_email,omitempty" format:"email"`
}

// ContactReply is a contact with a word about what was done.
type ContactReply struct {
	Message string  `json:"message"`
	Data    Contact `json:"data"`
}

// ContactsReply is several.
type ContactsReply struct {
	Message string    `json:"message"`
	Data    []Contact `json:"data"`
}

// ContactFields are what of a contact can be set. What is left out stays, null clears.
type ContactFields struct {
	Name             httpapi.Opt[string]                     `json:"name,omitzero" nullable:"true" max:"255"`
	Email            httpapi.Opt[string]                     `json:"email,omitzero" nullable:"true" format:"email" doc:"Unique among the chatbot's contacts, whatever its case."`
	PhoneNumber      httpapi.Opt[string]                     `json:"phonenumber,omitzero" nullable:"true" max:"60"`
	StripeAccounts   httpapi.Opt[[]StripeAccount]            `json:"stripe_accounts,omitzero" nullable:"true" max:"20"`
	CustomAttributes httpapi.Opt[map[string]json.RawMessage] `json:"custom_attributes,omitzero" nullable:"true" max:"200" doc:"By the attribute's name; null takes a value away, and names that are no attributes are ignored."`
}

type newContact struct {
	ExternalID string `json:"external_id" min:"1" max:"255" doc:"Your id of the contact: what it is added and found by."`
	ContactFields
}

type putContacts struct {
	ChatbotID string `path:"chatbotId"`
	Body      struct {
		Users []newContact `json:"users" min:"1" max:"1000"`
	}
}

func (s *server) putContacts(ctx context.Context, c *httpapi.Call, in *putContacts) (*ContactsReply, error) {
	agent, err := s.findChatbot(ctx, c, in.ChatbotID)
	if err != nil {
		return nil, err
	}
	changes := make([]contact.Change, len(in.Body.Users))
	for i, u := range in.Body.Users {
		changes[i] = u.newChange(u.ExternalID)
	}
	list, err := s.Contacts.Put(ctx, agent.AccountID, agent.ID, changes)
	if err != nil {
		return nil, err
	}
	return &ContactsReply{"The contacts have been saved.", newContacts(list)}, nil
}

// newChange is what the fields ask for.
func (f *ContactFields) newChange(external string) contact.Change {
	c := contact.Change{ExternalID: external, Name: nilOrText(f.Name), Email: nilOrText(f.Email), Phone: nilOrText(f.PhoneNumber), Attributes: f.CustomAttributes.Value}
	if f.StripeAccounts.Present {
		var list json.RawMessage
		if len(f.StripeAccounts.Value) > 0 {
			list, _ = json.Marshal(f.StripeAccounts.Value) // texts always encode
		}
		c.StripeAccounts = &list
	}
	return c
}

// nilOrText is nil for what was left out, and empty for null.
func nilOrText(o httpapi.Opt[string]) *string {
	if !o.Present {
		return nil
	}
	return &o.Value
}

func newContacts(list []parley.Contact) []Contact {
	out := make([]Contact, len(list))
	for i, c := range list {
		out[i] = contactReplyData(c)
	}
	return out
}

func contactReplyData(c parley.Contact) Contact {
	out := Contact{ID: string(c.ID), ExternalID: c.ExternalID, Name: textOrNull(c.Name), Email: textOrNull(c.Email), PhoneNumber: textOrNull(c.Phone),
		StripeAccounts: []StripeAccount{}, CustomAttributes: map[string]json.RawMessage{}, CreatedAt: c.CreatedAt.Unix(), UpdatedAt: c.UpdatedAt.Unix()}
	if c.StripeAccounts != nil {
		_ = json.Unmarshal(c.StripeAccounts, &out.StripeAccounts) // both are ours
	}
	if c.Attributes != nil {
		_ = json.Unmarshal(c.Attributes, &out.CustomAttributes)
	}
	return out
}
