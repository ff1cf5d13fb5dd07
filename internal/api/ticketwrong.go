package api

import (
	"context"

	"parley"
	"parley/internal/wire"
)

// invalid is the failure of fields that only a handler can judge; nil where there are none.
func invalid(details map[string]string) error {
	if len(details) == 0 {
		return nil
	}
	e := parley.Fail(parley.CodeInvalidBody)
	e.Details = details
	return e
}

// unlessGone gives what is wrong with a request, unless its agent is not there: that comes first.
func (s *server) unlessGone(ctx context.Context, c *wire.Call, agent string, wrong error) error {
	if _, err := s.agent(ctx, c, agent); err != nil {
		return err
	}
	return wrong
}

// unlessNoTicket is unlessGone of a request for a ticket.
func (s *server) unlessNoTicket(ctx context.Context, c *wire.Call, ref *TicketRef, wrong error) error {
	if _, err := s.ticket(ctx, c, ref); err != nil {
		return err
	}
	return wrong
}
