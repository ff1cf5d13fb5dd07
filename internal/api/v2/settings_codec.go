package v2

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"unicode/utf8"

	"parley"
	"parley/internal/api/looks"
	"parley/internal/httpapi"
)

// AgentSettings is what a manifest may set of an agent: what PUT /agents/{agentId} changes, what has operations of
// its own, and what only the manifest can set. Absent members stay as they are.
type AgentSettings struct {
	AgentChangeBody
	AutoRetrain         httpapi.Opt[bool]              `json:"autoRetrain,omitzero"`
	Styles              httpapi.Opt[looks.StylesWrite] `json:"styles,omitzero" nullable:"true"`
	RedactConversations httpapi.Opt[bool]              `json:"redactConversations,omitzero"`
	RetentionDays       httpapi.Opt[int64]             `json:"retentionDays,omitzero" nullable:"true" min:"1" max:"36500"`

	FileRetentionDays    httpapi.Opt[int64] `json:"fileRetentionDays,omitzero" nullable:"true" min:"1" max:"36500"`
	VisitorRetentionDays httpapi.Opt[int64] `json:"visitorRetentionDays,omitzero" nullable:"true" min:"1" max:"90"`

	Synonyms httpapi.Opt[[][]string]      `json:"synonyms,omitzero" nullable:"true" max:"200" item:"min=2,max=10"`
	Topics   httpapi.Opt[[]TopicSettings] `json:"topics,omitzero" nullable:"true" max:"200"`
	Insight  httpapi.Opt[InsightChange]   `json:"insight,omitzero" nullable:"true"`
	Voice    httpapi.Opt[VoiceRules]      `json:"voice,omitzero" nullable:"true"`
	Widget   httpapi.Opt[WidgetRules]     `json:"widget,omitzero" nullable:"true"`
}

// SettingsCodec reads and writes the settings of agents for manifests ("parley apply").
type SettingsCodec struct {
	CanSetModel func(model string) bool // reports whether a model may be chosen
}

// Apply changes the agent by a JSON object of settings. It fails with VALIDATION_INVALID_BODY and details by dotted
// path.
func (c SettingsCodec) Apply(a *parley.Agent, settings json.RawMessage) error {
	var s AgentSettings
	err := httpapi.Decode(settings, &s)
	if err := joinFaults(err, s.checkModels(a, c.CanSetModel)); err != nil {
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
	if err := applyWidget(a, s.Widget); err != nil {
		return err
	}
	s.AutoRetrain.Replace(&a.AutoRetrain)
	s.RedactConversations.Replace(&a.Redact)
	s.applyRetention(a)
	return overlayStyles(a, s.Styles)
}

func (s *AgentSettings) applyRetention(a *parley.Agent) {
	for _, days := range []struct {
		sent httpapi.Opt[int64]
		into **int64
	}{{s.RetentionDays, &a.RetentionDays}, {s.FileRetentionDays, &a.FileRetentionDays},
		{s.VisitorRetentionDays, &a.VisitorRetentionDays}} {
		if days.sent.Present {
			*days.into = days.sent.Ptr()
		}
	}
}

// joinFaults joins the details of two VALIDATION_INVALID_BODY errors, so that all faults are reported at once.
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

// overlayStyles changes the styles that were sent and leaves the others; null resets all of them.
func overlayStyles(a *parley.Agent, sent httpapi.Opt[looks.StylesWrite]) error {
	if sent.Null {
		a.Styles = nil
	}
	if styles := sent.Ptr(); styles != nil {
		return styles.Apply(a)
	}
	return nil
}

// exportedSettings is AgentSettings in an export, which holds every member.
type exportedSettings struct {
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
	FileRetentionDays     *int64                 `json:"fileRetentionDays"`
	VisitorRetentionDays  *int64                 `json:"visitorRetentionDays"`
	Synonyms              [][]string             `json:"synonyms"`
	Topics                []parley.Topic         `json:"topics"`
	Insight               parley.InsightSettings `json:"insight"`
	Voice                 exportedVoice          `json:"voice"`
	Widget                parley.WidgetLimits    `json:"widget"`
}

// Show returns all settings as the JSON object that Apply takes.
func (c SettingsCodec) Show(a *parley.Agent) (json.RawMessage, error) {
	return json.Marshal(exportedSettings{Name: a.Name, Instructions: a.Instructions,
		ChannelInstructions: a.ChannelInstructions, Model: a.Model, Temp: a.Temp, Visibility: a.Visibility,
		AllowedDomains: a.AllowedDomains, SuggestedMessages: a.SuggestedMessages,
		InitialMessages: append([]string{}, a.InitialMessages...), CreditLimit: a.CreditLimit,
		NotificationsSettings: a.Notifications, IPRateLimits: a.RateLimit, VoiceSettings: a.Voice,
		AutoRetrain: a.AutoRetrain, Styles: a.Styles, RedactConversations: a.Redact, RetentionDays: a.RetentionDays,
		FileRetentionDays: a.FileRetentionDays, VisitorRetentionDays: a.VisitorRetentionDays,
		Synonyms: a.Synonyms, Topics: a.Topics, Insight: effectiveInsight(a), Voice: exportedVoice{a.VoiceLimits},
		Widget: exportedWidget(a.WidgetLimits)})
}

// TopicSettings is a topic of a manifest.
type TopicSettings struct {
	SubtopicSettings
	Topics []SubtopicSettings `json:"topics,omitempty" max:"50"`
}

// SubtopicSettings is a topic below another.
type SubtopicSettings struct {
	Name     string   `json:"name" min:"1" max:"60"`
	Keywords []string `json:"keywords,omitempty" max:"50"`
	Examples []string `json:"examples,omitempty" max:"50"`
}

// InsightChange changes how an agent's conversations are analyzed.
type InsightChange struct {
	Model     httpapi.Opt[bool]  `json:"model,omitzero"`
	AgainDays httpapi.Opt[int64] `json:"againDays,omitzero" min:"1" max:"30"`
}

// maxExampleLength is the maximum length in code points of a keyword or an example of a topic.
const maxExampleLength = 300

// applyTopics replaces the agent's tree of topics. It fails with VALIDATION_INVALID_BODY if a name cannot be used
// as a search filter or occurs twice.
func applyTopics(a *parley.Agent, sent httpapi.Opt[[]TopicSettings]) error {
	if !sent.Present {
		return nil
	}
	check := settingsCheck{details: map[string]string{}, names: map[string]bool{}}
	a.Topics = nil
	for i, t := range sent.Value {
		path := fmt.Sprintf("topics.%d", i)
		topic := check.checkTopic(path, t.SubtopicSettings)
		for j, sub := range t.Topics {
			topic.Topics = append(topic.Topics, check.checkTopic(fmt.Sprintf("%s.topics.%d", path, j), sub))
		}
		a.Topics = append(a.Topics, topic)
	}
	return parley.InvalidFields(check.details)
}

// settingsCheck collects what is wrong with topics or synonyms.
type settingsCheck struct {
	details map[string]string
	names   map[string]bool // of the topics
}

func (c *settingsCheck) checkTopic(path string, sent SubtopicSettings) parley.Topic {
	t := parley.Topic{Name: strings.Join(strings.Fields(sent.Name), " "),
		Keywords: c.checkTexts(path+".keywords", sent.Keywords, maxExampleLength),
		Examples: c.checkTexts(path+".examples", sent.Examples, maxExampleLength)}
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

// checkTexts returns the texts with single spaces between their words.
func (c *settingsCheck) checkTexts(path string, list []string, maxLength int) (clean []string) {
	for i, text := range list {
		text = strings.Join(strings.Fields(text), " ")
		if n := utf8.RuneCountInString(text); n == 0 || n > maxLength {
			c.details[fmt.Sprintf("%s.%d", path, i)] = fmt.Sprintf("must have 1 to %d characters", maxLength)
		}
		clean = append(clean, text)
	}
	return clean
}

// applyInsight changes the members that were sent; null resets all of them.
func applyInsight(a *parley.Agent, sent httpapi.Opt[InsightChange]) {
	if !sent.Present {
		return
	}
	if sent.Null {
		a.Insight = parley.InsightSettings{}
		return
	}
	sent.Value.Model.Replace(&a.Insight.UseModel)
	if days := sent.Value.AgainDays.Ptr(); days != nil {
		a.Insight.RepeatDays = int(*days)
	}
}

// effectiveInsight returns the settings with their defaults.
func effectiveInsight(a *parley.Agent) parley.InsightSettings {
	in := a.Insight
	in.RepeatDays = cmp.Or(in.RepeatDays, parley.DefaultRepeatDays)
	return in
}

// maxSynonymLength is the maximum length in code points of a word or phrase in a group of synonyms.
const maxSynonymLength = 100

// applySynonyms replaces the agent's groups of synonyms. It fails with VALIDATION_INVALID_BODY if a member is empty
// or too long.
func applySynonyms(a *parley.Agent, sent httpapi.Opt[[][]string]) error {
	if !sent.Present {
		return nil
	}
	a.Synonyms = nil
	check := settingsCheck{details: map[string]string{}}
	for i, group := range sent.Value { // of two members or more
		a.Synonyms = append(a.Synonyms, check.checkTexts(fmt.Sprintf("synonyms.%d", i), group, maxSynonymLength))
	}
	return parley.InvalidFields(check.details)
}

// VoiceRules are the settings of an agent's voice that only a manifest can change. Null stands for what the plan
// allows.
type VoiceRules struct {
	Limits httpapi.Opt[VoiceLimits] `json:"limits,omitzero" nullable:"true"`
}

// VoiceLimits limit how many voice sessions the agent may begin; null stands for the limit of the plan.
type VoiceLimits struct {
	PerHour httpapi.Opt[int] `json:"perHour,omitzero" nullable:"true" min:"0" max:"1000000"`
	PerDay  httpapi.Opt[int] `json:"perDay,omitzero" nullable:"true" min:"0" max:"1000000"`
}

// exportedVoice is VoiceRules in an export.
type exportedVoice struct {
	Limits parley.VoiceLimits `json:"limits"`
}

// applyVoice changes the limits that were sent.
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
