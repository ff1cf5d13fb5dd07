package server

import (
	"context"
	"errors"

	"parley"
	"parley/internal/actions"
	"parley/internal/chat"
	"parley/internal/outbound"
	"parley/internal/vault"
)

// checkOutbound reports invalid settings of the connections to other servers.
func (c Config) checkOutbound() error {
	var faults settingFaults
	_, err := outbound.ParseAllow(c.FetchAllow)
	faults.check(err == nil, "--fetch-allow (PARLEY_FETCH_ALLOW): %w", err)
	_, err = c.newWebSearch()
	faults.check(err == nil, "--search-url (PARLEY_SEARCH_URL): %w", err)
	_, err = vault.New(c.SecretKey)
	faults.check(err == nil, "--secret-key (PARLEY_SECRET_KEY): %w", err)
	return errors.Join(faults...)
}

// newWebSearch returns the operator's search engine, or nil.
func (c Config) newWebSearch() (*actions.WebSearch, error) {
	if c.SearchURL == "" {
		return nil, nil
	}
	return actions.NewWebSearch(c.SearchURL)
}

// newOutbound returns the client for addresses that others have named.
func (c Config) newOutbound() (*outbound.Client, error) {
	allowed, err := outbound.ParseAllow(c.FetchAllow)
	if err != nil {
		return nil, err
	}
	return &outbound.Client{AllowedPrefixes: allowed}, nil
}

// newActions returns what agents can do besides writing.
func (b *builder) newActions(conversations *chat.Conversations) *actions.Toolbox {
	return &actions.Toolbox{
		DB: b.DB, HTTP: b.Outbound, Vault: b.vault, Search: b.webSearch, HandOver: handOver(conversations),
		Now: b.cfg.Now, Logger: b.cfg.Logger,
	}
}

// handOver returns the function that hands the conversation of a running turn to a person; the turn goes on to its end.
func handOver(conversations *chat.Conversations) chat.HandOverFunc {
	return func(ctx context.Context, t parley.Turn, reason string) error {
		_, err := conversations.TakeOver(ctx, t.ConversationRef(), "agent", reason, true)
		return err
	}
}
