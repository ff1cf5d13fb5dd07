package parley

// Permission is something that a member of an account may be allowed to do. An API key has scopes in its place.
type Permission string

// The permissions.
const (
	PermissionAccountsRead       Permission = "accounts:read"
	PermissionAccountsWrite      Permission = "accounts:write"
	PermissionKeysRead           Permission = "keys:read"
	PermissionKeysWrite          Permission = "keys:write"
	PermissionMembersRead        Permission = "members:read"
	PermissionMembersWrite       Permission = "members:write"
	PermissionWebhooksRead       Permission = "webhooks:read"
	PermissionWebhooksWrite      Permission = "webhooks:write"
	PermissionAgentsRead         Permission = "agents:read"
	PermissionAgentsWrite        Permission = "agents:write"
	PermissionSourcesRead        Permission = "sources:read"
	PermissionConversationsRead  Permission = "conversations:read"
	PermissionConversationsWrite Permission = "conversations:write"
	PermissionInsightsRead       Permission = "insights:read"
	PermissionInsightsWrite      Permission = "insights:write"
	PermissionVoiceRead          Permission = "voice:read"
	PermissionVoiceWrite         Permission = "voice:write"
	PermissionHelpdeskRead       Permission = "helpdesk:read"
	PermissionHelpdeskWrite      Permission = "helpdesk:write" // statuses, teams and rules
	PermissionTicketsRead        Permission = "tickets:read"
	PermissionTicketsWrite       Permission = "tickets:write"
	PermissionCustomersRead      Permission = "customers:read"
	PermissionServerRead         Permission = "server:read"
	PermissionServerWrite        Permission = "server:write" // maintenance, and the index of searches
)
