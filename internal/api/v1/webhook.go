package v1

import (
	"context"
	"slices"

	"parley"
	"parley/internal/access"
	"parley/internal/httpapi"
	"parley/internal/webhook"
)

// Webhook is an address to which events are sent.
type Webhook struct {
	ID         string   `json:"id"`
	Endpoint   string   `json:"endpoint"`
	Events     []string `json:"events"`
	ChatbotID  *string  `json:"chatbotId" doc:"Null hears of all chatbots of the account."`
	SignedWith string   `json:"signedWith" enum:"apiKey,secret"`
	CreatedAt  string   `json:"createdAt" doc:"ISO 8601."`
}

// FieldDocs returns the docs that are too long for tags.
func (Webhook) FieldDocs() map[string]string {
	return map[string]string{
		"signedWith": "What the deliveries are signed with: the API key that made the webhook, or a secret of its own.",
	}
}

// WebhookList holds the account's webhooks, oldest first.
type WebhookList struct {
	Webhooks []Webhook `json:"webhooks"`
}

type newWebhook struct {
	Body struct{ webhookFields }
}

type webhookFields struct {
	Endpoint  string              `json:"endpoint" format:"uri" max:"2000" doc:"Where events are sent to."`
	Events    []string            `json:"events" min:"1" max:"10" item:"enum=@publicWebhookEvent"`
	ChatbotID httpapi.Opt[string] `json:"chatbotId,omitzero" nullable:"true" doc:"Only events of this chatbot."`
	Secret    httpapi.Opt[string] `json:"secret,omitzero" min:"8" max:"200"`
}

// FieldDocs returns the docs that are too long for tags.
func (webhookFields) FieldDocs() map[string]string {
	return map[string]string{"secret": "Signs the deliveries; without it the API key of this request does."}
}

func (s *server) createWebhook(ctx context.Context, c *call, in *newWebhook) (*Webhook, error) {
	caller := callerOf(c)
	n := webhook.NewWebhook{AgentID: parley.AgentID(in.Body.ChatbotID.Value), Endpoint: in.Body.Endpoint,
		Events: in.Body.Events, Secret: in.Body.Secret.Value, Actor: access.KeyActor(caller.Key.ID)}
	if n.AgentID == "" && in.Body.ChatbotID.Ptr() != nil {
		return nil, parley.NewError(parley.CodeAgentNotFound)
	}
	if n.Secret == "" {
		n.Secret, n.KeyID = access.RequestKey(c.Request), caller.Key.ID
	}
	h, _, err := s.Webhooks.Add(ctx, caller.Account.ID, n)
	if err != nil {
		return nil, err
	}
	out := newWebhookReply(h)
	return &out, nil
}

type webhooksQuery struct {
	ChatbotID string `query:"chatbotId" doc:"Only webhooks of this chatbot."`
}

func (s *server) listWebhooks(ctx context.Context, c *call, in *webhooksQuery) (*WebhookList, error) {
	list, err := s.webhooks(ctx, c, in.ChatbotID)
	if err != nil {
		return nil, err
	}
	return &WebhookList{httpapi.ConvertList(list, newWebhookReply)}, nil
}

// webhooks returns the webhooks of a chatbot; without one, all of the account. Channels are not among them.
func (s *server) webhooks(ctx context.Context, c *call, chatbot string) (list []parley.Webhook, err error) {
	if chatbot == "" {
		list, err = s.DB.AccountWebhooks(ctx, callerOf(c).Account.ID)
	} else {
		list, err = s.DB.Webhooks(ctx, agentRef(c, chatbot))
	}
	return slices.DeleteFunc(list, func(h parley.Webhook) bool { return h.IsChannel() }), err
}

type webhookRef struct {
	ID string `path:"webhookId" id:"uuid"`
}

func (s *server) deleteWebhook(ctx context.Context, c *call, in *webhookRef) (*Done, error) {
	caller := callerOf(c)
	h, err := s.DB.Webhook(ctx, caller.Account.ID, parley.WebhookID(in.ID))
	if err != nil {
		return nil, err
	}
	if h.IsChannel() {
		return nil, parley.NewErrorf(parley.CodeNotFound, "Webhook not found.")
	}
	err = s.Webhooks.Remove(ctx, caller.Account.ID, parley.WebhookID(in.ID), access.KeyActor(caller.Key.ID))
	if err != nil {
		return nil, err
	}
	return &Done{"The webhook has been deleted."}, nil
}

func newWebhookReply(h *parley.Webhook) Webhook {
	out := Webhook{ID: string(h.ID), Endpoint: h.Endpoint, Events: h.EventNames(),
		ChatbotID:  textOrNull(string(h.AgentID)),
		SignedWith: "secret", CreatedAt: formatTime(h.CreatedAt)}
	if h.KeyID != "" {
		out.SignedWith = "apiKey"
	}
	return out
}
