package admin

import (
	"net/http"

	"parley"
	"parley/internal/httpapi"
)

// routes is the one list of what the operator can do.
func routes() []route {
	return []route{
		CreateAccount, UpdateAccount, ListAccounts,
		CreateKey, RevokeKey, ListKeys,
		AddMember, ListMembers, ChangeMember, RemoveMember,
		AddWebhook, RemoveWebhook, ListWebhooks, ListDeliveries, Redeliver,
		GetMaintenance, SetMaintenance, Reindex,
		Apply, ExportAgent, Replay, ListSources, ShowInsights, RebuildInsights, ProposeSynonyms, AcceptSynonyms,
		ListConversations, MoveConversation, ReplyAsHuman, Trace, CountConversations, DeleteConversations,
		ListVoiceSessions, EndVoiceSession, ReadVoiceRecording, VoiceStats,
		ListStatuses, AddStatus, ChangeStatus, DefaultStatus, ArchiveStatus,
		ListTeams, AddTeam, ChangeTeam, RemoveTeam, JoinTeam, LeaveTeam,
		ListRules, AddRule, RemoveRule, MoveRule, SwitchRule, Route,
		ListCustomers, ListTickets, OpenTicket, ShowTicket, ChangeTicket, WriteTicket,
	}
}

// groups are the operations that read one part of the server's data, and those that change it.
type groups struct{ read, write httpapi.Group }

func newGroups(tag string, read, write parley.Permission) groups {
	return groups{httpapi.Group{Tag: tag, Permission: read}, httpapi.Group{Tag: tag, Permission: write}}
}

// newAgentGroups returns groups of operations on one agent. Their paths begin with its own.
func newAgentGroups(tag string, read, write parley.Permission) groups {
	g := newGroups(tag, read, write)
	for _, group := range []*httpapi.Group{&g.read, &g.write} {
		group.Path, group.Errors = "/agents/{agentId}", errorCodes{parley.CodeAgentNotFound}
	}
	return g
}

var (
	accountGroup      = newGroups("Accounts", parley.PermissionAccountsRead, parley.PermissionAccountsWrite)
	keyGroup          = newGroups("API keys", parley.PermissionKeysRead, parley.PermissionKeysWrite)
	memberGroup       = newGroups("Members", parley.PermissionMembersRead, parley.PermissionMembersWrite)
	webhookGroup      = newGroups("Webhooks", parley.PermissionWebhooksRead, parley.PermissionWebhooksWrite)
	serverGroup       = newGroups("Server", parley.PermissionServerRead, parley.PermissionServerWrite)
	agentsGroup       = newGroups("Agents", parley.PermissionAgentsRead, parley.PermissionAgentsWrite)
	agentGroup        = newAgentGroups("Agents", parley.PermissionAgentsRead, parley.PermissionAgentsWrite)
	sourceGroup       = newAgentGroups("Agents", parley.PermissionSourcesRead, "")
	insightGroup      = newAgentGroups("Agents", parley.PermissionInsightsRead, parley.PermissionInsightsWrite)
	conversationGroup = newGroups("Conversations", parley.PermissionConversationsRead, parley.PermissionConversationsWrite)
	voiceGroup        = newGroups("Voice", parley.PermissionVoiceRead, parley.PermissionVoiceWrite)
	statusGroup       = newAgentGroups("Statuses", parley.PermissionHelpdeskRead, parley.PermissionHelpdeskWrite)
	teamGroup         = newAgentGroups("Teams", parley.PermissionHelpdeskRead, parley.PermissionHelpdeskWrite)
	ruleGroup         = newAgentGroups("Rules", parley.PermissionHelpdeskRead, parley.PermissionHelpdeskWrite)
	ticketGroup       = newAgentGroups("Tickets", parley.PermissionTicketsRead, parley.PermissionTicketsWrite)
)

// The operations on accounts.
var (
	CreateAccount = newOperation(accountGroup.write, "POST /accounts", operation{
		Name:    "createAccount",
		Summary: "Create an account with its first API key",
		Status:  http.StatusCreated,
	}, (*Service).createAccount).mayComeFirst()
	UpdateAccount = newOperation(accountGroup.write, "PATCH /accounts/{accountId}", operation{
		Name:    "updateAccount",
		Summary: "Change what is sent of an account",
		Errors:  errorCodes{parley.CodeAccountNotFound},
	}, (*Service).updateAccount)
	ListAccounts = newOperation(accountGroup.read, "GET /accounts", operation{
		Name:    "listAccounts",
		Summary: "List all accounts",
	}, (*Service).listAccounts)
)

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
)

// The operations on the members of accounts.
var (
	AddMember = newOperation(memberGroup.write, "POST /accounts/{accountId}/members", operation{
		Name:    "addMember",
		Summary: "Add a member to an account",
		Status:  http.StatusCreated,
		Errors:  errorCodes{parley.CodeAccountNotFound, parley.CodeAlreadyExists},
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
)

// The operations on webhooks and their deliveries.
var (
	AddWebhook = newOperation(webhookGroup.write, "POST /webhooks", operation{
		Name:    "addWebhook",
		Summary: "Send events to an address",
		Status:  http.StatusCreated,
		Errors:  errorCodes{parley.CodeAccountNotFound, parley.CodeAgentNotFound},
	}, (*Service).addWebhook)
	RemoveWebhook = newOperation(webhookGroup.write, "DELETE /webhooks/{webhookId}", operation{
		Name:    "removeWebhook",
		Summary: "Remove a webhook",
		Errors:  errorCodes{parley.CodeNotFound},
	}, (*Service).removeWebhook)
	ListWebhooks = newOperation(webhookGroup.read, "GET /webhooks", operation{
		Name:    "listWebhooks",
		Summary: "List webhooks",
	}, (*Service).listWebhooks)
	ListDeliveries = newOperation(webhookGroup.read, "GET /deliveries", operation{
		Name:    "listDeliveries",
		Summary: "List deliveries of events, the newest first",
	}, (*Service).listDeliveries)
	Redeliver = newOperation(webhookGroup.write, "POST /deliveries/{deliveryId}/redeliver", operation{
		Name:    "redeliver",
		Summary: "Send a delivery again",
		Errors:  errorCodes{parley.CodeNotFound},
	}, (*Service).redeliver)
)

// The operations on the server as a whole.
var (
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
