package helpdesk

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

func TestWhatAHelpdeskBeginsWith(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		runConcurrently(8, func(int) {
			if _, err := w.Statuses(w, w.ref()); err != nil {
				w.Error(err)
			}
		})
		list, err := w.Statuses(w, w.ref())
		w.must(err)
		var got []string
		for _, s := range list {
			got = append(got, fmt.Sprint(s.Category, " ", s.InternalLabel, "/", s.ExternalLabel, " ", s.IsDefault, s.Position))
		}
		want := []string{"new New/New true 0", "on_you Waiting on you/Open true 0",
			"on_customer Waiting on customer/Awaiting your reply true 0", "on_hold On hold/On hold true 0",
			"closed Closed/Closed true 0", "cancelled Cancelled/Cancelled true 0"}
		if !slices.Equal(got, want) {
			w.Error(got)
		}
		teams, err := w.Teams(w, w.ref())
		w.must(err)
		if len(teams) != 1 || teams[0].Name != "General" || !teams[0].IsDefault ||
			teams[0].Strategy != parley.StrategyRoundRobin || !parley.IsUUID(string(teams[0].ID)) {
			w.Errorf("%+v", teams)
		}
	})
}

// defaults returns the label of each category's default, which must be the only one.
func (w *testHelpdesk) defaults() map[parley.StatusCategory]string {
	w.Helper()
	list, err := w.AllStatuses(w, w.ref())
	w.must(err)
	got := map[parley.StatusCategory]string{}
	for _, s := range list {
		if s.IsDefault && (got[s.Category] != "" || s.ArchivedAt != nil) {
			w.Errorf("%s: a second default, or one that is archived: %s", s.Category, s.InternalLabel)
		}
		if s.IsDefault {
			got[s.Category] = s.InternalLabel
		}
	}
	if len(got) != 6 {
		w.Error("categories without a default:", got)
	}
	return got
}

func TestEachCategoryKeepsOneDefault(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		first := w.mustOpen(newTicketRequest(1))
		old, err := w.DB.Status(w, w.ref(), first.StatusID)
		w.must(err)
		_, err = w.ArchiveStatus(w, w.ref(), old.ID, "operator")
		w.wantCode(err, parley.CodeInvalidBody)
		_, err = w.ChangeStatus(w, w.ref(), old.ID, "operator", func(s *parley.TicketStatus) { s.IsDefault = false })
		w.wantCode(err, parley.CodeInvalidBody)
		triage, err := w.AddStatus(w, w.ref(),
			parley.TicketStatus{Category: parley.TicketNew, InternalLabel: "Triage", Color: "#1F6FEB"}, "operator")
		w.must(err)
		if triage.ExternalLabel != "Triage" || triage.Position != 1 || w.defaults()[parley.TicketNew] != "New" {
			w.Errorf("%+v %v", triage, w.defaults())
		}
		errs := make([]error, 16)
		runConcurrently(16, func(i int) {
			id := old.ID
			if i%2 == 0 {
				id = triage.ID
			}
			_, errs[i] = w.MakeDefault(w, w.ref(), id, "operator")
		})
		for _, err := range errs {
			w.must(err)
		}
		w.defaults()
		_, err = w.MakeDefault(w, w.ref(), triage.ID, "operator")
		w.must(err)
		// it has a ticket
		_, err = w.ArchiveStatus(w, w.ref(), old.ID, "operator")
		w.must(err)
		if got := w.defaults()[parley.TicketNew]; got != "Triage" {
			w.Error(got)
		}
		list, err := w.Statuses(w, w.ref())
		w.must(err)
		if slices.ContainsFunc(list, func(s parley.TicketStatus) bool { return s.ID == old.ID }) || len(list) != 6 {
			w.Errorf("%+v", list)
		}
		stored, err := w.DB.Ticket(w, w.ref(), 1)
		w.must(err)
		if stored.StatusID != old.ID {
			w.Error("the ticket lost its status")
		}
		again := newTicketRequest(2)
		again.StatusID = old.ID
		_, err = w.Open(w, w.ref(), again)
		w.wantCode(err, parley.CodeTicketStatus)
		if got := w.mustOpen(newTicketRequest(2)); got.StatusID != triage.ID {
			w.Errorf("%+v", got)
		}
		_, err = w.ChangeStatus(w, w.ref(), triage.ID, "operator",
			func(s *parley.TicketStatus) { s.Category = parley.TicketClosed })
		w.wantCode(err, parley.CodeInvalidBody)
		_, err = w.ChangeStatus(w, w.ref(), triage.ID, "operator", func(s *parley.TicketStatus) { s.Color = "blue" })
		w.wantCode(err, parley.CodeInvalidBody)
		_, err = w.MakeDefault(w, w.Account.AgentRef(w.addAgent(w.Account)), triage.ID, "operator")
		w.wantCode(err, parley.CodeTicketStatus)
		if n := w.countRows(`select count(*) from audit_events where account_id = ? and action like 'status.%'`,
			w.Account); n != 19 {
			w.Errorf("%d acts in the audit chain", n)
		}
	})
}

// TestLabelsAreDistinct holds that no two statuses of a category that are in use have the same internal label.
func TestLabelsAreDistinct(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		add := func(category parley.StatusCategory, label string) (*parley.TicketStatus, error) {
			return w.AddStatus(w, w.ref(), parley.TicketStatus{Category: category, InternalLabel: label}, "operator")
		}
		refused := func(err error) {
			w.Helper()
			w.wantCode(err, parley.CodeInvalidBody)
			if parley.AsError(err).Details["internalLabel"] == "" {
				w.Error(parley.AsError(err).Details)
			}
		}
		parts, err := add(parley.TicketOnHold, "Parts")
		w.must(err)
		_, err = add(parley.TicketOnHold, "pARTS")
		refused(err)
		_, err = add(parley.TicketOnHold, "on hold")
		refused(err)
		_, err = add(parley.TicketClosed, "Parts")
		w.must(err)
		label := func(id parley.StatusID, text string) error {
			_, err := w.ChangeStatus(w, w.ref(), id, "operator",
				func(s *parley.TicketStatus) { s.InternalLabel = text })
			return err
		}
		refused(label(parts.ID, "ON HOLD"))
		w.must(label(parts.ID, "PARTS"))
		_, err = w.ArchiveStatus(w, w.ref(), parts.ID, "operator")
		w.must(err)
		_, err = add(parley.TicketOnHold, "Parts")
		w.must(err)
		// which would take it out of the archive
		_, err = w.MakeDefault(w, w.ref(), parts.ID, "operator")
		refused(err)
		if got := w.defaults()[parley.TicketOnHold]; got != "On hold" {
			w.Error(got)
		}
	})
}

func TestTeams(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		users := w.addTeamMembers(parley.StrategyRoundRobin, 1)
		general := w.generalTeam()
		_, err := w.AddTeam(w, w.ref(), parley.Team{Name: "GENERAL"}, "operator")
		w.wantCode(err, parley.CodeInvalidBody)
		billing, err := w.AddTeam(w, w.ref(), parley.Team{Name: "Billing"}, "operator")
		w.must(err)
		w.must(w.putRules([]parley.Rule{{Key: "money", Name: "Money", Enabled: true, TeamID: billing.ID,
			Any: []parley.Condition{{Field: "subject", Op: "contains", Values: []string{"invoice", "refund"}}}}}))
		w.wantCode(w.JoinTeam(w, w.ref(), billing.ID,
			parley.TeamMember{User: parley.User{ID: w.addMember(w.addAccount("Other"), "them")}}, "operator"),
			parley.CodeTicketMember)
		w.wantCode(w.JoinTeam(w, w.ref(), "none",
			parley.TeamMember{User: parley.User{ID: users[0]}}, "operator"), parley.CodeTicketTeam)
		w.must(w.JoinTeam(w, w.ref(), billing.ID, parley.TeamMember{User: parley.User{ID: users[0]}}, "operator"))
		in := newTicketRequest(1)
		in.Subject = "My REFUND"
		if got := w.mustOpen(in); got.TeamID != billing.ID || got.AssigneeID != users[0] {
			w.Errorf("%+v", got)
		}
		w.wantCode(w.RemoveTeam(w, w.ref(), general.ID, "operator"), parley.CodeInvalidBody)
		w.must(w.RemoveTeam(w, w.ref(), billing.ID, "operator"))
		w.wantCode(w.RemoveTeam(w, w.ref(), billing.ID, "operator"), parley.CodeTicketTeam)
		moved, err := w.DB.Ticket(w, w.ref(), 1)
		w.must(err)
		rules, err := w.Rules(w, w.ref())
		w.must(err)
		if moved.TeamID != general.ID || moved.AssigneeID != users[0] || len(rules) != 1 || rules[0].TeamID != general.ID {
			w.Errorf("%+v %+v", moved, rules)
		}
		lead, err := w.AddTeam(w, w.ref(),
			parley.Team{Name: "Lead", IsDefault: true, Strategy: parley.StrategyManual}, "operator")
		w.must(err)
		if now := w.generalTeam(); now.ID != lead.ID || w.countRows(`select count(*) from teams where is_default = 1`) != 1 {
			w.Errorf("%+v", now)
		}
		w.must(w.LeaveTeam(w, w.ref(), general.ID, users[0], "operator"))
		w.wantCode(w.LeaveTeam(w, w.ref(), general.ID, users[0], "operator"), parley.CodeTicketMember)
	})
}

// TestTakenNames holds that a name or a key which is taken is a fault of the field, also in a transaction of others.
func TestTakenNames(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		w.generalTeam()
		fails := func(field string, put func(tx *store.DB) error) {
			w.Helper()
			err := w.DB.Transact(w, sqldb.Interactive, put)
			w.wantCode(err, parley.CodeInvalidBody)
			if e := parley.AsError(err); e.Details[field] == "" {
				w.Errorf("%+v", e)
			}
		}
		fails("name", func(tx *store.DB) error {
			return w.PutTeamTx(w, tx, &parley.Team{ID: parley.TeamID(parley.NewUUID()), AccountID: w.Account,
				AgentID: w.Agent, Name: "gENERAL", Strategy: parley.StrategyManual, CreatedAt: noon, UpdatedAt: noon})
		})
		_, err := w.AddStatus(w, w.ref(),
			parley.TicketStatus{Category: parley.TicketOnHold, InternalLabel: "Parts", Key: "parts"}, "operator")
		w.must(err)
		fails("key", func(tx *store.DB) error {
			return w.PutStatusTx(w, tx,
				&parley.TicketStatus{ID: parley.StatusID(parley.NewUUID()), AccountID: w.Account, AgentID: w.Agent,
					Category: parley.TicketNew, InternalLabel: "P", ExternalLabel: "P", Key: "parts",
					CreatedAt: noon, UpdatedAt: noon})
		})
	})
}

func TestRules(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		user, team := w.addMember(w.Account, "ann"), w.generalTeam()
		rule := func(key string) parley.Rule {
			return parley.Rule{Key: key, Name: "Rule " + key, Enabled: true, TeamID: team.ID,
				All: []parley.Condition{{Field: "email", Op: "ends_with", Values: []string{"." + key}}}}
		}
		put := func(list ...parley.Rule) string {
			w.must(w.putRules(list))
			rules, err := w.Rules(w, w.ref())
			w.must(err)
			var keys []string
			for i, r := range rules {
				if r.Position != i {
					w.Errorf("%+v", r)
				}
				keys = append(keys, r.Key)
			}
			return strings.Join(keys, " ")
		}
		if got := put(rule("a"), rule("b"), rule("c")); got != "a b c" {
			w.Error(got)
		}
		before, err := w.Rules(w, w.ref())
		w.must(err)
		if got := put(rule("c"), rule("a")); got != "c a" {
			w.Error(got)
		}
		after, err := w.Rules(w, w.ref())
		w.must(err)
		if after[1].ID != before[0].ID || !after[1].CreatedAt.Equal(before[0].CreatedAt) {
			w.Error("a rule that moves becomes another one")
		}
		bad := rule("d")
		bad.All[0].Op, bad.TeamID = "like", ""
		err = w.putRules([]parley.Rule{rule("a"), bad})
		if e := parley.AsError(err); e.Details["1.all.0.op"] == "" || e.Details["1.team"] == "" || len(e.Details) != 2 {
			w.Error(err, e.Details)
		}
		for code, change := range map[parley.Code]func(*parley.Rule){
			parley.CodeTicketTeam:   func(r *parley.Rule) { r.TeamID = "none" },
			parley.CodeTicketMember: func(r *parley.Rule) { r.MemberID = "none" },
			parley.CodeInvalidBody: func(r *parley.Rule) {
				r.All[0] = parley.Condition{Field: "priority", Op: "is", Values: []string{"huge"}}
			},
		} {
			wrong := rule("x")
			change(&wrong)
			w.wantCode(w.putRules([]parley.Rule{wrong}), code)
		}
		w.wantCode(w.putRules([]parley.Rule{rule("a"), rule("a")}), parley.CodeInvalidBody)
		leaver := rule("ann")
		leaver.MemberID = user
		if got := put(leaver); got != "ann" {
			w.Error(got)
		}
		_, err = w.DB.SQL().Exec(w, `delete from memberships where user_id = ?`, user)
		w.must(err)
		in := newTicketRequest(1)
		in.Email = "a@b.ann"
		if got := w.mustOpen(in); got.TeamID != team.ID || got.AssigneeID != "" {
			w.Errorf("%+v", got)
		}
		leaver.Enabled = false
		if got := put(leaver, parley.Rule{Name: "No key", TeamID: team.ID}); !strings.HasPrefix(got, "ann ") {
			w.Error("somebody who has left keeps the rules from being changed:", got)
		}
	})
}

func TestExplain(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		users := w.addTeamMembers(parley.StrategyRoundRobin, 3)
		team := w.generalTeam()
		w.must(w.JoinTeam(w, w.ref(), team.ID,
			parley.TeamMember{User: parley.User{ID: users[0]}, IsAway: true}, "operator"))
		w.must(w.putRules([]parley.Rule{
			{Key: "off", Name: "Off", TeamID: team.ID},
			{Key: "vip", Name: "VIP", Enabled: true, MemberID: users[2],
				All: []parley.Condition{{Field: "domain", Op: "is", Values: []string{"vip.example"}}}},
			{Key: "urgent", Name: "Urgent", Enabled: true, TeamID: team.ID,
				All: []parley.Condition{{Field: "priority", Op: "is", Values: []string{"urgent"}}},
				Any: []parley.Condition{{Field: "subject", Op: "contains", Values: []string{"down"}},
					{Field: "body", Op: "contains", Values: []string{"down"}}}},
		}))
		e, err := w.Explain(w, w.ref(),
			RoutingInput{Subject: "All is down", Body: "help", Email: "a@b.example", Priority: "urgent"})
		w.must(err)
		if e.FiredRule == nil || e.FiredRule.Key != "urgent" || e.Team.ID != team.ID || e.IsDefaultTeam ||
			e.Assignee.ID != users[1] || !strings.Contains(e.Summary, "Urgent fired") {
			w.Errorf("%+v", e)
		}
		if off, vip, urgent := e.Rules[0], e.Rules[1], e.Rules[2]; off.WasReached || !off.Matches || !vip.WasReached ||
			vip.Matches || vip.All[0].Matches || vip.All[0].Text != "b.example" ||
			!urgent.HasFired || !urgent.All[0].Matches || !urgent.Any[0].Matches || urgent.Any[1].Matches {
			w.Errorf("%+v", e.Rules)
		}
		if c := e.Candidates; len(c) != 3 || c[0].Reason != "is away" || !c[1].IsPicked || c[2].IsPicked ||
			c[2].Reason != "it is somebody else's turn" {
			w.Errorf("%+v", c)
		}
		e, err = w.Explain(w, w.ref(), RoutingInput{Email: "a@vip.example", Priority: "urgent", Subject: "down"})
		w.must(err)
		if e.FiredRule.Key != "vip" || e.Team != nil || e.Assignee.ID != users[2] || e.Candidates != nil ||
			e.Rules[2].WasReached || !e.Rules[2].Matches {
			w.Errorf("%+v", e)
		}
		e, err = w.Explain(w, w.ref(), RoutingInput{Email: "a@b.example"})
		w.must(err)
		if e.FiredRule != nil || !e.IsDefaultTeam || e.Assignee.ID != users[1] {
			w.Errorf("%+v", e)
		}
		if w.countRows(`select count(*) from tickets`) != 0 || w.countRows(`select count(*) from people`) != 0 {
			w.Error("an explanation has written something")
		}
		// What it says is what happens.
		in := newTicketRequest(1)
		in.Priority, in.Subject = "urgent", "All is down"
		if got := w.mustOpen(in); got.AssigneeID != users[1] || got.TeamID != team.ID {
			w.Errorf("%+v", got)
		}
	})
}

func TestDeletedConversationTakesItsTicketAway(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		removed, stored := w.mustOpen(newTicketRequest(1)), w.mustOpen(newTicketRequest(2))
		var deleted []parley.ConversationID
		w.must(w.DB.Transact(w, sqldb.Bulk, func(tx *store.DB) (err error) {
			deleted, err = tx.DeleteConversations(w, w.ref(),
				[]parley.ConversationID{removed.ConversationID}, nil, noon)
			return err
		}))
		_, err := w.DB.Ticket(w, w.ref(), removed.Number)
		w.wantCode(err, parley.CodeTicketNotFound)
		all, err := w.DB.EraseConversations(w, w.ref())
		w.must(err)
		if n := w.countRows(`select count(*) from ticket_words where ticket_id = ?`, removed.ID); len(deleted) != 1 ||
			!all || n != 0 {
			w.Error(deleted, all, n)
		}
		if n := w.countRows(`select count(*) from ticket_words where ticket_id = ?`, stored.ID); n == 0 {
			w.Error("the other ticket lost its words")
		}
		if next := w.mustOpen(newTicketRequest(3)); next.Number != 3 {
			w.Error("a number is given twice:", next.Number)
		}
	})
}

func TestErasedAgentLeavesNoHelpdesk(t *testing.T) {
	forEachDatabase(t, func(w *testHelpdesk) {
		w.addTeamMembers(parley.StrategyRoundRobin, 2)
		w.openMany(6)
		sister := w.addAgent(w.Account)
		_, err := w.Open(w, w.Account.AgentRef(sister), newTicketRequest(1))
		w.must(err)
		w.must(w.DB.DeleteAgent(w, w.ref(), noon))
		removed, err := w.DB.EraseAgent(w, w.ref())
		w.must(err)
		for _, table := range []string{"helpdesks", "ticket_statuses", "teams", "team_members", "tickets",
			"ticket_words", "people", "conversations", "messages"} {
			if n := w.countRows(`select count(*) from `+table+` where agent_id = ?`, w.Agent); n != 0 || !removed {
				w.Errorf("%d rows in %s", n, table)
			}
		}
		if _, err := w.DB.Ticket(w, w.Account.AgentRef(sister), 1); err != nil {
			w.Error(err)
		}
	})
}
