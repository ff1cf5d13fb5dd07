package helpdesk

import (
	"context"
	"strconv"
	"strings"

	"parley"
)

// Search finds tickets by the words of their subject, customer, description, replies and notes, the best first, at most limit, and tells
// whether there are more. Every word must be in the ticket, the last one as the beginning of a word. The ticket whose number the query
// is comes first.
func (d *Service) Search(ctx context.Context, account parley.AccountID, agent parley.AgentID, query string, limit int) (list []parley.Ticket, more bool, err error) {
	if list, err = d.ticketByNumber(ctx, account, agent, query); err != nil {
		return nil, false, err
	}
	if terms := queryTerms(query); len(terms) > 0 {
		found, err := d.DB.SearchTickets(ctx, account, agent, terms, limit+1)
		if err != nil {
			return nil, false, err
		}
		for _, t := range found {
			if len(list) == 0 || t.ID != list[0].ID {
				list = append(list, t)
			}
		}
	}
	return list[:min(len(list), limit)], len(list) > limit, nil
}

// ticketByNumber returns the ticket whose number a query is, such as 12 or #12, if there is one.
func (d *Service) ticketByNumber(ctx context.Context, account parley.AccountID, agent parley.AgentID, query string) ([]parley.Ticket, error) {
	number, err := strconv.ParseInt(strings.TrimPrefix(strings.TrimSpace(query), "#"), 10, 64)
	if err != nil {
		return nil, nil //nolint:nilerr // then it asks for words
	}
	t, err := d.DB.Ticket(ctx, account, agent, number)
	switch {
	case parley.IsCode(err, parley.CodeTicketNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return []parley.Ticket{*t}, nil
}
