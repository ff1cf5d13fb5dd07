package chatapi

import (
	"context"
	"encoding/json"

	"parley"
	"parley/internal/actions"
	"parley/internal/httpapi"
)

// maxFormBodyBytes is the largest body of a form.
const maxFormBodyBytes = 24 << 10

// LeadRequest holds a visitor's contact details.
type LeadRequest struct {
	AgentPath
	Body LeadBody
}

// LeadBody is the body of a visitor's contact details.
type LeadBody struct {
	ConversationID httpapi.Opt[string] `json:"conversationId,omitzero" id:"uuid" nullable:"true"`
	ToolCallID     httpapi.Opt[string] `json:"toolCallId,omitzero" nullable:"true" min:"1" doc:"The call that waits."`
	Name           httpapi.Opt[string] `json:"name,omitzero" nullable:"true" max:"200"`
	Email          httpapi.Opt[string] `json:"email,omitzero" nullable:"true" max:"254"`
	Phone          httpapi.Opt[string] `json:"phone,omitzero" nullable:"true" max:"60"`
	Website        httpapi.Opt[string] `json:"website,omitzero" nullable:"true"`
}

// FieldDocs returns the docs that are too long for tags.
func (LeadBody) FieldDocs() map[string]string {
	return map[string]string{
		"email":   "Either this or phone.",
		"website": "A field that people do not see. What fills it in is a program: nothing is stored.",
	}
}

func (s *server) submitLead(ctx context.Context, c *call, in *LeadRequest) (*Data[Success], error) {
	from, body := callerOf(c), &in.Body
	if err := s.count(s.people.leads, from); err != nil {
		return nil, err
	}
	if body.Website.Value != "" {
		return &Data[Success]{Success{true}}, nil
	}
	conv, err := s.findOptionalConversation(ctx, from, body.ConversationID)
	if err != nil {
		return nil, err
	}
	form := actions.LeadForm{Name: body.Name.Value, Email: body.Email.Value, Phone: body.Phone.Value}
	if conv != nil {
		form.Conversation = conv.ID
	}
	if err := s.Actions.SubmitLead(ctx, from.agent.Ref(), form); err != nil {
		return nil, notFoundAsConversation(err)
	}
	if err := s.answerLeadCall(ctx, conv, body); err != nil {
		return nil, err
	}
	return &Data[Success]{Success{true}}, nil
}

// findOptionalConversation returns the visitor's conversation, nil where the request names none. Fails with
// CONVERSATION_NOT_FOUND.
func (s *server) findOptionalConversation(ctx context.Context, from *caller,
	id httpapi.Opt[string]) (*parley.Conversation, error) {
	if id.Ptr() == nil {
		return nil, nil
	}
	return s.DB.VisitorConversation(ctx, from.visitor, parley.ConversationID(id.Value))
}

// answerLeadCall sends a lead to the tool call that waits for it. A call that waits no more has it already, or does
// without: the lead is stored.
func (s *server) answerLeadCall(ctx context.Context, conv *parley.Conversation, body *LeadBody) error {
	if conv == nil || body.ToolCallID.Value == "" {
		return nil
	}
	output, err := json.Marshal(map[string]string{"name": body.Name.Value, "email": body.Email.Value,
		"phone": body.Phone.Value})
	if err != nil {
		return err
	}
	err = s.Chat.SubmitToolResult(ctx, conv.Ref(), body.ToolCallID.Value, output)
	if parley.IsCode(err, parley.CodeToolCallNotFound) {
		return nil
	}
	return err
}
