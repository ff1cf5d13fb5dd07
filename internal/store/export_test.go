package store

import (
	"fmt"
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

		accountsBehindAmongQuery(2): {"a1", "a2", "search"},
	}
}

// AnsweredTurnsQuery is what AnsweredTurns asks, for the test of its plan.
func AnsweredTurnsQuery() string { return answeredTurnTable.selectText(answeredTurnsRest) }

// DayAndProgressQueries are the statements that count and erase days of voice sessions, and those that store and read
// what is seen of an answer, with arguments, for the test of their plans.
func DayAndProgressQueries() map[string][]any {
	return map[string][]any{
		voiceEndsTable.selectText(voiceEndsRest): {"a", "", 1, 2},
		eraseVoiceDaysQuery:                      {1, 500},
		saveProgressQuery:                        {"{}", "t", "a", "o"},
		progressQuery:                            {"t", "a"},
	}
}

// ListQueries are the statements by which members page through the lists of their account, and the one that finds what
// a delivery waits for, with arguments, for the test of their plans.
func ListQueries() map[string][]any {
	queries := map[string][]any{
		accountMemberTable.selectText(accountMemberPage): {"", "a1", 0, "", 21},
		inviteTable.selectText(invitationPage):           {"a1", 0, 0, "", 21},
		auditActorsQuery:                                 {"a1", "a1", 100},
		auditActionsQuery:                                {"a1", "a1", 100},
		latestPendingDelivery:                            {"c1", "h1", "a1"},
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

// OpenTicketQueries are the statements that read what is first in lists of open tickets, those of an agent and those of
// a category of all agents: anybody's, a member's, and those that nobody has.
func OpenTicketQueries(ref parley.AgentRef, member parley.UserID) map[string][]any {
	queries, ask := map[string][]any{}, parley.PageRequest{Limit: 20}
	add := func(rest string, args []any) { queries[ticketTable.selectText(rest)] = args }
	addLists := func(f TicketFilter) {
		for _, f.Sort = range []TicketSort{SortByCreated, SortByUpdated, SortByLastMessage} {
			add(f.rowsWithSortValue(ref, ask))
		}
		add(f.rowsWithoutMessages(ref, ask, ask.Limit))
	}
	for _, assignee := range []*parley.UserID{nil, &member, new(parley.UserID)} {
		addLists(TicketFilter{Assignee: assignee, Categories: []parley.StatusCategory{parley.TicketNew,
			parley.TicketOnYou, parley.TicketOnCustomer, parley.TicketOnHold}})
		addLists(TicketFilter{Assignee: assignee, Categories: []parley.StatusCategory{parley.TicketNew}, ofAccount: true})
	}
	return queries
}

// OverdueTicketQueries are the statements that read what is overdue at a time: of an agent, of a category of all
// agents, anybody's and a member's, and what is to be recorded as missed.
func OverdueTicketQueries(ref parley.AgentRef, member parley.UserID, at time.Time) map[string][]any {
	queries, ask := map[string][]any{breachedTicketsQuery: {millis(at), 20}}, parley.PageRequest{Limit: 20}
	for _, assignee := range []*parley.UserID{nil, &member, new(parley.UserID)} {
		for _, f := range []TicketFilter{
			{},
			{ofAccount: true, Categories: []parley.StatusCategory{parley.TicketNew}},
		} {
			f.Assignee, f.OverdueAt = assignee, &at
			rest, args := f.withOrder().rowsWithSortValue(ref, ask)
			queries[ticketTable.selectText(rest)] = args
		}
	}
	return queries
}

// CustomersQuery is the statement that finds people by the beginning of a column.
func (db *DB) CustomersQuery(ref parley.AgentRef, column, text string) (query string, args []any) {
	return db.customersQuery(ref, column, text, 10)
}

// ConversationsOfPersonQuery is the statement that lists the conversations of a person.
func ConversationsOfPersonQuery(ref parley.AgentRef, id parley.PersonID) (query string, args []any) {
	query, args = conversationsOfPerson(ref, id, 5)
	return conversationTable.selectText(query), args
}

// InboxQueries are the statements that read what is first in the lists of an inbox, by what each of them reads: of all
// agents, and of one; and how far the member has read two conversations.
func InboxQueries(ref parley.AgentRef, member parley.UserID) map[string]InboxQuery {
	queries := map[string]InboxQuery{"marks": {readMarkTable.selectText(readMarksWhere + placeholders(2)),
		[]any{member, ref.Account, "c1", "c2"}}}
	for _, view := range []InboxView{InboxWaiting, InboxMine, InboxUnassigned, InboxUnread, InboxSnoozed, InboxLive,
		InboxEnded, InboxAll} {
		for _, agent := range []parley.AgentID{"", ref.Agent} {
			for _, isLongest := range []bool{false, true} {
				f := InboxFilter{View: view, Member: member, Agent: agent, LongestFirst: isLongest}
				for _, part := range f.parts() {
					from := conversationTable.selectText
					if part.View == inboxMarked {
						from = markedTable.selectText
					}
					rest, args := part.pageQuery(ref.Account, parley.PageRequest{Limit: 20})
					name := fmt.Sprintf("%s of %q, longest %v", part.View, agent, part.LongestFirst)
					queries[name] = InboxQuery{from(rest), args}
				}
			}
		}
	}
	return queries
}

// InboxQuery is a statement with its arguments.
type InboxQuery struct {
	Text string
	Args []any
}

// ComputeHash returns the hash that a row of the audit log must have.
func (a *AuditEvent) ComputeHash(account parley.AccountID) string { return a.computeHash(account) }
