package v2

import (
	"encoding/json"
	"reflect"

	"parley"
	"parley/internal/httpapi"
)

// ChannelInstructions are instructions for one channel only, by the name of the channel
// (docs/interface/agents.md#channel-keys).
type ChannelInstructions map[string]httpapi.Either[string, ModeInstructions]

// Rules returns the rules of every field that holds them.
func (ChannelInstructions) Rules() reflect.StructTag {
	return `keys:"@instructionChannel" item:"name=ChannelInstruction" name:"ChannelInstructions"`
}

// ModeInstructions are separate instructions for chat and voice.
type ModeInstructions struct {
	Chat  httpapi.Opt[string] `json:"chat,omitzero"`
	Voice httpapi.Opt[string] `json:"voice,omitzero"`
}

// Notifications are the daily mails about an agent.
type Notifications struct {
	DailyLeadsCollected Notification `json:"dailyLeadsCollected"`
	DailyConversations  Notification `json:"dailyConversations"`
}

// Notification is one daily mail.
type Notification struct {
	Active bool     `json:"active"`
	Emails []string `json:"emails" max:"10" item:"format=email"`
}

// NotificationsChange holds the mails to change; the other one stays.
type NotificationsChange struct {
	DailyLeadsCollected httpapi.Opt[NotificationChange] `json:"dailyLeadsCollected,omitzero"`
	DailyConversations  httpapi.Opt[NotificationChange] `json:"dailyConversations,omitzero"`
}

// NotificationChange holds what to change of one daily mail.
type NotificationChange struct {
	Active httpapi.Opt[bool]     `json:"active,omitzero"`
	Emails httpapi.Opt[[]string] `json:"emails,omitzero" max:"10" item:"format=email"`
}

func (n NotificationChange) apply(to *Notification) {
	n.Active.Replace(&to.Active)
	n.Emails.Replace(&to.Emails)
}

func (n NotificationsChange) apply(a *parley.Agent, sent httpapi.Opt[NotificationsChange]) error {
	if sent.Null {
		a.Notifications = nil
	}
	if sent.Ptr() == nil {
		return nil
	}
	off := Notification{Emails: []string{}}
	now := Notifications{off, off}
	if a.Notifications != nil {
		if err := json.Unmarshal(a.Notifications, &now); err != nil {
			return err
		}
	}
	n.DailyLeadsCollected.Value.apply(&now.DailyLeadsCollected)
	n.DailyConversations.Value.apply(&now.DailyConversations)
	return replaceJSONIfSent(&a.Notifications, httpapi.Some(now))
}

// VoiceSettings configure how an agent speaks and listens (docs/interface/voice.md#settings). They are replaced as a
// whole: absent members take their defaults. A limit that is null is no limit.
type VoiceSettings struct {
	Voice       Voice       `json:"voice" default:"{\"voiceName\":\"Sarah\"}"`
	Transcriber Transcriber `json:"transcriber"`
	Recordings  Recordings  `json:"recordings" default:"{\"enabled\":false,\"retentionDays\":0}"`

	MaxConcurrentSessions  *int `json:"maxConcurrentSessions" min:"1" default:"null"`
	MaxCallDurationSeconds *int `json:"maxCallDurationSeconds" min:"1" default:"null"`
	MaxDailyCallsPerUser   *int `json:"maxDailyCallsPerUser" min:"1" default:"null"`

	Model              string  `json:"model" min:"1" max:"200" default:"auto"`
	Temperature        float64 `json:"temperature" min:"0" max:"1" default:"0"`
	AllowInterruptions bool    `json:"allowInterruptions" default:"true"`
	AllowTextInput     bool    `json:"allowTextInput" default:"true"`

	EndConversationAfterSilenceSeconds *int `json:"endConversationAfterSilenceSeconds" min:"10" default:"null"`

	InitialMessage httpapi.Opt[string] `json:"initialMessage,omitzero" max:"500"`
	ErrorMessage   httpapi.Opt[string] `json:"errorMessage,omitzero" max:"500"`
}

// Voice is the voice an agent speaks with.
type Voice struct {
	VoiceName    string              `json:"voiceName" min:"1" max:"100"`
	Speed        float64             `json:"speed" min:"0.7" max:"1.2" default:"1"`
	Stability    float64             `json:"stability" min:"0" max:"1" default:"0.5"`
	Similarity   float64             `json:"similarity" min:"0" max:"1" default:"0.75"`
	Instructions httpapi.Opt[string] `json:"instructions,omitzero" max:"500"`
}

// Transcriber configures how speech is understood.
type Transcriber struct {
	Model               string  `json:"model" enum:"@transcriberModel"`
	Language            string  `json:"language" pattern:"^(multi|[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*)$"`
	MinSilenceDuration  float64 `json:"minSilenceDuration" min:"0.1" max:"3"`
	ActivationThreshold float64 `json:"activationThreshold" min:"0" max:"1"`
}

// Rules returns the rules of every field that holds one.
func (Transcriber) Rules() reflect.StructTag {
	return `default:"{\"model\":\"deepgram/nova-3\",\"language\":\"multi\",` +
		`\"minSilenceDuration\":0.5,\"activationThreshold\":0.5}"`
}

// FieldDocs returns the docs that are too long for tags.
func (Transcriber) FieldDocs() map[string]string {
	return map[string]string{"language": "A BCP 47 tag, or multi."}
}

// Recordings configure whether calls are recorded, and for how long recordings are kept.
type Recordings struct {
	Enabled       bool `json:"enabled"`
	RetentionDays int  `json:"retentionDays" min:"0"`
}
