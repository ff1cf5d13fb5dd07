package v2

import (
	"context"
	"encoding/json"
	"fmt"

	"parley"
	"parley/internal/httpapi"
)

// AgentChange is a partial update of an agent.
type AgentChange struct {
	AgentRef
	Body AgentChangeBody
}

// AgentChangeBody holds the settings to change; those that are absent stay (interface 4.1, rule 1).
type AgentChangeBody struct {
	Name                  httpapi.Opt[string]              `json:"name,omitzero" min:"1" max:"100"`
	Instructions          httpapi.Opt[string]              `json:"instructions,omitzero"`
	ChannelInstructions   httpapi.Opt[ChannelInstructions] `json:"channelInstructions,omitzero" nullable:"true" keys:"chat_widget,help_page,center_stage,side_panel,slack,whatsapp,messenger,instagram,salesforce,zendesk,zendesk_messaging,api,email,android_sdk,ios_sdk,phone,search" item:"name=ChannelInstruction" name:"ChannelInstructions"`
	Model                 httpapi.Opt[string]              `json:"model,omitzero"`
	Temp                  httpapi.Opt[float64]             `json:"temp,omitzero" min:"0" max:"1"`
	Visibility            httpapi.Opt[string]              `json:"visibility,omitzero" enum:"public,private" name:"Visibility"`
	AllowedDomains        httpapi.Opt[[]string]            `json:"allowedDomains,omitzero" nullable:"true" max:"1000" item:"min=1,max=253"`
	SuggestedMessages     httpapi.Opt[[]SuggestedMessage]  `json:"suggestedMessages,omitzero" nullable:"true" item:"name=SuggestedMessage" max:"1000"`
	InitialMessages       httpapi.Opt[[]string]            `json:"initialMessages,omitzero" max:"1000"`
	CreditLimit           httpapi.Opt[int64]               `json:"creditLimit,omitzero" nullable:"true" min:"0" max:"1000000000000" doc:"Most credits a month; null is no cap."`
	NotificationsSettings httpapi.Opt[NotificationsChange] `json:"notificationsSettings,omitzero" nullable:"true"`
	IPRateLimits          httpapi.Opt[DeviceLimitChange]   `json:"ipRateLimits,omitzero" nullable:"true" doc:"Only the members sent change; null returns to the defaults."`
	VoiceSettings         httpapi.Opt[VoiceSettings]       `json:"voiceSettings,omitzero" nullable:"true" doc:"Null turns voice mode off."`
}

// DeviceLimitChange holds the members of a device limit to change.
type DeviceLimitChange struct {
	Limit     httpapi.Opt[int]    `json:"limit,omitzero" min:"1" max:"200"`
	Timeframe httpapi.Opt[int]    `json:"timeframe,omitzero" min:"1" max:"3600" doc:"Seconds."`
	Message   httpapi.Opt[string] `json:"message,omitzero"`
}

const invalidModelMessage = "is not a model that an agent can be given"

func (s *server) updateAgent(ctx context.Context, c *httpapi.Call, in *AgentChange) (*Success, error) {
	who := callerOf(c)
	err := s.Agents.Change(ctx, who.Account, who.Plan, parley.AgentID(in.AgentID), func(a *parley.Agent) error {
		if err := in.Body.checkModels(a, s.canSetModel); err != nil {
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
	if m := b.Model; m.Present && m.Value != a.Model && !settable(m.Value) {
		return httpapi.InvalidField("model", invalidModelMessage)
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
	return httpapi.InvalidField("voiceSettings.model", invalidModelMessage)
}

func (b *AgentChangeBody) apply(a *parley.Agent) error {
	replaceIfSent(&a.Name, b.Name)
	replaceIfSent(&a.Instructions, b.Instructions)
	replaceIfSent(&a.Model, b.Model)
	replaceIfSent(&a.Temp, b.Temp)
	replaceIfSent(&a.Visibility, b.Visibility)
	replaceIfSent(&a.AllowedDomains, b.AllowedDomains)
	replaceIfSent(&a.InitialMessages, b.InitialMessages)
	if b.CreditLimit.Present {
		a.CreditLimit = b.CreditLimit.Ptr()
	}
	b.IPRateLimits.Value.apply(a, b.IPRateLimits)
	for _, err := range []error{
		replaceJSONIfSent(&a.ChannelInstructions, b.ChannelInstructions),
		replaceJSONIfSent(&a.SuggestedMessages, b.SuggestedMessages),
		replaceJSONIfSent(&a.Voice, b.VoiceSettings),
		b.NotificationsSettings.Value.apply(a, b.NotificationsSettings),
	} {
		if err != nil {
			return fmt.Errorf("encode settings: %w", err)
		}
	}
	return nil
}

// replaceIfSent takes what was sent; null is the zero value, where the body allows it.
func replaceIfSent[T any](dst *T, sent httpapi.Opt[T]) {
	if sent.Present {
		*dst = sent.Value
	}
}

func replaceJSONIfSent[T any](dst *json.RawMessage, sent httpapi.Opt[T]) error {
	if !sent.Present {
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

func (l DeviceLimitChange) apply(a *parley.Agent, sent httpapi.Opt[DeviceLimitChange]) {
	if sent.Null {
		a.RateLimit = parley.DefaultDeviceLimit()
	}
	replaceIfSent(&a.RateLimit.Limit, l.Limit)
	replaceIfSent(&a.RateLimit.Timeframe, l.Timeframe)
	replaceIfSent(&a.RateLimit.Message, l.Message)
}
