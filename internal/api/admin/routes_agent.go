package admin

import (
	"net/http"

	"parley"
)

// The operations on agents, their sources and their insights.
var (
	Apply = newOperation(agentsGroup.write, "POST /accounts/{accountId}/manifest", operation{
		Name:    "applyManifest",
		Summary: "Make the agents of an account what a manifest says",
		Errors: errorCodes{parley.CodeAccountNotFound, parley.CodePlanFeature, parley.CodeAgentLimit,
			parley.CodeSourceSize},
	}, (*Service).apply)
	ExportAgent = newOperation(agentGroup.read, "GET /manifest", operation{
		Name:    "exportAgent",
		Summary: "Export an agent as a manifest",
	}, (*Service).exportAgent)
	Replay = newOperation(agentGroup.read, "POST /replay", operation{
		Name:    "replayAgent",
		Summary: "Answer the newest questions of an agent again, and store nothing",
	}, (*Service).replay)
	ListSources = newOperation(sourceGroup.read, "GET /sources", operation{
		Name:    "listSources",
		Summary: "List the sources of an agent, the newest first",
	}, (*Service).listSources)
	ShowInsights = newOperation(insightGroup.read, "GET /insights", operation{
		Name:    "getInsights",
		Summary: "Count what the conversations of an agent came to",
		Errors:  errorCodes{parley.CodeInvalidDateRange},
	}, (*Service).showInsights)
	RebuildInsights = newOperation(insightGroup.write, "POST /insights/rebuild", operation{
		Name:    "rebuildInsights",
		Summary: "Take a step of judging the conversations of an agent anew",
	}, (*Service).rebuildInsights)
	ProposeSynonyms = newOperation(insightGroup.read, "GET /synonyms/proposals", operation{
		Name:    "proposeSynonyms",
		Summary: "Propose groups of synonyms with which unanswered questions of an agent would be answered",
	}, (*Service).proposeSynonyms)
	AcceptSynonyms = newOperation(agentGroup.write, "POST /synonyms", operation{
		Name:    "acceptSynonyms",
		Summary: "Add a group of synonyms to those of an agent",
	}, (*Service).acceptSynonyms)
)

// The operations on conversations.
var (
	ListConversations = newOperation(conversationGroup.read, "GET /agents/{agentId}/conversations", operation{
		Name:    "listConversations",
		Summary: "List the conversations of an agent, the newest first",
		Errors:  errorCodes{parley.CodeAgentNotFound},
	}, (*Service).listConversations)
	MoveConversation = newOperation(conversationGroup.write, "PUT /conversations/{conversationId}/state", operation{
		Name:    "changeConversationState",
		Summary: "End a conversation, take it over or hand it back",
		Errors:  errorCodes{parley.CodeConversationNotFound, parley.CodeNotOngoing, parley.CodeNotTakenOver},
	}, (*Service).moveConversation)
	ReplyAsHuman = newOperation(conversationGroup.write, "POST /conversations/{conversationId}/messages", operation{
		Name:    "replyToConversation",
		Summary: "Write to the customer of a conversation that was taken over",
		Status:  http.StatusCreated,
		Errors:  errorCodes{parley.CodeConversationNotFound, parley.CodeNotTakenOver, parley.CodeMemberNotFound},
	}, (*Service).replyAsHuman)
	Trace = newOperation(conversationGroup.read, "GET /conversations/{conversationId}/trace", operation{
		Name:    "traceConversation",
		Summary: "Explain the answers of a conversation",
		Errors:  errorCodes{parley.CodeConversationNotFound},
	}, (*Service).traceConversation)
	CountConversations = newOperation(conversationGroup.read, "POST /conversations/count", operation{
		Name:    "countConversations",
		Summary: "Count the selected conversations",
		Errors:  errorCodes{parley.CodeConversationNotFound, parley.CodeAgentNotFound},
	}, (*Service).countConversations)
	DeleteConversations = newOperation(conversationGroup.write, "POST /conversations/delete", operation{
		Name:    "deleteConversations",
		Summary: "Delete the selected conversations for good",
		Errors:  errorCodes{parley.CodeConversationNotFound, parley.CodeAgentNotFound},
	}, (*Service).deleteConversations)
)

// The operations on voice sessions.
var (
	ListVoiceSessions = newOperation(voiceGroup.read, "GET /voice/sessions", operation{
		Name:    "listVoiceSessions",
		Summary: "List voice sessions, the newest first",
	}, (*Service).listVoiceSessions)
	EndVoiceSession = newOperation(voiceGroup.write, "POST /voice/sessions/{sessionId}/end", operation{
		Name:    "endVoiceSession",
		Summary: "End a voice session",
		Errors:  errorCodes{parley.CodeNotFound},
	}, (*Service).endVoiceSession)
	ReadVoiceRecording = newOperation(voiceGroup.read, "GET /voice/sessions/{sessionId}/recording", operation{
		Name:    "readVoiceRecording",
		Summary: "Read one part of the recording of a voice session",
		Errors:  errorCodes{parley.CodeNotFound},
	}, (*Service).readVoiceRecording)
	VoiceStats = newOperation(voiceGroup.read, "GET /voice/stats", operation{
		Name:       "getVoiceStats",
		Summary:    "Measure how fast the running server answers in voice sessions",
		Permission: parley.PermissionServerRead,
	}, (*Service).voiceStats)
)
