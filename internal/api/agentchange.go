package api

import (
	"context"
	"encoding/json"
	"fmt"

	"parley"
	"parley/internal/wire"
)

// AgentChange is a partial update of an agent.
type AgentChange struct {
	AgentRef
	Body AgentChangeBody
}

// AgentChangeBody holds the settings to change; those that are absent stay (interface 4.1, rule 1).
type AgentChangeBody struct {
	Name                  wire.Opt[string]              `json:"name,omitzero" min:"1" max:"100"`
	Instructions          wire.Opt[string]              `json:"instructions,omitzero"`
	ChannelInstructions   wire.Opt[ChannelInstructions] `json:"channelInstructions,omitzero" nullable:"true" keys:"chat_widget,help_page,center_stage,side_panel,slack,whatsapp,messenger,instagram,salesforce,zendesk,zendesk_messaging,api,email,android_sdk,ios_sdk,phone,search" item:"name=ChannelInstruction" name:"ChannelInstructions"`
	Model                 wire.Opt[string]              `json:"model,omitzero"`
	Temp                  wire.Opt[float64]             `json:"temp,omitzero" min:"0" max:"1"`
	Visibility            wire.Opt[string]              `json:"visibility,omitzero" enum:"public,private" name:"Visibility"`
	AllowedDomains        wire.Opt[[]string]            `json:"allowedDomains,omitzero" nullable:"true" max:"1000" item:"min=1,max=253"`
	SuggestedMessages     wire.Opt[[]SuggestedMessage]  `json:"suggestedMessages,omitzero" nullable:"true" item:"name=SuggestedMessage" max:"1000"`
	InitialMessages       wire.Opt[[]string]            `json:"initialMessages,omitzero" max:"1000"`
	CreditLimit           wire.Opt[int64]               `json:"creditLimit,omitzero" nullable:"true" min:"0" max:"1000000000000" doc:"Most credits a month; null is no cap."`
	NotificationsSettings wire.Opt[NotificationsChange] `json:"notificationsSettings,omitzero" nullable:"true"`
	IPRateLimits          wire.Opt[DeviceLimitChange]   `json:"ipRateLimits,omitzero" nullable:"true" doc:"Only the members sent change; null returns to the defaults."`
	VoiceSettings         wire.Opt[VoiceSettings]       `json:"voiceSettings,omitzero" nullable:"true" doc:"Null turns voice mode off."`
}

// DeviceLimitChange holds the members of a device limit to change.
type DeviceLimitChange struct {
	Limit     wire.Opt[int]    `json:"limit,omitzero" min:"1" max:"200"`
	Timeframe wire.Opt[int]    `json:"timeframe,omitzero" min:"1" max:"3600" doc:"Seconds."`
	Message   wire.Opt[string] `json:"message,omitzero"`
}

const notAModel = "is not a model that an agent can be given"

func (s *server) updateAgent(ctx context.Context, c *wire.Call, in *AgentChange) (*Success, error) {
	who := caller(c)
	err := s.Agents.Change(ctx, who.Account, who.Plan, parley.AgentID(in.AgentID), func(a *parley.Agent) error {
		if err := in.Body.checkModels(a, s.settable); err != nil {
			return err
		}
		return in.Body.apply(a)
	})
	if err != nil {
		return nil, fmt.Errorf("change agent: %w", err)
	}
	return &Success{true}, nil
}

// checkModels refuses models that no agent can be given; one that the agent has already may stay although it is retired.
func (b *AgentChangeBody) checkModels(a *parley.Agent, settable func(string) bool) error {
	if m := b.Model; m.Set && m.Value != a.Model && !settable(m.Value) {
		return wire.Invalid("model", notAModel)
	}
	voice := b.VoiceSettings.Ptr()
	if voice == nil || settable(voice.Model) {
		return nil
	}
	var now struct {
		Model string `json:"model"`
	}
	if a.Voice != nil {
		if err := json.Unmarshal(a.Voice, &now); err != nil {
			return fmt.Errorf("read voice settings: %w", err)
		}
	}
	if voice.Model == now.Model {
		return nil
	}
	return wire.Invalid("voiceSettings.model", notAModel)
}

func (b *AgentChangeBody) apply(a *parley.Agent) error {
	replace(&a.Name, b.Name)
	replace(&a.Instructions, b.Instructions)
	replace(&a.Model, b.Model)
	replace(&a.Temp, b.Temp)
	replace(&a.Visibility, b.Visibility)
	replace(&a.AllowedDomains, b.AllowedDomains)
	replace(&a.InitialMessages, b.InitialMessages)
	if b.CreditLimit.Set {
		a.CreditLimit = b.CreditLimit.Ptr()
	}
	b.IPRateLimits.Value.apply(a, b.IPRateLimits)
	for _, err := range []error{
		replaceJSON(&a.ChannelInstructions, b.ChannelInstructions),
		replaceJSON(&a.SuggestedMessages, b.SuggestedMessages),
		replaceJSON(&a.Voice, b.VoiceSettings),
		b.NotificationsSettings.Value.apply(a, b.NotificationsSettings),
	} {
		if err != nil {
			return fmt.Errorf("encode settings: %w", err)
		}
	}
	return nil
}

// replace takes what was sent; null is the zero value, where the body allows it.
func replace[T any](dst *T, sent wire.Opt[T]) {
	if sent.Set {
		*dst = sent.Value
	}
}

func replaceJSON[T any](dst *json.RawMessage, sent wire.Opt[T]) error {
	if !sent.Set {
		return nil
	}
	if sent.Null {
		*dst = nil
		return nil
	}
	b, err := json.Marshal(sent.Value)
	*dst = b
	return err
}

func (l DeviceLimitChange) apply(a *parley.Agent, sent wire.Opt[DeviceLimitChange]) {
	if sent.Null {
		a.RateLimit = parley.DefaultDeviceLimit()
	}
	replace(&a.RateLimit.Limit, l.Limit)
	replace(&a.RateLimit.Timeframe, l.Timeframe)
	replace(&a.RateLimit.Message, l.Message)
}
