package v2

import (
	"encoding/json"
	"maps"

	"parley"
	"parley/internal/httpapi"
)

// AgentSettings is what a manifest may set of an agent, by the rules of this interface: what PUT /agents/{agentId} changes, what
// has operations of its own, and what only the manifest knows. Absent members stay.
type AgentSettings struct {
	AgentChangeBody
	AutoRetrain         httpapi.Opt[bool]            `json:"autoRetrain,omitzero"`
	Styles              httpapi.Opt[StylesWrite]     `json:"styles,omitzero" nullable:"true"`
	RedactConversations httpapi.Opt[bool]            `json:"redactConversations,omitzero"`
	RetentionDays       httpapi.Opt[int64]           `json:"retentionDays,omitzero" nullable:"true" min:"1" max:"36500"`
	Synonyms            httpapi.Opt[[][]string]      `json:"synonyms,omitzero" nullable:"true" max:"200" item:"min=2,max=10"`
	Topics              httpapi.Opt[[]TopicSettings] `json:"topics,omitzero" nullable:"true" max:"200"`
	Insight             httpapi.Opt[InsightChange]   `json:"insight,omitzero" nullable:"true"`
	Voice               httpapi.Opt[VoiceRules]      `json:"voice,omitzero" nullable:"true"`
}

// SettingsCodec checks, changes and shows agents' settings for the manifest of "parley apply".
type SettingsCodec struct {
	CanSetModel func(model string) bool // which models may be chosen
}

// Apply changes the agent by a JSON object of settings. Fails with VALIDATION_INVALID_BODY and dotted details.
func (d SettingsCodec) Apply(a *parley.Agent, settings json.RawMessage) error {
	var s AgentSettings
	err := httpapi.Decode(settings, &s)
	if err := joinFaults(err, s.checkModels(a, d.CanSetModel)); err != nil {
		return err
	}
	if err := s.AgentChangeBody.apply(a); err != nil {
		return err
	}
	if err := applySynonyms(a, s.Synonyms); err != nil {
		return err
	}
	if err := applyTopics(a, s.Topics); err != nil {
		return err
	}
	applyInsight(a, s.Insight)
	applyVoice(a, s.Voice)
	replaceIfSent(&a.AutoRetrain, s.AutoRetrain)
	replaceIfSent(&a.Redact, s.RedactConversations)
	if s.RetentionDays.Present {
		a.RetentionDays = s.RetentionDays.Ptr()
	}
	return overlayStyles(a, s.Styles)
}

// joinFaults returns two failures as one, so that all faults are told at once.
func joinFaults(first, second error) error {
	switch {
	case first == nil:
		return second
	case second == nil || !parley.IsCode(first, parley.CodeInvalidBody) || !parley.IsCode(second, parley.CodeInvalidBody):
		return first
	}
	both := parley.NewError(parley.CodeInvalidBody)
	both.Details = maps.Clone(parley.AsError(second).Details)
	maps.Copy(both.Details, parley.AsError(first).Details)
	return both
}

// overlayStyles changes the styles that were sent and leaves the others; null takes all of them back.
func overlayStyles(a *parley.Agent, sent httpapi.Opt[StylesWrite]) error {
	if sent.Null {
		a.Styles = nil
	}
	if styles := sent.Ptr(); styles != nil {
		return styles.apply(a)
	}
	return nil
}

// shownSettings is AgentSettings as an export shows it, whole.
type shownSettings struct {
	Name                  string                 `json:"name"`
	Instructions          string                 `json:"instructions"`
	ChannelInstructions   json.RawMessage        `json:"channelInstructions"`
	Model                 string                 `json:"model"`
	Temp                  float64                `json:"temp"`
	Visibility            string                 `json:"visibility"`
	AllowedDomains        []string               `json:"allowedDomains"`
	SuggestedMessages     json.RawMessage        `json:"suggestedMessages"`
	InitialMessages       []string               `json:"initialMessages"`
	CreditLimit           *int64                 `json:"creditLimit"`
	NotificationsSettings json.RawMessage        `json:"notificationsSettings"`
	IPRateLimits          parley.DeviceLimit     `json:"ipRateLimits"`
	VoiceSettings         json.RawMessage        `json:"voiceSettings"`
	AutoRetrain           bool                   `json:"autoRetrain"`
	Styles                json.RawMessage        `json:"styles"`
	RedactConversations   bool                   `json:"redactConversations"`
	RetentionDays         *int64                 `json:"retentionDays"`
	Synonyms              [][]string             `json:"synonyms"`
	Topics                []parley.Topic         `json:"topics"`
	Insight               parley.InsightSettings `json:"insight"`
	Voice                 shownVoice             `json:"voice"`
}

// Show returns all settings as the JSON object that Apply takes.
func (d SettingsCodec) Show(a *parley.Agent) (json.RawMessage, error) {
	return json.Marshal(shownSettings{
		Name: a.Name, Instructions: a.Instructions, ChannelInstructions: a.ChannelInstructions, Model: a.Model, Temp: a.Temp,
		Visibility: a.Visibility, AllowedDomains: a.AllowedDomains, SuggestedMessages: a.SuggestedMessages,
		InitialMessages: append([]string{}, a.InitialMessages...), CreditLimit: a.CreditLimit, NotificationsSettings: a.Notifications,
		IPRateLimits: a.RateLimit, VoiceSettings: a.Voice, AutoRetrain: a.AutoRetrain, Styles: a.Styles,
		RedactConversations: a.Redact, RetentionDays: a.RetentionDays, Synonyms: a.Synonyms, Topics: a.Topics, Insight: effectiveInsight(a), Voice: shownVoice{a.VoiceLimits},
	})
}
