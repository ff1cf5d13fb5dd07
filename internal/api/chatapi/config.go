package chatapi

import (
	"context"
	"net/url"
	"slices"

	"parley"
	"parley/internal/agents"
	"parley/internal/api/looks"
	"parley/internal/httpapi"
	"parley/internal/store"
	"parley/internal/visitor"
)

// Frames says what a page and the chat frame have to know of an agent before anybody writes.
type Frames struct {
	DB   *store.DB
	Plan func(name string) (parley.Plan, bool) // plans by their names

	HasTranscriber bool // speech is understood
	HasVoice       bool // there is a media server
	HasFiles       bool // visitors may send files
	CanMail        bool // there is a mail server

	VoiceURL string // where browsers join voice sessions (ws or wss); empty for this server
}

// FrameConfig is what a page and the chat frame know of an agent.
type FrameConfig struct {
	AgentID     string `json:"agentId"`
	Name        string `json:"name"`
	IsAvailable bool   `json:"isAvailable" doc:"False leaves all but agentId and reason empty."`
	Reason      string `json:"reason" enum:"domain,agent," name:"UnavailableReason"`

	Styles            FrameStyles                          `json:"styles"`
	InitialMessages   []string                             `json:"initialMessages"`
	SuggestedMessages httpapi.Raw[looks.SuggestedMessages] `json:"suggestedMessages"`
	Leads             *LeadForm                            `json:"leads"`
	Features          Features                             `json:"features"`

	Locale   string  `json:"locale" doc:"Of the agent's choice; empty for that of the page."`
	Picture  *string `json:"picture" doc:"Path on this server."`
	Icon     *string `json:"icon" doc:"Path on this server."`
	VoiceURL *string `json:"voiceURL" doc:"Where voice sessions are joined (ws or wss); null for this server."`
}

// FieldDocs returns the docs that are too long for tags.
func (FrameConfig) FieldDocs() map[string]string {
	return map[string]string{
		"reason": "domain: the agent names domains, and the page is on none of them. agent: the agent is private, or there " +
			"is none.",
	}
}

// FrameStyles are the agent's styles. Those of the chat have their defaults.
type FrameStyles struct {
	Chat        looks.ChatStyles   `json:"chat"`
	CenterStage *looks.StageStyles `json:"centerStage"`
}

// LeadForm is the form in which visitors leave how to reach them.
type LeadForm struct {
	ToolName string   `json:"toolName"`
	Title    string   `json:"title" doc:"Empty for the chat's own words."`
	Fields   []string `json:"fields" item:"enum=name|email|phone,name=LeadField"`
}

// Features is what visitors can do besides writing. The styles may hide what there is.
type Features struct {
	Files     bool `json:"files"`
	Dictation bool `json:"dictation"`
	Voice     bool `json:"voice"`
	Handover  bool `json:"handover"`
	Email     bool `json:"email" doc:"The company can answer by e-mail."`
}

// The reasons for which a chat is not available.
const (
	reasonDomain = "domain"
	reasonAgent  = "agent"
)

// Find returns the configuration of an agent for a page, which may be an address or an origin; empty for a page without
// one. It does not fail for an agent that is not there, private or elsewhere at home: then it says so, and no more.
func (f *Frames) Find(ctx context.Context, agent *parley.Agent, page string) (*FrameConfig, error) {
	switch {
	case agent == nil || agent.Visibility == "private":
		return newUnavailableConfig(agent, reasonAgent), nil
	case !isAllowedPage(agent, page):
		return newUnavailableConfig(agent, reasonDomain), nil
	}
	return f.Show(ctx, agent)
}

func isAllowedPage(agent *parley.Agent, page string) bool {
	u, err := url.Parse(page)
	return err == nil && (u.Host == "" || visitor.IsAllowedOrigin(agent, u.Scheme+"://"+u.Host))
}

// Show returns the configuration of an agent wherever it is shown, also of a private one: for previews.
func (f *Frames) Show(ctx context.Context, agent *parley.Agent) (*FrameConfig, error) {
	actions, err := f.actions(ctx, agent)
	if err != nil {
		return nil, err
	}
	features, err := f.features(ctx, agent, actions)
	if err != nil {
		return nil, err
	}
	out := &FrameConfig{AgentID: string(agent.ID), Name: agent.Name, IsAvailable: true, Styles: frameStyles(agent),
		InitialMessages:   append([]string{}, agent.InitialMessages...),
		SuggestedMessages: httpapi.Raw[looks.SuggestedMessages](agent.SuggestedMessages), Leads: leadForm(actions),
		Features: features, Picture: looks.PicturePath(agent, agents.Profile),
		Icon: looks.PicturePath(agent, agents.Icon)}
	if out.SuggestedMessages == nil {
		out.SuggestedMessages = httpapi.Raw[looks.SuggestedMessages]("[]")
	}
	if features.Voice {
		out.VoiceURL = textOrNull(f.VoiceURL)
	}
	return out, nil
}

func newUnavailableConfig(agent *parley.Agent, reason string) *FrameConfig {
	out := &FrameConfig{Reason: reason, Styles: FrameStyles{Chat: looks.DefaultChatStyles()}, InitialMessages: []string{},
		SuggestedMessages: httpapi.Raw[looks.SuggestedMessages]("[]")}
	if agent != nil {
		out.AgentID = string(agent.ID)
	}
	return out
}

func frameStyles(agent *parley.Agent) FrameStyles {
	out := FrameStyles{Chat: looks.DefaultChatStyles()}
	if styles := looks.Read(agent.Styles); styles != nil {
		if styles.Chat != nil {
			out.Chat = styles.Chat.WithDefaults()
		}
		out.CenterStage = styles.CenterStage
	}
	return out
}

// actions returns what the agent can do.
func (f *Frames) actions(ctx context.Context, agent *parley.Agent) ([]parley.Action, error) {
	if agent.Tools == 0 {
		return nil, nil
	}
	list, err := f.DB.Actions(ctx, agent.Ref())
	return slices.DeleteFunc(list, func(a parley.Action) bool { return !a.Enabled }), err
}

func (f *Frames) features(ctx context.Context, agent *parley.Agent, actions []parley.Action) (Features, error) {
	out := Features{Files: f.HasFiles, Dictation: f.HasTranscriber}
	var err error
	if out.Handover, err = f.offersHandover(ctx, agent, actions); err != nil {
		return out, err
	}
	out.Email = out.Handover && f.CanMail
	if !f.HasVoice || agent.Voice == nil {
		return out, nil
	}
	account, err := f.DB.Account(ctx, agent.AccountID)
	if err != nil {
		return out, err
	}
	plan, _ := f.Plan(account.Plan)
	out.Voice = plan.Voice
	return out, nil
}

// offersHandover reports whether visitors may ask for a person: an action of the agent hands over, or its help desk
// takes plain wishes for one.
func (f *Frames) offersHandover(ctx context.Context, agent *parley.Agent, actions []parley.Action) (bool, error) {
	if slices.ContainsFunc(actions, func(a parley.Action) bool { return a.Kind == parley.ActionEscalate }) {
		return true, nil
	}
	return f.DB.HandoverEnabled(ctx, agent.Ref())
}

// leadForm returns the form of the first action that collects leads; nil for none.
func leadForm(actions []parley.Action) *LeadForm {
	at := slices.IndexFunc(actions, func(a parley.Action) bool { return a.Kind == parley.ActionCollectLeads })
	if at < 0 {
		return nil
	}
	form := &LeadForm{ToolName: actions[at].Name, Fields: []string{}}
	for _, field := range []string{"name", "email", "phone"} {
		if len(actions[at].Inputs) == 0 || slices.ContainsFunc(actions[at].Inputs,
			func(in parley.ActionInput) bool { return in.Name == field }) {
			form.Fields = append(form.Fields, field)
		}
	}
	return form
}

// PageQuery names the page on which the agent is embedded.
type PageQuery struct {
	AgentPath
	Page string `query:"page" max:"2000" doc:"Address of the page, or its origin."`
}

func (s *server) getConfig(ctx context.Context, c *call, in *PageQuery) (*Data[FrameConfig], error) {
	out, err := s.Frames.Find(ctx, callerOf(c).agent, in.Page)
	if err != nil {
		return nil, err
	}
	out.AgentID = in.AgentID
	return &Data[FrameConfig]{*out}, nil
}
