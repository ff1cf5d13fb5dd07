package v1

import (
	"context"

	"parley"
	"parley/internal/contact"
	"parley/internal/httpapi"
)

// Attribute is a property of contacts that the operator has defined (docs/interface/contacts.md#attributes).
type Attribute struct {
	Name        string `json:"name"`
	Label       string `json:"label"`
	Type        string `json:"type" enum:"@attributeType" name:"AttributeType"`
	Description string `json:"description"`
	Archived    bool   `json:"archived" doc:"Contacts keep their values, and take no new ones."`
	CreatedAt   int64  `json:"created_at" doc:"Unix seconds."`
	UpdatedAt   int64  `json:"updated_at" doc:"Unix seconds."`
}

// AttributeReply is an attribute with a message about what was done.
type AttributeReply struct {
	Message string    `json:"message"`
	Data    Attribute `json:"data"`
}

// AttributeList holds all attributes of a chatbot, by name.
type AttributeList struct {
	Message string      `json:"message"`
	Data    []Attribute `json:"data"`
}

type newAttribute struct {
	ChatbotID string `path:"chatbotId"`
	Body      struct{ newAttributeFields }
}

type newAttributeFields struct {
	Name        string              `json:"name" pattern:"^[A-Za-z][A-Za-z0-9_]{0,63}$"`
	Type        string              `json:"type" enum:"@attributeType" name:"AttributeType"`
	Label       httpapi.Opt[string] `json:"label,omitzero" min:"1" max:"100"`
	Description string              `json:"description,omitempty" max:"500"`
}

// FieldDocs returns the docs that are too long for tags.
func (newAttributeFields) FieldDocs() map[string]string {
	return map[string]string{
		"name":  "What contacts name it by; it cannot be changed.",
		"type":  "What its values are; it cannot be changed.",
		"label": "For people; the name where it is left out.",
	}
}

func (s *server) createAttribute(ctx context.Context, c *call, in *newAttribute) (*AttributeReply, error) {
	account, agent := callerOf(c).Account.ID, parley.AgentID(in.ChatbotID)
	label := in.Body.Name
	if in.Body.Label.Present {
		label = in.Body.Label.Value
	}
	created, err := s.Contacts.AddAttribute(ctx,
		parley.Attribute{AccountID: account, AgentID: agent, Name: in.Body.Name, Label: label,
			Type: parley.AttributeType(in.Body.Type), Description: in.Body.Description})
	if err != nil {
		return nil, err
	}
	return &AttributeReply{"The custom attribute has been created.", newAttributeReply(created)}, nil
}

type attributesQuery struct {
	ChatbotID string `path:"chatbotId"`
}

func (s *server) listAttributes(ctx context.Context, c *call, in *attributesQuery) (*AttributeList, error) {
	list, err := s.DB.Attributes(ctx, agentRef(c, in.ChatbotID))
	if err != nil {
		return nil, err
	}
	return &AttributeList{"The custom attributes of the chatbot.", httpapi.ConvertList(list, newAttributeReply)}, nil
}

type changeAttribute struct {
	ChatbotID string `path:"chatbotId"`
	Name      string `path:"attributeName"`
	Body      struct{ attributeChangeFields }
}

type attributeChangeFields struct {
	Label       httpapi.Opt[string] `json:"label,omitzero" min:"1" max:"100"`
	Description httpapi.Opt[string] `json:"description,omitzero" max:"500"`
	Archived    httpapi.Opt[bool]   `json:"archived,omitzero"`
	Type        httpapi.Opt[string] `json:"type,omitzero" enum:"@attributeType" name:"AttributeType"`
}

// FieldDocs returns the docs that are too long for tags.
func (attributeChangeFields) FieldDocs() map[string]string {
	return map[string]string{
		"archived": "True has contacts keep their values and take no new ones.",
		"type":     "May be sent, and cannot be changed.",
	}
}

func (s *server) changeAttribute(ctx context.Context, c *call, in *changeAttribute) (*AttributeReply, error) {
	change := contact.AttributeChange{Label: in.Body.Label.Ptr(), Description: in.Body.Description.Ptr(),
		Archived: in.Body.Archived.Ptr()}
	if in.Body.Type.Present {
		change.Type = parley.AttributeType(in.Body.Type.Value)
	}
	a, err := s.Contacts.ChangeAttribute(ctx, agentRef(c, in.ChatbotID), in.Name, change)
	if err != nil {
		return nil, err
	}
	return &AttributeReply{"The custom attribute has been changed.", newAttributeReply(a)}, nil
}

func newAttributeReply(a *parley.Attribute) Attribute {
	return Attribute{Name: a.Name, Label: a.Label, Type: string(a.Type), Description: a.Description,
		Archived: a.ArchivedAt != nil, CreatedAt: a.CreatedAt.Unix(), UpdatedAt: a.UpdatedAt.Unix()}
}
