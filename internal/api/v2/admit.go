package v2

import (
	"context"
	"net/http"

	"parley"
	"parley/internal/access"
	"parley/internal/httpapi"
)

// checkAgentExists says AGENT_NOT_FOUND of a request that is wrong and speaks of an agent that is not the caller's: existence comes
// before what is wrong with the request.
func (s *server) checkAgentExists(ctx context.Context, r *http.Request, caller any, _ *httpapi.Operation) error {
	who, ok := caller.(*access.Caller)
	id := r.PathValue("agentId")
	if !ok || id == "" {
		return nil
	}
	return s.DB.ShareLockAgent(ctx, who.Account.ID, parley.AgentID(httpapi.StripNUL(id)))
}
