package house

import (
	"context"
	"encoding/json"
	"fmt"

	"parley"
	"parley/internal/access"
	"parley/internal/agents"
)

// keptDemo is what a demo leaves in the settings for the next one on the same data. Nothing else is ever taken for the
// demo's, whatever its name.
type keptDemo struct {
	Account parley.AccountID `json:"account"`
	Agent   parley.AgentID   `json:"agent"`
	Key     parley.KeyID     `json:"key"`
}

const demoSetting = "demo"

func (h *House) keptDemo(ctx context.Context) (kept keptDemo, err error) {
	text, err := h.DB.Setting(ctx, demoSetting, func() string { return "{}" })
	if err != nil {
		return kept, err
	}
	if err := json.Unmarshal([]byte(text), &kept); err != nil {
		return kept, fmt.Errorf("the stored demo: %w", err)
	}
	return kept, nil
}

func (h *House) keepDemo(ctx context.Context, kept keptDemo) error {
	text, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	return h.DB.SetSetting(ctx, demoSetting, string(text))
}

// demoAccount finds the demo's account or makes it, with a new key either way; the key before is revoked.
func (h *House) demoAccount(ctx context.Context, kept *keptDemo) (parley.Account, string, error) {
	if kept.Account != "" {
		account, err := h.DB.Account(ctx, kept.Account)
		if err == nil {
			key, err := h.demoKey(ctx, kept)
			return *account, key, err
		}
		if !parley.IsCode(err, parley.CodeAccountNotFound) {
			return parley.Account{}, "", err
		}
	}
	account, key, err := h.Office.CreateAccount(ctx, access.NewAccount{Name: demoName})
	if err != nil {
		return parley.Account{}, "", err
	}
	keys, err := h.Office.Keys(ctx, account.ID)
	if err != nil {
		return *account, "", err
	}
	*kept = keptDemo{Account: account.ID, Key: keys[0].ID}
	return *account, key, h.keepDemo(ctx, *kept)
}

func (h *House) demoKey(ctx context.Context, kept *keptDemo) (string, error) {
	record, key, err := h.Office.CreateKey(ctx, access.NewKeyAsk{AccountID: kept.Account, Name: "demo"})
	if err != nil {
		return "", err
	}
	before := kept.Key
	kept.Key = record.ID
	if err := h.keepDemo(ctx, *kept); err != nil {
		return "", err
	}
	if _, err := h.Office.RevokeKey(ctx, before); err != nil && !parley.IsCode(err, parley.CodeKeyNotFound) {
		return "", err
	}
	h.Gate.Forget()
	return key, nil
}

// demoAgent finds the demo's agent or makes it.
func (h *House) demoAgent(ctx context.Context, account parley.Account, plan parley.Plan, kept *keptDemo) (parley.AgentID, error) {
	if kept.Agent != "" {
		_, err := h.DB.Agent(ctx, account.ID, kept.Agent, h.cfg.Now())
		if !parley.IsCode(err, parley.CodeAgentNotFound) {
			return kept.Agent, err
		}
	}
	id, _, err := h.Agents.Create(ctx, account, plan, agents.New{Name: demoAgent})
	if err != nil {
		return "", err
	}
	kept.Agent = id
	return id, h.keepDemo(ctx, *kept)
}
