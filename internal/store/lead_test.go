package store_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

func (fx *fixture) createEmptyConversation() parley.ConversationID {
	fx.Helper()
	c := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: fx.Account.ID,
		AgentID: fx.Agent.ID, API: parley.APIV2,
		Channel: parley.ChannelAPI, Status: parley.ConversationOngoing, CreatedAt: testTime, UpdatedAt: testTime}
	first := &parley.Message{ID: parley.NewMessageID(), ConversationID: c.ID, Author: parley.AuthorUser,
		State: parley.MessageComplete,
		Parts: []parley.Part{{Type: "text", Text: "Hi"}}, CreatedAt: testTime}
	fx.must(fx.Transact(fx, sqldb.Interactive, func(tx *store.DB) error {
		return tx.CreateConversation(fx, c, first, false)
	}))
	return c.ID
}

func (fx *fixture) newLead(c parley.ConversationID, email string, at time.Time) *parley.Lead {
	return &parley.Lead{ID: parley.NewUUID(), AccountID: fx.Account.ID, AgentID: fx.Agent.ID, ConversationID: c,
		Name: "Ann", Email: email, CreatedAt: at}
}

func (fx *fixture) submittedLeads() (list []store.LeadSubmitted) {
	fx.Helper()
	texts, err := sqldb.All(fx, fx.SQL(), sqldb.Column[string],
		`select payload from events where account_id = ? and kind = 'leads.submit' order by seq`, fx.Account.ID)
	fx.must(err)
	for _, text := range texts {
		var one store.LeadSubmitted
		fx.must(json.Unmarshal([]byte(text), &one))
		list = append(list, one)
	}
	return list
}

func TestLeadsOfAConversation(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		c := fx.createEmptyConversation()
		first := fx.newLead(c, "ann@example.org", testTime)
		fx.must(fx.AddLead(fx, first))
		more := fx.newLead(c, "Ann@Example.org", testTime.Add(time.Minute))
		more.Name, more.Phone, more.Fields = "", "+1 555", map[string]string{"company": "Acme"}
		fx.must(fx.AddLead(fx, more))
		if more.ID != first.ID || more.Name != "Ann" {
			fx.Errorf("%+v", more)
		}
		fx.must(fx.AddLead(fx, fx.newLead(c, "ann@example.org", testTime.Add(time.Minute)))) // nothing new
		second := fx.newLead(c, "bob@example.org", testTime.Add(time.Hour))
		fx.must(fx.AddLead(fx, second))

		page, err := fx.Leads(fx, fx.Account.ID.AgentRef(fx.Agent.ID), store.LeadFilter{}, parley.PageRequest{Limit: 1})
		fx.must(err)
		rest, err := fx.Leads(fx, fx.Account.ID.AgentRef(fx.Agent.ID), store.LeadFilter{},
			parley.PageRequest{Limit: 1, After: page.Next})
		fx.must(err)
		second.Fields = map[string]string{}
		if diff := cmp.Diff([]parley.Lead{*second}, page.Items) + cmp.Diff([]parley.Lead{*more},
			rest.Items); diff != "" || page.Total != 2 || rest.Next != nil {
			fx.Error(diff, page.Total, rest.Next)
		}
		want := []store.LeadSubmitted{{ConversationID: c, CustomerEmail: "ann@example.org", CustomerName: "Ann"},
			{ConversationID: c, CustomerEmail: "ann@example.org", CustomerName: "Ann", CustomerPhone: "+1 555"},
			{ConversationID: c, CustomerEmail: "bob@example.org", CustomerName: "Ann"}}
		if diff := cmp.Diff(want, fx.submittedLeads()); diff != "" {
			fx.Error(diff)
		}
		until := testTime.Add(time.Second)
		early, err := fx.Leads(fx, fx.Account.ID.AgentRef(fx.Agent.ID),
			store.LeadFilter{CreatedFrom: &testTime, CreatedBefore: &until}, parley.PageRequest{Limit: 10})
		if err != nil || early.Total != 1 || len(early.Items) != 1 {
			fx.Error(early, err)
		}
	})
}

// Who leaves an address in a conversation is its customer, unless one is known; who is known by the address stays one.
func TestLeadsAreTheCustomersOfTheirConversations(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		first, second := fx.createEmptyConversation(), fx.createEmptyConversation()
		fx.must(fx.AddLead(fx, fx.newLead(first, "ann@example.org", testTime)))
		fx.must(fx.AddLead(fx, fx.newLead(second, "ANN@example.org", testTime)))
		fx.must(fx.AddLead(fx, fx.newLead(second, "bob@example.org", testTime)))
		fx.must(fx.AddLead(fx, fx.newLead("", "cid@example.org", testTime)))
		found, err := fx.CustomersOfConversations(fx, fx.Account.ID, []parley.ConversationID{first, second})
		fx.must(err)
		if found[first].Email != "ann@example.org" || found[first].Name != "Ann" || found[second].ID != found[first].ID {
			fx.Errorf("the customers are %+v", found)
		}
		page, err := fx.People(fx, fx.Account.ID.AgentRef(fx.Agent.ID), "", parley.PageRequest{Limit: 9})
		if fx.must(err); len(page.Items) != 1 {
			fx.Errorf("the people are %+v", page.Items)
		}
	})
}

// What a lead says besides the address is completed with the person, and who tries the playground is no customer.
func TestLeadsCompleteTheirCustomers(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		c, trial := fx.createEmptyConversation(), fx.createEmptyConversation()
		_, err := fx.SQL().Exec(fx, `update conversations set channel = ? where id = ?`, parley.ChannelPlayground, trial)
		fx.must(err)
		fx.must(fx.AddLead(fx, fx.newLead(trial, "try@example.org", testTime)))
		lead := fx.newLead(c, "ann@example.org", testTime)
		lead.Name = ""
		fx.must(fx.AddLead(fx, lead))
		lead = fx.newLead(c, "ann@example.org", testTime.Add(time.Minute))
		lead.Phone = "+1 555"
		fx.must(fx.AddLead(fx, lead))
		second := fx.newLead(c, "ann@example.org", testTime.Add(time.Hour))
		second.Name = "Somebody"
		fx.must(fx.AddLead(fx, second))
		page, err := fx.People(fx, fx.Account.ID.AgentRef(fx.Agent.ID), "", parley.PageRequest{Limit: 9})
		if fx.must(err); len(page.Items) != 1 || page.Items[0].Name != "Ann" || page.Items[0].Phone != "+1 555" {
			fx.Errorf("the people are %+v", page.Items)
		}
	})
}

func TestConcurrentLeadsAreMerged(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		c := fx.createEmptyConversation()
		for _, err := range runConcurrently(8, func(int) error {
			return fx.AddLead(fx, fx.newLead(c, "ann@example.org", testTime))
		}) {
			fx.must(err)
		}
		if got := fx.submittedLeads(); len(got) != 1 {
			fx.Errorf("%+v", got)
		}
	})
}

func TestLeadsAreVisibleToTheirOwnerOnly(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		c, other := fx.createEmptyConversation(), fx.createAccount("Other")
		fx.must(fx.AddLead(fx, fx.newLead(c, "ann@example.org", testTime)))
		foreign := fx.newLead(c, "bob@example.org", testTime)
		foreign.AccountID = other.ID
		fx.wantCode(fx.AddLead(fx, foreign), parley.CodeResourceNotFound)
		page, err := fx.Leads(fx, other.ID.AgentRef(fx.Agent.ID), store.LeadFilter{}, parley.PageRequest{Limit: 10})
		if err != nil || page.Total != 0 || len(page.Items) != 0 {
			fx.Error(page, err)
		}
	})
}

func TestProcedureRuns(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		c := fx.createEmptyConversation()
		run := func(key string, at time.Time) *parley.ProcedureRun {
			return &parley.ProcedureRun{ID: parley.NewUUID(), AccountID: fx.Account.ID, AgentID: fx.Agent.ID,
				ConversationID: c, Key: key, Name: key, StartedAt: at,
				Inputs: map[string]json.RawMessage{"order": json.RawMessage(`7`)}}
		}
		first, second := run("refund", testTime), run("return", testTime.Add(time.Minute))
		fx.must(fx.StartProcedureRun(fx, first))
		first.Step, first.Inputs["mail"] = 2, json.RawMessage(`"a@b"`)
		fx.must(fx.SaveProcedureRun(fx, first))
		open, err := fx.OpenProcedureRun(fx, fx.Account.ID.AgentRef(fx.Agent.ID).ConversationRef(c))
		fx.must(err)
		if diff := cmp.Diff(first, open); diff != "" {
			fx.Error(diff)
		}
		fx.must(fx.StartProcedureRun(fx, second))
		if open, err = fx.OpenProcedureRun(fx, fx.Account.ID.AgentRef(fx.Agent.ID).ConversationRef(c)); err != nil ||
			open.ID != second.ID {
			fx.Errorf("%+v %v", open, err)
		}
		first.Outcome, second.Outcome = parley.ProcedureCompleted, parley.ProcedureEscalated
		fx.must(fx.EndProcedureRun(fx, first, testTime)) // abandoned already
		fx.must(fx.EndProcedureRun(fx, second, testTime.Add(time.Hour)))
		if open, err = fx.OpenProcedureRun(fx, fx.Account.ID.AgentRef(fx.Agent.ID).ConversationRef(c)); err != nil ||
			open != nil {
			fx.Errorf("%+v %v", open, err)
		}
		ends, err := sqldb.All(fx, fx.SQL(), sqldb.Column[string],
			`select outcome from procedure_runs where agent_id = ? order by started_at`, fx.Agent.ID)
		if err != nil || cmp.Diff([]string{"abandoned", "escalated"}, ends) != "" {
			fx.Error(ends, err)
		}
		payloads, err := sqldb.All(fx, fx.SQL(), sqldb.Column[string],
			`select payload from events where kind = 'procedure.ended'`)
		if err != nil || len(payloads) != 1 {
			fx.Error(payloads, err)
		}
		lost := run("lost", testTime)
		lost.ConversationID = "gone"
		fx.wantCode(fx.StartProcedureRun(fx, lost), parley.CodeResourceNotFound)
		other := fx.createAccount("Other")
		if open, err := fx.OpenProcedureRun(fx, other.ID.AgentRef(fx.Agent.ID).ConversationRef(c)); err != nil ||
			open != nil {
			fx.Error(open, err)
		}
	})
}
