package server

import "parley/internal/webhook"

// webhookWorkers is how many webhooks are sent to at a time.
const webhookWorkers = 16

// newWebhooks returns the service of webhooks and the sender of their deliveries.
func (b *builder) newWebhooks() (*webhook.Service, *webhook.Sender) {
	service := &webhook.Service{DB: b.db, Queue: b.queue, Vault: b.vault, Now: b.cfg.Now}
	sender := &webhook.Sender{
		DB: b.db, Queue: b.queue, HTTP: b.outbound, Vault: b.vault, Now: b.cfg.Now, Logger: b.cfg.Logger,
	}
	return service, sender
}
