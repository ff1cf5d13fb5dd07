package server

import (
	"context"
	"errors"
	"fmt"

	"parley"
	"parley/internal/actions"
	"parley/internal/outbound"
	"parley/internal/vault"
)

// checkOutbound finds settings of what leads outside that make no sense.
func (c Config) checkOutbound() error {
	var faults []error
	if _, err := outbound.ParseAllow(c.FetchAllow); err != nil {
		faults = append(faults, fmt.Errorf("--fetch-allow (PARLEY_FETCH_ALLOW): %w", err))
	}
	if _, err := c.newWebSearch(); err != nil {
		faults = append(faults, fmt.Errorf("--search-url (PARLEY_SEARCH_URL): %w", err))
	}
	if _, err := vault.New(c.SecretKey); err != nil {
		faults = append(faults, fmt.Errorf("--secret-key (PARLEY_SECRET_KEY): %w", err))
	}
	return errors.Join(faults...)
}

// newWebSearch returns the operator's search engine, or nil.
func (c Config) newWebSearch() (*actions.WebSearch, error) {
	if c.SearchURL == "" {
		return nil, nil
	}
	return actions.NewWebSearch(c.SearchURL)
}

// setUpActions makes the box of what agents can do besides talk, and hands it to the engine.
func (h *Server) setUpActions(secretVault *vault.Vault) error {
	allow, err := outbound.ParseAllow(h.cfg.FetchAllow)
	if err != nil {
		return err
	}
	engine, err := h.cfg.newWebSearch()
	if err != nil {
		return err
	}
	h.Outbound = &outbound.Client{AllowedPrefixes: allow}
	h.Actions = &actions.Toolbox{DB: h.DB, HTTP: h.Outbound, Vault: secretVault, Search: engine, HandOver: h.escalate, Now: h.cfg.Now, Logger: h.cfg.Logger}
	h.Engine.Tools, h.Engine.HandOver = h.Actions.Tools, h.escalate
	return nil
}

// escalate hands the conversation of a running turn to a person; the turn goes on to its end.
func (h *Server) escalate(ctx context.Context, t parley.Turn, reason string) error {
	_, err := h.Conversations.TakeOver(ctx, t.AccountID, t.AgentID, t.ConversationID, "agent", reason, true)
	return err
}
