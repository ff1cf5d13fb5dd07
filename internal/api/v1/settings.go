package v1

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"parley"
	"parley/internal/httpapi"
)

// SettingsChange is a partial update of a chatbot's settings.
type SettingsChange struct {
	Body SettingsChangeBody
}

// SettingsChangeBody holds the settings to change; absent ones stay as they are. Values beyond the ranges of REST
// v2 are stored as they are sent: v2 shows them, and only checks what it is sent itself. docs/v1.md says where each
// field is stored.
type SettingsChangeBody struct {
	ChatbotID               string                `json:"chatbotId" min:"1"`
	Name                    httpapi.Opt[string]   `json:"name,omitzero" min:"1" format:"name"`
	Instructions            httpapi.Opt[string]   `json:"instructions,omitzero" doc:"The base prompt."`
	InitialMessages         httpapi.Opt[[]string] `json:"initialMessages,omitzero" doc:"Greetings."`
	SuggestedMessages       httpapi.Opt[[]string] `json:"suggestedMessages,omitzero" item:"min=1"`
	Visibility              httpapi.Opt[string]   `json:"visibility,omitzero" enum:"private,can_be_embedded,public"`
	OnlyAllowOnAddedDomains httpapi.Opt[bool]     `json:"onlyAllowOnAddedDomains,omitzero"`
	Domains                 httpapi.Opt[[]string] `json:"domains,omitzero" item:"min=1"`
	IPLimit                 httpapi.Opt[int]      `json:"ipLimit,omitzero" min:"0" max:"2147483647"`
	IPLimitTimeframe        httpapi.Opt[int]      `json:"ipLimitTimeframe,omitzero" min:"0" max:"2147483647"`
	IPLimitMessage          httpapi.Opt[string]   `json:"ipLimitMessage,omitzero"`
	Model                   httpapi.Opt[string]   `json:"model,omitzero" min:"1"`
	Temp                    httpapi.Opt[float64]  `json:"temp,omitzero" min:"0" max:"1"`

	CollectCustomerInformation httpapi.Opt[CustomerQuestions] `json:"collectCustomerInformation,omitzero"`
	Styles                     httpapi.Opt[ChatbotStyles]     `json:"styles,omitzero" doc:"Members that are absent stay."`
}

// FieldDocs returns the docs that are too long for tags.
func (SettingsChangeBody) FieldDocs() map[string]string {
	return map[string]string{
		"suggestedMessages":       "Shown above the text input.",
		"visibility":              "public is another word for can_be_embedded.",
		"onlyAllowOnAddedDomains": "Restrict iframe and widget to the domains.",
		"domains":                 "The allowed domains. They are kept while the restriction is off.",
		"ipLimit":                 "Messages from one device per ipLimitTimeframe.",
		"ipLimitTimeframe":        "Seconds.",
		"ipLimitMessage":          "Shown when the limit is exceeded.",
		"model": "gpt-4, gpt-3.5-turbo, or a model that an agent of version 2 can be given. gpt-4 needs a plan that holds " +
			"it.",
		"collectCustomerInformation": "What the chatbot asks its visitors for; members that are absent stay.",
	}
}

// CustomerQuestions configure what a chatbot asks its visitors for.
type CustomerQuestions struct {
	Title httpapi.Opt[string]           `json:"title,omitzero"`
	Name  httpapi.Opt[CustomerQuestion] `json:"name,omitzero"`
	Email httpapi.Opt[CustomerQuestion] `json:"email,omitzero"`
	Phone httpapi.Opt[CustomerQuestion] `json:"phone,omitzero"`
}

// CustomerQuestion configures one question.
type CustomerQuestion struct {
	Label  httpapi.Opt[string] `json:"label,omitzero"`
	Active httpapi.Opt[bool]   `json:"active,omitzero" doc:"Whether the chatbot asks for it."`
}

func (s *server) updateSettings(ctx context.Context, c *call, in *SettingsChange) (*Done, error) {
	caller, b := callerOf(c), &in.Body
	ctx = s.audited(ctx, c, "agent.update", b.ChatbotID, "")
	err := s.Agents.Change(ctx, caller.Caller, parley.AgentID(b.ChatbotID), func(a *parley.Agent) error {
		if b.Model.Present && b.Model.Value != a.Model {
			if err := s.checkModel(caller.Plan, "model", b.Model.Value); err != nil {
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
	b.Name.Replace(&a.Name)
	b.Instructions.Replace(&a.Instructions)
	b.Model.Replace(&a.Model)
	b.Temp.Replace(&a.Temp)
	b.InitialMessages.Replace(&a.InitialMessages)
	b.IPLimit.Replace(&a.RateLimit.Limit)
	b.IPLimitTimeframe.Replace(&a.RateLimit.Timeframe)
	b.IPLimitMessage.Replace(&a.RateLimit.Message)
	if b.Visibility.Present {
		a.Visibility = visibilityByName[b.Visibility.Value]
	}
	if b.SuggestedMessages.Present {
		if err := setSuggestions(a, b.SuggestedMessages.Value); err != nil {
			return err
		}
	}
	if b.Styles.Present {
		if err := b.Styles.Value.apply(a); err != nil {
			return err
		}
	}
	return b.applyExtra(a)
}

// visibilityByName maps the visibilities of REST v1 to those of an agent.
var visibilityByName = map[string]string{"private": "private", "can_be_embedded": "public", "public": "public"}

func visibilityName(a *parley.Agent) string {
	if a.Visibility == "public" {
		return "can_be_embedded"
	}
	return "private"
}

// extraSettings holds the settings of an agent that only REST v1 has.
type extraSettings struct {
	Domains                    []string        `json:"domains,omitempty"` // those of a restriction that is off
	CollectCustomerInformation json.RawMessage `json:"collectCustomerInformation,omitempty"`
}

func parseExtraSettings(a *parley.Agent) (x extraSettings, err error) {
	if a.V1 == nil {
		return x, nil
	}
	if err := json.Unmarshal(a.V1, &x); err != nil {
		return x, fmt.Errorf("read what version 1 keeps of the agent: %w", err)
	}
	return x, nil
}

func (b *SettingsChangeBody) applyExtra(a *parley.Agent) error {
	x, err := parseExtraSettings(a)
	if err != nil {
		return err
	}
	b.applyDomains(a, &x)
	if b.CollectCustomerInformation.Present {
		if x.CollectCustomerInformation, err = mergeMembers(x.CollectCustomerInformation,
			b.CollectCustomerInformation.Value); err != nil {
			return err
		}
	}
	if x.Domains == nil && x.CollectCustomerInformation == nil {
		a.V1 = nil
		return nil
	}
	a.V1, err = json.Marshal(x)
	return err
}

// applyDomains turns the restriction to domains on or off and changes the list of domains. An agent has a list of
// allowed domains only while the restriction is on; the list of a restriction that is off is stored in the extra
// settings.
func (b *SettingsChangeBody) applyDomains(a *parley.Agent, x *extraSettings) {
	list, on := a.AllowedDomains, a.AllowedDomains != nil
	if !on {
		list = x.Domains
	}
	if b.Domains.Present {
		list = b.Domains.Value
	}
	b.OnlyAllowOnAddedDomains.Replace(&on)
	if !on {
		a.AllowedDomains, x.Domains = nil, list
		return
	}
	a.AllowedDomains, x.Domains = append([]string{}, list...), nil
}

// mergeMembers replaces stored members by those that were sent, objects member by member.
func mergeMembers(stored json.RawMessage, sent any) (json.RawMessage, error) {
	text, err := json.Marshal(sent)
	if err != nil {
		return nil, fmt.Errorf("encode settings: %w", err)
	}
	return httpapi.MergeJSON(stored, text)
}

// int32Number is a number of 32 bits.
type int32Number int

// Rules returns the rules of every field that holds one.
func (int32Number) Rules() reflect.StructTag { return `min:"-2147483648" max:"2147483647"` }

// ChatbotStyles are the styles of the chat widget to change.
type ChatbotStyles struct {
	Theme                   httpapi.Opt[string]      `json:"theme,omitzero" enum:"dark,light"`
	UserMessageColor        httpapi.Opt[string]      `json:"userMessageColor,omitzero" format:"color"`
	ButtonColor             httpapi.Opt[string]      `json:"buttonColor,omitzero" format:"paint"`
	DisplayName             httpapi.Opt[string]      `json:"displayName,omitzero" nullable:"true"`
	AutoOpenChatWindowAfter httpapi.Opt[int32Number] `json:"autoOpenChatWindowAfter,omitzero" nullable:"true"`
	AlignChatButton         httpapi.Opt[string]      `json:"alignChatButton,omitzero" enum:"left,right"`
}

// FieldDocs returns the docs that are too long for tags.
func (ChatbotStyles) FieldDocs() map[string]string {
	return map[string]string{
		"autoOpenChatWindowAfter": "Seconds.",
	}
}

// apply changes the styles that were sent. They have the same names in REST v2, among the styles of the chat widget.
func (c ChatbotStyles) apply(a *parley.Agent) error {
	if c == (ChatbotStyles{}) {
		return nil
	}
	merged, err := mergeMembers(a.Styles, struct {
		Chat ChatbotStyles `json:"chat"`
	}{c})
	a.Styles = merged
	return err
}
