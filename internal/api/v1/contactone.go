package v1

import (
	"context"

	"parley/internal/httpapi"
)

// ContactList is a page of a chatbot's contacts, newest first.
type ContactList struct {
	Message string    `json:"message"`
	Data    []Contact `json:"data"`
	Total   int       `json:"total" doc:"Contacts on all pages."`
	Pages   Pages     `json:"pages"`
}

// Pages says which page of how many.
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

func (s *server) listContacts(ctx context.Context, c *httpapi.Call, in *contactsQuery) (*ContactList, error) {
	agent, err := s.findChatbot(ctx, c, in.ChatbotID)
	if err != nil {
		return nil, err
	}
	list, total, err := s.DB.Contacts(ctx, agent.AccountID, agent.ID, (in.Page-1)*in.PerPage, in.PerPage)
	if err != nil {
		return nil, err
	}
	return &ContactList{"The contacts of the chatbot.", newContacts(list), total, Pages{in.Page, in.PerPage, (total + in.PerPage - 1) / in.PerPage}}, nil
}

type contactRef struct {
	ChatbotID  string `path:"chatbotId"`
	ExternalID string `path:"externalId"`
}

func (s *server) getContact(ctx context.Context, c *httpapi.Call, in *contactRef) (*ContactReply, error) {
	agent, err := s.findChatbot(ctx, c, in.ChatbotID)
	if err != nil {
		return nil, err
	}
	found, err := s.DB.Contact(ctx, agent.AccountID, agent.ID, in.ExternalID)
	if err != nil {
		return nil, err
	}
	return &ContactReply{"The contact.", contactReplyData(*found)}, nil
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

func (s *server) changeContact(ctx context.Context, c *httpapi.Call, in *changeContact) (*ContactReply, error) {
	agent, err := s.findChatbot(ctx, c, in.ChatbotID)
	if err != nil {
		return nil, err
	}
	if _, err := s.DB.Contact(ctx, agent.AccountID, agent.ID, in.ExternalID); err != nil {
		return nil, err
	}
	if id := in.Body.Data.ExternalID; id.Present && id.Value != in.ExternalID {
		return nil, httpapi.InvalidField("data.external_id", "cannot be changed")
	}
	changed, err := s.Contacts.Change(ctx, agent.AccountID, agent.ID, in.Body.Data.newChange(in.ExternalID))
	if err != nil {
		return nil, err
	}
	return &ContactReply{"The contact has been changed.", contactReplyData(*changed)}, nil
}

func (s *server) deleteContact(ctx context.Context, c *httpapi.Call, in *contactRef) (*ContactReply, error) {
	agent, err := s.findChatbot(ctx, c, in.ChatbotID)
	if err != nil {
		return nil, err
	}
	gone, err := s.Contacts.Remove(ctx, agent.AccountID, agent.ID, in.ExternalID)
	if err != nil {
		return nil, err
	}
	return &ContactReply{"The contact has been deleted.", contactReplyData(*gone)}, nil
}
