package admin

import (
	"net/http"

	"parley"
	"parley/internal/eval"
	"parley/internal/insight"
	"parley/internal/manifest"
	"parley/internal/voice"
)

// The operations on agents, their sources and their insights.
var (
	Apply = Operation[ApplyManifest, ManifestResult]{
		Operation: operation{
			Name:       "applyManifest",
			Method:     http.MethodPost,
			Path:       accountPath + "/manifest",
			Tag:        "Agents",
			Summary:    "Make the agents of an account what a manifest says",
			Permission: parley.PermissionAgentsWrite,
			Errors: errorCodes{
				parley.CodeAccountNotFound,
				parley.CodePlanFeature,
				parley.CodeAgentLimit,
				parley.CodeSourceSize,
			},
		},
		handle: (*Service).apply,
	}
	ExportAgent = Operation[AgentRef, manifest.ExportResult]{
		Operation: operation{
			Name:       "exportAgent",
			Method:     http.MethodGet,
			Path:       agentPath + "/manifest",
			Tag:        "Agents",
			Summary:    "Export an agent as a manifest",
			Permission: parley.PermissionAgentsRead,
			Errors:     errorCodes{parley.CodeAgentNotFound},
		},
		handle: (*Service).exportAgent,
	}
	Replay = Operation[ReplayRequest, eval.Replay]{
		Operation: operation{
			Name:       "replayAgent",
			Method:     http.MethodPost,
			Path:       agentPath + "/replay",
			Tag:        "Agents",
			Summary:    "Answer the newest questions of an agent again, and store nothing",
			Permission: parley.PermissionAgentsRead,
			Errors:     errorCodes{parley.CodeAgentNotFound},
		},
		handle: (*Service).replay,
	}
	ListSources = Operation[SourceQuery, []Source]{
		Operation: operation{
			Name:       "listSources",
			Method:     http.MethodGet,
			Path:       agentPath + "/sources",
			Tag:        "Agents",
			Summary:    "List the sources of an agent, the newest first",
			Permission: parley.PermissionSourcesRead,
			Errors:     errorCodes{parley.CodeAgentNotFound},
		},
		handle: (*Service).listSources,
	}
	ShowInsights = Operation[InsightsQuery, insight.Report]{
		Operation: operation{
			Name:       "getInsights",
			Method:     http.MethodGet,
			Path:       agentPath + "/insights",
			Tag:        "Agents",
			Summary:    "Count what the conversations of an agent came to",
			Permission: parley.PermissionInsightsRead,
			Errors:     errorCodes{parley.CodeAgentNotFound, parley.CodeInvalidDateRange},
		},
		handle: (*Service).showInsights,
	}
	RebuildInsights = Operation[RebuildRequest, insight.Progress]{
		Operation: operation{
			Name:       "rebuildInsights",
			Method:     http.MethodPost,
			Path:       agentPath + "/insights/rebuild",
			Tag:        "Agents",
			Summary:    "Take a step of judging the conversations of an agent anew",
			Permission: parley.PermissionInsightsWrite,
			Errors:     errorCodes{parley.CodeAgentNotFound},
		},
		handle: (*Service).rebuildInsights,
	}
)

// The operations on conversations.
var (
	ListConversations = Operation[ConversationQuery, []Conversation]{
		Operation: operation{
			Name:       "listConversations",
			Method:     http.MethodGet,
			Path:       agentPath + "/conversations",
			Tag:        "Conversations",
			Summary:    "List the conversations of an agent, the newest first",
			Permission: parley.PermissionConversationsRead,
			Errors:     errorCodes{parley.CodeAgentNotFound},
		},
		handle: (*Service).listConversations,
	}
	MoveConversation = Operation[StateChange, Conversation]{
		Operation: operation{
			Name:       "changeConversationState",
			Method:     http.MethodPut,
			Path:       conversationPath + "/state",
			Tag:        "Conversations",
			Summary:    "End a conversation, take it over or hand it back",
			Permission: parley.PermissionConversationsWrite,
			Errors: errorCodes{
				parley.CodeConversationNotFound,
				parley.CodeNotOngoing,
				parley.CodeNotTakenOver,
			},
		},
		handle: (*Service).moveConversation,
	}
	ReplyAsHuman = Operation[HumanReply, MessageRef]{
		Operation: operation{
			Name:       "replyToConversation",
			Method:     http.MethodPost,
			Path:       conversationPath + "/messages",
			Tag:        "Conversations",
			Summary:    "Write to the customer of a conversation that was taken over",
			Permission: parley.PermissionConversationsWrite,
			Status:     http.StatusCreated,
			Errors:     errorCodes{parley.CodeConversationNotFound, parley.CodeNotTakenOver},
		},
		handle: (*Service).replyAsHuman,
	}
	Trace = Operation[ConversationRef, []TurnTrace]{
		Operation: operation{
			Name:       "traceConversation",
			Method:     http.MethodGet,
			Path:       conversationPath + "/trace",
			Tag:        "Conversations",
			Summary:    "Explain the answers of a conversation",
			Permission: parley.PermissionConversationsRead,
			Errors:     errorCodes{parley.CodeConversationNotFound},
		},
		handle: (*Service).traceConversation,
	}
	CountConversations = Operation[Selection, Count]{
		Operation: operation{
			Name:       "countConversations",
			Method:     http.MethodPost,
			Path:       "/conversations/count",
			Tag:        "Conversations",
			Summary:    "Count the selected conversations",
			Permission: parley.PermissionConversationsRead,
			Errors:     errorCodes{parley.CodeConversationNotFound, parley.CodeAgentNotFound},
		},
		handle: (*Service).countConversations,
	}
	DeleteConversations = Operation[Selection, Count]{
		Operation: operation{
			Name:       "deleteConversations",
			Method:     http.MethodPost,
			Path:       "/conversations/delete",
			Tag:        "Conversations",
			Summary:    "Delete the selected conversations for good",
			Permission: parley.PermissionConversationsWrite,
			Errors:     errorCodes{parley.CodeConversationNotFound, parley.CodeAgentNotFound},
		},
		handle: (*Service).deleteConversations,
	}
)

// The operations on voice sessions.
var (
	ListVoiceSessions = Operation[VoiceSessionQuery, []VoiceSession]{
		Operation: operation{
			Name:       "listVoiceSessions",
			Method:     http.MethodGet,
			Path:       "/voice/sessions",
			Tag:        "Voice",
			Summary:    "List voice sessions, the newest first",
			Permission: parley.PermissionVoiceRead,
		},
		handle: (*Service).listVoiceSessions,
	}
	EndVoiceSession = Operation[VoiceSessionRef, EndedVoiceSession]{
		Operation: operation{
			Name:       "endVoiceSession",
			Method:     http.MethodPost,
			Path:       "/voice/sessions/{sessionId}/end",
			Tag:        "Voice",
			Summary:    "End a voice session",
			Permission: parley.PermissionVoiceWrite,
			Errors:     errorCodes{parley.CodeNotFound},
		},
		handle: (*Service).endVoiceSession,
	}
	ReadVoiceRecording = Operation[VoiceRecordingRequest, VoiceRecording]{
		Operation: operation{
			Name:       "readVoiceRecording",
			Method:     http.MethodGet,
			Path:       "/voice/sessions/{sessionId}/recording",
			Tag:        "Voice",
			Summary:    "Read one part of the recording of a voice session",
			Permission: parley.PermissionVoiceRead,
			Errors:     errorCodes{parley.CodeNotFound},
		},
		handle: (*Service).readVoiceRecording,
	}
	VoiceStats = Operation[NoInput, voice.StatsSnapshot]{
		Operation: operation{
			Name:       "getVoiceStats",
			Method:     http.MethodGet,
			Path:       "/voice/stats",
			Tag:        "Voice",
			Summary:    "Measure how fast the running server answers in voice sessions",
			Permission: parley.PermissionServerRead,
		},
		handle: (*Service).voiceStats,
	}
)
