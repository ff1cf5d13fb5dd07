package admin

import (
	"net/http"

	"parley"
	"parley/internal/httpapi"
)

// routes is the one list of what the operator can do.
func routes() []route {
	return []route{
		CreateAccount, UpdateAccount, ListAccounts, MoveIn, GetUsage, ListAgentUsage, ExportUsage, GetVoiceUsage,
		CreateKey, RevokeKey, ListKeys, GetPairing, ApprovePairing, DenyPairing,
		AddMember, ListMembers, ChangeMember, RemoveMember, LinkMember, SetMemberPassword,
		InviteMember, ListInvitations, RenewInvitation, WithdrawInvitation,
		ListAudit, ListAuditChoices, VerifyAudit, ExportAudit,
		AddWebhook, ChangeWebhook, RotateWebhookSecret, TryWebhook, RemoveWebhook, ListWebhooks,
		ListDeliveries, GetDelivery, Redeliver, AddChannel, ChangeChannel, RemoveChannel, ListChannels,
		GetSingleSignOn, SetSingleSignOn, TrySingleSignOn, RemoveSingleSignOn,
		AddSignInDomain, ProveSignInDomain, ConfirmSignInDomain, RemoveSignInDomain,
		ListModelServers, CreateModelServer, TryModelServer, ListModelsOfServer, GetModelServer, ChangeModelServer,
		RemoveModelServer, TryStoredModelServer,
		GetServer, GetMaintenance, SetMaintenance, Reindex, NoteExport, ExportAccount, ImportAccount,
		ListAgents, CreateAgent, GetAgent, DeleteAgent, AddSource, ReadSourceFile, RemoveSource,
		Apply, ExportAgent, GetAgentSettings, ChangeAgentSettings,
		ListActions, GetAction, AddAction, ChangeAction, RemoveAction, TryAction,
		GetProcedure, AddProcedure, ChangeProcedure, RemoveProcedure, TryProcedure,
		PreviewRetention, ListAgentVersions, GetAgentVersion, RestoreAgentVersion, Replay, ListSources,
		ShowInsights, RebuildInsights, ListCounted, GetFirstText, GetSentimentWeeks, ListFigures, GetAgentDay,
		ProposeSynonyms, AcceptSynonyms,
		ListSitePages, ReadSourceText, RefetchSource, ListTraining, TrySearch,
		GetSource, ListSourceVersions, ListPassages, TryPaths, GetKnowledgeUse,
		GetIdentitySecret, RotateIdentitySecret, CheckIdentity, CheckDomain, CreatePreviewTicket,
		SetIcon, RemoveIcon, SetPicture, RemovePicture,
		ListDraftOptions, Playground, Compare, ListPlayground, ShowPlayground, Improve, RateAnswer,
		ListConversations, MoveConversation, ReplyAsHuman, TellTyping, Trace, Explain,
		ListInbox, SearchInbox, CountInbox, ListInboxMembers, ReadThread, ClaimConversation, AssignConversation,
		SnoozeConversation, ListDrafts, SaveDraft, SaveReadMark, ListUnread,
		UploadMemberFile, RemoveMemberFile,
		ListSavedViews, AddSavedView, ChangeSavedView, RemoveSavedView,
		ListSavedReplies, AddSavedReply, ChangeSavedReply, RemoveSavedReply,
		CountConversations, DeleteConversations, ExportPerson, ErasePerson,
		ListVoiceSessions, GetVoiceSession, EndVoiceSession, ReadVoiceRecording, VoiceStats,
		ListStatuses, AddStatus, ChangeStatus, DefaultStatus, ArchiveStatus,
		ListTeams, AddTeam, ChangeTeam, RemoveTeam, JoinTeam, LeaveTeam,
		ListSLATargets, ReplaceSLATargets,
		ListRules, AddRule, ReplaceRule, RemoveRule, MoveRule, SwitchRule, Route,
		ListCustomers, GetCustomer, MergeCustomers, ListLeads, ListTickets, ListAccountTickets,
		OpenTicket, ShowTicket, ChangeTicket, WriteTicket,
	}
}

// Why an operation is not in REST v2, which the console calls for whatever it can say.
const (
	ReasonPeople     = "people: their sign-in, roles and invitations"
	ReasonLive       = "what happens while it happens"
	reasonAccount    = "the account as a whole"
	reasonSecrets    = "secrets"
	reasonServer     = "the server"
	reasonSettings   = "all settings of an agent, with the version that was changed"
	reasonEmbedding  = "how an agent is embedded, with its secret and its pictures"
	reasonActions    = "what an agent can do, with its secrets and its trials"
	reasonDraft      = "settings that are not saved"
	reasonKnowledge  = "how sources are read and found, beyond their state"
	reasonAllOrigins = "conversations of all origins, in full"
	reasonInsights   = "several numbers at once, and their groups"
	reasonHelpdesk   = "the set-up of the helpdesk, which REST v2 only reads"
	reasonCommand    = "the command line, which has no key"
	reasonAllAgents  = "tickets of several agents at once"
	reasonVoice      = "voice sessions of all agents"
)

// groups are the operations that read one part of the server's data, and those that change it.
type groups struct{ read, write httpapi.Group }

func newGroups(tag, reason string, read, write parley.Permission) groups {
	return groups{httpapi.Group{Tag: tag, Reason: reason, Permission: read},
		httpapi.Group{Tag: tag, Reason: reason, Permission: write}}
}

// newAgentGroups returns groups of operations on one agent. Their paths begin with its own.
func newAgentGroups(tag, reason string, read, write parley.Permission) groups {
	g := newGroups(tag, reason, read, write)
	for _, group := range []*httpapi.Group{&g.read, &g.write} {
		group.Path, group.Errors = "/agents/{agentId}", errorCodes{parley.CodeAgentNotFound}
	}
	return g
}

// newAccountGroups returns groups of operations on what an account has. Their paths begin with its own.
func newAccountGroups(tag, reason string, read, write parley.Permission) groups {
	g := newGroups(tag, reason, read, write)
	for _, group := range []*httpapi.Group{&g.read, &g.write} {
		group.Path, group.Errors = "/accounts/{accountId}", errorCodes{parley.CodeAccountNotFound}
	}
	return g
}

var (
	accountGroup = newGroups("Accounts", reasonAccount, parley.PermissionAccountsRead, parley.PermissionAccountsWrite)
	keyGroup     = newGroups("API keys", reasonSecrets, parley.PermissionKeysRead, parley.PermissionKeysWrite)
	memberGroup  = newGroups("Members", ReasonPeople, parley.PermissionMembersRead, parley.PermissionMembersWrite)
	webhookGroup = newGroups("Webhooks", reasonAccount, parley.PermissionWebhooksRead, parley.PermissionWebhooksWrite)
	serverGroup  = newGroups("Server", reasonServer, parley.PermissionServerRead, parley.PermissionServerWrite)
	agentsGroup  = newGroups("Agents", reasonSettings, parley.PermissionAgentsRead, parley.PermissionAgentsWrite)

	agentsCommandGroup = newGroups("Agents", reasonCommand,
		parley.PermissionServerRead, parley.PermissionServerWrite)
	agentCommandGroup = newAgentGroups("Agents", reasonCommand,
		parley.PermissionServerRead, parley.PermissionServerWrite)

	agentGroup = newAgentGroups("Agents", reasonSettings,
		parley.PermissionAgentsRead, parley.PermissionAgentsWrite)
	embeddingGroup = newAgentGroups("Agents", reasonEmbedding,
		parley.PermissionAgentsRead, parley.PermissionAgentsWrite)
	actionGroup = newAgentGroups("Actions", reasonActions,
		parley.PermissionAgentsRead, parley.PermissionAgentsWrite)
	sourceGroup = newAgentGroups("Agents", reasonKnowledge,
		parley.PermissionSourcesRead, parley.PermissionSourcesWrite)
	insightGroup = newAgentGroups("Agents", reasonInsights,
		parley.PermissionInsightsRead, parley.PermissionInsightsWrite)
	figuresGroup = newGroups("Agents", reasonInsights,
		parley.PermissionInsightsRead, parley.PermissionInsightsWrite).read
	playgroundGroup   = newAgentGroups("Agents", reasonDraft, "", parley.PermissionPlaygroundUse).write
	conversationGroup = newGroups("Conversations", reasonAllOrigins,
		parley.PermissionConversationsRead, parley.PermissionConversationsWrite)
	voiceGroup  = newGroups("Voice", reasonVoice, parley.PermissionVoiceRead, parley.PermissionVoiceWrite)
	statusGroup = newAgentGroups("Statuses", reasonHelpdesk,
		parley.PermissionHelpdeskRead, parley.PermissionHelpdeskWrite)
	teamGroup = newAgentGroups("Teams", reasonHelpdesk,
		parley.PermissionHelpdeskRead, parley.PermissionHelpdeskWrite)
	ruleGroup = newAgentGroups("Rules", reasonHelpdesk,
		parley.PermissionHelpdeskRead, parley.PermissionHelpdeskWrite)
	savedReplyGroup = newAccountGroups("Saved replies", reasonHelpdesk,
		parley.PermissionHelpdeskRead, parley.PermissionHelpdeskWrite)
	savedViewGroup = newAccountGroups("Conversations", reasonAllOrigins,
		parley.PermissionConversationsRead, parley.PermissionConversationsWrite)
	memberFileGroup = newAgentGroups("Conversations", reasonAllOrigins,
		parley.PermissionConversationsRead, parley.PermissionConversationsWrite).write
	ticketGroup = newAgentGroups("Tickets", reasonCommand,
		parley.PermissionTicketsRead, parley.PermissionTicketsWrite)
	accountTicketGroup = newAccountGroups("Tickets", reasonAllAgents,
		parley.PermissionTicketsRead, parley.PermissionTicketsWrite).read
)

// The operations on accounts.
var (
	CreateAccount = newOperation(accountGroup.write, "POST /accounts", operation{
		Name:       "createAccount",
		Summary:    "Create an account with its first API key",
		Status:     http.StatusCreated,
		Permission: parley.PermissionServerWrite,
	}, (*Service).createAccount).mayComeFirst()
	UpdateAccount = newOperation(accountGroup.write, "PATCH /accounts/{accountId}", operation{
		Name:    "updateAccount",
		Summary: "Change what is sent of an account",
		Errors:  errorCodes{parley.CodeAccountNotFound},
	}, (*Service).updateAccount)
	NoteExport = newOperation(accountGroup.write, "POST /accounts/{accountId}/exports", operation{
		Name:       "noteExport",
		Summary:    "Record in the audit log that an account is exported",
		Errors:     errorCodes{parley.CodeAccountNotFound},
		Permission: parley.PermissionServerWrite,
	}, (*Service).noteExport)
	ExportAccount = newFileOperation(accountGroup.write, "GET /accounts/{accountId}/archive", operation{
		Name:       "exportAccount",
		Summary:    "Get all of an account as an archive, and record that in the audit log",
		MediaTypes: []string{"application/zip"},
		Errors:     errorCodes{parley.CodeAccountNotFound},
	}, (*Service).exportAccount)
	ImportAccount = newStreamOperation(accountGroup.write, "POST /accounts/{accountId}/archive", operation{
		Name:    "importAccount",
		Summary: "Make an account of an archive, and record that in the audit log of both",
		RawBody: true,
		Errors: errorCodes{parley.CodeAccountNotFound, parley.CodeInsufficientScope, parley.CodeInvalidBody,
			parley.CodeAlreadyExists, parley.CodeInvalidJSON, parley.CodeTooLarge},
	}, (*Service).importAccount)
	ListAccounts = newOperation(accountGroup.read, "GET /accounts", operation{
		Name:    "listAccounts",
		Summary: "List all accounts",
	}, (*Service).listAccounts)
	MoveIn = newOperation(accountGroup.write, "POST /accounts/{accountId}/move-in", operation{
		Name:    "moveIn",
		Summary: "Take a step of taking over what an account has at another service that speaks REST v2",
		Errors: errorCodes{parley.CodeAccountNotFound, parley.CodeInvalidBody, parley.CodePlanFeature,
			parley.CodeAgentLimit},
		Permission: parley.PermissionServerWrite, // it asks any address that is named, also within the network
	}, (*Service).moveIn)
	GetUsage = newOperation(usageGroup, "GET ", operation{
		Name:    "getUsage",
		Summary: "Get what the plan of an account allows, and what the account has used in a month",
		Errors:  errorCodes{parley.CodeAgentNotFound, parley.CodeInvalidBody},
	}, (*Service).getUsage)
	ListAgentUsage = newOperation(usageGroup, "GET /agents", operation{
		Name:    "listAgentUsage",
		Summary: "List what each agent of an account uses, the newest agent first",
		Errors:  errorCodes{parley.CodeInvalidBody, parley.CodeInvalidCursor},
	}, (*Service).listAgentUsage)
	ExportUsage = newFileOperation(usageGroup, "GET /export", operation{
		Name:       "exportUsage",
		Summary:    "Get what the agents of an account, or its models, have used on each day of a month as a file",
		Errors:     errorCodes{parley.CodeInvalidBody},
		MediaTypes: []string{"text/csv"},
	}, (*Service).exportUsage)
	GetVoiceUsage = newOperation(usageGroup, "GET /voice", operation{
		Name:    "getVoiceUsage",
		Summary: "Count the voice sessions of an account that have ended in a month, by why they have",
		Errors:  errorCodes{parley.CodeAgentNotFound, parley.CodeInvalidBody},
	}, (*Service).getVoiceUsage)
)

var usageGroup = newUsageGroup()

func newUsageGroup() httpapi.Group {
	g := accountGroup.read
	g.Path, g.Errors = "/accounts/{accountId}/usage", errorCodes{parley.CodeAccountNotFound}
	return g
}

// The operations on API keys.
var (
	CreateKey = newOperation(keyGroup.write, "POST /accounts/{accountId}/keys", operation{
		Name:    "createKey",
		Summary: "Create an API key",
		Status:  http.StatusCreated,
		Errors:  errorCodes{parley.CodeAccountNotFound},
	}, (*Service).createKey)
	RevokeKey = newOperation(keyGroup.write, "DELETE /keys/{keyId}", operation{
		Name:    "revokeKey",
		Summary: "Revoke an API key",
		Errors:  errorCodes{parley.CodeKeyNotFound},
	}, (*Service).revokeKey)
	ListKeys = newOperation(keyGroup.read, "GET /keys", operation{
		Name:    "listKeys",
		Summary: "List API keys, without the keys themselves",
		Errors:  errorCodes{parley.CodeAccountNotFound},
	}, (*Service).listKeys)
	GetPairing = newOperation(keyGroup.write, "GET /accounts/{accountId}/pairings/{code}", operation{
		Name:    "getPairing",
		Summary: "Describe the command line that waits with a code",
		Errors:  errorCodes{parley.CodeAccountNotFound, parley.CodeNotFound},
	}, (*Service).getPairing)
	ApprovePairing = newOperation(keyGroup.write, "POST /accounts/{accountId}/pairings/{code}/approval", operation{
		Name:    "approvePairing",
		Summary: "Let the command line that waits with a code have an API key",
		Errors:  errorCodes{parley.CodeAccountNotFound, parley.CodeNotFound},
	}, (*Service).approvePairing)
	DenyPairing = newOperation(keyGroup.write, "POST /accounts/{accountId}/pairings/{code}/denial", operation{
		Name:    "denyPairing",
		Summary: "Refuse the command line that waits with a code",
		Errors:  errorCodes{parley.CodeAccountNotFound, parley.CodeNotFound},
	}, (*Service).denyPairing)
)

// The operations on the members of accounts.
var (
	AddMember = newOperation(memberGroup.write, "POST /accounts/{accountId}/members", operation{
		Name:    "addMember",
		Summary: "Add a member to an account",
		Status:  http.StatusCreated,
		Errors:  errorCodes{parley.CodeAccountNotFound, parley.CodeAlreadyExists},
		// Whoever has the address has not agreed: members invite.
		Permission: parley.PermissionServerWrite,
	}, (*Service).addMember)
	ListMembers = newOperation(memberGroup.read, "GET /members", operation{
		Name:    "listMembers",
		Summary: "List members",
		Errors:  errorCodes{parley.CodeAccountNotFound},
	}, (*Service).listMembers)
	ChangeMember = newOperation(memberGroup.write, "PATCH /accounts/{accountId}/members", operation{
		Name:    "changeMember",
		Summary: "Give a member another role",
		Errors:  errorCodes{parley.CodeAccountNotFound, parley.CodeMemberNotFound},
	}, (*Service).changeMember)
	RemoveMember = newOperation(memberGroup.write, "DELETE /accounts/{accountId}/members", operation{
		Name:    "removeMember",
		Summary: "Remove a member from an account and from its teams",
		Errors:  errorCodes{parley.CodeAccountNotFound, parley.CodeMemberNotFound},
	}, (*Service).removeMember)
	InviteMember = newOperation(memberGroup.write, "POST /accounts/{accountId}/invitations", operation{
		Name:    "inviteMember",
		Summary: "Make a link by which somebody becomes a member",
		Status:  http.StatusCreated,
		Errors:  errorCodes{parley.CodeAccountNotFound, parley.CodeAlreadyExists},
	}, (*Service).inviteMember)
	ListInvitations = newOperation(memberGroup.read, "GET /accounts/{accountId}/invitations", operation{
		Name:    "listInvitations",
		Summary: "List the invitations that nobody has answered yet",
		Errors:  errorCodes{parley.CodeAccountNotFound},
	}, (*Service).listInvitations)
	RenewInvitation = newOperation(memberGroup.write, "POST /accounts/{accountId}/invitations/{invitationId}/link",
		operation{
			Name:    "renewInvitation",
			Summary: "Make a new link of an invitation, in place of the one before",
			Status:  http.StatusCreated,
			Errors:  errorCodes{parley.CodeAccountNotFound, parley.CodeNotFound},
		}, (*Service).renewInvitation)
	WithdrawInvitation = newOperation(memberGroup.write, "DELETE /accounts/{accountId}/invitations/{invitationId}",
		operation{
			Name:    "withdrawInvitation",
			Summary: "End an invitation, so that its link leads nowhere",
			Errors:  errorCodes{parley.CodeAccountNotFound, parley.CodeNotFound},
		}, (*Service).withdrawInvitation)
	LinkMember = newOperation(memberGroup.write, "POST /accounts/{accountId}/members/link", operation{
		Name:    "linkMember",
		Summary: "Make a link by which a member sets a password",
		Status:  http.StatusCreated,
		Errors:  errorCodes{parley.CodeAccountNotFound, parley.CodeMemberNotFound},
	}, (*Service).linkMember)
	SetMemberPassword = newOperation(memberGroup.write, "PUT /accounts/{accountId}/members/password", operation{
		Name:       "setMemberPassword",
		Summary:    "Set the password of a member",
		Errors:     errorCodes{parley.CodeAccountNotFound, parley.CodeMemberNotFound},
		Permission: parley.PermissionServerWrite, // the person may belong to other accounts
	}, (*Service).setMemberPassword)
)

// The operations on webhooks and their deliveries.
var (
	AddWebhook = newOperation(webhookGroup.write, "POST /webhooks", operation{
		Name:    "addWebhook",
		Summary: "Send events to an address",
		Status:  http.StatusCreated,
		Errors:  errorCodes{parley.CodeAccountNotFound, parley.CodeAgentNotFound},
	}, (*Service).addWebhook)
	ChangeWebhook = newOperation(webhookGroup.write, "PATCH /webhooks/{webhookId}", operation{
		Name:    "changeWebhook",
		Summary: "Change what is sent of a webhook, or switch it on or off",
		Errors:  errorCodes{parley.CodeNotFound, parley.CodeInvalidBody},
	}, (*Service).changeWebhook)
	RotateWebhookSecret = newOperation(webhookGroup.write, "POST /webhooks/{webhookId}/secret", operation{
		Name:    "rotateWebhookSecret",
		Summary: "Give a webhook another secret, which is shown this once",
		Status:  http.StatusCreated,
		Errors:  errorCodes{parley.CodeNotFound},
	}, (*Service).rotateWebhookSecret)
	TryWebhook = newOperation(webhookGroup.write, "POST /webhooks/{webhookId}/test", operation{
		Name:    "tryWebhook",
		Summary: "Send a webhook an event that tells of nothing",
		Errors:  errorCodes{parley.CodeNotFound},
	}, (*Service).tryWebhook).recorded(func(in WebhookRef) change {
		return change{action: "webhook.test", subject: in.ID}
	})
	RemoveWebhook = newOperation(webhookGroup.write, "DELETE /webhooks/{webhookId}", operation{
		Name:    "removeWebhook",
		Summary: "Remove a webhook",
		Errors:  errorCodes{parley.CodeNotFound},
	}, (*Service).removeWebhook)
	ListWebhooks = newOperation(webhookGroup.read, "GET /webhooks", operation{
		Name:    "listWebhooks",
		Summary: "List webhooks",
		Errors:  errorCodes{parley.CodeAccountNotFound},
	}, (*Service).listWebhooks)
	ListDeliveries = newOperation(webhookGroup.read, "GET /deliveries", operation{
		Name:    "listDeliveries",
		Summary: "List deliveries of events, the newest first",
		Errors:  errorCodes{parley.CodeAccountNotFound, parley.CodeNotFound},
	}, (*Service).listDeliveries)
	GetDelivery = newOperation(webhookGroup.read, "GET /deliveries/{deliveryId}", operation{
		Name:    "getDelivery",
		Summary: "Get a delivery with what is sent",
		Errors:  errorCodes{parley.CodeNotFound},
	}, (*Service).getDelivery)
	Redeliver = newOperation(webhookGroup.write, "POST /deliveries/{deliveryId}/redeliver", operation{
		Name:    "redeliver",
		Summary: "Send a delivery again",
		Errors:  errorCodes{parley.CodeNotFound},
	}, (*Service).redeliver).recorded(func(in DeliveryRef) change {
		return change{action: "delivery.redeliver", subject: in.ID}
	})
)

// The operations on the server as a whole.
var (
	GetServer = newOperation(serverGroup.read, "GET /accounts/{accountId}/server", operation{
		Name:       "getServer",
		Summary:    "How the server does: its version, database, queue, disk, speech, mail and servers of models",
		Errors:     errorCodes{parley.CodeAccountNotFound},
		Permission: parley.PermissionStateRead,
	}, (*Service).getServer)
	GetMaintenance = newOperation(serverGroup.read, "GET /maintenance", operation{
		Name:    "getMaintenance",
		Summary: "Is the service under maintenance?",
	}, (*Service).getMaintenance)
	SetMaintenance = newOperation(serverGroup.write, "PUT /maintenance", operation{
		Name:    "setMaintenance",
		Summary: "Close the service to requests, or open it again",
	}, (*Service).setMaintenance)
	Reindex = newOperation(serverGroup.write, "POST /accounts/{accountId}/reindex", operation{
		Name:    "reindex",
		Summary: "Take a step of building the search index of an account anew",
		Errors:  errorCodes{parley.CodeAccountNotFound},
	}, (*Service).reindex)
)

var auditGroup = newAuditGroup()

func newAuditGroup() httpapi.Group {
	g := newGroups("Audit", reasonAccount, parley.PermissionAuditRead, "").read
	g.Path, g.Errors = "/accounts/{accountId}/audit", errorCodes{parley.CodeAccountNotFound}
	return g
}

// The operations on what was done to an account.
var (
	ListAudit = newOperation(auditGroup, "GET ", operation{
		Name:    "listAudit",
		Summary: "List what was done to an account, the latest first",
		Errors:  errorCodes{parley.CodeInvalidCursor},
	}, (*Service).listAudit)
	ListAuditChoices = newOperation(auditGroup, "GET /choices", operation{
		Name:    "listAuditChoices",
		Summary: "List who has acted on an account, and what was done",
	}, (*Service).listAuditChoices)
	VerifyAudit = newOperation(auditGroup, "GET /verify", operation{
		Name:    "verifyAudit",
		Summary: "Take a step of checking that nothing was changed in the audit chain of an account, or taken out",
	}, (*Service).verifyAudit)
	ExportAudit = newFileOperation(auditGroup, "GET /export", operation{
		Name:       "exportAudit",
		Summary:    "Get what was done to an account as a file, the oldest first",
		MediaTypes: []string{"application/jsonl", "text/csv"},
	}, (*Service).exportAudit)
)

// MemberInfo describes the API for members.
func MemberInfo() httpapi.Info {
	return httpapi.Info{
		Title:         "Parley for members",
		Description:   memberIntroduction,
		Version:       "1.0.0",
		Contact:       "The operator of this server",
		Servers:       []httpapi.Server{{URL: MemberBase, Description: "This server"}},
		Tags:          tags,
		ParamExamples: parameterExamples,
	}
}

const memberIntroduction = "What the console calls for the member who is signed in. " +
	"Every operation reaches the member's account alone; `x-permission` is what the member's role must have. " +
	"It is private: paths and shapes may change with every version."

var tags = []httpapi.Tag{
	{Name: "Accounts", Description: "Who has agents, on which plan."},
	{Name: "API keys", Description: "What programs of an account send to be let in."},
	{Name: "Members", Description: "The people of an account."},
	{Name: "Audit", Description: "What was done to an account, by whom and when."},
	{Name: "Actions", Description: "What agents can do besides answering: actions and procedures."},
	{Name: "Webhooks", Description: "Addresses that events are sent to, and what was sent."},
	{Name: "Channels", Description: "Programs that connect messengers to agents."},
	{Name: "Model servers", Description: "Servers that answer, embed and rerank for an account."},
	{Name: "Server", Description: "How it does, maintenance, and the index of searches."},
	{Name: "Agents", Description: "Agents as code, their sources, and what their conversations came to."},
	{Name: "Conversations", Description: "Conversations of all accounts."},
	{Name: "Voice", Description: "Voice sessions, their recordings, and how fast agents answer in them."},
	{Name: "Statuses", Description: "The statuses that an agent's tickets may have."},
	{Name: "Teams", Description: "The teams that take an agent's tickets."},
	{Name: "Rules", Description: "The rules that route an agent's tickets."},
	{Name: "Saved replies", Description: "Texts that the members of an account write to customers with."},
	{Name: "Tickets", Description: "An agent's tickets and its customers."},
}

// parameterExamples describes the parameters of paths and queries.
var parameterExamples = map[string]httpapi.Example{
	"accountId":      {Text: "The account, by its id."},
	"agentId":        {Text: "The agent, by its id."},
	"channelId":      {Text: "The channel, by its id."},
	"code":           {Text: "The code that a command line shows."},
	"conversationId": {Text: "The conversation, by its id."},
	"customerId":     {Text: "The customer, by the id."},
	"deliveryId":     {Text: "The delivery, by its id."},
	"domain":         {Text: "The domain of e-mail addresses."},
	"email":          {Text: "The member, by the e-mail address; in place of the user id."},
	"fileId":         {Text: "The file, by its id."},
	"keyId":          {Text: "The key, by its id."},
	"limit":          {Text: "Most items of the list."},
	"modelServerId":  {Text: "The server of models, by its id."},
	"member":         {Text: "The member, by the e-mail address."},
	"rule":           {Text: "The rule, by its key."},
	"messageId":      {Text: "The message, by its id."},
	"savedReplyId":   {Text: "The saved reply, by its id."},
	"savedViewId":    {Text: "The saved view, by its id."},
	"sessionId":      {Text: "The voice session, by its id."},
	"sourceId":       {Text: "The source, by its id."},
	"status":         {Text: "The status, by its id, key or label."},
	"team":           {Text: "The team, by its id, key or name."},
	"ticketNumber":   {Text: "The ticket, by its number."},
	"userId":         {Text: "The user, by the id."},
	"webhookId":      {Text: "The webhook, by its id."},
}
