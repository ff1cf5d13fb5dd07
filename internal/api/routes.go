package api

import (
	"net/http"

	"parley"
	"parley/internal/wire"
)

const (
	get  = http.MethodGet
	post = http.MethodPost
	put  = http.MethodPut
	del  = http.MethodDelete
)

const (
	agentPath        = "/agents/{agentId}"
	sourcePath       = agentPath + "/sources/{sourceId}"
	conversationPath = agentPath + "/conversations/{conversationId}"
)

// textLimit is the most bytes a source's text may take as JSON.
const textLimit = 8 << 20

type (
	meta  = wire.Meta
	codes = []parley.Code
)

// routes is the one list of what REST v2 serves, each with the scope it needs (facts 4 and 5).
func (s *server) routes(f *wire.Face) {
	on(f, meta{Name: "health", Method: get, Path: "/health", Tag: "Service", Summary: "Is the service up?", Open: true, Exempt: true}, s.health)
	on(f, meta{Name: "me", Method: get, Path: "/me", Tag: "Service", Summary: "Who the API key belongs to"}, s.me)

	on(f, meta{Name: "listAgents", Method: get, Path: "/agents", Tag: "Agents", Summary: "List the account's agents", Scope: parley.AgentsRead,
		Errors: codes{parley.CodeInvalidCursor}}, s.agents)
	on(f, meta{Name: "createAgent", Method: post, Path: "/agents", Tag: "Agents", Summary: "Create an agent", Scope: parley.AgentsWrite,
		Status: http.StatusCreated, Errors: codes{parley.CodeAgentLimit}}, s.createAgent)
	on(f, meta{Name: "getAgent", Method: get, Path: agentPath, Tag: "Agents", Summary: "Get an agent", Scope: parley.AgentsRead,
		Errors: codes{parley.CodeAgentNotFound}}, s.getAgent)
	on(f, meta{Name: "updateAgent", Method: put, Path: agentPath, Tag: "Agents", Summary: "Change the settings that are sent", Scope: parley.AgentsWrite,
		Errors: codes{parley.CodeAgentNotFound, parley.CodePlanFeature}}, s.updateAgent)
	on(f, meta{Name: "deleteAgent", Method: del, Path: agentPath, Tag: "Agents", Summary: "Delete an agent and everything it holds", Scope: parley.AgentsDelete,
		Errors: codes{parley.CodeAgentNotFound}}, s.deleteAgent)

	on(f, meta{Name: "chat", Method: post, Path: agentPath + "/chat", Tag: "Chat", Summary: "Send a message and get the agent's answer", Scope: parley.ChatlogsWrite,
		Streams: true, Errors: codes{parley.CodeAgentNotFound, parley.CodeConversationGone, parley.CodeNotOngoing, parley.CodeConversationBusy,
			parley.CodeCreditsExhausted, parley.CodeAgentCredits, parley.CodeModelNotAllowed, parley.CodeChatStreaming}}, s.chat)

	on(f, meta{Name: "listConversations", Method: get, Path: agentPath + "/conversations", Tag: "Conversations", Scope: parley.ChatlogsExport,
		Summary: "List the conversations that began through the API", Errors: codes{parley.CodeAgentNotFound, parley.CodeInvalidCursor, parley.CodeInvalidDateRange}}, s.conversations)
	on(f, meta{Name: "getConversation", Method: get, Path: conversationPath, Tag: "Conversations", Scope: parley.ChatlogsExport,
		Summary: "Get a conversation with its newest messages", Errors: codes{parley.CodeAgentNotFound, parley.CodeResourceNotFound}}, s.conversation)
	on(f, meta{Name: "listMessages", Method: get, Path: conversationPath + "/messages", Tag: "Conversations", Scope: parley.ChatlogsExport,
		Summary: "List a conversation's messages, walking backward", Errors: codes{parley.CodeAgentNotFound, parley.CodeResourceNotFound, parley.CodeInvalidCursor}}, s.messages)

	on(f, meta{Name: "listSources", Method: get, Path: agentPath + "/sources", Tag: "Sources", Summary: "List an agent's sources", Scope: parley.SourcesRead,
		Errors: codes{parley.CodeAgentNotFound, parley.CodeInvalidCursor}}, s.sources)
	on(f, meta{Name: "createSource", Method: post, Path: agentPath + "/sources", Tag: "Sources", Summary: "Give the agent a source to read", Scope: parley.SourcesWrite,
		Status: http.StatusCreated, Limit: textLimit, Errors: codes{parley.CodeAgentNotFound, parley.CodeSourceDuplicate, parley.CodeSourceSize}}, s.createSource)
	on(f, meta{Name: "getSource", Method: get, Path: sourcePath, Tag: "Sources", Summary: "Get a source, to follow its training", Scope: parley.SourcesRead,
		Errors: codes{parley.CodeAgentNotFound, parley.CodeSourceNotFound}}, s.source)
	on(f, meta{Name: "deleteSource", Method: del, Path: sourcePath, Tag: "Sources", Summary: "Delete a source", Scope: parley.SourcesDelete,
		Errors: codes{parley.CodeAgentNotFound, parley.CodeSourceNotFound, parley.CodeSourceAlreadyDel}}, s.deleteSource)
}

func on[In, Out any](f *wire.Face, m meta, handle wire.Handler[In, Out]) {
	wire.Handle(f, wire.Op[In, Out]{Meta: m, Handler: handle})
}
