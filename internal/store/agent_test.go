package store_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/store"
)

func TestAgentSettingsAreStoredInFull(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		limit := int64(30)
		want := &parley.Agent{ID: parley.NewAgentID(), AccountID: fx.Account.ID, Name: "Größe", Instructions: "Be kind.",
			ChannelInstructions: json.RawMessage(`{"api":"short"}`),
			Model:               "gpt-5.2", AutoRetrain: true, Temp: 0.7, Visibility: "public",
			AllowedDomains:    []string{"a.org"},
			SuggestedMessages: json.RawMessage(`[{"text":"Hi"}]`),
			InitialMessages:   []string{"Hello", "you"}, CreditLimit: &limit, Notifications: json.RawMessage(`{}`),
			RateLimit: parley.DeviceLimit{Limit: 1, Timeframe: 2, Message: "m"},
			Voice:     json.RawMessage(`{"voice":{}}`), Styles: json.RawMessage(`{"chat":null}`),
			Synonyms: [][]string{{"PTO", "paid time off"}}, IdentitySecret: "secret", ConfigVersion: 1,
			CreatedAt: testTime, UpdatedAt: testTime}
		fx.must(fx.CreateAgent(fx, want))
		fx.must(fx.UpdateAgent(fx, fx.Account.ID.AgentRef(want.ID), func(a *parley.Agent) error {
			a.Voice, a.AllowedDomains, a.CreditLimit, a.Name = nil, nil, nil, "New"
			a.Size, a.PassageVersion = 99, 99 // counters are not settings
			return nil
		}))
		want.Voice, want.AllowedDomains, want.CreditLimit, want.Name = nil, nil, nil, "New"
		got, err := fx.DB.Agent(fx, fx.Account.ID.AgentRef(want.ID), testTime)
		fx.must(err)
		if diff := cmp.Diff(want, got); diff != "" {
			fx.Error(diff)
		}
	})
}

func TestAgentIsFoundByItsOwnerOnly(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		other := fx.createAccount("Other")
		_, err := fx.DB.Agent(fx, other.ID.AgentRef(fx.Agent.ID), testTime)
		fx.wantCode(err, parley.CodeAgentNotFound)
		fx.wantCode(fx.UpdateAgent(fx, other.ID.AgentRef(fx.Agent.ID), func(*parley.Agent) error {
			return nil
		}), parley.CodeAgentNotFound)
		fx.wantCode(fx.DeleteAgent(fx, other.ID.AgentRef(fx.Agent.ID), testTime), parley.CodeAgentNotFound)
		fx.reloadAgent()
		fx.must(fx.DeleteAgent(fx, fx.Account.ID.AgentRef(fx.Agent.ID), testTime))
		_, err = fx.DB.Agent(fx, fx.Account.ID.AgentRef(fx.Agent.ID), testTime)
		fx.wantCode(err, parley.CodeAgentNotFound)
		fx.wantCode(fx.DeleteAgent(fx, fx.Account.ID.AgentRef(fx.Agent.ID), testTime), parley.CodeAgentNotFound)
		fx.wantCode(fx.Transact(fx, 0, func(tx *store.DB) error {
			return tx.LockAgent(fx, fx.Account.ID.AgentRef(fx.Agent.ID))
		}), parley.CodeAgentNotFound)
		page, err := fx.Agents(fx, fx.Account.ID, testTime, parley.PageRequest{Limit: 10})
		if err != nil || page.Total != 0 || len(page.Items) != 0 {
			fx.Error(page, err)
		}
	})
}

func TestAgentPagesListEachAgentOnce(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		for i := range 6 {
			fx.createAgent(fx.Account, testTime.Add(time.Duration(i/3)*time.Second)) // several of the same instant
		}
		seen, pages := map[parley.AgentID]bool{}, 0
		last := testTime.Add(time.Hour)
		for ask := (parley.PageRequest{Limit: 2}); ; pages++ {
			page, err := fx.Agents(fx, fx.Account.ID, testTime, ask)
			fx.must(err)
			for _, a := range page.Items {
				if seen[a.ID] || a.CreatedAt.After(last) {
					fx.Error("out of order or twice:", a.ID)
				}
				seen[a.ID], last = true, a.CreatedAt
			}
			if page.Total != 7 {
				fx.Error("total", page.Total)
			}
			if ask.After = page.Next; page.Next == nil {
				break
			}
		}
		if len(seen) != 7 || pages != 3 {
			fx.Error(len(seen), pages)
		}
	})
}

func TestAgentCountsTheMonthsCredits(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		for month, used := range map[string]int{"2026-10": 5000, "2026-11": 1500} {
			_, err := fx.SQL().Exec(fx,
				`insert into credit_usage (account_id, agent_id, month, used, reserved) values (?, ?, ?, ?, 0)`,
				fx.Account.ID, fx.Agent.ID, month, used)
			fx.must(err)
		}
		if got := fx.reloadAgent().CreditsUsed; got != 1500 {
			fx.Error(got)
		}
		next, err := fx.DB.Agent(fx, fx.Account.ID.AgentRef(fx.Agent.ID), testTime.AddDate(0, 1, 0))
		fx.must(err)
		if next.CreditsUsed != 0 {
			fx.Error(next.CreditsUsed)
		}
	})
}

// The agents of all accounts that were written to since a moment are listed, the latest first, but no deleted ones.
func TestRecentAgents(t *testing.T) {
	forEachDatabase(t, func(fx *fixture) {
		later := fx.createAgent(fx.createAccount("Other"), testTime)
		deleted, old := fx.createAgent(fx.Account, testTime), fx.createAgent(fx.Account, testTime)
		for i, a := range []*parley.Agent{old, fx.Agent, deleted, later} {
			fx.must(fx.TouchAgent(fx, a.Ref(), testTime.Add(time.Duration(i)*time.Hour)))
		}
		fx.must(fx.DeleteAgent(fx, deleted.Ref(), testTime))
		want := []store.RecentAgent{{ID: later.ID}, {ID: fx.Agent.ID}}
		for limit, want := range map[int][]store.RecentAgent{10: want, 1: want[:1]} {
			got, err := fx.RecentAgents(fx, testTime.Add(time.Hour), limit)
			fx.must(err)
			if diff := cmp.Diff(want, got); diff != "" {
				fx.Error(diff)
			}
		}
	})
}
