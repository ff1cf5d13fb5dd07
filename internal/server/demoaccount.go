package server

import (
	"context"
	"encoding/json"
	"fmt"

	"parley"
	"parley/internal/access"
	"parley/internal/agents"
)

// demoRecord is what a demo leaves in the settings for the next one on the same data. Nothing else is ever taken for the
// demo's, whatever its name.
type demoRecord struct {
	Account parley.AccountID `json:"account"`
	Agent   parley.AgentID   `json:"agent"`
	Key     parley.KeyID     `json:"key"`
}

const demoSettingName = "demo"

func (h *Server) loadDemo(ctx context.Context) (kept demoRecord, err error) {
	text, err := h.DB.EnsureSetting(ctx, demoSettingName, func() string { return "{}" })
	if err != nil {
		return kept, err
	}
	if err := json.Unmarshal([]byte(text), &kept); err != nil {
		return kept, fmt.Errorf("the stored demo: %w", err)
	}
	return kept, nil
}

func (h *Server) saveDemo(ctx context.Context, kept demoRecord) error {
	text, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	return h.DB.SetSetting(ctx, demoSettingName, string(text))
}

// ensureDemoAccount finds the demo's account or makes it, with a new key either way; the key before is revoked.
func (h *Server) ensureDemoAccount(ctx context.Context, kept *demoRecord) (parley.Account, string, error) {
	if kept.Account != "" {
		account, err := h.DB.Account(ctx, kept.Account)
		if err == nil {
			key, err := h.renewDemoKey(ctx, kept)
			return *account, key, err
		}
		if !parley.IsCode(err, parley.CodeAccountNotFound) {
			return parley.Account{}, "", err
		}
	}
	account, key, err := h.Accounts.CreateAccount(ctx, access.NewAccount{Name: demoAccountName})
	if err != nil {
		return parley.Account{}, "", err
	}
	keys, err := h.Accounts.Keys(ctx, account.ID)
	if err != nil {
		return *account, "", err
	}
	*kept = demoRecord{Account: account.ID, Key: keys[0].ID}
	return *account, key, h.saveDemo(ctx, *kept)
}

func (h *Server) renewDemoKey(ctx context.Context, kept *demoRecord) (string, error) {
	record, key, err := h.Accounts.CreateKey(ctx, access.NewKeyRequest{AccountID: kept.Account, Name: "demo"})
	if err != nil {
		return "", err
	}
	before := kept.Key
	kept.Key = record.ID
	if err := h.saveDemo(ctx, *kept); err != nil {
		return "", err
	}
	if _, err := h.Accounts.RevokeKey(ctx, before); err != nil && !parley.IsCode(err, parley.CodeKeyNotFound) {
		return "", err
	}
	h.Authenticator.ClearCache()
	return key, nil
}

// ensureDemoAgent finds the demo's agent or makes it.
func (h *Server) ensureDemoAgent(ctx context.Context, account parley.Account, plan parley.Plan, kept *demoRecord) (parley.AgentID, error) {
	if kept.Agent != "" {
		_, err := h.DB.Agent(ctx, account.ID, kept.Agent, h.cfg.Now())
		if !parley.IsCode(err, parley.CodeAgentNotFound) {
			return kept.Agent, err
		}
	}
	id, _, err := h.Agents.Create(ctx, account, plan, agents.NewAgent{Name: demoAgentName})
	if err != nil {
		return "", err
	}
	kept.Agent = id
	return id, h.saveDemo(ctx, *kept)
}
