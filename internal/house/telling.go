package house

import (
	"time"

	"parley/internal/jobs"
	"parley/internal/vault"
	"parley/internal/webhook"
)

// posts is how many webhooks are sent to at a time.
const posts = 16

// tell makes what tells other servers what has happened. It has a runner of its own: endpoints may be slow.
func (h *House) tell(safe *vault.Vault) {
	h.Webhooks = &webhook.Desk{DB: h.DB, Queue: h.Queue, Vault: safe, Now: h.cfg.Now}
	h.Sender = &webhook.Sender{DB: h.DB, Queue: h.Queue, HTTP: h.Outbound, Vault: safe, Now: h.cfg.Now, Logger: h.cfg.Logger}
	h.Posts = &jobs.Runner{DB: h.DB.SQL(), Queue: h.Queue, Logger: h.cfg.Logger, Handlers: h.Sender.Handlers(), Workers: posts, Lease: 15 * time.Second}
	h.Actions.Tell = h.Webhooks.Tell
}
