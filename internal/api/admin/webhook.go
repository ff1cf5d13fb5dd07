package admin

import (
	"context"
	"time"

	"parley"
	"parley/internal/store"
	"parley/internal/webhook"
)

// NewWebhook asks for a webhook of an account, or of an agent.
type NewWebhook struct {
	AccountID string   `json:"accountId,omitempty"` // may be left out beside an agent
	AgentID   string   `json:"agentId,omitempty"`   // empty hears of all agents of the account
	Endpoint  string   `json:"endpoint"`
	Events    []string `json:"events"`
	Secret    string   `json:"secret,omitempty"` // empty makes one
}

// CreatedWebhook names the new webhook and shows its secret, this once.
type CreatedWebhook struct {
	WebhookID string `json:"webhookId"`
	Secret    string `json:"secret"`
}

// WebhookRef names a webhook.
type WebhookRef struct {
	ID string `json:"webhookId"`
}

// Webhook is the record of a webhook.
type Webhook struct {
	ID        string    `json:"webhookId"`
	AccountID string    `json:"accountId"`
	AgentID   string    `json:"agentId,omitempty"` // empty hears of all
	Endpoint  string    `json:"endpoint"`
	Events    []string  `json:"events"`
	KeyID     string    `json:"keyId,omitempty"` // of the API key that signs; empty where it has a secret of its own
	CreatedAt time.Time `json:"createdAt"`
}

// DeliveryQuery narrows a list of deliveries. Empty fields do not.
type DeliveryQuery struct {
	AccountID string `json:"accountId,omitempty"`
	WebhookID string `json:"webhookId,omitempty"`
	State     string `json:"state,omitempty"` // pending, delivered, dead
	Limit     int    `json:"limit"`
}

// DeliveryRef names a delivery.
type DeliveryRef struct {
	ID string `json:"deliveryId"`
}

// Delivery is one event on its way to one webhook, without what it tells.
type Delivery struct {
	ID          string     `json:"deliveryId"`
	WebhookID   string     `json:"webhookId"`
	AccountID   string     `json:"accountId"`
	AgentID     string     `json:"agentId"`
	Event       string     `json:"event"`
	State       string     `json:"state"`
	Attempts    int        `json:"attempts"`
	NextAt      *time.Time `json:"nextAt"` // null unless it is pending
	LastStatus  int        `json:"lastStatus,omitempty"`
	LastError   string     `json:"lastError,omitempty"`
	CreatedAt   time.Time  `json:"createdAt"`
	DeliveredAt *time.Time `json:"deliveredAt"`
}

// The verbs on webhooks and what is sent to them.
var (
	AddWebhook     = Command[NewWebhook, CreatedWebhook]{"webhook.add", false, (*Service).addWebhook}
	RemoveWebhook  = Command[WebhookRef, WebhookRef]{"webhook.remove", false, (*Service).removeWebhook}
	ListWebhooks   = Command[AccountFilter, []Webhook]{"webhook.list", false, (*Service).listWebhooks}
	ListDeliveries = Command[DeliveryQuery, []Delivery]{"webhook.deliveries", false, (*Service).listDeliveries}
	Redeliver      = Command[DeliveryRef, DeliveryRef]{"webhook.redeliver", false, (*Service).redeliver}
)

func (d *Service) addWebhook(ctx context.Context, in NewWebhook) (CreatedWebhook, error) {
	account, err := d.webhookAccount(ctx, in)
	if err != nil {
		return CreatedWebhook{}, err
	}
	h, secret, err := d.Webhooks.Add(ctx, account, webhook.NewWebhook{AgentID: parley.AgentID(in.AgentID), Endpoint: in.Endpoint, Events: in.Events, Secret: in.Secret, Actor: operatorName})
	if err != nil {
		return CreatedWebhook{}, err
	}
	return CreatedWebhook{string(h.ID), secret}, nil
}

// webhookAccount is the account that the webhook is for.
func (d *Service) webhookAccount(ctx context.Context, in NewWebhook) (parley.AccountID, error) {
	if in.AccountID != "" || in.AgentID == "" {
		account, err := d.DB.Account(ctx, parley.AccountID(in.AccountID))
		if err != nil {
			return "", err
		}
		return account.ID, nil
	}
	return d.DB.OwnerOfAgent(ctx, parley.AgentID(in.AgentID))
}

func (d *Service) removeWebhook(ctx context.Context, in WebhookRef) (WebhookRef, error) {
	id := parley.WebhookID(in.ID)
	account, err := d.DB.OwnerOfWebhook(ctx, id)
	if err != nil {
		return in, err
	}
	return in, d.Webhooks.Remove(ctx, account, id, operatorName)
}

func (d *Service) listWebhooks(ctx context.Context, in AccountFilter) ([]Webhook, error) {
	read := d.DB.AllWebhooks
	if in.AccountID != "" {
		read = func(ctx context.Context) ([]parley.Webhook, error) {
			return d.DB.Webhooks(ctx, parley.AccountID(in.AccountID), "")
		}
	}
	found, err := read(ctx)
	if err != nil {
		return nil, err
	}
	list := make([]Webhook, len(found))
	for i, h := range found {
		list[i] = Webhook{ID: string(h.ID), AccountID: string(h.AccountID), AgentID: string(h.AgentID), Endpoint: h.Endpoint, Events: h.Events, KeyID: string(h.KeyID), CreatedAt: h.CreatedAt}
	}
	return list, nil
}

func (d *Service) listDeliveries(ctx context.Context, in DeliveryQuery) ([]Delivery, error) {
	filter := store.DeliveryFilter{Account: parley.AccountID(in.AccountID), Webhook: parley.WebhookID(in.WebhookID), State: parley.DeliveryState(in.State)}
	found, err := d.DB.Deliveries(ctx, filter, in.Limit)
	if err != nil {
		return nil, err
	}
	list := make([]Delivery, len(found))
	for i, one := range found {
		list[i] = Delivery{ID: string(one.ID), WebhookID: string(one.WebhookID), AccountID: string(one.AccountID), AgentID: string(one.AgentID), Event: one.Event, State: string(one.State),
			Attempts: one.Attempts, LastStatus: one.LastStatus, LastError: one.LastError, CreatedAt: one.CreatedAt, DeliveredAt: one.DeliveredAt}
		if one.State == parley.DeliveryPending {
			list[i].NextAt = &one.DueAt
		}
	}
	return list, nil
}

func (d *Service) redeliver(ctx context.Context, in DeliveryRef) (DeliveryRef, error) {
	id := parley.DeliveryID(in.ID)
	account, err := d.DB.OwnerOfDelivery(ctx, id)
	if err != nil {
		return in, err
	}
	_, err = d.Webhooks.Redeliver(ctx, account, id)
	return in, err
}
