package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"

	"parley/internal/helpdesk"
	"parley/internal/ingest"
	"parley/internal/store"
)

func (b *builder) newHelpdesk(files *ingest.Service) *helpdesk.Service {
	return &helpdesk.Service{
		DB: b.db, Now: b.cfg.Now, Logger: b.cfg.Logger, Wake: b.hub.Wake, Secret: b.attachmentKey,
		StoreFiles: files.StoreFiles, ReadFile: files.FileBytes,
	}
}

// installationKey returns a key of the installation, the same for all servers on the database. The first call creates
// it.
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
