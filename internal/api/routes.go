package api

import (
	"net/http"

	"parley"
	"parley/internal/wire"
)

const (
	get   = http.MethodGet
	post  = http.MethodPost
	put   = http.MethodPut
	patch = http.MethodPatch
	del   = http.MethodDelete
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
	on(f, meta{Name: "updateStyles", Method: put, Path: agentPath + "/styles", Tag: "Agents", Summary: "Change how the chat widget and center stage look", Scope: parley.AgentsWrite,
		Errors: codes{parley.CodeAgentNotFound}}, s.updateStyles)
	on(f, meta{Name: "setAutoRetrain", Method: put, Path: agentPath + "/auto-retrain", Tag: "Agents", Summary: "Turn the weekly re-sync of websites on or off", Scope: parley.SourcesWrite,
		Errors: codes{parley.CodeAgentNotFound, parley.CodeAgentNotTrained}}, s.autoRetrain)
	on(f, meta{Name: "cloneAgent", Method: post, Path: agentPath + "/clone", Tag: "Agents", Summary: "Copy an agent with all its sources", Scope: parley.AgentsWrite,
		Status: http.StatusCreated, Errors: codes{parley.CodeAgentNotFound, parley.CodeAgentLimit}}, s.cloneAgent)
	on(f, meta{Name: "trainAgent", Method: post, Path: agentPath + "/train", Tag: "Agents", Summary: "Do nothing: sources train when they are written", Scope: parley.AgentsWrite,
		Deprecated: true, Repeatable: true, Errors: codes{parley.CodeAgentNotFound}}, s.trainAgent)

	on(f, meta{Name: "chat", Method: post, Path: agentPath + "/chat", Tag: "Chat", Summary: "Send a message and get the agent's answer", Scope: parley.ChatlogsWrite,
		Streams: true, Errors: codes{parley.CodeAgentNotFound, parley.CodeConversationGone, parley.CodeNotOngoing, parley.CodeConversationBusy,
			parley.CodeCreditsExhausted, parley.CodeAgentCredits, parley.CodeModelNotAllowed, parley.CodeChatStreaming}}, s.chat)

	on(f, meta{Name: "retry", Method: post, Path: conversationPath + "/retry", Tag: "Chat", Summary: "Answer a message again", Scope: parley.ChatlogsWrite,
		Streams: true, Errors: codes{parley.CodeAgentNotFound, parley.CodeConversationGone, parley.CodeResourceNotFound, parley.CodeRetryNotFound, parley.CodeRetryNoUser,
			parley.CodeNotOngoing, parley.CodeConversationBusy, parley.CodeCreditsExhausted, parley.CodeAgentCredits, parley.CodeModelNotAllowed, parley.CodeChatStreaming}}, s.retry)
	on(f, meta{Name: "sendToolResult", Method: post, Path: conversationPath + "/tool-result", Tag: "Chat", Summary: "Send the result of a tool call that ran at the client", Scope: parley.ChatlogsWrite,
		Strict: true, Errors: codes{parley.CodeAgentNotFound, parley.CodeConversationGone, parley.CodeResourceNotFound, parley.CodeToolCallNotFound}}, s.toolResult)

	on(f, meta{Name: "listConversations", Method: get, Path: agentPath + "/conversations", Tag: "Conversations", Scope: parley.ChatlogsExport,
		Summary: "List the conversations that began through the API", Errors: codes{parley.CodeAgentNotFound, parley.CodeInvalidCursor, parley.CodeInvalidDateRange}}, s.conversations)
	on(f, meta{Name: "getConversation", Method: get, Path: conversationPath, Tag: "Conversations", Scope: parley.ChatlogsExport,
		Summary: "Get a conversation with its newest messages", Errors: codes{parley.CodeAgentNotFound, parley.CodeResourceNotFound}}, s.conversation)
	on(f, meta{Name: "listMessages", Method: get, Path: conversationPath + "/messages", Tag: "Conversations", Scope: parley.ChatlogsExport,
		Summary: "List a conversation's messages, walking backward", Errors: codes{parley.CodeAgentNotFound, parley.CodeResourceNotFound, parley.CodeInvalidCursor}}, s.messages)

	on(f, meta{Name: "listUserConversations", Method: get, Path: agentPath + "/users/{userId}/conversations", Tag: "Conversations", Scope: parley.ChatlogsExport,
		Summary: "List what an end user has begun through the API", Errors: codes{parley.CodeAgentNotFound, parley.CodeInvalidCursor}}, s.userConversations)
	on(f, meta{Name: "exportConversations", Method: get, Path: agentPath + "/conversations/export", Tag: "Conversations", Scope: parley.ChatlogsExport,
		Summary: "Export conversations of all origins with their messages", Errors: codes{parley.CodeAgentNotFound, parley.CodeInvalidCursor, parley.CodeInvalidDateRange}}, s.export)
	on(f, meta{Name: "searchConversations", Method: get, Path: agentPath + "/conversations/search", Tag: "Conversations", Scope: parley.ChatlogsExport,
		Summary: "Search conversations of all origins by words and filters", Errors: codes{parley.CodeAgentNotFound, parley.CodeInvalidCursor, parley.CodeCursorMismatch,
			parley.CodeSearchWindow, parley.CodeInvalidDateRange, parley.CodeSearchUnavailable, parley.CodeSearchBusy}}, s.search)
	on(f, meta{Name: "getInsights", Method: get, Path: agentPath + "/insights", Tag: "Conversations", Scope: parley.ChatlogsExport,
		Summary: "Count what an agent's conversations came to", Errors: codes{parley.CodeAgentNotFound, parley.CodeInvalidDateRange}}, s.insights)
	on(f, meta{Name: "rateMessage", Method: patch, Path: conversationPath + "/messages/{messageId}/feedback", Tag: "Conversations", Scope: parley.ChatlogsWrite, Strict: true,
		Summary: "Rate an answer", Errors: codes{parley.CodeAgentNotFound, parley.CodeConversationGone, parley.CodeResourceNotFound, parley.CodeMessageNotFound, parley.CodeNotAssistant}}, s.feedback)
	on(f, meta{Name: "pauseConversation", Method: patch, Path: conversationPath, Tag: "Conversations", Scope: parley.ChatlogsWrite,
		Summary: "Pause a conversation, or let it go on", Errors: codes{parley.CodeAgentNotFound, parley.CodeResourceNotFound, parley.CodeNotOngoing}}, s.pause)
	on(f, meta{Name: "writeMessage", Method: post, Path: conversationPath + "/messages", Tag: "Conversations", Scope: parley.ChatlogsWrite, Status: http.StatusCreated,
		Summary: "Write to the person who has taken the conversation over", Errors: codes{parley.CodeAgentNotFound, parley.CodeResourceNotFound, parley.CodeNotTakenOver}}, s.customerWrites)
	on(f, meta{Name: "followConversation", Method: get, Path: conversationPath + "/events", Tag: "Conversations", Scope: parley.ChatlogsExport, Streams: true,
		Summary: "Follow a conversation as it happens", Errors: codes{parley.CodeAgentNotFound, parley.CodeResourceNotFound}}, s.follow)

	s.helpdeskRoutes(f)

	on(f, meta{Name: "createVoiceSession", Method: post, Path: agentPath + "/voice/sessions", Tag: "Voice", Summary: "Open a voice session for a browser to join", Scope: parley.ChatlogsWrite,
		NoAPI: parley.CodeVoiceWithoutAPI, Errors: codes{parley.CodeAgentNotFound, parley.CodeVoiceNotAvailable, parley.CodeVoiceCredits, parley.CodeVoiceAgentCredits,
			parley.CodeConversationGone, parley.CodeUserMismatch, parley.CodeNotOngoing, parley.CodeVoiceLimit, parley.CodeSessionFailed}}, s.createVoiceSession)

	on(f, meta{Name: "listSources", Method: get, Path: agentPath + "/sources", Tag: "Sources", Summary: "List an agent's sources", Scope: parley.SourcesRead,
		Errors: codes{parley.CodeAgentNotFound, parley.CodeInvalidCursor}}, s.sources)
	on(f, meta{Name: "createSource", Method: post, Path: agentPath + "/sources", Tag: "Sources", Summary: "Give the agent a source to read", Scope: parley.SourcesWrite,
		Status: http.StatusCreated, Limit: textLimit, Errors: codes{parley.CodeAgentNotFound, parley.CodeSourceDuplicate, parley.CodeSourceSize,
			parley.CodeSourceNotFound}, Form: newFile}, s.createSource)
	on(f, meta{Name: "summarizeSources", Method: get, Path: agentPath + "/sources/summary", Tag: "Sources", Summary: "Count an agent's sources by kind", Scope: parley.SourcesRead,
		Errors: codes{parley.CodeAgentNotFound}}, s.sourcesSummary)
	on(f, meta{Name: "updateSource", Method: put, Path: sourcePath, Tag: "Sources", Summary: "Change a source", Scope: parley.SourcesWrite, Limit: textLimit,
		Errors: codes{parley.CodeAgentNotFound, parley.CodeSourceNotFound, parley.CodeSourcePendingDel, parley.CodeSourceDuplicate, parley.CodeSourceSize},
		Form:   changedFile}, s.changeSource)
	on(f, meta{Name: "getSource", Method: get, Path: sourcePath, Tag: "Sources", Summary: "Get a source, to follow its training", Scope: parley.SourcesRead,
		Errors: codes{parley.CodeAgentNotFound, parley.CodeSourceNotFound}}, s.source)
	on(f, meta{Name: "checkPassage", Method: get, Path: sourcePath + "/passages", Tag: "Sources", Summary: "Check what a citation points at", Scope: parley.SourcesRead,
		Errors: codes{parley.CodeAgentNotFound, parley.CodeSourceNotFound}}, s.passage)
	on(f, meta{Name: "deleteSource", Method: del, Path: sourcePath, Tag: "Sources", Summary: "Delete a source", Scope: parley.SourcesDelete,
		Errors: codes{parley.CodeAgentNotFound, parley.CodeSourceNotFound, parley.CodeSourceAlreadyDel}}, s.deleteSource)
	on(f, meta{Name: "restoreSource", Method: post, Path: sourcePath + "/restore", Tag: "Sources", Summary: "Do nothing: a deletion is final", Scope: parley.SourcesWrite,
		Deprecated: true, Repeatable: true, Errors: codes{parley.CodeAgentNotFound, parley.CodeSourceNotFound}}, s.restoreSource)
}

func on[In, Out any](f *wire.Face, m meta, handle wire.Handler[In, Out]) {
	wire.Handle(f, wire.Op[In, Out]{Meta: m, Handler: handle})
}
