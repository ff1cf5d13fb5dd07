package v1

import (
	"context"
	"encoding/json"

	"parley"
	"parley/internal/contact"
	"parley/internal/httpapi"
	"parley/internal/store"
)

// Contact is a person whom the client knows by its own id (docs/interface/contacts.md#contact).
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

// StripeAccount is an account of a contact at Stripe.
type StripeAccount struct {
	Label       string `json:"label" min:"1" max:"255"`
	StripeID    string `json:"stripe_id" min:"1" max:"255"`
	StripeEmail string `json:"stripe_email,omitempty" format:"email"`
}

// ContactReply is a contact with a message about what was done.
type ContactReply struct {
	Message string  `json:"message"`
	Data    Contact `json:"data"`
}

// ContactsReply holds several contacts with a message about what was done.
type ContactsReply struct {
	Message string    `json:"message"`
	Data    []Contact `json:"data"`
}

// ContactFields are the fields of a contact that can be set. Absent fields stay as they are; null clears.
type ContactFields struct {
	Name             httpapi.Opt[string]                     `json:"name,omitzero" nullable:"true" max:"255"`
	Email            httpapi.Opt[string]                     `json:"email,omitzero" nullable:"true" format:"email"`
	PhoneNumber      httpapi.Opt[string]                     `json:"phonenumber,omitzero" nullable:"true" max:"60"`
	StripeAccounts   httpapi.Opt[[]StripeAccount]            `json:"stripe_accounts,omitzero" nullable:"true" max:"20"`
	CustomAttributes httpapi.Opt[map[string]json.RawMessage] `json:"custom_attributes,omitzero" nullable:"true" max:"200"`
}

// FieldDocs returns the docs that are too long for tags.
func (ContactFields) FieldDocs() map[string]string {
	return map[string]string{
		"email": "Unique among the chatbot's contacts, whatever its case.",
		"custom_attributes": "By the attribute's name; null takes a value away, and names that are no attributes are " +
			"ignored.",
	}
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

func (s *server) putContacts(ctx context.Context, c *call, in *putContacts) (*ContactsReply, error) {
	changes := make([]contact.Change, len(in.Body.Users))
	for i, u := range in.Body.Users {
		changes[i] = u.newChange(u.ExternalID)
	}
	list, err := s.Contacts.Put(ctx, agentRef(c, in.ChatbotID), changes)
	if err != nil {
		return nil, err
	}
	return &ContactsReply{"The contacts have been saved.", httpapi.ConvertList(list, newContactData)}, nil
}

// newChange returns the change that the fields describe.
func (f *ContactFields) newChange(external string) contact.Change {
	c := contact.Change{ExternalID: external, Name: nilOrText(f.Name), Email: nilOrText(f.Email),
		Phone: nilOrText(f.PhoneNumber), Attributes: f.CustomAttributes.Value}
	if f.StripeAccounts.Present {
		var list json.RawMessage
		if len(f.StripeAccounts.Value) > 0 {
			list, _ = json.Marshal(f.StripeAccounts.Value) // texts always encode
		}
		c.StripeAccounts = &list
	}
	return c
}

// nilOrText returns nil for an absent field, and an empty text for null.
func nilOrText(o httpapi.Opt[string]) *string {
	if !o.Present {
		return nil
	}
	return &o.Value
}

func newContactData(c *parley.Contact) Contact {
	out := Contact{ID: string(c.ID), ExternalID: c.ExternalID, Name: textOrNull(c.Name), Email: textOrNull(c.Email),
		PhoneNumber: textOrNull(c.Phone), StripeAccounts: []StripeAccount{},
		CustomAttributes: map[string]json.RawMessage{}, CreatedAt: c.CreatedAt.Unix(), UpdatedAt: c.UpdatedAt.Unix()}
	if c.StripeAccounts != nil {
		_ = json.Unmarshal(c.StripeAccounts, &out.StripeAccounts) // written by this package
	}
	if c.Attributes != nil {
		_ = json.Unmarshal(c.Attributes, &out.CustomAttributes)
	}
	return out
}

// ContactList is a page of a chatbot's contacts, newest first.
type ContactList struct {
	Message string    `json:"message"`
	Data    []Contact `json:"data"`
	Total   int       `json:"total" doc:"Contacts on all pages."`
	Pages   Pages     `json:"pages"`
}

// Pages locates a page in its list.
type Pages struct {
	Page       int `json:"page"`
	PerPage    int `json:"per_page"`
	TotalPages int `json:"total_pages"`
}

type contactsQuery struct {
	ChatbotID string `path:"chatbotId"`
	Page      int    `query:"page" min:"1" max:"1000000" default:"1"`
	PerPage   int    `query:"per_page" min:"10" max:"100" default:"10"`
}

func (s *server) listContacts(ctx context.Context, c *call, in *contactsQuery) (*ContactList, error) {
	list, total, err := s.DB.Contacts(ctx, agentRef(c, in.ChatbotID), (in.Page-1)*in.PerPage, in.PerPage)
	if err != nil {
		return nil, err
	}
	return &ContactList{"The contacts of the chatbot.", httpapi.ConvertList(list, newContactData), total,
		Pages{in.Page, in.PerPage, (total + in.PerPage - 1) / in.PerPage}}, nil
}

type contactRef struct {
	ChatbotID  string `path:"chatbotId"`
	ExternalID string `path:"externalId"`
}

func (s *server) getContact(ctx context.Context, c *call, in *contactRef) (*ContactReply, error) {
	found, err := s.DB.Contact(ctx, agentRef(c, in.ChatbotID), in.ExternalID)
	if err != nil {
		return nil, err
	}
	return &ContactReply{"The contact.", newContactData(found)}, nil
}

type changedContact struct {
	ExternalID httpapi.Opt[string] `json:"external_id,omitzero" doc:"May be sent, and cannot be changed."`
	ContactFields
}

type changeContact struct {
	contactRef
	Body struct {
		Data changedContact `json:"data"`
	}
}

func (s *server) changeContact(ctx context.Context, c *call, in *changeContact) (*ContactReply, error) {
	if _, err := s.DB.Contact(ctx, agentRef(c, in.ChatbotID), in.ExternalID); err != nil {
		return nil, err
	}
	if id := in.Body.Data.ExternalID; id.Present && id.Value != in.ExternalID {
		return nil, parley.Invalid("data.external_id", "cannot be changed")
	}
	changed, err := s.Contacts.Change(ctx, agentRef(c, in.ChatbotID), in.Body.Data.newChange(in.ExternalID))
	if err != nil {
		return nil, err
	}
	return &ContactReply{"The contact has been changed.", newContactData(changed)}, nil
}

// deleteContact has the audit log name the contact by the id that it has here: the client's own id may say who it is.
func (s *server) deleteContact(ctx context.Context, c *call, in *contactRef) (*ContactReply, error) {
	found, err := s.DB.Contact(ctx, agentRef(c, in.ChatbotID), in.ExternalID)
	if err != nil {
		return nil, err
	}
	ctx = s.audited(ctx, c, "contact.delete", in.ChatbotID, string(found.ID))
	deleted, err := s.Contacts.Remove(ctx, agentRef(c, in.ChatbotID), in.ExternalID)
	if err != nil {
		return nil, err
	}
	return &ContactReply{"The contact has been deleted.", newContactData(deleted)}, nil
}

// Lead is a customer who left contact details (docs/interface/contacts.md#leads).
type Lead struct {
	ID        string  `json:"id"`
	Name      *string `json:"name"`
	Email     *string `json:"email"`
	Phone     *string `json:"phone"`
	CreatedAt string  `json:"created_at" doc:"ISO 8601."`
	ChatbotID string  `json:"chatbot_id"`
	AccountID string  `json:"account_id"`
}

// Leads is the reply to get-leads.
type Leads struct {
	CollectedCustomers []Lead `json:"collectedCustomers"`
}

type leadsQuery struct {
	ChatbotID string `query:"chatbotId" required:"true"`
	StartDate string `query:"startDate" doc:"First day, YYYY-MM-DD, UTC."`
	EndDate   string `query:"endDate" doc:"Last day, YYYY-MM-DD, UTC."`
	Page      int    `query:"page" min:"1" max:"1000000" default:"1"`
	Size      int    `query:"size" min:"1" max:"100" default:"10"`
}

func (s *server) listLeads(ctx context.Context, c *call, in *leadsQuery) (*Leads, error) {
	var filter store.LeadFilter
	var err error
	if filter.CreatedFrom, filter.CreatedBefore, err = parseDayRange(in.StartDate, in.EndDate); err != nil {
		return nil, err
	}
	list, err := s.DB.LeadsAtOffset(ctx, agentRef(c, in.ChatbotID), filter, (in.Page-1)*in.Size, in.Size)
	if err != nil {
		return nil, err
	}
	return &Leads{httpapi.ConvertList(list, newLead)}, nil
}

func newLead(l *parley.Lead) Lead {
	return Lead{ID: l.ID, Name: textOrNull(l.Name), Email: textOrNull(l.Email), Phone: textOrNull(l.Phone),
		CreatedAt: formatTime(l.CreatedAt), ChatbotID: string(l.AgentID), AccountID: string(l.AccountID)}
}

func textOrNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
