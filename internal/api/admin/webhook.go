package admin

import (
	"context"
	"time"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/store"
	"parley/internal/webhook"
)

// NewWebhook asks for a webhook of an account, or of an agent.
type NewWebhook struct {
	AccountID string   `json:"accountId,omitempty"` // may be left out beside an agent
	AgentID   string   `json:"agentId,omitempty"`   // empty for all agents of the account
	Endpoint  string   `json:"endpoint"`
	Events    []string `json:"events"`
	Secret    string   `json:"secret,omitempty"` // empty for one that is made
}

// CreatedWebhook names the new webhook and shows its secret, this once.
type CreatedWebhook struct {
	WebhookID string `json:"webhookId"`
	Secret    string `json:"secret"`
}

// WebhookRef names a webhook.
type WebhookRef struct {
	ID string `path:"webhookId"`
}

// RemovedWebhook names the webhook that was removed.
type RemovedWebhook struct {
	ID string `json:"webhookId"`
}

// Webhook is the record of a webhook.
type Webhook struct {
	ID        string    `json:"webhookId"`
	AccountID string    `json:"accountId"`
	AgentID   string    `json:"agentId,omitempty"` // empty for all agents of the account
	Endpoint  string    `json:"endpoint"`
	Events    []string  `json:"events"`
	KeyID     string    `json:"keyId,omitempty"` // of the API key that signs; empty if it has a secret of its own
	CreatedAt time.Time `json:"createdAt"`
}

// DeliveryQuery narrows a list of deliveries. Empty fields do not.
type DeliveryQuery struct {
	AccountID string `query:"accountId"`
	WebhookID string `query:"webhookId"`
	State     string `query:"state" enum:"@deliveryState"`
	Limit     int    `query:"limit" default:"50" min:"1"`
}

// DeliveryRef names a delivery.
type DeliveryRef struct {
	ID string `path:"deliveryId"`
}

// Redelivery names the delivery that is sent again.
type Redelivery struct {
	ID string `json:"deliveryId"`
}

// Delivery is one event on its way to one webhook, without its payload.
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

func (s *Service) addWebhook(ctx context.Context, in NewWebhook) (CreatedWebhook, error) {
	account, err := s.webhookAccount(ctx, in)
	if err != nil {
		return CreatedWebhook{}, err
	}
	h, secret, err := s.Webhooks.Add(ctx, account, webhook.NewWebhook{
		AgentID:  parley.AgentID(in.AgentID),
		Endpoint: in.Endpoint,
		Events:   in.Events,
		Secret:   in.Secret,
		Actor:    operatorName,
	})
	if err != nil {
		return CreatedWebhook{}, err
	}
	return CreatedWebhook{string(h.ID), secret}, nil
}

// webhookAccount returns the account that the webhook is for.
func (s *Service) webhookAccount(ctx context.Context, in NewWebhook) (parley.AccountID, error) {
	if in.AccountID != "" || in.AgentID == "" {
		account, err := s.DB.Account(ctx, parley.AccountID(in.AccountID))
		if err != nil {
			return "", err
		}
		return account.ID, nil
	}
	return s.DB.OwnerOfAgent(ctx, parley.AgentID(in.AgentID))
}

func (s *Service) removeWebhook(ctx context.Context, in WebhookRef) (RemovedWebhook, error) {
	id := parley.WebhookID(in.ID)
	account, err := s.DB.OwnerOfWebhook(ctx, id)
	if err != nil {
		return RemovedWebhook{}, err
	}
	return RemovedWebhook(in), s.Webhooks.Remove(ctx, account, id, operatorName)
}

func (s *Service) listWebhooks(ctx context.Context, in AccountFilter) ([]Webhook, error) {
	read := s.DB.AllWebhooks
	if in.AccountID != "" {
		read = func(ctx context.Context) ([]parley.Webhook, error) {
			return s.DB.AccountWebhooks(ctx, parley.AccountID(in.AccountID))
		}
	}
	found, err := read(ctx)
	if err != nil {
		return nil, err
	}
	return httpapi.ConvertList(found, newWebhook), nil
}

func newWebhook(h *parley.Webhook) Webhook {
	return Webhook{
		ID:        string(h.ID),
		AccountID: string(h.AccountID),
		AgentID:   string(h.AgentID),
		Endpoint:  h.Endpoint,
		Events:    h.EventNames(),
		KeyID:     string(h.KeyID),
		CreatedAt: h.CreatedAt,
	}
}

func (s *Service) listDeliveries(ctx context.Context, in DeliveryQuery) ([]Delivery, error) {
	filter := store.DeliveryFilter{
		Account: parley.AccountID(in.AccountID),
		Webhook: parley.WebhookID(in.WebhookID),
		State:   parley.DeliveryState(in.State),
	}
	found, err := s.DB.Deliveries(ctx, filter, in.Limit)
	if err != nil {
		return nil, err
	}
	list := make([]Delivery, len(found))
	for i, delivery := range found {
		list[i] = Delivery{
			ID:          string(delivery.ID),
			WebhookID:   string(delivery.WebhookID),
			AccountID:   string(delivery.AccountID),
			AgentID:     string(delivery.AgentID),
			Event:       string(delivery.Event),
			State:       string(delivery.State),
			Attempts:    delivery.Attempts,
			LastStatus:  delivery.LastStatus,
			LastError:   delivery.LastError,
			CreatedAt:   delivery.CreatedAt,
			DeliveredAt: delivery.DeliveredAt,
		}
		if delivery.State == parley.DeliveryPending {
			list[i].NextAt = &delivery.DueAt
		}
	}
	return list, nil
}

func (s *Service) redeliver(ctx context.Context, in DeliveryRef) (Redelivery, error) {
	id := parley.DeliveryID(in.ID)
	account, err := s.DB.OwnerOfDelivery(ctx, id)
	if err != nil {
		return Redelivery{}, err
	}
	_, err = s.Webhooks.Redeliver(ctx, account, id)
	return Redelivery(in), err
}
