package chatapi

import (
	"context"

	"parley"
	"parley/internal/actions"
	"parley/internal/httpapi"
)

// HandoverRequest asks for a person.
type HandoverRequest struct {
	AgentPath
	Body HandoverBody
}

// HandoverBody is the body of a request for a person.
type HandoverBody struct {
	ConversationID string              `json:"conversationId" id:"uuid"`
	Reason         httpapi.Opt[string] `json:"reason,omitzero" nullable:"true" max:"500"`
	Email          httpapi.Opt[string] `json:"email,omitzero" nullable:"true" max:"254" doc:"Where to answer."`
}

// Handover is a conversation that was handed to a person.
type Handover struct {
	Status           string `json:"status" enum:"@conversationStatus" name:"ConversationStatus"`
	TicketNumber     *int64 `json:"ticketNumber"`
	IsAway           bool   `json:"isAway" doc:"Nobody works now who could answer."`
	CanAnswerByEmail bool   `json:"canAnswerByEmail" doc:"This server sends mail, and an address is known."`
}

// byVisitor is who has handed over a conversation whose visitor asked for a person.
const byVisitor = "visitor"

// handOver hands a conversation to a person, as an action of the agent does. It may be asked for again, with an
// address.
func (s *server) handOver(ctx context.Context, c *call, in *HandoverRequest) (*Data[Handover], error) {
	from, email := callerOf(c), in.Body.Email.Value
	if err := s.count(s.people.handovers, from); err != nil {
		return nil, err
	}
	conv, err := s.DB.VisitorConversation(ctx, from.visitor, parley.ConversationID(in.Body.ConversationID))
	if err != nil {
		return nil, err
	}
	if isOffered, err := s.isHandoverOffered(ctx, from.agent); err != nil || !isOffered {
		return nil, notOffered(err, "This agent does not hand over to people.")
	}
	if email != "" && !actions.IsEmail(email) {
		return nil, parley.Invalid("email", "must be an e-mail address such as name@example.com")
	}
	if email != "" && conv.Status != parley.ConversationEnded { // before the ticket, whose rules may ask for it
		if _, err := s.Helpdesk.SetCustomerEmail(ctx, conv.Ref(), email); err != nil {
			return nil, notFoundAsConversation(err)
		}
	}
	conv, err = s.Conversations.TakeOver(ctx, conv.Ref(), byVisitor, in.Body.Reason.Value, false)
	if err != nil {
		return nil, notFoundAsConversation(err)
	}
	out, err := s.newHandover(ctx, conv)
	if err != nil {
		return nil, err
	}
	return &Data[Handover]{*out}, nil
}

// newHandover says who may answer a conversation that waits for a person, and how.
func (s *server) newHandover(ctx context.Context, conv *parley.Conversation) (*Handover, error) {
	out := &Handover{Status: string(conv.Status)}
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
