package chatapi

import (
	"context"
	"strings"

	"parley"
	"parley/internal/actions"
	"parley/internal/httpapi"
	"parley/internal/visitor"
)

// HandoverRequest asks for a person.
type HandoverRequest struct {
	AgentPath
	Body HandoverBody
}

// HandoverBody is the body of a request for a person.
type HandoverBody struct {
	ConversationID httpapi.Opt[string] `json:"conversationId,omitzero" id:"uuid" nullable:"true"`
	Reason         httpapi.Opt[string] `json:"reason,omitzero" nullable:"true" max:"500"`
	Email          httpapi.Opt[string] `json:"email,omitzero" nullable:"true" max:"254" doc:"Where to answer."`
	Page           httpapi.Opt[string] `json:"page,omitzero" nullable:"true" max:"2000"`
	Title          httpapi.Opt[string] `json:"title,omitzero" nullable:"true"`
	Locale         httpapi.Opt[string] `json:"locale,omitzero" nullable:"true" max:"35"`
	Mode           httpapi.Opt[string] `json:"mode,omitzero" enum:"bubble,iframe,stage,help" name:"FrameMode"`
}

// FieldDocs returns the docs that are too long for tags.
func (HandoverBody) FieldDocs() map[string]string {
	return map[string]string{
		"conversationId": "Without one a conversation begins, with the reason as its first message.",
		"reason":         "Required where a conversation begins.",
	}
}

// Handover is a conversation that was handed to a person.
type Handover struct {
	ConversationID   string `json:"conversationId" format:"uuid"`
	Status           string `json:"status" enum:"@conversationStatus" name:"ConversationStatus"`
	TicketNumber     *int64 `json:"ticketNumber"`
	IsAway           bool   `json:"isAway" doc:"Nobody works now who could answer."`
	CanAnswerByEmail bool   `json:"canAnswerByEmail" doc:"This server sends mail, and an address is known."`
}

// byVisitor is who has handed over a conversation whose visitor asked for a person.
const byVisitor = "visitor"

// handOver hands a conversation to a person, as an action of the agent does. It may be asked for again, with an
// address. Whoever has none yet begins one.
func (s *server) handOver(ctx context.Context, c *call, in *HandoverRequest) (*Data[Handover], error) {
	from, email, reason := callerOf(c), in.Body.Email.Value, in.Body.Reason.Value
	if err := s.count(s.people.handovers, from); err != nil {
		return nil, err
	}
	conv, err := s.findOptionalConversation(ctx, from, in.Body.ConversationID)
	if err != nil {
		return nil, err
	}
	if isOffered, err := s.isHandoverOffered(ctx, from.agent); err != nil || !isOffered {
		return nil, notOffered(err, "This agent does not hand over to people.")
	}
	if email != "" && !actions.IsEmail(email) {
		return nil, parley.Invalid("email", "must be an e-mail address such as name@example.com")
	}
	if conv == nil {
		if conv, err = s.beginForPerson(ctx, from, &in.Body); err != nil {
			return nil, err
		}
		reason = "" // it is the first message
	}
	if email != "" && conv.Status != parley.ConversationEnded { // before the ticket, whose rules may ask for it
		if _, err := s.Helpdesk.SetCustomerEmail(ctx, conv.Ref(), email); err != nil {
			return nil, notFoundAsConversation(err)
		}
	}
	conv, err = s.Conversations.TakeOver(ctx, conv.Ref(), byVisitor, reason, false)
	if err != nil {
		return nil, notFoundAsConversation(err)
	}
	out, err := s.newHandover(ctx, conv)
	if err != nil {
		return nil, err
	}
	return &Data[Handover]{*out}, nil
}

// beginForPerson begins a conversation that no agent answers. Its first message counts as one.
func (s *server) beginForPerson(ctx context.Context, from *caller, body *HandoverBody) (*parley.Conversation, error) {
	text := strings.TrimSpace(body.Reason.Value)
	if text == "" {
		return nil, parley.Invalid("reason", "is required where a conversation begins")
	}
	if err := checkPage(from.agent, body.Page.Value); err != nil {
		return nil, err
	}
	if err := s.countMessage(from); err != nil {
		return nil, err
	}
	return s.Conversations.Begin(ctx, parley.Conversation{AccountID: from.agent.AccountID, AgentID: from.agent.ID,
		Channel: channels[body.Mode.Value], UserID: from.visitor.UserID, VisitorID: from.visitor.ID,
		EmbedOrigin: visitor.PageAddress(body.Page.Value), EmbedTitle: pageTitle(body.Title.Value),
		EmbedLocale: body.Locale.Value}, text)
}

// newHandover says who may answer a conversation that waits for a person, and how.
func (s *server) newHandover(ctx context.Context, conv *parley.Conversation) (*Handover, error) {
	out := &Handover{ConversationID: string(conv.ID), Status: string(conv.Status)}
	var team parley.TeamID
	t, err := s.DB.TicketOfConversation(ctx, conv.Ref())
	switch {
	case err == nil:
		team, out.TicketNumber = t.TeamID, &t.Number
		out.CanAnswerByEmail = s.CanMail && t.Customer.Email != ""
	case !parley.IsCode(err, parley.CodeTicketNotFound):
		return nil, err
	}
	if conv.ClaimedBy != "" {
		return out, nil
	}
	out.IsAway, err = s.Helpdesk.IsAway(ctx, conv.AgentRef(), team)
	return out, err
}

// isHandoverOffered reports whether visitors may ask for a person, as the configuration of the chat says.
func (s *server) isHandoverOffered(ctx context.Context, agent *parley.Agent) (bool, error) {
	actions, err := s.Frames.actions(ctx, agent)
	if err != nil {
		return false, err
	}
	return s.Frames.offersHandover(ctx, agent, actions)
}

// notOffered returns NOT_FOUND with the reason, or the error that kept from finding out.
func notOffered(err error, reason string) error {
	if err != nil {
		return err
	}
	return parley.NewErrorf(parley.CodeNotFound, "%s", reason)
}
