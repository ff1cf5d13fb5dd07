package chatapi

import (
	"context"
	"encoding/json"

	"parley"
	"parley/internal/httpapi"
)

// FormRequest holds what a visitor has filled in in a form that the page describes.
type FormRequest struct {
	AgentPath
	ToolCallID string `path:"toolCallId"`
	Body       FormBody
}

// FormBody is the body of a form.
type FormBody struct {
	ConversationID string              `json:"conversationId" id:"uuid"`
	Values         json.RawMessage     `json:"values" doc:"An object by the names of the fields, at most 20 kB."`
	Website        httpapi.Opt[string] `json:"website,omitzero" nullable:"true"`
}

// FieldDocs returns the docs that are too long for tags.
func (FormBody) FieldDocs() map[string]string {
	return map[string]string{
		"website": "A field that people do not see. What fills it in is a program: nothing is stored.",
	}
}

func (s *server) submitForm(ctx context.Context, c *call, in *FormRequest) (*Data[Success], error) {
	from := callerOf(c)
	if err := s.count(s.people.forms, from); err != nil {
		return nil, err
	}
	conv, err := s.DB.VisitorConversation(ctx, from.visitor, parley.ConversationID(in.Body.ConversationID))
	if err != nil {
		return nil, err
	}
	if in.Body.Website.Value == "" {
		err = s.Chat.SubmitForm(ctx, conv.Ref(), in.ToolCallID, in.Body.Values)
	}
	if err != nil {
		return nil, err
	}
	return &Data[Success]{Success{true}}, nil
}
