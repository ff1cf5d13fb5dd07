package helpdesk

import (
	"context"

	"parley"
	"parley/internal/store"
)

// Messages returns one page of what was said in a ticket and of what happened to it, with the files. Fails with TICKET_NOT_FOUND.
func (d *Service) Messages(ctx context.Context, account parley.AccountID, agent parley.AgentID, number int64, ask store.TicketMessagesRequest) (page parley.Page[parley.TicketMessage], err error) {
	t, err := d.DB.Ticket(ctx, account, agent, number)
	if err != nil {
		return page, err
	}
	if page, err = d.DB.TicketMessages(ctx, account, agent, t.ConversationID, ask); err != nil {
		return page, err
	}
	return page, d.addFiles(ctx, t, page.Items)
}

// Message returns one message of a ticket. Fails with TICKET_NOT_FOUND and RESOURCE_MESSAGE_NOT_FOUND.
func (d *Service) Message(ctx context.Context, account parley.AccountID, agent parley.AgentID, number int64, id parley.MessageID) (*parley.TicketMessage, error) {
	t, err := d.DB.Ticket(ctx, account, agent, number)
	if err != nil {
		return nil, err
	}
	m, err := d.DB.TicketMessage(ctx, account, agent, t.ConversationID, id)
	if err != nil {
		return nil, err
	}
	one := []parley.TicketMessage{*m}
	err = d.addFiles(ctx, t, one)
	return &one[0], err
}

// addFiles returns messages their files, and the customer's their sender.
func (d *Service) addFiles(ctx context.Context, t *parley.Ticket, list []parley.TicketMessage) error {
	ids, at := make([]parley.MessageID, len(list)), map[parley.MessageID]*parley.TicketMessage{}
	for i := range list {
		ids[i], at[list[i].ID] = list[i].ID, &list[i]
		if list[i].Author == parley.AuthorUser {
			list[i].Sender = parley.Sender{Type: "customer", ID: string(t.Customer.ID), Name: t.Customer.Name, Email: t.Customer.Email}
		}
	}
	files, err := d.DB.Attachments(ctx, t.AccountID, t.AgentID, ids)
	for _, f := range files {
		at[f.MessageID].Attachments = append(at[f.MessageID].Attachments, f)
	}
	return err
}
