package server

import (
	"time"

	"parley"
	"parley/internal/actions"
	"parley/internal/api/v2"
	"parley/internal/helpdesk"
	"parley/internal/ingest"
	"parley/internal/jobs"
	"parley/internal/manifest"
	"parley/internal/model"
	"parley/internal/retrieval"
	"parley/internal/store"
	"parley/internal/vault"
)

// newManifests joins what agents as code stand on: settings are judged by the public face, actions by their own room.
func newManifests(db *store.DB, desk *ingest.Service, models *model.Registry, secretVault *vault.Vault, now func() time.Time) *manifest.Service {
	return &manifest.Service{
		DB: db, Ingest: desk, Helpdesk: &helpdesk.Service{DB: db, Now: now}, Now: now, Settings: v2.SettingsCodec{CanSetModel: models.CanSet},
		CheckAction: actions.ValidateAction, CheckProcedure: actions.ValidateProcedure,
		Seal: func(account parley.AccountID, secrets map[string]string) (string, error) {
			return actions.SealSecrets(secretVault, account, secrets)
		},
		Unseal: func(account parley.AccountID, sealed string) (map[string]string, error) {
			return actions.OpenSecrets(secretVault, account, sealed)
		},
	}
}

// unavailableReason says why an action cannot be offered by this server.
func (c Config) unavailableReason(a *parley.Action) string {
	if a.Kind == parley.ActionWebSearch && c.SearchURL == "" {
		return "is kept and not offered: the server has no search engine (PARLEY_SEARCH_URL)"
	}
	return ""
}

// manifestsFactory prepares the same for a database that no server has open.
func (c Config) manifestsFactory() (on func(db *store.DB) *manifest.Service, err error) {
	models, err := c.newRegistryWith(c.ModelOverride)
	if err != nil {
		return nil, err
	}
	models.Close() // nobody is asked: the table only knows which names there are
	secretVault, err := c.newVault()
	if err != nil {
		return nil, err
	}
	return func(db *store.DB) *manifest.Service {
		desk := &ingest.Service{DB: db, Indexes: &retrieval.Indexes{DB: db.SQL()}, Queue: &jobs.Queue{Now: c.Now}, Now: c.Now}
		return newManifests(db, desk, models, secretVault, c.Now)
	}, nil
}

func (c Config) newVault() (*vault.Vault, error) { return vault.New(c.SecretKey) }
