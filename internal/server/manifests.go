package server

import (
	"parley"
	"parley/internal/actions"
	"parley/internal/api/v2"
	"parley/internal/helpdesk"
	"parley/internal/ingest"
	"parley/internal/manifest"
)

// newManifests returns agents as code. The API checks their settings, and the actions package their actions.
func (b *builder) newManifests(ingestService *ingest.Service, helpdeskService *helpdesk.Service) *manifest.Service {
	return &manifest.Service{
		DB: b.db, Ingest: ingestService, Helpdesk: helpdeskService, Now: b.cfg.Now,
		Settings:    v2.SettingsCodec{CanSetModel: b.models.CanSet},
		CheckAction: actions.ValidateAction, CheckProcedure: actions.ValidateProcedure,
		UnavailableReason: b.cfg.unavailableReason,
		Seal: func(account parley.AccountID, secrets map[string]string) (string, error) {
			return actions.SealSecrets(b.vault, account, secrets)
		},
		Unseal: func(account parley.AccountID, sealed string) (map[string]string, error) {
			return actions.OpenSecrets(b.vault, account, sealed)
		},
	}
}

// unavailableReason says why this server cannot offer an action. A command does not know what its server is configured
// with.
func (c Config) unavailableReason(a *parley.Action) string {
	if !c.isOffline && a.Kind == parley.ActionWebSearch && c.SearchURL == "" {
		return "is kept and not offered: the server has no search engine (PARLEY_SEARCH_URL)"
	}
	return ""
}
