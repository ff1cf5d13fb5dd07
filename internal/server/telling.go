package server

import (
	"time"

	"parley/internal/jobs"
	"parley/internal/vault"
	"parley/internal/webhook"
)

// webhookWorkers is how many webhooks are sent to at a time.
const webhookWorkers = 16

// setUpWebhooks makes what tells other servers what has happened. It has a runner of its own: endpoints may be slow.
func (h *Server) setUpWebhooks(secretVault *vault.Vault) {
	h.Webhooks = &webhook.Service{DB: h.DB, Queue: h.Queue, Vault: secretVault, Now: h.cfg.Now}
	h.Sender = &webhook.Sender{DB: h.DB, Queue: h.Queue, HTTP: h.Outbound, Vault: secretVault, Now: h.cfg.Now, Logger: h.cfg.Logger}
	h.WebhookRunner = &jobs.Runner{DB: h.DB.SQL(), Queue: h.Queue, Logger: h.cfg.Logger, Handlers: h.Sender.Handlers(), MaxWorkers: webhookWorkers, LeaseDuration: 15 * time.Second}
}
