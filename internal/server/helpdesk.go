package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"

	"parley"
	"parley/internal/helpdesk"
	"parley/internal/store"
)

// newHelpdesk makes the helpdesk on an opened database. wake tells those who follow a conversation; it is nil where nobody can.
func newHelpdesk(ctx context.Context, db *store.DB, cfg Config, wake func(parley.ConversationID)) (*helpdesk.Service, error) {
	secret, err := installationKey(ctx, db, "attachment_key")
	if err != nil {
		return nil, err
	}
	return &helpdesk.Service{DB: db, Now: cfg.Now, Logger: cfg.Logger, Wake: wake, Secret: secret}, nil
}

// installationKey returns a key of the installation, the same for all servers on the database. The first to ask for it makes it.
func installationKey(ctx context.Context, db *store.DB, name string) ([]byte, error) {
	secret, err := db.EnsureSetting(ctx, name, func() string {
		key := make([]byte, 32)
		_, _ = rand.Read(key) // never fails
		return hex.EncodeToString(key)
	})
	if err != nil {
		return nil, err
	}
	key, err := hex.DecodeString(secret)
	if err != nil {
		return nil, fmt.Errorf("the stored %s: %w", name, err)
	}
	return key, nil
}
