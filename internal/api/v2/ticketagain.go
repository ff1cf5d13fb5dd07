package v2

import (
	"context"
	"fmt"
	"strconv"

	"parley/internal/httpapi"
)

// replayTicket answers the same request once more with the ticket that it has opened, as it stands now.
func (s *server) replayTicket(ctx context.Context, c *httpapi.Call, in any, did effect) (any, error) {
	number, err := strconv.ParseInt(did.id, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("api: a new ticket has done %s: %w", did.kind, err)
	}
	return s.getTicket(ctx, c, &TicketRef{AgentID: in.(*NewTicket).AgentID, TicketNumber: number})
}
