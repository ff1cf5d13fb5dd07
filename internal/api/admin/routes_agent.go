package admin

import (
	"cmp"
	"net/http"

	"parley"
)

// The operations of the command line on agents and their sources. Members do the same with REST v2.
var (
	ListAgents = newOperation(agentsCommandGroup.read, "GET /agents", operation{
		Name:    "listAgents",
		Summary: "List the agents of one account or of all, the newest of each first",
		Errors:  errorCodes{parley.CodeAccountNotFound},
	}, (*Service).listAgents)
	CreateAgent = newOperation(agentsCommandGroup.write, "POST /accounts/{accountId}/agents", operation{
		Name:    "createAgent",
		Summary: "Create an agent without sources",
		Status:  http.StatusCreated,
		Errors:  errorCodes{parley.CodeAccountNotFound, parley.CodePlanFeature, parley.CodeAgentLimit},
	}, (*Service).createAgent).recordedWithID(func(in NewAgent, agent string) change {
		return change{action: "agent.create", subject: agent, details: map[string]any{"name": in.Name}}
	})
	GetAgent = newOperation(agentCommandGroup.read, "GET ", operation{
		Name:    "getAgent",
		Summary: "Show an agent with its settings",
	}, (*Service).getAgent)
	DeleteAgent = newOperation(agentCommandGroup.write, "DELETE ", operation{
		Name:    "deleteAgent",
		Summary: "Delete an agent for good, with its sources and conversations",
	}, (*Service).deleteAgent).recorded(func(in AgentRef) change {
		return change{action: "agent.delete", subject: in.ID}
	})
	AddSource = newOperation(agentCommandGroup.write, "POST /sources", operation{
		Name:    "addSource",
		Summary: "Add a source to those of an agent",
		Status:  http.StatusCreated,
		Errors:  errorCodes{parley.CodePlanFeature, parley.CodeSourceDuplicate, parley.CodeSourceSize},
	}, (*Service).addSource).recordedWithID(func(in NewSource, source string) change {
		return change{action: "source.create", subject: source, details: map[string]any{"agent": in.AgentID, "type": in.Type}}
	})
	ReadSourceFile = newFileOperation(agentCommandGroup.read, "GET /sources/{sourceId}/file", operation{
		Name:       "readSourceFile",
		Summary:    "Get the file of a source",
		Errors:     errorCodes{parley.CodeSourceNotFound},
		MediaTypes: []string{"application/octet-stream"},
	}, (*Service).readSourceFile)
	RemoveSource = newOperation(agentCommandGroup.write, "DELETE /sources/{sourceId}", operation{
		Name:    "removeSource",
		Summary: "Delete a source of an agent",
		Errors:  errorCodes{parley.CodeSourceNotFound, parley.CodeSourceAlreadyDel},
	}, (*Service).removeSource).recorded(func(in SourceRef) change {
		return change{action: "source.delete", subject: in.SourceID, details: map[string]any{"agent": in.AgentID}}
	})
)

// The operations on agents, their sources and their insights.
var (
	Apply = newOperation(agentsGroup.write, "POST /accounts/{accountId}/manifest", operation{
		Name:    "applyManifest",
		Summary: "Make the agents of an account what a manifest says",
		Errors: errorCodes{parley.CodeAccountNotFound, parley.CodePlanFeature, parley.CodeAgentLimit,
			parley.CodeSourceSize},
	}, (*Service).apply)
	ExportAgent = newOperation(agentGroup.write, "GET /manifest", operation{
		Name:    "exportAgent",
		Summary: "Export an agent as a manifest, which may hold secrets that were written into it",
	}, (*Service).exportAgent).recorded(func(in ManifestQuery) change {
		return change{action: "manifest.read", subject: in.ID}
	})
	GetAgentSettings = newOperation(agentGroup.read, "GET /settings", operation{
		Name:    "getAgentSettings",
		Summary: "Show the settings of an agent with their version",
	}, (*Service).getAgentSettings)
	ChangeAgentSettings = newOperation(agentGroup.write, "PATCH /settings", operation{
		Name:    "changeAgentSettings",
		Summary: "Change what is sent of the settings of an agent, unless somebody else has changed the agent",
		Errors:  errorCodes{parley.CodeAgentChanged, parley.CodePlanFeature},
	}, (*Service).changeAgentSettings).recorded(func(in AgentSettingsChange) change {
		return change{"agent.change", in.AgentID,
			map[string]any{"settings": settingNames(in.Settings), "baseVersion": in.BaseVersion}}
	})
	PreviewRetention = newOperation(agentGroup.read, "GET /retention", operation{
		Name:    "previewRetention",
		Summary: "Count what of an agent is older than it is kept",
	}, (*Service).previewRetention)
	ListAgentVersions = newOperation(agentGroup.read, "GET /history", operation{
		Name:    "listAgentVersions",
		Summary: "List the versions of the settings of an agent that are kept, the newest first",
	}, (*Service).listAgentVersions)
	GetAgentVersion = newOperation(agentGroup.read, "GET /history/{version}", operation{
		Name:    "getAgentVersion",
		Summary: "Show the settings that an agent had in a version",
		Errors:  errorCodes{parley.CodeNotFound},
	}, (*Service).getAgentVersion)
	RestoreAgentVersion = newOperation(agentGroup.write, "POST /history/{version}/restore", operation{
		Name:    "restoreAgentVersion",
		Summary: "Give an agent the settings of an earlier version, unless somebody else has changed the agent",
		Errors:  errorCodes{parley.CodeNotFound, parley.CodeAgentChanged, parley.CodePlanFeature},
	}, (*Service).restoreAgentVersion).recorded(func(in VersionRestore) change {
		return change{"agent.restore", in.AgentID, map[string]any{"version": in.Version, "baseVersion": in.BaseVersion}}
	})
	Replay = newOperation(agentGroup.read, "POST /replay", operation{
		Name:       "replayAgent",
		Summary:    "Answer the newest questions of an agent again, and store nothing",
		Permission: parley.PermissionPlaygroundUse,
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
	ListCounted = newOperation(insightGroup.read, "GET /insights/conversations", operation{
		Name:    "listCountedConversations",
		Summary: "List the conversations of some days that a figure counts, the one that began last first",
		Errors:  errorCodes{parley.CodeInvalidDateRange, parley.CodeInvalidCursor},
	}, (*Service).listCounted)
	GetFirstText = newOperation(insightGroup.read, "GET /insights/first-text", operation{
		Name:    "getFirstText",
		Summary: "Say how soon an agent has begun its answers on some days",
		Errors:  errorCodes{parley.CodeInvalidDateRange},
	}, (*Service).getFirstText)
	GetSentimentWeeks = newOperation(insightGroup.read, "GET /insights/sentiment-weeks", operation{
		Name:    "getSentimentWeeks",
		Summary: "Say how customers felt on some days, week by week",
		Errors:  errorCodes{parley.CodeInvalidDateRange},
	}, (*Service).getSentimentWeeks)
	ListFigures = newOperation(figuresGroup, "GET /agents/figures", operation{
		Name:    "listAgentFigures",
		Summary: "Count what the last seven days of agents came to",
		Errors:  errorCodes{parley.CodeAccountNotFound},
	}, (*Service).listFigures)
	GetAgentDay = newOperation(insightGroup.read, "GET /today", operation{
		Name:    "getAgentDay",
		Summary: "Say how soon an agent answers today, who waits for a person, and which sources have failed",
	}, (*Service).getAgentDay)
	RebuildInsights = newOperation(insightGroup.write, "POST /insights/rebuild", operation{
		Name:    "rebuildInsights",
		Summary: "Take a step of judging the conversations of an agent anew",
	}, (*Service).rebuildInsights).recorded(func(in RebuildRequest) change {
		return change{action: "insights.rebuild", subject: in.AgentID}
	})
	ProposeSynonyms = newOperation(insightGroup.read, "GET /synonyms/proposals", operation{
		Name:    "proposeSynonyms",
		Summary: "Propose groups of synonyms with which unanswered questions of an agent would be answered",
	}, (*Service).proposeSynonyms)
	AcceptSynonyms = newOperation(agentGroup.write, "POST /synonyms", operation{
		Name:    "acceptSynonyms",
		Summary: "Add a group of synonyms to those of an agent",
	}, (*Service).acceptSynonyms).recorded(func(in NewSynonyms) change {
		return change{"synonyms.accept", in.AgentID, map[string]any{"words": in.Words}}
	})
)

// The operations on how an agent is embedded in the pages of a site.
var (
	GetIdentitySecret = newOperation(embeddingGroup.write, "GET /identity-secret", operation{
		Name:    "getIdentitySecret",
		Summary: "Show the secret with which a site proves who its users are",
	}, (*Service).getIdentitySecret).recorded(func(in AgentRef) change {
		return change{action: "identity_secret.show", subject: in.ID}
	})
	RotateIdentitySecret = newOperation(embeddingGroup.write, "POST /identity-secret/rotate", operation{
		Name:    "rotateIdentitySecret",
		Summary: "Make a new secret with which a site proves who its users are",
	}, (*Service).rotateIdentitySecret).recorded(func(in SecretRotation) change {
		return change{"identity_secret.rotate", in.AgentID, map[string]any{"keepOldDays": in.KeepOldDays}}
	})
	CheckIdentity = newOperation(embeddingGroup.read, "POST /identity-check", operation{
		Name:    "checkIdentity",
		Summary: "Say what is wrong with what a site says of its user",
	}, (*Service).checkIdentity)
	CheckDomain = newOperation(embeddingGroup.read, "POST /domain-check", operation{
		Name:    "checkDomain",
		Summary: "Say whether an agent may be embedded at an address",
	}, (*Service).checkDomain)
	CreatePreviewTicket = newOperation(embeddingGroup.read, "POST /preview-ticket", operation{
		Name:    "createPreviewTicket",
		Summary: "Let the console show the chat of an agent for ten minutes",
		Status:  http.StatusCreated,
	}, (*Service).createPreviewTicket)
	SetIcon = newOperation(embeddingGroup.write, "PUT /icon", operation{
		Name:    "setIcon",
		Summary: "Set the picture on the button that opens the chat",
	}, (*Service).setIcon).recorded(func(in NewIcon) change {
		return change{action: "icon.set", subject: in.AgentID}
	})
	RemoveIcon = newOperation(embeddingGroup.write, "DELETE /icon", operation{
		Name:    "removeIcon",
		Summary: "Remove the picture on the button that opens the chat",
	}, (*Service).removeIcon).recorded(func(in AgentRef) change {
		return change{action: "icon.remove", subject: in.ID}
	})
	SetPicture = newOperation(embeddingGroup.write, "PUT /picture", operation{
		Name:    "setPicture",
		Summary: "Set the picture beside the answers",
	}, (*Service).setPicture).recorded(func(in NewPicture) change {
		return change{action: "picture.set", subject: in.AgentID}
	})
	RemovePicture = newOperation(embeddingGroup.write, "DELETE /picture", operation{
		Name:    "removePicture",
		Summary: "Remove the picture beside the answers",
	}, (*Service).removePicture).recorded(func(in AgentRef) change {
		return change{action: "picture.remove", subject: in.ID}
	})
)

// The operations on what an agent reads.
var (
	ListSitePages = newOperation(sourceGroup.read, "GET /sources/{sourceId}/pages", operation{
		Name:    "listSitePages",
		Summary: "List the addresses that the reading of a link has found",
		Errors:  errorCodes{parley.CodeSourceNotFound, parley.CodeInvalidCursor},
	}, (*Service).listSitePages)
	ReadSourceText = newOperation(sourceGroup.read, "GET /sources/{sourceId}/text", operation{
		Name:    "readSourceText",
		Summary: "Read a part of the text that was read of a source",
		Errors:  errorCodes{parley.CodeSourceNotFound},
	}, (*Service).readSourceText)
	GetSource = newOperation(sourceGroup.read, "GET /sources/{sourceId}", operation{
		Name:    "getSource",
		Summary: "Read a source, with what people have written into it",
		Errors:  errorCodes{parley.CodeSourceNotFound},
	}, (*Service).getSource)
	ListSourceVersions = newOperation(sourceGroup.read, "GET /sources/{sourceId}/versions", operation{
		Name:    "listSourceVersions",
		Summary: "List the versions of a source that are kept, the newest first",
		Errors:  errorCodes{parley.CodeSourceNotFound},
	}, (*Service).listSourceVersions)
	ListPassages = newOperation(sourceGroup.read, "GET /sources/{sourceId}/passages", operation{
		Name:    "listPassages",
		Summary: "List the passages of a source that answers rest on, in the order of its text",
		Errors:  errorCodes{parley.CodeSourceNotFound, parley.CodeInvalidCursor},
	}, (*Service).listPassages)
	TryPaths = newOperation(sourceGroup.read, "POST /try-paths", operation{
		Name:    "tryPaths",
		Summary: "Say which addresses the settings of a website have read, and read nothing",
	}, (*Service).tryPaths)
	GetKnowledgeUse = newOperation(sourceGroup.read, "GET /knowledge-use", operation{
		Name:    "getKnowledgeUse",
		Summary: "Measure the sources of an agent, and count the answers that rest on each",
	}, (*Service).getKnowledgeUse)
	RefetchSource = newOperation(sourceGroup.write, "POST /sources/{sourceId}/refetch", operation{
		Name:    "refetchSource",
		Summary: "Read a link again, or try again what has failed",
		Errors:  errorCodes{parley.CodeSourceNotFound, parley.CodeSourcePendingDel},
	}, (*Service).refetchSource).recorded(func(in SourceRef) change {
		return change{"source.refetch", in.SourceID, map[string]any{"agent": in.AgentID}}
	})
	ListTraining = newOperation(sourceGroup.read, "GET /training", operation{
		Name:    "listTraining",
		Summary: "List how far the sources of an agent are trained, the newest first",
		Errors:  errorCodes{parley.CodeInvalidCursor},
	}, (*Service).listTraining)
	TrySearch = newOperation(sourceGroup.read, "POST /try-search", operation{
		Name:    "trySearch",
		Summary: "Search the sources of an agent for a question, and ask no model",
	}, (*Service).trySearch)
)

// askingErrors are the codes of failures to answer.
var askingErrors = errorCodes{parley.CodeConversationNotFound, parley.CodeNotOngoing, parley.CodeConversationBusy,
	parley.CodeCreditsExhausted, parley.CodeAgentCredits, parley.CodeModelNotAllowed, parley.CodeChatStreaming,
	parley.CodePlanFeature, parley.CodeTooManyRequests}

// The operations with which an agent is tried out.
var (
	Playground = newStreamOperation(playgroundGroup, "POST /playground", operation{
		Name:    "askPlayground",
		Summary: "Ask an agent with a draft of its settings, and stream the answer with its explanation",
		Errors:  append(errorCodes{parley.CodeRetryNotFound, parley.CodeRetryNoUser}, askingErrors...),
	}, (*Service).streamAnswer)
	Compare = newStreamOperation(playgroundGroup, "POST /compare", operation{
		Name:    "compareDrafts",
		Summary: "Ask an agent with two drafts of its settings, and stream both answers",
		Errors:  askingErrors,
	}, (*Service).streamComparison)
	ListDraftOptions = newOperation(playgroundGroup, "GET /playground", operation{
		Name:    "listDraftOptions",
		Summary: "List what a draft of an agent's settings may name",
	}, (*Service).listDraftOptions)
	ListPlayground = newOperation(playgroundGroup, "GET /playground/conversations", operation{
		Name:    "listPlaygroundConversations",
		Summary: "List the newest conversations of the playground of an agent",
	}, (*Service).listPlayground)
	ShowPlayground = newOperation(playgroundGroup, "GET /playground/conversations/{conversationId}", operation{
		Name:    "getPlaygroundConversation",
		Summary: "Read a conversation of the playground, with what explains its answers",
		Errors:  errorCodes{parley.CodeConversationNotFound},
	}, (*Service).showPlayground)
	RateAnswer = newOperation(playgroundGroup, "PUT /conversations/{conversationId}/messages/{messageId}/feedback",
		operation{
			Name:       "rateAnswer",
			Summary:    "Rate an answer, or take the rating back",
			Permission: parley.PermissionConversationsWrite,
			Errors:     errorCodes{parley.CodeConversationNotFound, parley.CodeMessageNotFound, parley.CodeNotAssistant},
		}, (*Service).rateAnswer).recorded(func(in AnswerRating) change {
		return change{"answer.rate", in.MessageID, map[string]any{"agent": in.AgentID, "feedback": in.Feedback}}
	})
	Improve = newOperation(playgroundGroup, "POST /conversations/{conversationId}/messages/{messageId}/improve",
		operation{
			Name:       "improveAnswer",
			Summary:    "Keep a better answer as a source, and ask the question again without storing that",
			Permission: parley.PermissionAnswersImprove,
			Errors: append(errorCodes{parley.CodeMessageNotFound, parley.CodeSourceNotFound, parley.CodeSourceDuplicate,
				parley.CodeSourceSize, parley.CodeSourcePendingDel}, askingErrors...),
		}, (*Service).improveAnswer).recordedWithID(func(in BetterAnswer, source string) change {
		return change{"answer.improve", in.MessageID, map[string]any{"agent": in.AgentID,
			"conversation": in.ConversationID, "source": cmp.Or(source, in.SourceID)}}
	}).inFirstTransaction() // an earlier source may be extended
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
		Errors: errorCodes{parley.CodeConversationNotFound, parley.CodeNotOngoing, parley.CodeNotTakenOver,
			parley.CodeClaimed, parley.CodeMemberNotFound},
	}, (*Service).moveConversation).recorded(func(in StateChange) change {
		return change{action: "conversation." + in.Step, subject: in.ID}
	})
	ReplyAsHuman = newOperation(conversationGroup.write, "POST /conversations/{conversationId}/messages", operation{
		Name:    "replyToConversation",
		Summary: "Write to the customer of a conversation that was taken over",
		Status:  http.StatusCreated,
		Errors: errorCodes{parley.CodeConversationNotFound, parley.CodeNotTakenOver, parley.CodeMemberNotFound,
			parley.CodeAnswered},
	}, (*Service).replyAsHuman).recordedWithID(func(in HumanReply, message string) change {
		return change{"conversation.reply", in.ID, map[string]any{"message": message}}
	})
	ClaimConversation = newOperation(conversationGroup.write, "PUT /conversations/{conversationId}/claim", operation{
		Name:    "claimConversation",
		Summary: "Take a conversation over, unless another member answers in it",
		Errors: errorCodes{parley.CodeConversationNotFound, parley.CodeNotOngoing, parley.CodeClaimed,
			parley.CodeMemberNotFound},
	}, (*Service).claimConversation).recorded(func(in Claim) change {
		return change{action: "conversation.claim", subject: in.ID}
	})
	AssignConversation = newOperation(conversationGroup.write, "PUT /conversations/{conversationId}/assignee", operation{
		Name:    "assignConversation",
		Summary: "Give a conversation and its ticket to a member who is to answer in it, or to nobody",
		Errors: errorCodes{parley.CodeConversationNotFound, parley.CodeNotOngoing, parley.CodeClaimed,
			parley.CodeMemberNotFound},
	}, (*Service).assignConversation).recorded(func(in NewAssignee) change {
		return change{"conversation.assign", in.ID, map[string]any{"member": in.Member}}
	})
	SnoozeConversation = newOperation(conversationGroup.write, "PUT /conversations/{conversationId}/snooze", operation{
		Name:    "snoozeConversation",
		Summary: "Put a conversation that people have aside until a time",
		Errors:  errorCodes{parley.CodeConversationNotFound, parley.CodeNotTakenOver, parley.CodeInvalidBody},
	}, (*Service).snoozeConversation).recorded(func(in NewSnooze) change {
		return change{"conversation.snooze", in.ID, map[string]any{"until": in.Until}}
	})
	ListDrafts = newOperation(conversationGroup.write, "GET /conversations/{conversationId}/drafts", operation{
		Name:    "listDrafts",
		Summary: "List what the member has typed and not sent in a conversation",
		Errors:  errorCodes{parley.CodeConversationNotFound},
	}, (*Service).listDrafts)
	SaveDraft = newOperation(conversationGroup.write, "PUT /conversations/{conversationId}/drafts", operation{
		Name:    "saveDraft",
		Summary: "Keep what the member has typed and not sent in a conversation",
		Errors:  errorCodes{parley.CodeConversationNotFound},
	}, (*Service).saveDraft)
	SaveReadMark = newOperation(conversationGroup.write, "PUT /conversations/{conversationId}/read-mark", operation{
		Name:    "saveReadMark",
		Summary: "Note that the member has read a conversation, or mark it as unread",
		Errors:  errorCodes{parley.CodeConversationNotFound},
	}, (*Service).saveReadMark)
	ListUnread = newOperation(conversationGroup.read, "GET /accounts/{accountId}/inbox/unread", operation{
		Name:    "listUnread",
		Summary: "List those of some conversations that are unread for the member",
		Errors:  errorCodes{parley.CodeAccountNotFound},
	}, (*Service).listUnread)
	ListInbox = newOperation(conversationGroup.read, "GET /accounts/{accountId}/inbox", operation{
		Name:    "listInbox",
		Summary: "List the conversations of an account with all of its agents",
		Errors: errorCodes{parley.CodeAccountNotFound, parley.CodeAgentNotFound, parley.CodeMemberNotFound,
			parley.CodeInvalidCursor},
	}, (*Service).listInbox)
	SearchInbox = newOperation(conversationGroup.read, "GET /accounts/{accountId}/inbox/search", operation{
		Name:    "searchInbox",
		Summary: "Find conversations of an account with all of its agents, or with one",
		Errors: errorCodes{parley.CodeAccountNotFound, parley.CodeAgentNotFound, parley.CodeInvalidCursor,
			parley.CodeCursorMismatch, parley.CodeSearchWindow, parley.CodeInvalidDateRange, parley.CodeSearchUnavailable,
			parley.CodeSearchBusy, parley.CodeTooManyRequests},
	}, (*Service).searchInbox)
	ListInboxMembers = newOperation(savedViewGroup.read, "GET /inbox/members", operation{
		Name:    "listInboxMembers",
		Summary: "List the members of an account who may answer customers",
	}, (*Service).listInboxMembers)
	ListSavedViews = newOperation(savedViewGroup.read, "GET /saved-views", operation{
		Name:    "listSavedViews",
		Summary: "List the saved views of the inbox that a member has: their own and the shared ones",
	}, (*Service).listSavedViews)
	AddSavedView = newOperation(savedViewGroup.write, "POST /saved-views", operation{
		Name:    "addSavedView",
		Summary: "Keep a filter of the inbox under a name",
		Status:  http.StatusCreated,
	}, (*Service).addSavedView).recordedWithID(func(in NewSavedView, view string) change {
		return change{"saved_view.add", view, map[string]any{"shared": in.IsShared}}
	})
	ChangeSavedView = newOperation(savedViewGroup.write, "PATCH /saved-views/{savedViewId}", operation{
		Name:    "changeSavedView",
		Summary: "Change what is sent of a saved view",
		Errors:  errorCodes{parley.CodeNotFound, parley.CodeInsufficientScope},
	}, (*Service).changeSavedView).recorded(func(in SavedViewChange) change {
		return change{action: "saved_view.change", subject: in.ID}
	})
	RemoveSavedView = newOperation(savedViewGroup.write, "DELETE /saved-views/{savedViewId}", operation{
		Name:    "removeSavedView",
		Summary: "Remove a saved view",
		Errors:  errorCodes{parley.CodeNotFound, parley.CodeInsufficientScope, parley.CodeInvalidBody},
	}, (*Service).removeSavedView).recorded(func(in SavedViewRef) change {
		return change{action: "saved_view.remove", subject: in.ID}
	})
	UploadMemberFile = newOperation(memberFileGroup, "POST /files", operation{
		Name:    "uploadMemberFile",
		Summary: "Upload a file to send with a reply or a note",
		Status:  http.StatusCreated,
		Form:    memberFileForm,
		Errors:  errorCodes{parley.CodeInvalidBody, parley.CodeTooManyRequests},
	}, (*Service).uploadMemberFile)
	RemoveMemberFile = newOperation(memberFileGroup, "DELETE /files/{fileId}", operation{
		Name:    "removeMemberFile",
		Summary: "Delete a file that the member has uploaded and not sent",
		Errors:  errorCodes{parley.CodeResourceNotFound},
	}, (*Service).removeMemberFile)
	CountInbox = newOperation(conversationGroup.read, "GET /accounts/{accountId}/inbox/counts", operation{
		Name:    "countInbox",
		Summary: "Count the conversations of an account that people have to look at, up to 100",
		Errors:  errorCodes{parley.CodeAccountNotFound},
	}, (*Service).countInbox)
	ReadThread = newOperation(conversationGroup.read, "GET /conversations/{conversationId}/thread", operation{
		Name:    "readThread",
		Summary: "Read a conversation of any origin with its newest messages, notes and events",
		Errors:  errorCodes{parley.CodeConversationNotFound},
	}, (*Service).readThread)
	TellTyping = newOperation(conversationGroup.write, "POST /conversations/{conversationId}/typing", operation{
		Name:    "tellTyping",
		Summary: "Show the customer of a conversation that a member of the team writes",
		Errors:  errorCodes{parley.CodeConversationNotFound},
	}, (*Service).tellTyping)
	Trace = newOperation(conversationGroup.read, "GET /conversations/{conversationId}/trace", operation{
		Name:    "traceConversation",
		Summary: "Explain the answers of a conversation",
		Errors:  errorCodes{parley.CodeConversationNotFound},
	}, (*Service).traceConversation)
	Explain = newOperation(conversationGroup.read, "GET /conversations/{conversationId}/explain", operation{
		Name:    "explainConversation",
		Summary: "Explain why a conversation was answered as it was",
		Errors:  errorCodes{parley.CodeConversationNotFound, parley.CodeMessageNotFound, parley.CodeNotAssistant},
	}, (*Service).explainConversation)
	CountConversations = newOperation(conversationGroup.read, "POST /conversations/count", operation{
		Name:    "countConversations",
		Summary: "Count the selected conversations",
		Errors:  errorCodes{parley.CodeConversationNotFound, parley.CodeAgentNotFound},
	}, (*Service).countConversations)
	DeleteConversations = newOperation(conversationGroup.write, "POST /conversations/delete", operation{
		Name:       "deleteConversations",
		Summary:    "Delete the selected conversations for good",
		Errors:     errorCodes{parley.CodeConversationNotFound, parley.CodeAgentNotFound},
		Permission: parley.PermissionConversationsDelete,
	}, (*Service).deleteConversations).recorded(func(in Selection) change {
		return change{"conversation.delete", in.AgentID, map[string]any{"selected": len(in.IDs), "before": in.Before}}
	})
)

// The operations on what an account holds of a person.
var (
	ExportPerson = newOperation(conversationGroup.read, "POST /accounts/{accountId}/person/export", operation{
		Name:       "exportPerson",
		Summary:    "Export all that an account holds of a person",
		Errors:     errorCodes{parley.CodeAccountNotFound},
		Permission: parley.PermissionConversationsDelete,
	}, (*Service).exportPerson)
	ErasePerson = newOperation(conversationGroup.write, "POST /accounts/{accountId}/person/erase", operation{
		Name:       "erasePerson",
		Summary:    "Erase all that an account holds of a person, for good",
		Errors:     errorCodes{parley.CodeAccountNotFound},
		Permission: parley.PermissionConversationsDelete,
	}, (*Service).erasePerson)
)

// The operations on voice sessions.
var (
	ListVoiceSessions = newOperation(voiceGroup.read, "GET /voice/sessions", operation{
		Name:    "listVoiceSessions",
		Summary: "List voice sessions, the newest first",
		Errors:  errorCodes{parley.CodeAgentNotFound},
	}, (*Service).listVoiceSessions)
	GetVoiceSession = newOperation(voiceGroup.read, "GET /voice/sessions/{sessionId}", operation{
		Name:    "getVoiceSession",
		Summary: "Get the record of a voice session",
		Errors:  errorCodes{parley.CodeNotFound},
	}, (*Service).getVoiceSession)
	EndVoiceSession = newOperation(voiceGroup.write, "POST /voice/sessions/{sessionId}/end", operation{
		Name:    "endVoiceSession",
		Summary: "End a voice session",
		Errors:  errorCodes{parley.CodeNotFound},
	}, (*Service).endVoiceSession).recorded(func(in VoiceSessionRef) change {
		return change{action: "voice.end", subject: in.ID}
	})
	ReadVoiceRecording = newOperation(voiceGroup.read, "GET /voice/sessions/{sessionId}/recording", operation{
		Name:       "readVoiceRecording",
		Summary:    "Read one part of the recording of a voice session",
		Errors:     errorCodes{parley.CodeNotFound},
		Permission: parley.PermissionRecordingsRead,
	}, (*Service).readVoiceRecording)
	VoiceStats = newOperation(voiceGroup.read, "GET /voice/stats", operation{
		Name:       "getVoiceStats",
		Summary:    "Measure how fast the running server answers in voice sessions",
		Permission: parley.PermissionServerRead,
	}, (*Service).voiceStats)
)
