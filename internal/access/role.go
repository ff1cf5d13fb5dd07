package access

import (
	"maps"
	"slices"

	"parley"
)

// rolePermissions is the one table of what the members of an account may do. A permission that is not in it is the
// operator's alone.
var rolePermissions = map[parley.Permission]roleSet{
	parley.PermissionAccountsRead:        everyRole,
	parley.PermissionAgentsRead:          everyRole,
	parley.PermissionSourcesRead:         everyRole,
	parley.PermissionInsightsRead:        everyRole,
	parley.PermissionHelpdeskRead:        everyRole,
	parley.PermissionConversationsRead:   everyRole, // a viewer without personal data
	parley.PermissionTicketsRead:         everyRole, // likewise
	parley.PermissionCustomersRead:       everyRole, // likewise
	parley.PermissionVoiceRead:           everyRole,
	parley.PermissionRecordingsRead:      supportAndAbove,
	parley.PermissionConversationsWrite:  supportAndAbove,
	parley.PermissionTicketsWrite:        supportAndAbove,
	parley.PermissionVoiceWrite:          supportAndAbove,
	parley.PermissionAnswersImprove:      supportAndAbove,
	parley.PermissionPlaygroundUse:       supportAndAbove,
	parley.PermissionAgentsWrite:         adminAndOwner,
	parley.PermissionSourcesWrite:        adminAndOwner,
	parley.PermissionInsightsWrite:       adminAndOwner,
	parley.PermissionHelpdeskWrite:       adminAndOwner,
	parley.PermissionModelsRead:          adminAndOwner,
	parley.PermissionModelsWrite:         adminAndOwner,
	parley.PermissionStateRead:           adminAndOwner,
	parley.PermissionWebhooksRead:        adminAndOwner,
	parley.PermissionWebhooksWrite:       adminAndOwner,
	parley.PermissionAgentsDelete:        adminAndOwner,
	parley.PermissionConversationsDelete: adminAndOwner,
	parley.PermissionKeysRead:            adminAndOwner,
	parley.PermissionKeysWrite:           adminAndOwner,
	parley.PermissionAuditRead:           adminAndOwner,
	parley.PermissionMembersRead:         adminAndOwner,
	parley.PermissionMembersWrite:        adminAndOwner,
	parley.PermissionOwnersManage:        ownerAlone,
	parley.PermissionAccountsWrite:       ownerAlone,
}

type roleSet []parley.Role

var (
	ownerAlone      = roleSet{parley.RoleOwner}
	adminAndOwner   = roleSet{parley.RoleOwner, parley.RoleAdmin}
	supportAndAbove = roleSet{parley.RoleOwner, parley.RoleAdmin, parley.RoleAgent}
	everyRole       = roleSet{parley.RoleOwner, parley.RoleAdmin, parley.RoleAgent, parley.RoleViewer}
)

// May reports whether a member with the role has the permission. An unknown role has none.
func May(role parley.Role, p parley.Permission) bool {
	return slices.Contains(rolePermissions[p], role)
}

// Permissions lists what a member with the role may do, in alphabetical order.
func Permissions(role parley.Role) (list []parley.Permission) {
	for _, p := range slices.Sorted(maps.Keys(rolePermissions)) {
		if May(role, p) {
			list = append(list, p)
		}
	}
	return list
}

// SeesPersonalData reports whether a member is shown the personal data of customers. Viewers are where their account
// wants it so.
func SeesPersonalData(m parley.Member) bool {
	return slices.Contains(supportAndAbove, m.Role) || m.ViewersSeePersonalData && m.Role == parley.RoleViewer
}

// roleScopes is what a member may do through REST v2, whose operations name the scope of a key.
var roleScopes = map[parley.Role][]parley.Scope{
	parley.RoleOwner: parley.Scopes(),
	parley.RoleAdmin: parley.Scopes(),
	parley.RoleAgent: {parley.AgentsRead, parley.SourcesRead, parley.ChatlogsWrite, parley.ChatlogsExport,
		parley.TicketsRead, parley.TicketsWrite},
	parley.RoleViewer: {parley.AgentsRead, parley.SourcesRead, parley.ChatlogsExport, parley.TicketsRead},
}

// Scopes lists the scopes of REST v2 that a member with the role has. It is empty, never nil, for an unknown role: a
// key without a list has all scopes.
func Scopes(role parley.Role) []parley.Scope { return append([]parley.Scope{}, roleScopes[role]...) }

// checkOwnerChange fails with AUTH_INSUFFICIENT_PERMISSIONS where owners are not to be made, changed or removed and one
// of the roles is that of an owner.
func (ac *Accounts) checkOwnerChange(roles ...parley.Role) error {
	if ac.KeepOwners && slices.Contains(roles, parley.RoleOwner) {
		return parley.NewErrorf(parley.CodeInsufficientScope, "Only an owner may make, change or remove owners.")
	}
	return nil
}
