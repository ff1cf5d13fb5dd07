package v2

import (
	"context"

	"parley"
	"parley/internal/httpapi"
)

// newInvalidBodyError is the failure of fields that only a handler can judge; nil where there are none.
func newInvalidBodyError(details map[string]string) error {
	if len(details) == 0 {
		return nil
	}
	e := parley.NewError(parley.CodeInvalidBody)
	e.Details = details
	return e
}

// errorUnlessNoAgent returns what is wrong with a request, unless its agent is not there: that comes first.
func (s *server) errorUnlessNoAgent(ctx context.Context, c *httpapi.Call, agent string, wrong error) error {
	if _, err := s.findAgent(ctx, c, agent); err != nil {
		return err
	}
	return wrong
}

// errorUnlessNoTicket is unlessGone of a request for a ticket.
func (s *server) errorUnlessNoTicket(ctx context.Context, c *httpapi.Call, ref *TicketRef, wrong error) error {
	if _, err := s.getTicket(ctx, c, ref); err != nil {
		return err
	}
	return wrong
}
