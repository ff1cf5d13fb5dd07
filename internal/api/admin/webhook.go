package admin

import (
	"context"
	"slices"
	"time"

	"parley"
	"parley/internal/channel"
	"parley/internal/httpapi"
	"parley/internal/store"
	"parley/internal/webhook"
)

// NewWebhook asks for a webhook of an account, or of an agent.
type NewWebhook struct {
	AccountID string   `json:"accountId,omitempty"` // may be left out beside an agent
	AgentID   string   `json:"agentId,omitempty"`   // empty for all agents of the account
	Endpoint  string   `json:"endpoint"`
	Events    []string `json:"events" max:"100"`
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

	DisabledAt *time.Time `json:"disabledAt" doc:"Since when nothing is sent; null while it is on."`

	LastDay WebhookDay `json:"lastDay" doc:"Of the list of one account; zero elsewhere."`
}

// WebhookDay counts the deliveries of a webhook in the last 24 hours.
type WebhookDay struct {
	Counts []int `json:"hours" doc:"Deliveries by hour, the oldest hour first."`
	All    int   `json:"deliveries"`
	Dead   int   `json:"failed" doc:"Those of them that are not tried any more."`
}

// WebhookChange says what a webhook is to be; what is absent stays.
type WebhookChange struct {
	ID       string   `path:"webhookId" json:"-"`
	Endpoint *string  `json:"endpoint,omitempty"`
	Events   []string `json:"events,omitempty" max:"100"`
	Enabled  *bool    `json:"enabled,omitempty" doc:"Off, nothing is sent, and what happens meanwhile never is."`
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
	LastMillis  int64      `json:"lastMillis,omitempty" doc:"How long the latest attempt took."`
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
		Actor:    s.actor(),
	})
	if err != nil {
		return CreatedWebhook{}, err
	}
	return CreatedWebhook{string(h.ID), secret}, nil
}

// webhookAccount returns the account that the webhook is for.
func (s *Service) webhookAccount(ctx context.Context, in NewWebhook) (parley.AccountID, error) {
	if s.member != nil {
		return s.limitAccount(parley.AccountID(in.AccountID))
	}
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
	account, err := s.ownerOfWebhook(ctx, id)
	if err != nil {
		return RemovedWebhook{}, err
	}
	return RemovedWebhook(in), s.Webhooks.Remove(ctx, account, id, s.actor())
}

func (s *Service) changeWebhook(ctx context.Context, in WebhookChange) (Webhook, error) {
	id := parley.WebhookID(in.ID)
	account, err := s.ownerOfWebhook(ctx, id)
	if err != nil {
		return Webhook{}, err
	}
	h, err := s.Webhooks.Change(ctx, account, id,
		webhook.Change{Endpoint: in.Endpoint, Events: in.Events, Enabled: in.Enabled, Actor: s.actor()})
	if err != nil {
		return Webhook{}, err
	}
	return newWebhook(h), nil
}

func (s *Service) rotateWebhookSecret(ctx context.Context, in WebhookRef) (CreatedWebhook, error) {
	id := parley.WebhookID(in.ID)
	account, err := s.ownerOfWebhook(ctx, id)
	if err != nil {
		return CreatedWebhook{}, err
	}
	secret, err := s.Webhooks.RotateSecret(ctx, account, id, s.actor())
	return CreatedWebhook{in.ID, secret}, err
}

func (s *Service) tryWebhook(ctx context.Context, in WebhookRef) (Redelivery, error) {
	id := parley.WebhookID(in.ID)
	account, err := s.ownerOfWebhook(ctx, id)
	if err != nil {
		return Redelivery{}, err
	}
	delivery, err := s.Webhooks.SendTest(ctx, account, id)
	return Redelivery{string(delivery)}, err
}

func (s *Service) listWebhooks(ctx context.Context, in AccountFilter) ([]Webhook, error) {
	account, err := s.limitAccount(parley.AccountID(in.AccountID))
	if parley.IsCode(err, parley.CodeAccountNotFound) {
		return []Webhook{}, nil
	}
	if err != nil {
		return nil, err
	}
	read := s.DB.AllWebhooks
	if account != "" {
		if _, err := s.DB.Account(ctx, account); err != nil {
			return nil, err
		}
		read = func(ctx context.Context) ([]parley.Webhook, error) { return s.DB.AccountWebhooks(ctx, account) }
	}
	found, err := read(ctx)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(h parley.Webhook) bool { return h.IsChannel() })
	list := httpapi.ConvertList(found, newWebhook)
	if account == "" {
		return list, nil
	}
	return list, s.countLastDay(ctx, account, list)
}

const hoursOfDay = 24

// countLastDay counts the deliveries of an account's webhooks in the last 24 hours.
func (s *Service) countLastDay(ctx context.Context, account parley.AccountID, list []Webhook) error {
	counts, err := s.DB.DeliveryHours(ctx, account, s.Now().Add(-hoursOfDay*time.Hour))
	if err != nil {
		return err
	}
	for _, c := range counts {
		i := slices.IndexFunc(list, func(w Webhook) bool { return w.ID == string(c.WebhookID) })
		if i < 0 {
			continue
		}
		day := &list[i].LastDay
		day.Counts[min(c.Hour, hoursOfDay-1)] += c.All // what is written this moment is of the last hour
		day.All += c.All
		day.Dead += c.Dead
	}
	return nil
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

		DisabledAt: h.DisabledAt, LastDay: WebhookDay{Counts: make([]int, hoursOfDay)},
	}
}

func (s *Service) listDeliveries(ctx context.Context, in DeliveryQuery) ([]Delivery, error) {
	if err := s.checkDeliveryQuery(ctx, in); err != nil {
		return nil, err
	}
	filter := store.DeliveryFilter{
		Account: parley.AccountID(in.AccountID),
		Webhook: parley.WebhookID(in.WebhookID),
		State:   parley.DeliveryState(in.State),
	}
	found, err := s.DB.Deliveries(ctx, filter, in.Limit)
	if err != nil {
		return nil, err
	}
	return httpapi.ConvertList(found, newDelivery), nil
}

// checkDeliveryQuery fails with ACCOUNT_NOT_FOUND or NOT_FOUND for an account or a webhook that is not there.
func (s *Service) checkDeliveryQuery(ctx context.Context, in DeliveryQuery) error {
	if in.AccountID != "" {
		if _, err := s.DB.Account(ctx, parley.AccountID(in.AccountID)); err != nil {
			return err
		}
	}
	if in.WebhookID == "" {
		return nil
	}
	_, err := s.DB.OwnerOfWebhook(ctx, parley.WebhookID(in.WebhookID))
	return err
}

func newDelivery(d *parley.Delivery) Delivery {
	out := Delivery{
		ID:          string(d.ID),
		WebhookID:   string(d.WebhookID),
		AccountID:   string(d.AccountID),
		AgentID:     string(d.AgentID),
		Event:       string(d.Event),
		State:       string(d.State),
		Attempts:    d.Attempts,
		LastStatus:  d.LastStatus,
		LastError:   d.LastError,
		LastMillis:  d.LastMillis,
		CreatedAt:   d.CreatedAt,
		DeliveredAt: d.DeliveredAt,
	}
	if d.State == parley.DeliveryPending {
		out.NextAt = &d.DueAt
	}
	return out
}

// ownerOfWebhook returns the account in which a webhook is looked for: a member's own, else the one that has it. It
// fails with NOT_FOUND.
func (s *Service) ownerOfWebhook(ctx context.Context, id parley.WebhookID) (parley.AccountID, error) {
	if s.member != nil {
		return s.member.Account, nil
	}
	account, err := s.DB.OwnerOfWebhook(ctx, id)
	store.SetAuditAccount(ctx, account)
	return account, err
}

// ownerOfDelivery is ownerOfWebhook of a delivery.
func (s *Service) ownerOfDelivery(ctx context.Context, id parley.DeliveryID) (parley.AccountID, error) {
	if s.member != nil {
		return s.member.Account, nil
	}
	account, err := s.DB.OwnerOfDelivery(ctx, id)
	store.SetAuditAccount(ctx, account)
	return account, err
}

// SentDelivery is a delivery with what is sent.
type SentDelivery struct {
	Delivery
	Body   string `json:"body" doc:"The same in every attempt. The signature is in a header."`
	Answer string `json:"answer" doc:"The first 4 kB of what the latest attempt was answered, as text."`
}

func (s *Service) getDelivery(ctx context.Context, in DeliveryRef) (SentDelivery, error) {
	id := parley.DeliveryID(in.ID)
	account, err := s.ownerOfDelivery(ctx, id)
	if err != nil {
		return SentDelivery{}, err
	}
	d, err := s.DB.Delivery(ctx, account, id)
	if err != nil {
		return SentDelivery{}, err
	}
	return SentDelivery{newDelivery(d), d.Body, d.LastAnswer}, nil
}

func (s *Service) redeliver(ctx context.Context, in DeliveryRef) (Redelivery, error) {
	id := parley.DeliveryID(in.ID)
	account, err := s.ownerOfDelivery(ctx, id)
	if err != nil {
		return Redelivery{}, err
	}
	_, err = s.Webhooks.Redeliver(ctx, account, id)
	return Redelivery(in), err
}

// NewChannel asks for a channel of an agent.
type NewChannel struct {
	AgentID  string `json:"agentId"`
	Name     string `json:"name" min:"1" max:"100" doc:"For people."`
	Source   string `json:"source" enum:"@messengerChannel" doc:"Where its conversations begin. It stays."`
	Endpoint string `json:"endpoint" doc:"Where answers are sent to."`
	Secret   string `json:"secret,omitempty"` // empty for one that is made
}

// CreatedChannel names the new channel and shows its secret, this once.
type CreatedChannel struct {
	ChannelID string `json:"channelId"`
	Path      string `json:"path" doc:"Of this server, to which messages are sent."`
	Secret    string `json:"secret"`
}

// ChannelQuery narrows a list of channels. Empty fields do not.
type ChannelQuery struct {
	AccountID string `query:"accountId"`
	AgentID   string `query:"agentId"`
}

// ChannelRef names a channel.
type ChannelRef struct {
	ID string `path:"channelId"`
}

// RemovedChannel names the channel that was removed.
type RemovedChannel struct {
	ID string `json:"channelId"`
}

// Channel is the record of a channel: a program that connects a messenger to an agent.
type Channel struct {
	ID         string     `json:"channelId"`
	AccountID  string     `json:"accountId"`
	AgentID    string     `json:"agentId"`
	Name       string     `json:"name"`
	Source     string     `json:"source" doc:"Where its conversations begin."`
	Endpoint   string     `json:"endpoint" doc:"Where answers are sent to."`
	Path       string     `json:"path" doc:"Of this server, to which messages are sent."`
	CreatedAt  time.Time  `json:"createdAt"`
	DisabledAt *time.Time `json:"disabledAt" doc:"Since when nothing is taken or sent; null while it is on."`
}

// ChannelChange says what a channel is to be; what is absent stays.
type ChannelChange struct {
	ID       string  `path:"channelId" json:"-"`
	Name     *string `json:"name,omitempty"`
	Endpoint *string `json:"endpoint,omitempty"`
	Enabled  *bool   `json:"enabled,omitempty" doc:"Off, messages are refused, and no answers are sent."`
}

func (s *Service) addChannel(ctx context.Context, in NewChannel) (CreatedChannel, error) {
	ref, err := s.findAgent(ctx, in.AgentID)
	if err != nil {
		return CreatedChannel{}, err
	}
	h, secret, err := s.Webhooks.Add(ctx, ref.Account, webhook.NewWebhook{AgentID: ref.Agent, Endpoint: in.Endpoint,
		Channel: parley.Channel(in.Source), Name: in.Name, Secret: in.Secret, Actor: s.actor()})
	if err != nil {
		return CreatedChannel{}, err
	}
	return CreatedChannel{string(h.ID), channel.MessagePath(h.ID), secret}, nil
}

// findChannel finds a channel in the account in which it is looked for. Fails with NOT_FOUND, also for a webhook that
// only sends.
func (s *Service) findChannel(ctx context.Context, id string) (*parley.Webhook, error) {
	account, err := s.ownerOfWebhook(ctx, parley.WebhookID(id))
	if err != nil {
		return nil, channelNotFound(err)
	}
	h, err := s.DB.Webhook(ctx, account, parley.WebhookID(id))
	if err == nil && !h.IsChannel() {
		err = parley.NewError(parley.CodeNotFound)
	}
	return h, channelNotFound(err)
}

func channelNotFound(err error) error {
	if parley.IsCode(err, parley.CodeNotFound) {
		return parley.NewErrorf(parley.CodeNotFound, "Channel not found.")
	}
	return err
}

func (s *Service) changeChannel(ctx context.Context, in ChannelChange) (Channel, error) {
	found, err := s.findChannel(ctx, in.ID)
	if err != nil {
		return Channel{}, err
	}
	h, err := s.Webhooks.Change(ctx, found.AccountID, found.ID,
		webhook.Change{Endpoint: in.Endpoint, Name: in.Name, Enabled: in.Enabled, Actor: s.actor()})
	if err != nil {
		return Channel{}, err
	}
	return newChannel(h), nil
}

func (s *Service) removeChannel(ctx context.Context, in ChannelRef) (RemovedChannel, error) {
	found, err := s.findChannel(ctx, in.ID)
	if err != nil {
		return RemovedChannel{}, err
	}
	return RemovedChannel(in), s.Webhooks.Remove(ctx, found.AccountID, found.ID, s.actor())
}

func (s *Service) listChannels(ctx context.Context, in ChannelQuery) ([]Channel, error) {
	account, err := s.limitAccount(parley.AccountID(in.AccountID))
	if parley.IsCode(err, parley.CodeAccountNotFound) {
		return []Channel{}, nil
	}
	if err != nil {
		return nil, err
	}
	read := s.DB.AllWebhooks
	if account != "" {
		read = func(ctx context.Context) ([]parley.Webhook, error) { return s.DB.AccountWebhooks(ctx, account) }
	}
	found, err := read(ctx)
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(h parley.Webhook) bool {
		return !h.IsChannel() || in.AgentID != "" && string(h.AgentID) != in.AgentID
	})
	return httpapi.ConvertList(found, newChannel), nil
}

func newChannel(h *parley.Webhook) Channel {
	return Channel{ID: string(h.ID), AccountID: string(h.AccountID), AgentID: string(h.AgentID), Name: h.Name,
		Source: string(h.Channel), Endpoint: h.Endpoint, Path: channel.MessagePath(h.ID), CreatedAt: h.CreatedAt,
		DisabledAt: h.DisabledAt}
}
