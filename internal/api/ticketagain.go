package api

import (
	"context"
	"fmt"
	"strconv"

	"parley/internal/wire"
)

// ticketAgain answers the same request once more with the ticket that it has opened, as it stands now.
func (s *server) ticketAgain(ctx context.Context, c *wire.Call, in any, did subject) (any, error) {
	number, err := strconv.ParseInt(did.id, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("api: a new ticket has done %s: %w", did.kind, err)
	}
	return s.ticket(ctx, c, &TicketRef{AgentID: in.(*NewTicket).AgentID, TicketNumber: number})
}
