package parley

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"time"
)

// AgentVersion is what the settings of an agent were from a change on.
type AgentVersion struct {
	Version  int64
	At       time.Time
	Actor    string   // who changed them, as the audit chain names them; empty where that is not known
	Changed  []string // the names of the settings that differ from the version before
	Settings VersionedSettings
}

// VersionedSettings are the settings of an agent that its history has: neither secrets nor pictures, nor what is turned
// on by operations of their own.
type VersionedSettings struct {
	Name                string          `json:"name"`
	Instructions        string          `json:"instructions"`
	ChannelInstructions json.RawMessage `json:"channelInstructions,omitempty"`
	Model               string          `json:"model"`
	Temp                float64         `json:"temp"`
	Visibility          string          `json:"visibility"`
	AllowedDomains      []string        `json:"allowedDomains"`
	SuggestedMessages   json.RawMessage `json:"suggestedMessages,omitempty"`
	InitialMessages     []string        `json:"initialMessages"`
	CreditLimit         *int64          `json:"creditLimit"`
	Notifications       json.RawMessage `json:"notificationsSettings,omitempty"`
	RateLimit           DeviceLimit     `json:"ipRateLimits"`
	Voice               json.RawMessage `json:"voiceSettings,omitempty"`
	VoiceLimits         VoiceLimits     `json:"voice"`
	WidgetLimits        WidgetLimits    `json:"widget"`
	Styles              json.RawMessage `json:"styles,omitempty"`
	Redact              bool            `json:"redactConversations"`
	RetentionDays       *int64          `json:"retentionDays"`

	FileRetentionDays    *int64 `json:"fileRetentionDays"`
	VisitorRetentionDays *int64 `json:"visitorRetentionDays"`

	Synonyms [][]string      `json:"synonyms"`
	Topics   []Topic         `json:"topics"`
	Insight  InsightSettings `json:"insight"`
}

// VersionedSettings returns the settings that the agent's history has.
func (a *Agent) VersionedSettings() VersionedSettings {
	insight := a.Insight
	insight.RepeatDays = cmp.Or(insight.RepeatDays, DefaultRepeatDays)
	return VersionedSettings{Name: a.Name, Instructions: a.Instructions, ChannelInstructions: a.ChannelInstructions,
		Model: a.Model, Temp: a.Temp, Visibility: a.Visibility, AllowedDomains: a.AllowedDomains,
		SuggestedMessages: a.SuggestedMessages, InitialMessages: a.InitialMessages, CreditLimit: a.CreditLimit,
		Notifications: a.Notifications, RateLimit: a.RateLimit, Voice: a.Voice, VoiceLimits: a.VoiceLimits,
		WidgetLimits: a.WidgetLimits, Styles: a.Styles, Redact: a.Redact, RetentionDays: a.RetentionDays,
		FileRetentionDays: a.FileRetentionDays, VisitorRetentionDays: a.VisitorRetentionDays,
		Synonyms: a.Synonyms, Topics: a.Topics, Insight: insight}
}

// Restore replaces the settings of the agent.
func (a *Agent) Restore(s VersionedSettings) {
	a.Name, a.Instructions, a.ChannelInstructions = s.Name, s.Instructions, s.ChannelInstructions
	a.Model, a.Temp, a.Visibility, a.AllowedDomains = s.Model, s.Temp, s.Visibility, s.AllowedDomains
	a.SuggestedMessages, a.InitialMessages, a.CreditLimit = s.SuggestedMessages, s.InitialMessages, s.CreditLimit
	a.Notifications, a.RateLimit, a.Voice, a.VoiceLimits = s.Notifications, s.RateLimit, s.Voice, s.VoiceLimits
	a.WidgetLimits, a.Styles, a.Redact, a.RetentionDays = s.WidgetLimits, s.Styles, s.Redact, s.RetentionDays
	a.FileRetentionDays, a.VisitorRetentionDays = s.FileRetentionDays, s.VisitorRetentionDays
	a.Synonyms, a.Topics, a.Insight = s.Synonyms, s.Topics, s.Insight
}

// DifferentSettings lists the names of the settings in which two versions differ, in alphabetical order.
func DifferentSettings(before, after VersionedSettings) ([]string, error) {
	old, err := before.byName()
	if err != nil {
		return nil, err
	}
	differing, err := after.byName()
	if err != nil {
		return nil, err
	}
	for name, value := range old {
		if string(differing[name]) == string(value) {
			delete(differing, name)
		} else {
			differing[name] = value
		}
	}
	return slices.Sorted(maps.Keys(differing)), nil
}

func (s VersionedSettings) byName() (values map[string]json.RawMessage, err error) {
	text, err := json.Marshal(s)
	if err == nil {
		err = json.Unmarshal(text, &values)
	}
	return values, err
}
