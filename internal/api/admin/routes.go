package admin

import (
	"net/http"

	"parley"
)

const (
	accountPath      = "/accounts/{accountId}"
	agentPath        = "/agents/{agentId}"
	conversationPath = "/conversations/{conversationId}"
)

// routes is the one list of what the operator can do.
func routes() []route {
	return []route{
		CreateAccount, UpdateAccount, ListAccounts,
		CreateKey, RevokeKey, ListKeys,
		AddMember, ListMembers, ChangeMember, RemoveMember,
		AddWebhook, RemoveWebhook, ListWebhooks, ListDeliveries, Redeliver,
		GetMaintenance, SetMaintenance, Reindex,
		Apply, ExportAgent, Replay, ListSources, ShowInsights, RebuildInsights,
		ListConversations, MoveConversation, ReplyAsHuman, Trace, CountConversations, DeleteConversations,
		ListVoiceSessions, EndVoiceSession, ReadVoiceRecording, VoiceStats,
		ListStatuses, AddStatus, ChangeStatus, DefaultStatus, ArchiveStatus,
		ListTeams, AddTeam, ChangeTeam, RemoveTeam, JoinTeam, LeaveTeam,
		ListRules, AddRule, RemoveRule, MoveRule, SwitchRule, Route,
		ListCustomers, ListTickets, OpenTicket, ShowTicket, ChangeTicket, WriteTicket,
	}
}

// The operations on accounts.
var (
	CreateAccount = Operation[NewAccount, CreatedAccount]{
		Operation: operation{
			Name:       "createAccount",
			Method:     http.MethodPost,
			Path:       "/accounts",
			Tag:        "Accounts",
			Summary:    "Create an account with its first API key",
			Permission: parley.PermissionAccountsWrite,
			Status:     http.StatusCreated,
		},
		handle:        (*Service).createAccount,
		mayCreateData: true,
	}
	UpdateAccount = Operation[AccountChange, Account]{
		Operation: operation{
			Name:       "updateAccount",
			Method:     http.MethodPatch,
			Path:       accountPath,
			Tag:        "Accounts",
			Summary:    "Change what is sent of an account",
			Permission: parley.PermissionAccountsWrite,
			Errors:     errorCodes{parley.CodeAccountNotFound},
		},
		handle: (*Service).updateAccount,
	}
	ListAccounts = Operation[NoInput, []Account]{
		Operation: operation{
			Name:       "listAccounts",
			Method:     http.MethodGet,
			Path:       "/accounts",
			Tag:        "Accounts",
			Summary:    "List all accounts",
			Permission: parley.PermissionAccountsRead,
		},
		handle: (*Service).listAccounts,
	}
)

// The operations on API keys.
var (
	CreateKey = Operation[NewKey, CreatedKey]{
		Operation: operation{
			Name:       "createKey",
			Method:     http.MethodPost,
			Path:       accountPath + "/keys",
			Tag:        "API keys",
			Summary:    "Create an API key",
			Permission: parley.PermissionKeysWrite,
			Status:     http.StatusCreated,
			Errors:     errorCodes{parley.CodeAccountNotFound},
		},
		handle: (*Service).createKey,
	}
	RevokeKey = Operation[KeyRef, RevokedKey]{
		Operation: operation{
			Name:       "revokeKey",
			Method:     http.MethodDelete,
			Path:       "/keys/{keyId}",
			Tag:        "API keys",
			Summary:    "Revoke an API key",
			Permission: parley.PermissionKeysWrite,
			Errors:     errorCodes{parley.CodeKeyNotFound},
		},
		handle: (*Service).revokeKey,
	}
	ListKeys = Operation[AccountFilter, []Key]{
		Operation: operation{
			Name:       "listKeys",
			Method:     http.MethodGet,
			Path:       "/keys",
			Tag:        "API keys",
			Summary:    "List API keys, without the keys themselves",
			Permission: parley.PermissionKeysRead,
			Errors:     errorCodes{parley.CodeAccountNotFound},
		},
		handle: (*Service).listKeys,
	}
)

// The operations on the members of accounts.
var (
	AddMember = Operation[NewMember, AddedMember]{
		Operation: operation{
			Name:       "addMember",
			Method:     http.MethodPost,
			Path:       accountPath + "/members",
			Tag:        "Members",
			Summary:    "Add a member to an account",
			Permission: parley.PermissionMembersWrite,
			Status:     http.StatusCreated,
			Errors:     errorCodes{parley.CodeAccountNotFound, parley.CodeAlreadyExists},
		},
		handle: (*Service).addMember,
	}
	ListMembers = Operation[AccountFilter, []Member]{
		Operation: operation{
			Name:       "listMembers",
			Method:     http.MethodGet,
			Path:       "/members",
			Tag:        "Members",
			Summary:    "List members",
			Permission: parley.PermissionMembersRead,
			Errors:     errorCodes{parley.CodeAccountNotFound},
		},
		handle: (*Service).listMembers,
	}
	ChangeMember = Operation[MemberChange, Member]{
		Operation: operation{
			Name:       "changeMember",
			Method:     http.MethodPatch,
			Path:       accountPath + "/members",
			Tag:        "Members",
			Summary:    "Give a member another role",
			Permission: parley.PermissionMembersWrite,
			Errors:     errorCodes{parley.CodeMemberNotFound},
		},
		handle: (*Service).changeMember,
	}
	RemoveMember = Operation[MemberRemoval, MemberRemovalResult]{
		Operation: operation{
			Name:       "removeMember",
			Method:     http.MethodDelete,
			Path:       accountPath + "/members",
			Tag:        "Members",
			Summary:    "Remove a member from an account and from its teams",
			Permission: parley.PermissionMembersWrite,
			Errors:     errorCodes{parley.CodeMemberNotFound},
		},
		handle: (*Service).removeMember,
	}
)

// The operations on webhooks and their deliveries.
var (
	AddWebhook = Operation[NewWebhook, CreatedWebhook]{
		Operation: operation{
			Name:       "addWebhook",
			Method:     http.MethodPost,
			Path:       "/webhooks",
			Tag:        "Webhooks",
			Summary:    "Send events to an address",
			Permission: parley.PermissionWebhooksWrite,
			Status:     http.StatusCreated,
			Errors:     errorCodes{parley.CodeAccountNotFound, parley.CodeAgentNotFound},
		},
		handle: (*Service).addWebhook,
	}
	RemoveWebhook = Operation[WebhookRef, RemovedWebhook]{
		Operation: operation{
			Name:       "removeWebhook",
			Method:     http.MethodDelete,
			Path:       "/webhooks/{webhookId}",
			Tag:        "Webhooks",
			Summary:    "Remove a webhook",
			Permission: parley.PermissionWebhooksWrite,
			Errors:     errorCodes{parley.CodeNotFound},
		},
		handle: (*Service).removeWebhook,
	}
	ListWebhooks = Operation[AccountFilter, []Webhook]{
		Operation: operation{
			Name:       "listWebhooks",
			Method:     http.MethodGet,
			Path:       "/webhooks",
			Tag:        "Webhooks",
			Summary:    "List webhooks",
			Permission: parley.PermissionWebhooksRead,
		},
		handle: (*Service).listWebhooks,
	}
	ListDeliveries = Operation[DeliveryQuery, []Delivery]{
		Operation: operation{
			Name:       "listDeliveries",
			Method:     http.MethodGet,
			Path:       "/deliveries",
			Tag:        "Webhooks",
			Summary:    "List deliveries of events, the newest first",
			Permission: parley.PermissionWebhooksRead,
		},
		handle: (*Service).listDeliveries,
	}
	Redeliver = Operation[DeliveryRef, Redelivery]{
		Operation: operation{
			Name:       "redeliver",
			Method:     http.MethodPost,
			Path:       "/deliveries/{deliveryId}/redeliver",
			Tag:        "Webhooks",
			Summary:    "Send a delivery again",
			Permission: parley.PermissionWebhooksWrite,
			Errors:     errorCodes{parley.CodeNotFound},
		},
		handle: (*Service).redeliver,
	}
)

// The operations on the server as a whole.
var (
	GetMaintenance = Operation[NoInput, MaintenanceState]{
		Operation: operation{
			Name:       "getMaintenance",
			Method:     http.MethodGet,
			Path:       "/maintenance",
			Tag:        "Server",
			Summary:    "Is the service under maintenance?",
			Permission: parley.PermissionServerRead,
		},
		handle: (*Service).getMaintenance,
	}
	SetMaintenance = Operation[MaintenanceState, MaintenanceState]{
		Operation: operation{
			Name:       "setMaintenance",
			Method:     http.MethodPut,
			Path:       "/maintenance",
			Tag:        "Server",
			Summary:    "Close the service to requests, or open it again",
			Permission: parley.PermissionServerWrite,
		},
		handle: (*Service).setMaintenance,
	}
	Reindex = Operation[ReindexRequest, ReindexState]{
		Operation: operation{
			Name:       "reindex",
			Method:     http.MethodPost,
			Path:       accountPath + "/reindex",
			Tag:        "Server",
			Summary:    "Take a step of building the search index of an account anew",
			Permission: parley.PermissionServerWrite,
			Errors:     errorCodes{parley.CodeAccountNotFound},
		},
		handle: (*Service).reindex,
	}
)
