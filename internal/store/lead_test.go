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

func (w *fixture) createEmptyConversation() parley.ConversationID {
	w.Helper()
	c := &parley.Conversation{ID: parley.ConversationID(parley.NewTimedUUID()), AccountID: w.Account.ID,
		AgentID: w.Agent.ID, API: parley.APIV2,
		Channel: parley.ChannelAPI, Status: parley.ConversationOngoing, CreatedAt: testTime, UpdatedAt: testTime}
	first := &parley.Message{ID: parley.NewMessageID(), ConversationID: c.ID, Author: parley.AuthorUser,
		State: parley.MessageComplete,
		Parts: []parley.Part{{Type: "text", Text: "Hi"}}, CreatedAt: testTime}
	w.must(w.Transact(w, sqldb.Interactive, func(tx *store.DB) error { return tx.CreateConversation(w, c, first, false) }))
	return c.ID
}

func (w *fixture) newLead(c parley.ConversationID, email string, at time.Time) *parley.Lead {
	return &parley.Lead{ID: parley.NewUUID(), AccountID: w.Account.ID, AgentID: w.Agent.ID, ConversationID: c,
		Name: "Ann", Email: email, CreatedAt: at}
}

func (w *fixture) submittedLeads() (list []store.LeadSubmitted) {
	w.Helper()
	texts, err := sqldb.All(w, w.SQL(), sqldb.Column[string],
		`select payload from events where account_id = ? and kind = 'leads.submit' order by seq`, w.Account.ID)
	w.must(err)
	for _, text := range texts {
		var one store.LeadSubmitted
		w.must(json.Unmarshal([]byte(text), &one))
		list = append(list, one)
	}
	return list
}

func TestLeadsOfAConversation(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		c := w.createEmptyConversation()
		first := w.newLead(c, "ann@example.org", testTime)
		w.must(w.AddLead(w, first))
		more := w.newLead(c, "Ann@Example.org", testTime.Add(time.Minute))
		more.Name, more.Phone, more.Fields = "", "+1 555", map[string]string{"company": "Acme"}
		w.must(w.AddLead(w, more))
		if more.ID != first.ID || more.Name != "Ann" {
			w.Errorf("%+v", more)
		}
		w.must(w.AddLead(w, w.newLead(c, "ann@example.org", testTime.Add(time.Minute)))) // nothing new
		second := w.newLead(c, "bob@example.org", testTime.Add(time.Hour))
		w.must(w.AddLead(w, second))

		page, err := w.Leads(w, w.Account.ID.AgentRef(w.Agent.ID), store.LeadFilter{}, parley.PageRequest{Limit: 1})
		w.must(err)
		rest, err := w.Leads(w, w.Account.ID.AgentRef(w.Agent.ID), store.LeadFilter{},
			parley.PageRequest{Limit: 1, After: page.Next})
		w.must(err)
		second.Fields = map[string]string{}
		if diff := cmp.Diff([]parley.Lead{*second}, page.Items) + cmp.Diff([]parley.Lead{*more},
			rest.Items); diff != "" || page.Total != 2 || rest.Next != nil {
			w.Error(diff, page.Total, rest.Next)
		}
		want := []store.LeadSubmitted{{ConversationID: c, CustomerEmail: "ann@example.org", CustomerName: "Ann"},
			{ConversationID: c, CustomerEmail: "ann@example.org", CustomerName: "Ann", CustomerPhone: "+1 555"},
			{ConversationID: c, CustomerEmail: "bob@example.org", CustomerName: "Ann"}}
		if diff := cmp.Diff(want, w.submittedLeads()); diff != "" {
			w.Error(diff)
		}
		until := testTime.Add(time.Second)
		early, err := w.Leads(w, w.Account.ID.AgentRef(w.Agent.ID),
			store.LeadFilter{CreatedFrom: &testTime, CreatedBefore: &until}, parley.PageRequest{Limit: 10})
		if err != nil || early.Total != 1 || len(early.Items) != 1 {
			w.Error(early, err)
		}
	})
}

func TestLeadsAtOnceAreOne(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		c := w.createEmptyConversation()
		for _, err := range runConcurrently(8, func(int) error {
			return w.AddLead(w, w.newLead(c, "ann@example.org", testTime))
		}) {
			w.must(err)
		}
		if got := w.submittedLeads(); len(got) != 1 {
			w.Errorf("%+v", got)
		}
	})
}

func TestLeadsAreTheirOwnersOnly(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		c, other := w.createEmptyConversation(), w.createAccount("Other")
		w.must(w.AddLead(w, w.newLead(c, "ann@example.org", testTime)))
		foreign := w.newLead(c, "bob@example.org", testTime)
		foreign.AccountID = other.ID
		w.wantCode(w.AddLead(w, foreign), parley.CodeResourceNotFound)
		page, err := w.Leads(w, other.ID.AgentRef(w.Agent.ID), store.LeadFilter{}, parley.PageRequest{Limit: 10})
		if err != nil || page.Total != 0 || len(page.Items) != 0 {
			w.Error(page, err)
		}
	})
}

func TestProcedureRuns(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		c := w.createEmptyConversation()
		run := func(key string, at time.Time) *parley.ProcedureRun {
			return &parley.ProcedureRun{ID: parley.NewUUID(), AccountID: w.Account.ID, AgentID: w.Agent.ID,
				ConversationID: c, Key: key, Name: key, StartedAt: at,
				Inputs: map[string]json.RawMessage{"order": json.RawMessage(`7`)}}
		}
		first, second := run("refund", testTime), run("return", testTime.Add(time.Minute))
		w.must(w.StartProcedureRun(w, first))
		first.Step, first.Inputs["mail"] = 2, json.RawMessage(`"a@b"`)
		w.must(w.SaveProcedureRun(w, first))
		open, err := w.OpenProcedureRun(w, w.Account.ID.AgentRef(w.Agent.ID).ConversationRef(c))
		w.must(err)
		if diff := cmp.Diff(first, open); diff != "" {
			w.Error(diff)
		}
		w.must(w.StartProcedureRun(w, second))
		if open, err = w.OpenProcedureRun(w, w.Account.ID.AgentRef(w.Agent.ID).ConversationRef(c)); err != nil ||
			open.ID != second.ID {
			w.Errorf("%+v %v", open, err)
		}
		first.Outcome, second.Outcome = parley.ProcedureCompleted, parley.ProcedureEscalated
		w.must(w.EndProcedureRun(w, first, testTime)) // abandoned already
		w.must(w.EndProcedureRun(w, second, testTime.Add(time.Hour)))
		if open, err = w.OpenProcedureRun(w, w.Account.ID.AgentRef(w.Agent.ID).ConversationRef(c)); err != nil ||
			open != nil {
			w.Errorf("%+v %v", open, err)
		}
		ends, err := sqldb.All(w, w.SQL(), sqldb.Column[string],
			`select outcome from procedure_runs where agent_id = ? order by started_at`, w.Agent.ID)
		if err != nil || cmp.Diff([]string{"abandoned", "escalated"}, ends) != "" {
			w.Error(ends, err)
		}
		payloads, err := sqldb.All(w, w.SQL(), sqldb.Column[string],
			`select payload from events where kind = 'procedure.ended'`)
		if err != nil || len(payloads) != 1 {
			w.Error(payloads, err)
		}
		lost := run("lost", testTime)
		lost.ConversationID = "gone"
		w.wantCode(w.StartProcedureRun(w, lost), parley.CodeResourceNotFound)
		other := w.createAccount("Other")
		if open, err := w.OpenProcedureRun(w, other.ID.AgentRef(w.Agent.ID).ConversationRef(c)); err != nil || open != nil {
			w.Error(open, err)
		}
	})
}
