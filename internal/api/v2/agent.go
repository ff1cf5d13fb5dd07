package v2

import (
	"context"
	"fmt"

	"parley"
	"parley/internal/agents"
	"parley/internal/httpapi"
)

// Agent is the record of an agent (facts 2.8a). Every field is always present.
type Agent struct {
	ID                    string                           `json:"id"`
	Name                  string                           `json:"name"`
	Instructions          string                           `json:"instructions"`
	ChannelInstructions   httpapi.Raw[ChannelInstructions] `json:"channelInstructions" nullable:"true" keys:"chat_widget,help_page,center_stage,side_panel,slack,whatsapp,messenger,instagram,salesforce,zendesk,zendesk_messaging,api,email,android_sdk,ios_sdk,phone,search" item:"name=ChannelInstruction" name:"ChannelInstructions"`
	Model                 string                           `json:"model"`
	AutoRetrain           bool                             `json:"autoRetrain"`
	Temp                  float64                          `json:"temp"`
	Visibility            string                           `json:"visibility"`
	AllowedDomains        []string                         `json:"allowedDomains" nullable:"true"`
	SuggestedMessages     httpapi.Raw[[]SuggestedMessage]  `json:"suggestedMessages" nullable:"true" item:"name=SuggestedMessage"`
	InitialMessages       []string                         `json:"initialMessages"`
	CreditLimit           *int64                           `json:"creditLimit" doc:"Most credits a month; null is no cap."`
	CreditsUsed           int64                            `json:"creditsUsed" doc:"Since the start of the calendar month, UTC; rounded up."`
	NotificationsSettings httpapi.Raw[Notifications]       `json:"notificationsSettings" nullable:"true"`
	IPRateLimits          parley.DeviceLimit               `json:"ipRateLimits"`
	VoiceSettings         httpapi.Raw[VoiceSettings]       `json:"voiceSettings" nullable:"true" doc:"Null turns voice mode off."`
	Styles                *Styles                          `json:"styles"`
	CreatedAt             string                           `json:"createdAt" format:"date-time"`
	LastMessageAt         *string                          `json:"lastMessageAt" format:"date-time"`
	LastTrainedAt         *string                          `json:"lastTrainedAt" format:"date-time"`
	Status                string                           `json:"status" nullable:"true" enum:"untrained,training,failed,trained"`
	Size                  int64                            `json:"size" min:"0" doc:"Bytes of all sources."`
}

func newAgent(a *parley.Agent) Agent {
	return Agent{
		ID: string(a.ID), Name: a.Name, Instructions: a.Instructions, ChannelInstructions: httpapi.Raw[ChannelInstructions](a.ChannelInstructions),
		Model: a.Model, AutoRetrain: a.AutoRetrain, Temp: a.Temp, Visibility: a.Visibility, AllowedDomains: a.AllowedDomains,
		SuggestedMessages: httpapi.Raw[[]SuggestedMessage](a.SuggestedMessages), InitialMessages: append([]string{}, a.InitialMessages...),
		CreditLimit: a.CreditLimit, CreditsUsed: a.CreditsUsed.RoundUp(), NotificationsSettings: httpapi.Raw[Notifications](a.Notifications),
		IPRateLimits: a.RateLimit, VoiceSettings: httpapi.Raw[VoiceSettings](a.Voice), Styles: newStyles(a.Styles),
		CreatedAt: formatTime(a.CreatedAt), LastMessageAt: formatTimeOrNull(a.LastMessageAt), LastTrainedAt: formatTimeOrNull(a.LastTrainedAt),
		Status: string(a.Status()), Size: a.Size,
	}
}

func (s *server) listAgents(ctx context.Context, c *httpapi.Call, in *Paging) (*Page[Agent], error) {
	ask, err := s.pageRequest(*in, "agents")
	if err != nil {
		return nil, err
	}
	page, err := s.DB.Agents(ctx, callerOf(c).Account.ID, s.Now(), ask)
	if err != nil {
		return nil, fmt.Errorf("list agents: %w", err)
	}
	return newPage(s, page, "agents", newAgent), nil
}

func (s *server) getAgent(ctx context.Context, c *httpapi.Call, in *AgentRef) (*Agent, error) {
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

// NewAgentBody says what the agent is to be (facts 4.1).
type NewAgentBody struct {
	Name         string               `json:"name" min:"1" max:"100"`
	URL          httpapi.Opt[string]  `json:"url,omitzero" format:"url" doc:"Becomes the agent's first source. One that is refused is a pending step."`
	Instructions string               `json:"instructions,omitempty"`
	Model        httpapi.Opt[string]  `json:"model,omitzero" doc:"auto, or a name that the operator's configuration offers; auto when absent."`
	Temp         httpapi.Opt[float64] `json:"temp,omitzero" min:"0" max:"1"`
	Visibility   string               `json:"visibility,omitempty" enum:"public,private" name:"Visibility" default:"private"`
}

// CreatedAgent names a new agent, and the steps that are still to be taken (interface 4.1, rule 2).
type CreatedAgent struct {
	ID           string   `json:"id"`
	PendingSteps []string `json:"pendingSteps,omitempty" item:"enum=ADD_SOURCE|TRAIN_AGENT" doc:"Absent when every step succeeded."`
}

func (s *server) createAgent(ctx context.Context, c *httpapi.Call, in *NewAgent) (*CreatedAgent, error) {
	who, b := callerOf(c), &in.Body
	if b.Model.Present && !s.canSetModel(b.Model.Value) {
		return nil, httpapi.InvalidField("model", invalidModelMessage)
	}
	id, pending, err := s.Agents.Create(ctx, who.Account, who.Plan, agents.NewAgent{
		Name: b.Name, URL: b.URL.Value, Instructions: b.Instructions, Model: b.Model.Value, Temp: b.Temp.Value, Visibility: b.Visibility,
	})
	if err != nil {
		return nil, fmt.Errorf("create agent: %w", err)
	}
	return &CreatedAgent{ID: string(id), PendingSteps: pending}, nil
}

func (s *server) deleteAgent(ctx context.Context, c *httpapi.Call, in *AgentRef) (*Success, error) {
	if err := s.Agents.Delete(ctx, callerOf(c).Account, parley.AgentID(in.AgentID)); err != nil {
		return nil, fmt.Errorf("delete agent: %w", err)
	}
	return &Success{true}, nil
}
