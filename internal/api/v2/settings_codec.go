package v2

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"unicode/utf8"

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
	both := maps.Clone(parley.AsError(second).Details)
	maps.Copy(both, parley.AsError(first).Details)
	return parley.InvalidFields(both)
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

// TopicSettings is a topic of a manifest.
type TopicSettings struct {
	Name     string             `json:"name" min:"1" max:"60"`
	Keywords []string           `json:"keywords,omitempty" max:"50"`
	Examples []string           `json:"examples,omitempty" max:"50"`
	Topics   []SubtopicSettings `json:"topics,omitempty" max:"50"`
}

// SubtopicSettings is a topic below another.
type SubtopicSettings struct {
	Name     string   `json:"name" min:"1" max:"60"`
	Keywords []string `json:"keywords,omitempty" max:"50"`
	Examples []string `json:"examples,omitempty" max:"50"`
}

// InsightChange changes how an agent's conversations are judged.
type InsightChange struct {
	Model     httpapi.Opt[bool]  `json:"model,omitzero"`
	AgainDays httpapi.Opt[int64] `json:"againDays,omitzero" min:"1" max:"30"`
}

// maxExampleLength is how many code points a keyword or an example of a topic may have.
const maxExampleLength = 300

// applyTopics replaces the agent's tree of topics. Fails with VALIDATION_INVALID_BODY where a name cannot be asked for or stands twice.
func applyTopics(a *parley.Agent, sent httpapi.Opt[[]TopicSettings]) error {
	if !sent.Present {
		return nil
	}
	check := topicCheck{details: map[string]string{}, names: map[string]bool{}}
	a.Topics = nil
	for i, t := range sent.Value {
		path := fmt.Sprintf("topics.%d", i)
		topic := check.checkTopic(path, t.Name, t.Keywords, t.Examples)
		for j, sub := range t.Topics {
			topic.Topics = append(topic.Topics, check.checkTopic(fmt.Sprintf("%s.topics.%d", path, j), sub.Name, sub.Keywords, sub.Examples))
		}
		a.Topics = append(a.Topics, topic)
	}
	return parley.InvalidFields(check.details)
}

// topicCheck gathers what is wrong with topics.
type topicCheck struct {
	details map[string]string
	names   map[string]bool
}

func (c *topicCheck) checkTopic(path, name string, keywords, examples []string) parley.Topic {
	t := parley.Topic{Name: strings.Join(strings.Fields(name), " "), Keywords: c.checkTexts(path+".keywords", keywords), Examples: c.checkTexts(path+".examples", examples)}
	switch key := strings.ToLower(t.Name); {
	case key == "":
		c.details[path+".name"] = "must not be empty"
	case key == "unspecified" || strings.Contains(key, ","):
		c.details[path+".name"] = "must have no comma, and not be unspecified"
	case c.names[key]:
		c.details[path+".name"] = "is the name of another topic"
	default:
		c.names[key] = true
	}
	return t
}

func (c *topicCheck) checkTexts(path string, list []string) (clean []string) {
	for i, text := range list {
		text = strings.Join(strings.Fields(text), " ")
		if n := utf8.RuneCountInString(text); n == 0 || n > maxExampleLength {
			c.details[fmt.Sprintf("%s.%d", path, i)] = fmt.Sprintf("must have 1 to %d characters", maxExampleLength)
		}
		clean = append(clean, text)
	}
	return clean
}

// applyInsight changes the members that were sent; null takes all of them back.
func applyInsight(a *parley.Agent, sent httpapi.Opt[InsightChange]) {
	if !sent.Present {
		return
	}
	if sent.Null {
		a.Insight = parley.InsightSettings{}
		return
	}
	replaceIfSent(&a.Insight.UseModel, sent.Value.Model)
	if days := sent.Value.AgainDays.Ptr(); days != nil {
		a.Insight.RepeatDays = int(*days)
	}
}

// effectiveInsight returns the settings as they are in force.
func effectiveInsight(a *parley.Agent) parley.InsightSettings {
	in := a.Insight
	if in.RepeatDays == 0 {
		in.RepeatDays = parley.DefaultRepeatDays
	}
	return in
}

// maxSynonymLength is how many code points a word or phrase of a group of synonyms may have.
const maxSynonymLength = 100

// applySynonyms replaces the agent's groups of synonyms. Fails with VALIDATION_INVALID_BODY where a member is empty or too long.
func applySynonyms(a *parley.Agent, sent httpapi.Opt[[][]string]) error {
	if !sent.Present {
		return nil
	}
	a.Synonyms = nil
	details := map[string]string{}
	for i, group := range sent.Value {
		clean := make([]string, len(group))
		for j, member := range group {
			clean[j] = strings.Join(strings.Fields(member), " ")
			if n := utf8.RuneCountInString(clean[j]); n == 0 || n > maxSynonymLength {
				details[fmt.Sprintf("synonyms.%d.%d", i, j)] = fmt.Sprintf("must have 1 to %d characters", maxSynonymLength)
			}
		}
		a.Synonyms = append(a.Synonyms, clean)
	}
	return parley.InvalidFields(details)
}

// VoiceRules are what only the manifest says of an agent's voice (decision 22). Null takes what the plan says.
type VoiceRules struct {
	Limits httpapi.Opt[VoiceLimits] `json:"limits,omitzero" nullable:"true"`
}

// VoiceLimits are how many voice sessions the agent may begin; null takes the plan's limit.
type VoiceLimits struct {
	PerHour httpapi.Opt[int] `json:"perHour,omitzero" nullable:"true" min:"0" max:"1000000"`
	PerDay  httpapi.Opt[int] `json:"perDay,omitzero" nullable:"true" min:"0" max:"1000000"`
}

// shownVoice is VoiceRules as an export shows them, whole.
type shownVoice struct {
	Limits parley.VoiceLimits `json:"limits"`
}

// applyVoice changes the limits that were sent and leaves the others.
func applyVoice(a *parley.Agent, sent httpapi.Opt[VoiceRules]) {
	limits := sent.Value.Limits
	if sent.Null || limits.Null {
		a.VoiceLimits = parley.VoiceLimits{}
		return
	}
	if limits.Value.PerHour.Present {
		a.VoiceLimits.PerHour = limits.Value.PerHour.Ptr()
	}
	if limits.Value.PerDay.Present {
		a.VoiceLimits.PerDay = limits.Value.PerDay.Ptr()
	}
}
