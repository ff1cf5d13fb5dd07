package parley

import (
	"encoding/json"
	"fmt"
	"time"
)

// VoiceJoinTimeout is how long a voice session waits for the customer to join.
const VoiceJoinTimeout = 2 * time.Minute

// DefaultMaxCallDuration is the maximum length of a call for an agent that sets none.
const DefaultMaxCallDuration = time.Hour

// VoiceSession is one call between a customer and an agent. It is part of a conversation, which may have several.
type VoiceSession struct {
	ID             VoiceSessionID
	AccountID      AccountID
	AgentID        AgentID
	ConversationID ConversationID
	UserID         EndUserID // from the request, the conversation, or generated for this session
	VisitorID      VisitorID // who speaks in the widget; empty elsewhere
	Timezone       string    // IANA name
	MaxDuration    time.Duration
	PricePerMinute Credits // of each started minute
	Owner          string  // the process that runs the session
	LeaseUntil     time.Time
	Reserved       Credits
	Charged        Credits // set at the end
	Minutes        int     // started minutes that were charged; set at the end
	CreatedAt      time.Time
	JoinedAt       *time.Time // when the customer joined; nil before that
	LastSeenAt     *time.Time // when the customer was last active: sound, text, or leaving
	EndedAt        *time.Time
	EndReason      SessionEndReason // empty until it ends
}

// Room returns the name of the LiveKit room of the session.
func (s *VoiceSession) Room() string {
	return fmt.Sprintf("chatbot-%s-%s-%s", s.AgentID, s.ConversationID, s.ID)
}

// JoinDeadline returns when a session ends that the customer has not joined.
func (s *VoiceSession) JoinDeadline() time.Time {
	return s.CreatedAt.Add(min(s.MaxDuration, VoiceJoinTimeout))
}

// EndDeadline returns when the session must end. The maximum length counts from when the customer joined.
func (s *VoiceSession) EndDeadline() time.Time {
	if s.JoinedAt == nil {
		return s.JoinDeadline()
	}
	return s.JoinedAt.Add(s.MaxDuration)
}

// ExpiresAt returns when the tokens of the session expire.
func (s *VoiceSession) ExpiresAt() time.Time { return s.JoinDeadline().Add(s.MaxDuration) }

// MinutesUntil returns the number of minutes that have begun before t. It is at least 1, but 0 if the customer has
// not joined.
func (s *VoiceSession) MinutesUntil(t time.Time) int {
	if s.JoinedAt == nil {
		return 0
	}
	return int(max((t.Sub(*s.JoinedAt)+time.Minute-1)/time.Minute, 1))
}

// SessionEndReason is why a voice session ended. The client library reports it in its event sessionEnd.
type SessionEndReason string

// The reasons why voice sessions end.
const (
	EndClientLeft    SessionEndReason = "client_left"
	EndMaxDuration   SessionEndReason = "max_duration"
	EndSilence       SessionEndReason = "silence"
	EndCredits       SessionEndReason = "credits"
	EndOperator      SessionEndReason = "operator"
	EndEscalated     SessionEndReason = "escalated" // a person has taken the conversation over
	EndError         SessionEndReason = "error"
	EndServerStopped SessionEndReason = "server_stopped"
)

// VoiceLimits limit how many voice sessions an agent may begin; nil stands for the limit of its plan.
type VoiceLimits struct {
	PerHour *int `json:"perHour"` // in any 60 minutes
	PerDay  *int `json:"perDay"`  // in any 24 hours
}

// VoiceSettings configures how an agent speaks and listens (docs/interface/voice.md#settings): Agent.Voice, decoded.
type VoiceSettings struct {
	Voice struct {
		Name         string  `json:"voiceName"`
		Speed        float64 `json:"speed"`
		Stability    float64 `json:"stability"`
		Similarity   float64 `json:"similarity"`
		Instructions string  `json:"instructions"`
	} `json:"voice"`
	Transcriber struct {
		Model      string  `json:"model"`
		Language   string  `json:"language"`            // BCP 47, or multi
		MinSilence float64 `json:"minSilenceDuration"`  // seconds
		Threshold  float64 `json:"activationThreshold"` // 0 to 1
	} `json:"transcriber"`
	Recordings struct {
		Enabled       bool `json:"enabled"`
		RetentionDays int  `json:"retentionDays"` // 0 for as long as the conversation
	} `json:"recordings"`
	MaxConcurrent      *int    `json:"maxConcurrentSessions"`
	MaxSeconds         *int    `json:"maxCallDurationSeconds"`
	MaxDailyPerUser    *int    `json:"maxDailyCallsPerUser"`
	Model              string  `json:"model"`
	Temperature        float64 `json:"temperature"`
	AllowInterruptions bool    `json:"allowInterruptions"`
	AllowTextInput     bool    `json:"allowTextInput"`
	SilenceSeconds     *int    `json:"endConversationAfterSilenceSeconds"`
	InitialMessage     string  `json:"initialMessage"`
	ErrorMessage       string  `json:"errorMessage"`
}

// VoiceSettings returns the agent's settings with their defaults, or nil if voice is turned off.
func (a *Agent) VoiceSettings() (*VoiceSettings, error) {
	if len(a.Voice) == 0 || string(a.Voice) == "null" {
		return nil, nil
	}
	v := defaultVoiceSettings()
	if err := json.Unmarshal(a.Voice, &v); err != nil {
		return nil, fmt.Errorf("agent %s: voice settings: %w", a.ID, err)
	}
	return &v, nil
}

// RecordingRetentionDays returns for how many days the agent's settings keep recordings, 0 for as long as their
// conversation. ok is false if the settings do not say: if they enable no recordings and set no days, are null, or
// cannot be decoded. Then the previous retention stays in force for existing recordings.
func (a *Agent) RecordingRetentionDays() (days int, ok bool) {
	v, err := a.VoiceSettings()
	if err != nil || v == nil {
		return 0, false
	}
	return v.Recordings.RetentionDays, v.Recordings.Enabled || v.Recordings.RetentionDays > 0
}

func defaultVoiceSettings() (v VoiceSettings) {
	v.Voice.Name, v.Voice.Speed, v.Voice.Stability, v.Voice.Similarity = "Sarah", 1, 0.5, 0.75
	v.Transcriber.Model, v.Transcriber.Language, v.Transcriber.MinSilence, v.Transcriber.Threshold = "deepgram/nova-3",
		"multi", 0.5, 0.5
	v.Model, v.AllowInterruptions, v.AllowTextInput = "auto", true, true
	return v
}

// MaxDuration returns the maximum length of a call.
func (v *VoiceSettings) MaxDuration() time.Duration {
	if v.MaxSeconds == nil {
		return DefaultMaxCallDuration
	}
	return secondsToDuration(*v.MaxSeconds)
}

// Silence returns after how much silence a call ends; 0 for never.
func (v *VoiceSettings) Silence() time.Duration {
	if v.SilenceSeconds == nil {
		return 0
	}
	return secondsToDuration(*v.SilenceSeconds)
}

// maxDurationSeconds, a century, keeps a number of seconds from a client within the range of a duration.
const maxDurationSeconds = 100 * 365 * 24 * 3600

func secondsToDuration(n int) time.Duration {
	return time.Duration(min(n, maxDurationSeconds)) * time.Second
}

// VoiceRecording is the recorded sound of a voice session.
type VoiceRecording struct {
	ID             string // UUID
	AccountID      AccountID
	AgentID        AgentID
	ConversationID ConversationID
	SessionID      VoiceSessionID
	BlobID         string // of the file
	Duration       time.Duration
	CreatedAt      time.Time
}
