package apiv1

import (
	"context"
	"fmt"

	"parley"
	"parley/internal/wire"
)

// SettingsChange is a partial update of a chatbot's settings.
type SettingsChange struct {
	Body SettingsChangeBody
}

// SettingsChangeBody holds the settings to change; those that are absent stay (interface 4.10). Values beyond the ranges of REST v2
// are kept as they are written: v2 shows them and checks what it is sent itself. docs/v1.md tells where each field is kept.
type SettingsChangeBody struct {
	ChatbotID                  string                      `json:"chatbotId" min:"1"`
	Name                       wire.Opt[string]            `json:"name,omitzero" min:"1"`
	Instructions               wire.Opt[string]            `json:"instructions,omitzero" doc:"The base prompt."`
	InitialMessages            wire.Opt[[]string]          `json:"initialMessages,omitzero" doc:"Greetings."`
	SuggestedMessages          wire.Opt[[]string]          `json:"suggestedMessages,omitzero" item:"min=1" doc:"Shown above the text input."`
	Visibility                 wire.Opt[string]            `json:"visibility,omitzero" enum:"private,can_be_embedded,public" doc:"public is another word for can_be_embedded."`
	OnlyAllowOnAddedDomains    wire.Opt[bool]              `json:"onlyAllowOnAddedDomains,omitzero" doc:"Restrict iframe and widget to the domains."`
	Domains                    wire.Opt[[]string]          `json:"domains,omitzero" item:"min=1" doc:"The allowed domains. They are kept while the restriction is off."`
	IPLimit                    wire.Opt[int]               `json:"ipLimit,omitzero" min:"0" max:"2147483647" doc:"Messages from one device per ipLimitTimeframe."`
	IPLimitTimeframe           wire.Opt[int]               `json:"ipLimitTimeframe,omitzero" min:"0" max:"2147483647" doc:"Seconds."`
	IPLimitMessage             wire.Opt[string]            `json:"ipLimitMessage,omitzero" doc:"Shown when the limit is exceeded."`
	Model                      wire.Opt[string]            `json:"model,omitzero" min:"1" doc:"gpt-4, gpt-3.5-turbo, or a model that an agent of version 2 can be given. gpt-4 needs a plan that holds it."`
	Temp                       wire.Opt[float64]           `json:"temp,omitzero" min:"0" max:"1"`
	CollectCustomerInformation wire.Opt[CustomerQuestions] `json:"collectCustomerInformation,omitzero" doc:"What the chatbot asks its visitors for; members that are absent stay."`
	Styles                     wire.Opt[ChatbotStyles]     `json:"styles,omitzero" doc:"Members that are absent stay."`
}

// CustomerQuestions say what a chatbot asks its visitors for.
type CustomerQuestions struct {
	Title wire.Opt[string]           `json:"title,omitzero"`
	Name  wire.Opt[CustomerQuestion] `json:"name,omitzero"`
	Email wire.Opt[CustomerQuestion] `json:"email,omitzero"`
	Phone wire.Opt[CustomerQuestion] `json:"phone,omitzero"`
}

// CustomerQuestion is one of them.
type CustomerQuestion struct {
	Label  wire.Opt[string] `json:"label,omitzero"`
	Active wire.Opt[bool]   `json:"active,omitzero" doc:"Whether the chatbot asks for it."`
}

func (s *server) updateSettings(ctx context.Context, c *wire.Call, in *SettingsChange) (*Done, error) {
	who, b := caller(c), &in.Body
	err := s.Agents.Change(ctx, who.Account, who.Plan, parley.AgentID(b.ChatbotID), func(a *parley.Agent) error {
		if b.Model.Set && b.Model.Value != a.Model {
			if err := s.mayUse(who.Plan, "model", b.Model.Value); err != nil {
				return err
			}
		}
		return b.apply(a)
	})
	if err != nil {
		return nil, fmt.Errorf("change a chatbot's settings: %w", err)
	}
	return &Done{"The settings were changed."}, nil
}

func (b *SettingsChangeBody) apply(a *parley.Agent) error {
	replace(&a.Name, b.Name)
	replace(&a.Instructions, b.Instructions)
	replace(&a.Model, b.Model)
	replace(&a.Temp, b.Temp)
	replace(&a.InitialMessages, b.InitialMessages)
	replace(&a.RateLimit.Limit, b.IPLimit)
	replace(&a.RateLimit.Timeframe, b.IPLimitTimeframe)
	replace(&a.RateLimit.Message, b.IPLimitMessage)
	if b.Visibility.Set {
		a.Visibility = visibilities[b.Visibility.Value]
	}
	if b.SuggestedMessages.Set {
		if err := suggest(a, b.SuggestedMessages.Value); err != nil {
			return err
		}
	}
	if b.Styles.Set {
		if err := b.Styles.Value.apply(a); err != nil {
			return err
		}
	}
	return b.applyExtra(a)
}

// replace takes what was sent.
func replace[T any](to *T, sent wire.Opt[T]) {
	if sent.Set {
		*to = sent.Value
	}
}

// visibilities are the words of REST v1 for who may reach a chatbot, with those of the agent.
var visibilities = map[string]string{"private": "private", "can_be_embedded": "public", "public": "public"}

func visibilityOf(a *parley.Agent) string {
	if a.Visibility == "public" {
		return "can_be_embedded"
	}
	return "private"
}
