package helpdesk

import (
	"fmt"
	"slices"
	"testing"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/testkit/check"
	"parley/internal/testkit/dbs"
)

func TestNewHelpdeskHasStatusesAndATeam(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		check.Concurrently(8, func(int) {
			if _, err := h.Statuses(h, h.ref()); err != nil {
				h.Error(err)
			}
		})
		list, err := h.Statuses(h, h.ref())
		h.Must(err)
		var got []string
		for _, s := range list {
			got = append(got, fmt.Sprint(s.Category, " ", s.InternalLabel, "/", s.ExternalLabel, " ", s.IsDefault, s.Position))
		}
		want := []string{"new New/New true 0", "on_you Waiting on you/Open true 0",
			"on_customer Waiting on customer/Awaiting your reply true 0", "on_hold On hold/On hold true 0",
			"closed Closed/Closed true 0", "cancelled Cancelled/Cancelled true 0"}
		if !slices.Equal(got, want) {
			h.Error(got)
		}
		teams, err := h.Teams(h, h.ref())
		h.Must(err)
		if len(teams) != 1 || teams[0].Name != "General" || !teams[0].IsDefault ||
			teams[0].Strategy != parley.StrategyRoundRobin || !parley.IsUUID(string(teams[0].ID)) {
			h.Errorf("%+v", teams)
		}
	})
}

// defaults returns the label of each category's default status, which must be the only one.
func (h *testHelpdesk) defaults() map[parley.StatusCategory]string {
	h.Helper()
	list, err := h.AllStatuses(h, h.ref())
	h.Must(err)
	got := map[parley.StatusCategory]string{}
	for _, s := range list {
		if s.IsDefault && (got[s.Category] != "" || s.ArchivedAt != nil) {
			h.Errorf("%s: a second default, or one that is archived: %s", s.Category, s.InternalLabel)
		}
		if s.IsDefault {
			got[s.Category] = s.InternalLabel
		}
	}
	if len(got) != 6 {
		h.Error("categories without a default:", got)
	}
	return got
}

func TestEachCategoryKeepsOneDefault(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		first := h.mustOpen(newTicketRequest(1))
		old, err := h.DB.Status(h, h.ref(), first.StatusID)
		h.Must(err)
		_, err = h.ArchiveStatus(h, h.ref(), old.ID, "operator")
		h.WantCode(err, parley.CodeInvalidBody)
		_, err = h.ChangeStatus(h, h.ref(), old.ID, "operator", func(s *parley.TicketStatus) { s.IsDefault = false })
		h.WantCode(err, parley.CodeInvalidBody)
		triage, err := h.AddStatus(h, h.ref(),
			parley.TicketStatus{Category: parley.TicketNew, InternalLabel: "Triage", Color: "#1F6FEB"}, "operator")
		h.Must(err)
		if triage.ExternalLabel != "Triage" || triage.Position != 1 || h.defaults()[parley.TicketNew] != "New" {
			h.Errorf("%+v %v", triage, h.defaults())
		}
		errs := make([]error, 16)
		check.Concurrently(16, func(i int) {
			id := old.ID
			if i%2 == 0 {
				id = triage.ID
			}
			_, errs[i] = h.MakeDefault(h, h.ref(), id, "operator")
		})
		for _, err := range errs {
			h.Must(err)
		}
		h.defaults()
		_, err = h.MakeDefault(h, h.ref(), triage.ID, "operator")
		h.Must(err)
		// it has a ticket
		_, err = h.ArchiveStatus(h, h.ref(), old.ID, "operator")
		h.Must(err)
		if got := h.defaults()[parley.TicketNew]; got != "Triage" {
			h.Error(got)
		}
		list, err := h.Statuses(h, h.ref())
		h.Must(err)
		if slices.ContainsFunc(list, func(s parley.TicketStatus) bool { return s.ID == old.ID }) || len(list) != 6 {
			h.Errorf("%+v", list)
		}
		stored, err := h.DB.Ticket(h, h.ref(), 1)
		h.Must(err)
		if stored.StatusID != old.ID {
			h.Error("the ticket lost its status")
		}
		again := newTicketRequest(2)
		again.StatusID = old.ID
		_, err = h.Open(h, h.ref(), again)
		h.WantCode(err, parley.CodeTicketStatus)
		if got := h.mustOpen(newTicketRequest(2)); got.StatusID != triage.ID {
			h.Errorf("%+v", got)
		}
		_, err = h.ChangeStatus(h, h.ref(), triage.ID, "operator",
			func(s *parley.TicketStatus) { s.Category = parley.TicketClosed })
		h.WantCode(err, parley.CodeInvalidBody)
		_, err = h.ChangeStatus(h, h.ref(), triage.ID, "operator", func(s *parley.TicketStatus) { s.Color = "blue" })
		h.WantCode(err, parley.CodeInvalidBody)
		_, err = h.MakeDefault(h, h.Account.AgentRef(h.addAgent(h.Account)), triage.ID, "operator")
		h.WantCode(err, parley.CodeTicketStatus)
		if n := dbs.CountRows(h.TB, h.DB.SQL(),
			`select count(*) from audit_events where account_id = ? and action like 'status.%'`,
			h.Account); n != 19 {
			h.Errorf("%d acts in the audit chain", n)
		}
	})
}

// No two statuses of a category that are in use have the same internal label.
func TestLabelsAreDistinct(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		add := func(category parley.StatusCategory, label string) (*parley.TicketStatus, error) {
			return h.AddStatus(h, h.ref(), parley.TicketStatus{Category: category, InternalLabel: label}, "operator")
		}
		refused := func(err error) {
			h.Helper()
			h.WantCode(err, parley.CodeInvalidBody)
			if parley.AsError(err).Details["internalLabel"] == "" {
				h.Error(parley.AsError(err).Details)
			}
		}
		parts, err := add(parley.TicketOnHold, "Parts")
		h.Must(err)
		_, err = add(parley.TicketOnHold, "pARTS")
		refused(err)
		_, err = add(parley.TicketOnHold, "on hold")
		refused(err)
		_, err = add(parley.TicketClosed, "Parts")
		h.Must(err)
		label := func(id parley.StatusID, text string) error {
			_, err := h.ChangeStatus(h, h.ref(), id, "operator",
				func(s *parley.TicketStatus) { s.InternalLabel = text })
			return err
		}
		refused(label(parts.ID, "ON HOLD"))
		h.Must(label(parts.ID, "PARTS"))
		_, err = h.ArchiveStatus(h, h.ref(), parts.ID, "operator")
		h.Must(err)
		_, err = add(parley.TicketOnHold, "Parts")
		h.Must(err)
		// which would restore it from the archive
		_, err = h.MakeDefault(h, h.ref(), parts.ID, "operator")
		refused(err)
		if got := h.defaults()[parley.TicketOnHold]; got != "On hold" {
			h.Error(got)
		}
	})
}

func TestTeams(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		users := h.addTeamMembers(parley.StrategyRoundRobin, 1)
		general := h.generalTeam()
		_, err := h.AddTeam(h, h.ref(), parley.Team{Name: "GENERAL"}, "operator")
		h.WantCode(err, parley.CodeInvalidBody)
		billing, err := h.AddTeam(h, h.ref(), parley.Team{Name: "Billing"}, "operator")
		h.Must(err)
		h.Must(h.putRules([]parley.Rule{{Key: "money", Name: "Money", Enabled: true, TeamID: billing.ID,
			Any: []parley.Condition{{Field: "subject", Op: "contains", Values: []string{"invoice", "refund"}}}}}))
		h.WantCode(h.JoinTeam(h, h.ref(), billing.ID,
			parley.TeamMember{User: parley.User{ID: h.addMember(h.addAccount("Other"), "them")}}, "operator"),
			parley.CodeTicketMember)
		h.WantCode(h.JoinTeam(h, h.ref(), "none",
			parley.TeamMember{User: parley.User{ID: users[0]}}, "operator"), parley.CodeTicketTeam)
		h.Must(h.JoinTeam(h, h.ref(), billing.ID, parley.TeamMember{User: parley.User{ID: users[0]}}, "operator"))
		in := newTicketRequest(1)
		in.Subject = "My REFUND"
		if got := h.mustOpen(in); got.TeamID != billing.ID || got.AssigneeID != users[0] {
			h.Errorf("%+v", got)
		}
		h.WantCode(h.RemoveTeam(h, h.ref(), general.ID, "operator"), parley.CodeInvalidBody)
		h.Must(h.RemoveTeam(h, h.ref(), billing.ID, "operator"))
		h.WantCode(h.RemoveTeam(h, h.ref(), billing.ID, "operator"), parley.CodeTicketTeam)
		moved, err := h.DB.Ticket(h, h.ref(), 1)
		h.Must(err)
		rules, err := h.Rules(h, h.ref())
		h.Must(err)
		if moved.TeamID != general.ID || moved.AssigneeID != users[0] || len(rules) != 1 || rules[0].TeamID != general.ID {
			h.Errorf("%+v %+v", moved, rules)
		}
		lead, err := h.AddTeam(h, h.ref(),
			parley.Team{Name: "Lead", IsDefault: true, Strategy: parley.StrategyManual}, "operator")
		h.Must(err)
		if now := h.generalTeam(); now.ID != lead.ID ||
			dbs.CountRows(h.TB, h.DB.SQL(), `select count(*) from teams where is_default = 1`) != 1 {
			h.Errorf("%+v", now)
		}
		h.Must(h.LeaveTeam(h, h.ref(), general.ID, users[0], "operator"))
		h.WantCode(h.LeaveTeam(h, h.ref(), general.ID, users[0], "operator"), parley.CodeTicketMember)
	})
}

// A duplicate name or key is a fault of the field, also in a transaction of the caller.
func TestDuplicateNamesAreFaults(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		h.generalTeam()
		fails := func(field string, put func(tx *store.DB) error) {
			h.Helper()
			err := h.DB.Transact(h, sqldb.Interactive, put)
			h.WantCode(err, parley.CodeInvalidBody)
			if e := parley.AsError(err); e.Details[field] == "" {
				h.Errorf("%+v", e)
			}
		}
		fails("name", func(tx *store.DB) error {
			return h.PutTeamTx(h, tx, &parley.Team{ID: parley.TeamID(parley.NewUUID()), AccountID: h.Account,
				AgentID: h.Agent, Name: "gENERAL", Strategy: parley.StrategyManual, CreatedAt: noon, UpdatedAt: noon})
		})
		_, err := h.AddStatus(h, h.ref(),
			parley.TicketStatus{Category: parley.TicketOnHold, InternalLabel: "Parts", Key: "parts"}, "operator")
		h.Must(err)
		fails("key", func(tx *store.DB) error {
			return h.PutStatusTx(h, tx,
				&parley.TicketStatus{ID: parley.StatusID(parley.NewUUID()), AccountID: h.Account, AgentID: h.Agent,
					Category: parley.TicketNew, InternalLabel: "P", ExternalLabel: "P", Key: "parts",
					CreatedAt: noon, UpdatedAt: noon})
		})
	})
}

func TestDeletedConversationDeletesItsTicket(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		removed, stored := h.mustOpen(newTicketRequest(1)), h.mustOpen(newTicketRequest(2))
		var deleted []parley.ConversationID
		h.Must(h.DB.Transact(h, sqldb.Bulk, func(tx *store.DB) (err error) {
			deleted, err = tx.DeleteConversations(h, h.ref(),
				[]parley.ConversationID{removed.ConversationID}, nil, noon)
			return err
		}))
		_, err := h.DB.Ticket(h, h.ref(), removed.Number)
		h.WantCode(err, parley.CodeTicketNotFound)
		all, err := h.DB.EraseConversations(h, h.ref())
		h.Must(err)
		if n := dbs.CountRows(h.TB, h.DB.SQL(), `select count(*) from ticket_words where ticket_id = ?`,
			removed.ID); len(deleted) != 1 ||
			!all || n != 0 {
			h.Error(deleted, all, n)
		}
		if n := dbs.CountRows(h.TB, h.DB.SQL(), `select count(*) from ticket_words where ticket_id = ?`, stored.ID); n == 0 {
			h.Error("the other ticket lost its words")
		}
		if next := h.mustOpen(newTicketRequest(3)); next.Number != 3 {
			h.Error("a number is given twice:", next.Number)
		}
	})
}

func TestErasedAgentLeavesNoHelpdesk(t *testing.T) {
	forEachDatabase(t, func(h *testHelpdesk) {
		h.addTeamMembers(parley.StrategyRoundRobin, 2)
		h.openMany(6)
		other := h.addAgent(h.Account)
		_, err := h.Open(h, h.Account.AgentRef(other), newTicketRequest(1))
		h.Must(err)
		h.Must(h.DB.DeleteAgent(h, h.ref(), noon))
		removed, err := h.DB.EraseAgent(h, h.ref())
		h.Must(err)
		for _, table := range []string{"helpdesks", "ticket_statuses", "teams", "team_members", "tickets",
			"ticket_words", "people", "conversations", "messages"} {
			if n := dbs.CountRows(h.TB, h.DB.SQL(), `select count(*) from `+table+` where agent_id = ?`,
				h.Agent); n != 0 || !removed {
				h.Errorf("%d rows in %s", n, table)
			}
		}
		if _, err := h.DB.Ticket(h, h.Account.AgentRef(other), 1); err != nil {
			h.Error(err)
		}
	})
}
