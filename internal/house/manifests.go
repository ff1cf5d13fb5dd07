package house

import (
	"time"

	"parley"
	"parley/internal/actions"
	"parley/internal/agents"
	"parley/internal/api"
	"parley/internal/helpdesk"
	"parley/internal/ingest"
	"parley/internal/jobs"
	"parley/internal/llm"
	"parley/internal/retrieval"
	"parley/internal/store"
	"parley/internal/vault"
)

// manifestsOn joins what agents as code stand on: settings are judged by the public face, actions by their own room.
func manifestsOn(db *store.DB, desk *ingest.Desk, models *llm.Table, safe *vault.Vault, now func() time.Time) *agents.Manifests {
	return &agents.Manifests{
		DB: db, Ingest: desk, Helpdesk: &helpdesk.Desk{DB: db, Now: now}, Now: now, Settings: api.SettingsDesk{Settable: models.CanSet},
		CheckAction: actions.ValidateAction, CheckProcedure: actions.ValidateProcedure,
		Seal: func(account parley.AccountID, secrets map[string]string) (string, error) {
			return actions.SealSecrets(safe, account, secrets)
		},
		Unseal: func(account parley.AccountID, sealed string) (map[string]string, error) {
			return actions.OpenSecrets(safe, account, sealed)
		},
	}
}

// idle says why an action cannot be offered by this server.
func (c Config) idle(a *parley.Action) string {
	if a.Kind == parley.ActionWebSearch && c.SearchURL == "" {
		return "is kept and not offered: the server has no search engine (PARLEY_SEARCH_URL)"
	}
	return ""
}

// manifests prepares the same for a database that no server has open.
func (c Config) manifests() (on func(db *store.DB) *agents.Manifests, err error) {
	models, err := c.table(c.Model)
	if err != nil {
		return nil, err
	}
	models.Close() // nobody is asked: the table only knows which names there are
	safe, err := c.vault()
	if err != nil {
		return nil, err
	}
	return func(db *store.DB) *agents.Manifests {
		desk := &ingest.Desk{DB: db, Library: &retrieval.Library{DB: db.SQL()}, Queue: &jobs.Queue{Now: c.Now}, Now: c.Now}
		return manifestsOn(db, desk, models, safe, c.Now)
	}, nil
}

func (c Config) vault() (*vault.Vault, error) { return vault.New(c.SecretKey) }
