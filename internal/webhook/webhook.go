// Package webhook sends events to other servers (docs/interface/webhooks.md#delivery). Service manages webhooks. Sender
// follows the event log, writes a delivery of each event for each webhook that subscribes to it, and sends the
// deliveries as jobs: a delivery is tried for about a day, then it is dead, and an operator may have it sent again. A
// webhook receives each event at least once.
package webhook

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/vault"
)

// Service manages webhooks, for callers and the operator.
type Service struct {
	DB    *store.DB
	Queue *jobs.Queue
	Vault *vault.Vault // seals the signing keys
	Now   func() time.Time

	OnMessage func() // is called for each message that has come in by a channel; may be nil
}

// NewWebhook holds the fields of a webhook to be created.
type NewWebhook struct {
	AgentID  parley.AgentID // empty for all agents of the account
	Endpoint string
	Events   []string
	Channel  parley.Channel // of a channel, which has an agent and is sent other events; empty of a webhook alone
	Name     string         // of a channel
	Secret   string         // 8 to 200 bytes; one is generated where it is empty
	KeyID    parley.KeyID   // of the API key that the secret is, if it is one
	Actor    string         // who creates it, for the audit chain
}

const (
	maxWebhooks    = 100 // of an account
	maxURLBytes    = 2000
	minSecretBytes = 8
	maxSecretBytes = 200
)

// Add creates a webhook and returns it with its secret, which is shown only now. Fails with VALIDATION_INVALID_BODY,
// also where the server has no key to seal with, or with AGENT_NOT_FOUND.
func (s *Service) Add(ctx context.Context, account parley.AccountID, n NewWebhook) (*parley.Webhook, string, error) {
	if err := n.validate(); err != nil {
		return nil, "", err
	}
	if n.Secret == "" {
		n.Secret = newSecret()
	}
	signing, err := s.Vault.Seal(account, encodeSigningKeys([]byte(n.Secret)))
	if err != nil {
		return nil, "", err
	}
	now := s.Now()
	h := &parley.Webhook{ID: parley.WebhookID(parley.NewUUID()), AccountID: account, AgentID: n.AgentID,
		Endpoint: n.Endpoint, Events: n.eventKinds(), Channel: n.Channel, Name: parley.TrimName(n.Name),
		SealedSigningKeys: signing, KeyID: n.KeyID, CreatedAt: now, UpdatedAt: now}
	return h, n.Secret, s.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if err := createWebhook(ctx, tx, h); err != nil {
			return err
		}
		action := "webhook.add"
		if h.IsChannel() {
			action = "channel.add"
		}
		return tx.AppendAuditEvent(ctx, account, now, n.Actor, action, string(h.ID), auditDetails(h))
	})
}

// auditDetails returns what the audit chain records of a webhook. The query of an endpoint may be secret.
func auditDetails(h *parley.Webhook) map[string]any {
	endpoint, _, _ := strings.Cut(h.Endpoint, "?")
	if h.IsChannel() {
		return map[string]any{"agent": h.AgentID, "endpoint": endpoint, "name": h.Name, "source": h.Channel}
	}
	return map[string]any{"agent": h.AgentID, "endpoint": endpoint, "events": h.Events}
}

// createWebhook writes the webhook. It locks what the webhook belongs to, so that it does not outlive it.
func createWebhook(ctx context.Context, tx *store.DB, h *parley.Webhook) error {
	if _, err := tx.LockAccount(ctx, h.AccountID); err != nil {
		return err
	}
	if h.AgentID != "" {
		if err := tx.LockAgent(ctx, h.AgentRef()); err != nil {
			return err
		}
	}
	list, err := tx.AccountWebhooks(ctx, h.AccountID)
	if err != nil {
		return err
	}
	if len(list) >= maxWebhooks {
		return parley.Invalid("webhooks", fmt.Sprintf("must be at most %d of an account", maxWebhooks))
	}
	return tx.CreateWebhook(ctx, h)
}

func (n *NewWebhook) validate() error {
	details := map[string]string{}
	if fault := EndpointFault(n.Endpoint); fault != "" {
		details["endpoint"] = fault
	}
	if n.Channel != "" {
		n.checkChannel(details)
	} else {
		n.checkEvents(details)
	}
	if n.Secret != "" && (len(n.Secret) < minSecretBytes || len(n.Secret) > maxSecretBytes) {
		details["secret"] = fmt.Sprintf("must have from %d to %d bytes", minSecretBytes, maxSecretBytes)
	}
	return parley.InvalidFields(details)
}

func (n *NewWebhook) checkEvents(details map[string]string) {
	if len(n.Events) == 0 {
		details["events"] = "must name an event"
	}
	for _, e := range n.eventKinds() {
		if !parley.IsWebhookEvent(e) {
			details["events"] = "must be some of: " + strings.Join(parley.EnumValues("webhookEvent"), ", ")
		}
	}
}

// EndpointFault returns what is wrong with the URL of a webhook; empty for nothing.
func EndpointFault(endpoint string) string {
	u, err := url.Parse(endpoint)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return "must be an http or https URL"
	case u.User != nil:
		return "must not hold a user name or a password"
	case len(endpoint) > maxURLBytes:
		return fmt.Sprintf("must have at most %d bytes", maxURLBytes)
	}
	return ""
}

// eventKinds returns the kinds of events to be sent, each once.
func (n *NewWebhook) eventKinds() []parley.EventKind {
	if n.Channel != "" {
		return parley.ChannelEvents()
	}
	list := make([]parley.EventKind, len(n.Events))
	for i, name := range n.Events {
		list[i] = parley.EventKind(name)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func newSecret() string {
	var b [24]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand aborts the program instead
	return secretPrefix + base64.StdEncoding.EncodeToString(b[:])
}

// Change says what a webhook is to be; nil stays.
type Change struct {
	Endpoint *string
	Events   []string
	Name     *string // of a channel
	Enabled  *bool
	Actor    string // who changes it, for the audit chain
}

// Change changes a webhook. What waited while it was off is sent when it is on again. Fails with NOT_FOUND, or with
// VALIDATION_INVALID_BODY.
func (s *Service) Change(ctx context.Context, account parley.AccountID, id parley.WebhookID,
	c Change) (changed *parley.Webhook, err error) {
	now := s.Now()
	err = s.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		err := tx.UpdateWebhook(ctx, account, id, now, func(h *parley.Webhook) error {
			changed = h
			return c.apply(h, now)
		})
		if err != nil {
			return err
		}
		if changed.DisabledAt == nil {
			if err := enqueueSend(ctx, tx, s.Queue, account, id, now); err != nil {
				return err
			}
		}
		details := auditDetails(changed)
		details["enabled"] = changed.DisabledAt == nil
		action := "webhook.change"
		if changed.IsChannel() {
			action = "channel.change"
		}
		return tx.AppendAuditEvent(ctx, account, now, c.Actor, action, string(id), details)
	})
	return changed, err
}

func (c *Change) apply(h *parley.Webhook, now time.Time) error {
	n := NewWebhook{AgentID: h.AgentID, Endpoint: h.Endpoint, Events: h.EventNames(), Channel: h.Channel, Name: h.Name}
	if c.Endpoint != nil {
		n.Endpoint = *c.Endpoint
	}
	if c.Events != nil {
		n.Events = c.Events
	}
	if c.Name != nil {
		n.Name = *c.Name
	}
	if h.IsChannel() && c.Events != nil {
		return parley.Invalid("events", "cannot be chosen: a channel is sent what its conversations need")
	}
	if err := n.validate(); err != nil {
		return err
	}
	h.Endpoint, h.Events, h.Name = n.Endpoint, n.eventKinds(), parley.TrimName(n.Name)
	switch {
	case c.Enabled == nil:
	case *c.Enabled:
		h.DisabledAt = nil
	case h.DisabledAt == nil:
		h.DisabledAt = &now
	}
	return nil
}

// RotateSecret makes another secret for a webhook in place of the one before, and returns it; it is shown only now.
// Fails with NOT_FOUND.
func (s *Service) RotateSecret(ctx context.Context, account parley.AccountID, id parley.WebhookID,
	actor string) (secret string, err error) {
	secret = newSecret()
	signing, err := s.Vault.Seal(account, encodeSigningKeys([]byte(secret)))
	if err != nil {
		return "", err
	}
	now := s.Now()
	return secret, s.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		isChannel := false
		err := tx.UpdateWebhook(ctx, account, id, now, func(h *parley.Webhook) error {
			h.SealedSigningKeys, h.KeyID, isChannel = signing, "", h.IsChannel()
			return nil
		})
		if err != nil {
			return err
		}
		action := "webhook.rotate_secret"
		if isChannel {
			action = "channel.rotate_secret"
		}
		return tx.AppendAuditEvent(ctx, account, now, actor, action, string(id), nil)
	})
}

// SendTest has a delivery sent that tells of nothing, and returns its id. Fails with NOT_FOUND.
func (s *Service) SendTest(ctx context.Context, account parley.AccountID,
	id parley.WebhookID) (parley.DeliveryID, error) {
	h, err := s.DB.Webhook(ctx, account, id)
	if err != nil {
		return "", err
	}
	now := s.Now()
	d := &parley.Delivery{ID: parley.DeliveryID(parley.NewTimedUUID()), AccountID: account, AgentID: h.AgentID,
		WebhookID: id, Event: parley.EventWebhookTest, Body: testBody(now), DueAt: now, CreatedAt: now}
	return d.ID, s.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if err := tx.AddDelivery(ctx, d); err != nil {
			return err
		}
		return enqueueSend(ctx, tx, s.Queue, account, id, now)
	})
}

// Remove deletes a webhook and its deliveries; actor is who does so, for the audit chain. Fails with
// NOT_FOUND.
func (s *Service) Remove(ctx context.Context, account parley.AccountID, id parley.WebhookID, actor string) error {
	now := s.Now()
	err := s.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		h, err := tx.Webhook(ctx, account, id)
		if err != nil {
			return err
		}
		if err := tx.DeleteWebhook(ctx, account, id); err != nil {
			return err
		}
		action := "webhook.remove"
		if h.IsChannel() {
			action = "channel.remove"
		}
		return tx.AppendAuditEvent(ctx, account, now, actor, action, string(id), nil)
	})
	if err != nil {
		return err
	}
	return s.DB.EraseWebhookDeliveries(ctx, account, id)
}

// Redeliver sends a delivery once more, whatever its state, with as many attempts as a new one. Fails with NOT_FOUND.
func (s *Service) Redeliver(ctx context.Context, account parley.AccountID,
	id parley.DeliveryID) (delivery *parley.Delivery, err error) {
	now := s.Now()
	err = s.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) (err error) {
		if delivery, err = tx.ResetDelivery(ctx, account, id, now); err != nil {
			return err
		}
		return enqueueSend(ctx, tx, s.Queue, account, delivery.WebhookID, now)
	})
	return delivery, err
}
