package v2

import (
	"net/http"

	"parley"
	"parley/internal/httpapi"
)

// maxTextBytes is the largest JSON body of a request that writes a source.
const maxTextBytes = 8 << 20

type (
	call       = httpapi.Call
	operation  = httpapi.Operation
	errorCodes = []parley.Code
)

// addRoutes adds everything that REST v2 serves, in the order of the document.
func (s *server) addRoutes(api *httpapi.API) {
	group := func(tag string) httpapi.Groups { return api.Groups(tag, "/agents/{agentId}") }
	s.addServiceRoutes(group("Service"))
	s.addAgentRoutes(group("Agents"))
	s.addAgentSettingsRoutes(group("Agents"))
	s.addChatRoutes(group("Chat"))
	s.addConversationRoutes(group("Conversations"))
	s.addMessageRoutes(group("Conversations"))
	s.addConversationQueryRoutes(group("Conversations"))
	s.addTicketRoutes(group("Helpdesk"))
	s.addHelpdeskRoutes(group("Helpdesk"))
	s.addVoiceRoutes(group("Voice"))
	s.addSourceRoutes(group("Sources"))
	s.addSourceQueryRoutes(group("Sources"))
}

func (s *server) addServiceRoutes(g httpapi.Groups) {
	httpapi.Add(g.Account, "GET /health", operation{
		Name:       "health",
		Summary:    "Is the service up?",
		Public:     true,
		RateExempt: true,
	}, s.getHealth)

	httpapi.Add(g.Account, "GET /me", operation{
		Name:    "me",
		Summary: "Who the API key belongs to",
	}, s.getIdentity)
}

func (s *server) addAgentRoutes(g httpapi.Groups) {
	httpapi.Add(g.Account, "GET /agents", operation{
		Name:    "listAgents",
		Summary: "List the account's agents",
		Scope:   parley.AgentsRead,
		Errors:  errorCodes{parley.CodeInvalidCursor},
	}, s.listAgents)

	httpapi.Add(g.Account, "POST /agents", operation{
		Name:    "createAgent",
		Summary: "Create an agent",
		Scope:   parley.AgentsWrite,
		Status:  http.StatusCreated,
		Errors:  errorCodes{parley.CodeAgentLimit},
	}, s.createAgent)

	httpapi.Add(g.Agent, "GET", operation{
		Name:    "getAgent",
		Summary: "Get an agent",
		Scope:   parley.AgentsRead,
	}, s.getAgent)

	httpapi.Add(g.Agent, "DELETE", operation{
		Name:    "deleteAgent",
		Summary: "Delete an agent and everything it holds",
		Scope:   parley.AgentsDelete,
	}, s.deleteAgent)

	httpapi.Add(g.Agent, "POST /clone", operation{
		Name:    "cloneAgent",
		Summary: "Copy an agent with all its sources",
		Scope:   parley.AgentsWrite,
		Status:  http.StatusCreated,
		Errors:  errorCodes{parley.CodeAgentLimit},
	}, s.cloneAgent)
}

func (s *server) addAgentSettingsRoutes(g httpapi.Groups) {
	httpapi.Add(g.Agent, "PUT", operation{
		Name:    "updateAgent",
		Summary: "Change the settings that are sent",
		Scope:   parley.AgentsWrite,
		Errors:  errorCodes{parley.CodePlanFeature},
	}, s.updateAgent)

	httpapi.Add(g.Agent, "PUT /styles", operation{
		Name:    "updateStyles",
		Summary: "Change how the chat widget and center stage look",
		Scope:   parley.AgentsWrite,
	}, s.updateStyles)

	httpapi.Add(g.Agent, "PUT /auto-retrain", operation{
		Name:    "setAutoRetrain",
		Summary: "Turn the weekly re-sync of websites on or off",
		Scope:   parley.SourcesWrite,
		Errors:  errorCodes{parley.CodeAgentNotTrained},
	}, s.setAutoRetrain)

	httpapi.Add(g.CheckedAgent, "POST /train", operation{
		Name:       "trainAgent",
		Summary:    "Do nothing: sources train when they are written",
		Scope:      parley.AgentsWrite,
		Deprecated: true,
		Repeatable: true,
	}, s.trainAgent)
}

func (s *server) addSourceRoutes(g httpapi.Groups) {
	httpapi.Add(g.Agent, "POST /sources", operation{
		Name:         "createSource",
		Summary:      "Give the agent a source to read",
		Scope:        parley.SourcesWrite,
		Status:       http.StatusCreated,
		MaxBodyBytes: maxTextBytes,
		Form:         newFileForm,
		Errors:       errorCodes{parley.CodeSourceDuplicate, parley.CodeSourceSize, parley.CodeSourceNotFound},
	}, s.createSource)

	httpapi.Add(g.CheckedAgent, "PUT /sources/{sourceId}", operation{
		Name:         "updateSource",
		Summary:      "Change a source",
		Scope:        parley.SourcesWrite,
		MaxBodyBytes: maxTextBytes,
		Form:         changedFileForm,
		Errors: errorCodes{parley.CodeSourceNotFound, parley.CodeSourcePendingDel, parley.CodeSourceDuplicate,
			parley.CodeSourceSize},
	}, s.changeSource)

	httpapi.Add(g.CheckedAgent, "DELETE /sources/{sourceId}", operation{
		Name:    "deleteSource",
		Summary: "Delete a source",
		Scope:   parley.SourcesDelete,
		Errors:  errorCodes{parley.CodeSourceNotFound, parley.CodeSourceAlreadyDel},
	}, s.deleteSource)

	httpapi.Add(g.CheckedAgent, "POST /sources/{sourceId}/restore", operation{
		Name:       "restoreSource",
		Summary:    "Do nothing: a deletion is final",
		Scope:      parley.SourcesWrite,
		Deprecated: true,
		Repeatable: true,
		Errors:     errorCodes{parley.CodeSourceNotFound},
	}, s.restoreSource)
}

func (s *server) addSourceQueryRoutes(g httpapi.Groups) {
	httpapi.Add(g.CheckedAgent, "GET /sources", operation{
		Name:    "listSources",
		Summary: "List an agent's sources",
		Scope:   parley.SourcesRead,
		Errors:  errorCodes{parley.CodeInvalidCursor},
	}, s.listSources)

	httpapi.Add(g.CheckedAgent, "GET /sources/summary", operation{
		Name:    "summarizeSources",
		Summary: "Count an agent's sources by kind",
		Scope:   parley.SourcesRead,
	}, s.getSourcesSummary)

	httpapi.Add(g.CheckedAgent, "GET /sources/{sourceId}", operation{
		Name:    "getSource",
		Summary: "Get a source, to follow its training",
		Scope:   parley.SourcesRead,
		Errors:  errorCodes{parley.CodeSourceNotFound},
	}, s.getSource)

	httpapi.Add(g.CheckedAgent, "GET /sources/{sourceId}/passages", operation{
		Name:    "checkPassage",
		Summary: "Check what a citation points at",
		Scope:   parley.SourcesRead,
		Errors:  errorCodes{parley.CodeSourceNotFound},
	}, s.getPassage)
}
