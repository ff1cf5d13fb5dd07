package store

import (
	"time"

	"parley"
)

// EventQueries are the statements that readers of the log run all the time, with arguments, for the test of their
// plans.
func EventQueries() map[string][]any {
	return map[string][]any{
		eventsAfterQuery:    {"a1", 1, 15000, 500},
		oldestEventQuery:    {"a1"},
		eventPositionQuery:  {"search", "a1"},
		accountsBehindQuery: {"search", "a", 500},
	}
}

// AnsweredTurnsQuery is what AnsweredTurns asks, for the test of its plan.
func AnsweredTurnsQuery() string { return answeredTurnTable.selectText(answeredTurnsRest) }

// ListQueries are the statements by which members page through the lists of their account, with arguments, for the test
// of their plans.
func ListQueries() map[string][]any {
	queries := map[string][]any{
		accountMemberTable.selectText(accountMemberPage): {"", "a1", 0, "", 21},
		inviteTable.selectText(invitationPage):           {"a1", 0, 0, "", 21},
		auditActorsQuery:                                 {"a1", "a1", 100},
		auditActionsQuery:                                {"a1", "a1", 100},
	}
	for _, where := range []string{keysInForce, keysRevoked} {
		queries[keyTable.selectText(`
			where `+where+` and (created_at, id) < (?, ?)
			order by created_at desc, id desc
			limit ?`)] = []any{"a1", 1000, "", 21}
	}
	for _, f := range []AuditFilter{{}, {Actor: "x"}, {Action: "y"}, {Actor: "x", Action: "y"},
		{Actor: "x", Action: "y", From: time.UnixMilli(1)}} {
		rest, args := auditPage("a1", f, parley.PageRequest{Limit: 20})
		queries[auditTable.selectText(rest)] = args
	}
	return queries
}

// ComputeHash returns the hash that a row of the audit log must have.
func (a *AuditEvent) ComputeHash(account parley.AccountID) string { return a.computeHash(account) }
