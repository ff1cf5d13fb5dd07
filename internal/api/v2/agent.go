package v2

import (
	"context"
	"encoding/json"
	"fmt"

	"parley"
	"parley/internal/agents"
	"parley/internal/api/looks"
	"parley/internal/httpapi"
)

// Agent is the record of an agent (docs/interface/agents.md#record). Every field is always present.
type Agent struct {
	ID                    string                               `json:"id"`
	Name                  string                               `json:"name"`
	Instructions          string                               `json:"instructions"`
	ChannelInstructions   httpapi.Raw[ChannelInstructions]     `json:"channelInstructions" nullable:"true"`
	Model                 string                               `json:"model"`
	AutoRetrain           bool                                 `json:"autoRetrain"`
	Temp                  float64                              `json:"temp"`
	Visibility            string                               `json:"visibility"`
	AllowedDomains        []string                             `json:"allowedDomains" nullable:"true"`
	SuggestedMessages     httpapi.Raw[looks.SuggestedMessages] `json:"suggestedMessages" nullable:"true"`
	InitialMessages       []string                             `json:"initialMessages"`
	CreditLimit           *int64                               `json:"creditLimit"`
	CreditsUsed           int64                                `json:"creditsUsed"`
	NotificationsSettings httpapi.Raw[Notifications]           `json:"notificationsSettings" nullable:"true"`
	IPRateLimits          parley.DeviceLimit                   `json:"ipRateLimits"`
	VoiceSettings         httpapi.Raw[VoiceSettings]           `json:"voiceSettings" nullable:"true"`
	Styles                *looks.Styles                        `json:"styles"`
	CreatedAt             string                               `json:"createdAt" format:"date-time"`
	LastMessageAt         *string                              `json:"lastMessageAt" format:"date-time"`
	LastTrainedAt         *string                              `json:"lastTrainedAt" format:"date-time"`
	Status                string                               `json:"status" nullable:"true" enum:"@agentStatus"`
	Size                  int64                                `json:"size" min:"0" doc:"Bytes of all sources."`
}

// FieldDocs returns the docs that are too long for tags.
func (Agent) FieldDocs() map[string]string {
	return map[string]string{
		"creditLimit":   "Most credits a month; null is no cap.",
		"creditsUsed":   "Since the start of the calendar month, UTC; rounded up.",
		"voiceSettings": "Null turns voice mode off.",
	}
}

func newAgent(a *parley.Agent) Agent {
	return Agent{ID: string(a.ID), Name: a.Name, Instructions: a.Instructions,
		ChannelInstructions: httpapi.Raw[ChannelInstructions](a.ChannelInstructions), Model: a.Model,
		AutoRetrain: a.AutoRetrain, Temp: a.Temp, Visibility: a.Visibility, AllowedDomains: a.AllowedDomains,
		SuggestedMessages: httpapi.Raw[looks.SuggestedMessages](a.SuggestedMessages),
		InitialMessages:   append([]string{}, a.InitialMessages...), CreditLimit: a.CreditLimit,
		CreditsUsed: a.CreditsUsed.RoundUp(), NotificationsSettings: httpapi.Raw[Notifications](a.Notifications),
		IPRateLimits: a.RateLimit, VoiceSettings: httpapi.Raw[VoiceSettings](a.Voice), Styles: looks.Read(a.Styles),
		CreatedAt: formatTime(a.CreatedAt), LastMessageAt: formatTimeOrNull(a.LastMessageAt),
		LastTrainedAt: formatTimeOrNull(a.LastTrainedAt), Status: string(a.Status()), Size: a.Size}
}

func (s *server) listAgents(ctx context.Context, c *call, in *Paging) (*Page[Agent], error) {
	request, err := s.pageRequest(*in, "agents")
	if err != nil {
		return nil, err
	}
	page, err := s.DB.Agents(ctx, callerOf(c).Account.ID, s.Now(), request)
	if err != nil {
		return nil, fmt.Errorf("list agents: %w", err)
	}
	return newPage(s, page, "agents", newAgent), nil
}

func (s *server) getAgent(ctx context.Context, c *call, in *AgentRef) (*Agent, error) {
	a, err := s.findAgent(ctx, c, in.AgentID)
	if err != nil {
		return nil, err
	}
	out := newAgent(a)
	return &out, nil
}

// NewAgent is the request that creates an agent.
type NewAgent struct {
	Body NewAgentBody
}

// NewAgentBody holds the settings of a new agent (docs/interface/agents.md#create).
type NewAgentBody struct {
	Name         string               `json:"name" min:"1" max:"100" format:"name"`
	URL          httpapi.Opt[string]  `json:"url,omitzero" format:"url"`
	Instructions string               `json:"instructions,omitempty"`
	Model        httpapi.Opt[string]  `json:"model,omitzero"`
	Temp         httpapi.Opt[float64] `json:"temp,omitzero" min:"0" max:"1"`
	Visibility   string               `json:"visibility,omitempty" enum:"@visibility" name:"Visibility" default:"private"`
}

// FieldDocs returns the docs that are too long for tags.
func (NewAgentBody) FieldDocs() map[string]string {
	return map[string]string{
		"url":   "Becomes the agent's first source. One that is refused is a pending step.",
		"model": "auto, or a name that the operator's configuration offers; auto when absent.",
	}
}

// CreatedAgent names a new agent, and the steps that could not be done and are to be tried again.
type CreatedAgent struct {
	ID           string   `json:"id"`
	PendingSteps []string `json:"pendingSteps,omitempty" item:"enum=ADD_SOURCE|TRAIN_AGENT"`
}

// FieldDocs returns the docs that are too long for tags.
func (CreatedAgent) FieldDocs() map[string]string {
	return map[string]string{
		"pendingSteps": "Absent when every step succeeded.",
	}
}

func (s *server) createAgent(ctx context.Context, c *call, in *NewAgent) (*CreatedAgent, error) {
	caller, b := callerOf(c), &in.Body
	if b.Model.Present && !s.canSetModel(b.Model.Value) {
		return nil, parley.Invalid("model", invalidModelMessage)
	}
	id, pending, err := s.Agents.Create(ctx, caller.Caller, agents.NewAgent{Name: b.Name,
		URL: b.URL.Value, Instructions: b.Instructions, Model: b.Model.Value, Temp: b.Temp.Value,
		Visibility: b.Visibility})
	if err != nil {
		return nil, fmt.Errorf("create agent: %w", err)
	}
	return &CreatedAgent{ID: string(id), PendingSteps: pending}, nil
}

func (s *server) deleteAgent(ctx context.Context, c *call, in *AgentRef) (*Success, error) {
	if err := s.Agents.Delete(ctx, agentRef(c, in.AgentID)); err != nil {
		return nil, fmt.Errorf("delete agent: %w", err)
	}
	return &Success{true}, nil
}

// AgentChangeBody holds the settings to change; those that are absent stay as they are.
type AgentChangeBody struct {
	Name                httpapi.Opt[string]              `json:"name,omitzero" min:"1" max:"100" format:"name"`
	Instructions        httpapi.Opt[string]              `json:"instructions,omitzero"`
	ChannelInstructions httpapi.Opt[ChannelInstructions] `json:"channelInstructions,omitzero" nullable:"true"`
	Model               httpapi.Opt[string]              `json:"model,omitzero"`
	Temp                httpapi.Opt[float64]             `json:"temp,omitzero" min:"0" max:"1"`

	Visibility     httpapi.Opt[string]   `json:"visibility,omitzero" enum:"@visibility" name:"Visibility"`
	AllowedDomains httpapi.Opt[[]string] `json:"allowedDomains,omitzero" nullable:"true" max:"1000" item:"min=1,max=253"`

	SuggestedMessages httpapi.Opt[looks.SuggestedMessages] `json:"suggestedMessages,omitzero" nullable:"true" max:"1000"`
	InitialMessages   httpapi.Opt[[]string]                `json:"initialMessages,omitzero" max:"1000"`

	CreditLimit httpapi.Opt[int64] `json:"creditLimit,omitzero" nullable:"true" min:"0" max:"1000000000000"`

	NotificationsSettings httpapi.Opt[NotificationsChange] `json:"notificationsSettings,omitzero" nullable:"true"`
	IPRateLimits          httpapi.Opt[DeviceLimitChange]   `json:"ipRateLimits,omitzero" nullable:"true"`
	VoiceSettings         httpapi.Opt[VoiceSettings]       `json:"voiceSettings,omitzero" nullable:"true"`
}

// FieldDocs returns the docs that are too long for tags.
func (AgentChangeBody) FieldDocs() map[string]string {
	return map[string]string{
		"creditLimit":   "Most credits a month; null is no cap.",
		"ipRateLimits":  "Only the members sent change; null returns to the defaults.",
		"voiceSettings": "Null turns voice mode off.",
	}
}

// DeviceLimitChange holds the members of a device limit to change.
type DeviceLimitChange struct {
	Limit     httpapi.Opt[int]    `json:"limit,omitzero" min:"1" max:"200"`
	Timeframe httpapi.Opt[int]    `json:"timeframe,omitzero" min:"1" max:"3600" doc:"Seconds."`
	Message   httpapi.Opt[string] `json:"message,omitzero"`
}

const invalidModelMessage = "is not a model that an agent can be given"

func (s *server) updateAgent(ctx context.Context, c *call, in *AgentRequest[AgentChangeBody]) (*Success, error) {
	caller := callerOf(c)
	err := s.Agents.Change(ctx, caller.Caller, parley.AgentID(in.AgentID), func(a *parley.Agent) error {
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

// checkModels refuses models that cannot be chosen. A model that the agent has already may stay, even if it is
// retired.
func (b *AgentChangeBody) checkModels(a *parley.Agent, settable func(string) bool) error {
	if m := b.Model; m.Present && m.Value != a.Model && !settable(m.Value) {
		return parley.Invalid("model", invalidModelMessage)
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
	return parley.Invalid("voiceSettings.model", invalidModelMessage)
}

func (b *AgentChangeBody) apply(a *parley.Agent) error {
	b.Name.Replace(&a.Name)
	b.Instructions.Replace(&a.Instructions)
	b.Model.Replace(&a.Model)
	b.Temp.Replace(&a.Temp)
	b.Visibility.Replace(&a.Visibility)
	b.AllowedDomains.Replace(&a.AllowedDomains)
	b.InitialMessages.Replace(&a.InitialMessages)
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
	l.Limit.Replace(&a.RateLimit.Limit)
	l.Timeframe.Replace(&a.RateLimit.Timeframe)
	l.Message.Replace(&a.RateLimit.Message)
}

func (s *server) cloneAgent(ctx context.Context, c *call, in *AgentRef) (*CreatedAgent, error) {
	caller := callerOf(c)
	id, pending, err := s.Agents.Clone(ctx, caller.Caller, parley.AgentID(in.AgentID))
	if err != nil {
		return nil, fmt.Errorf("clone agent: %w", err)
	}
	return &CreatedAgent{ID: string(id), PendingSteps: pending}, nil
}

// AutoRetrainBody is the body of AutoRetrain.
type AutoRetrainBody struct {
	Enabled bool `json:"enabled" doc:"Turning it on needs a live source."`
}

func (s *server) setAutoRetrain(ctx context.Context, c *call, in *AgentRequest[AutoRetrainBody]) (*Success, error) {
	if err := s.Agents.AutoRetrain(ctx, agentRef(c, in.AgentID), in.Body.Enabled); err != nil {
		return nil, fmt.Errorf("set auto-retrain: %w", err)
	}
	return &Success{true}, nil
}

// deprecatedSince is the header of operations that no longer do anything: since 2025-01-01 UTC, in the form of RFC
// 9745.
const deprecatedSince = "@1735689600"

// Deprecated is the reply of operations that no longer do anything.
type Deprecated struct {
	Success    bool   `json:"success"`
	Deprecated bool   `json:"deprecated"`
	Message    string `json:"message"`
}

func newDeprecated(c *call, message string) *Deprecated {
	c.Header().Set("Deprecation", deprecatedSince)
	return &Deprecated{Success: true, Deprecated: true, Message: message}
}

func (s *server) trainAgent(ctx context.Context, c *call, in *AgentRef) (*Deprecated, error) {
	return newDeprecated(c,
		"Nothing was done: sources are trained as soon as they are written. Get a source or the agent to follow it."), nil
}

func (s *server) restoreSource(ctx context.Context, c *call, in *SourceRef) (*Deprecated, error) {
	if err := s.DB.CheckSourceExists(ctx, agentRef(c, in.AgentID), parley.SourceID(in.SourceID)); err != nil {
		return nil, fmt.Errorf("find source: %w", err)
	}
	return newDeprecated(c, "Nothing was done: a source is deleted at once and cannot be restored. Create it again."), nil
}
