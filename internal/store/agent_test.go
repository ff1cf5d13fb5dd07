package store_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/store"
)

func TestAgentKeepsItsSettings(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		limit := int64(30)
		want := &parley.Agent{ID: parley.NewAgentID(), AccountID: w.Account.ID, Name: "Größe", Instructions: "Be kind.",
			ChannelInstructions: json.RawMessage(`{"api":"short"}`),
			Model:               "gpt-5.2", AutoRetrain: true, Temp: 0.7, Visibility: "public",
			AllowedDomains:    []string{"a.org"},
			SuggestedMessages: json.RawMessage(`[{"text":"Hi"}]`),
			InitialMessages:   []string{"Hello", "you"}, CreditLimit: &limit, Notifications: json.RawMessage(`{}`),
			RateLimit: parley.DeviceLimit{Limit: 1, Timeframe: 2, Message: "m"},
			Voice:     json.RawMessage(`{"voice":{}}`), Styles: json.RawMessage(`{"chat":null}`),
			Synonyms: [][]string{{"PTO", "paid time off"}}, IdentitySecret: "secret", ConfigVersion: 1,
			CreatedAt: testTime, UpdatedAt: testTime}
		w.must(w.CreateAgent(w, want))
		w.must(w.UpdateAgent(w, w.Account.ID.AgentRef(want.ID), func(a *parley.Agent) error {
			a.Voice, a.AllowedDomains, a.CreditLimit, a.Name = nil, nil, nil, "New"
			a.Size, a.PassageVersion = 99, 99 // counters are not settings
			return nil
		}))
		want.Voice, want.AllowedDomains, want.CreditLimit, want.Name = nil, nil, nil, "New"
		got, err := w.DB.Agent(w, w.Account.ID.AgentRef(want.ID), testTime)
		w.must(err)
		if diff := cmp.Diff(want, got); diff != "" {
			w.Error(diff)
		}
	})
}

func TestAgentIsFoundByItsOwnerOnly(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		other := w.createAccount("Other")
		_, err := w.DB.Agent(w, other.ID.AgentRef(w.Agent.ID), testTime)
		w.wantCode(err, parley.CodeAgentNotFound)
		w.wantCode(w.UpdateAgent(w, other.ID.AgentRef(w.Agent.ID), func(*parley.Agent) error {
			return nil
		}), parley.CodeAgentNotFound)
		w.wantCode(w.DeleteAgent(w, other.ID.AgentRef(w.Agent.ID), testTime), parley.CodeAgentNotFound)
		w.reloadAgent()
		w.must(w.DeleteAgent(w, w.Account.ID.AgentRef(w.Agent.ID), testTime))
		_, err = w.DB.Agent(w, w.Account.ID.AgentRef(w.Agent.ID), testTime)
		w.wantCode(err, parley.CodeAgentNotFound)
		w.wantCode(w.DeleteAgent(w, w.Account.ID.AgentRef(w.Agent.ID), testTime), parley.CodeAgentNotFound)
		w.wantCode(w.Transact(w, 0, func(tx *store.DB) error {
			return tx.LockAgent(w, w.Account.ID.AgentRef(w.Agent.ID))
		}), parley.CodeAgentNotFound)
		page, err := w.Agents(w, w.Account.ID, testTime, parley.PageRequest{Limit: 10})
		if err != nil || page.Total != 0 || len(page.Items) != 0 {
			w.Error(page, err)
		}
	})
}

func TestAgentPagesHoldEachOnce(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		for i := range 6 {
			w.createAgent(w.Account, testTime.Add(time.Duration(i/3)*time.Second)) // several of the same instant
		}
		seen, pages := map[parley.AgentID]bool{}, 0
		last := testTime.Add(time.Hour)
		for ask := (parley.PageRequest{Limit: 2}); ; pages++ {
			page, err := w.Agents(w, w.Account.ID, testTime, ask)
			w.must(err)
			for _, a := range page.Items {
				if seen[a.ID] || a.CreatedAt.After(last) {
					w.Error("out of order or twice:", a.ID)
				}
				seen[a.ID], last = true, a.CreatedAt
			}
			if page.Total != 7 {
				w.Error("total", page.Total)
			}
			if ask.After = page.Next; page.Next == nil {
				break
			}
		}
		if len(seen) != 7 || pages != 3 {
			w.Error(len(seen), pages)
		}
	})
}

func TestAgentCountsTheMonthsCredits(t *testing.T) {
	forEachDatabase(t, func(w *fixture) {
		for month, used := range map[string]int{"2026-10": 5000, "2026-11": 1500} {
			_, err := w.SQL().Exec(w,
				`insert into credit_usage (account_id, agent_id, month, used, reserved) values (?, ?, ?, ?, 0)`,
				w.Account.ID, w.Agent.ID, month, used)
			w.must(err)
		}
		if got := w.reloadAgent().CreditsUsed; got != 1500 {
			w.Error(got)
		}
		next, err := w.DB.Agent(w, w.Account.ID.AgentRef(w.Agent.ID), testTime.AddDate(0, 1, 0))
		w.must(err)
		if next.CreditsUsed != 0 {
			w.Error(next.CreditsUsed)
		}
	})
}
