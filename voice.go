package parley

import (
	"encoding/json"
	"fmt"
	"time"
)

// VoiceJoinTimeout is how long a voice session waits for the customer to join it.
const VoiceJoinTimeout = 2 * time.Minute

// DefaultMaxCallDuration is the longest call of an agent that sets none (decision 22).
const DefaultMaxCallDuration = time.Hour

// VoiceSession is one talk between a customer and an agent (interface 2.7, 3.3). It is part of a conversation, which may hold several.
type VoiceSession struct {
	ID             VoiceSessionID
	AccountID      AccountID
	AgentID        AgentID
	ConversationID ConversationID
	UserID         EndUserID // given, inherited from the conversation, or made for this session
	Timezone       string    // IANA name
	MaxDuration    time.Duration
	PricePerMinute Credits // of a started minute
	Owner          string  // names the process that holds the talk
	LeaseUntil     time.Time
	Reserved       Credits
	Charged        Credits // once it has ended
	Minutes        int     // started ones that were charged, once it has ended
	CreatedAt      time.Time
	JoinedAt       *time.Time // when the customer came; nil while nobody has
	LastSeenAt     *time.Time // last sign of the customer: sound, text, or leaving
	EndedAt        *time.Time
	EndReason      SessionEndReason // empty while it lives
}

// Room is the name of the room in which the session takes place (interface 2.7).
func (s *VoiceSession) Room() string {
	return fmt.Sprintf("chatbot-%s-%s-%s", s.AgentID, s.ConversationID, s.ID)
}

// JoinDeadline is when a session ends that nobody has joined.
func (s *VoiceSession) JoinDeadline() time.Time {
	return s.CreatedAt.Add(min(s.MaxDuration, VoiceJoinTimeout))
}

// EndDeadline is when the longest call is over: it is counted from when the customer joined.
func (s *VoiceSession) EndDeadline() time.Time {
	if s.JoinedAt == nil {
		return s.JoinDeadline()
	}
	return s.JoinedAt.Add(s.MaxDuration)
}

// ExpiresAt is when no token of the session can be of use any more.
func (s *VoiceSession) ExpiresAt() time.Time { return s.JoinDeadline().Add(s.MaxDuration) }

// MinutesUntil counts the minutes that had begun before a moment, the first one always; none where nobody has joined.
func (s *VoiceSession) MinutesUntil(t time.Time) int {
	if s.JoinedAt == nil {
		return 0
	}
	return int(max((t.Sub(*s.JoinedAt)+time.Minute-1)/time.Minute, 1))
}

// SessionEndReason is why a voice session ended: what the client library's event sessionEnd says.
type SessionEndReason string

// The reasons.
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

// VoiceLimits are how many voice sessions an agent may begin; nil takes what its plan says (decision 22).
type VoiceLimits struct {
	PerHour *int `json:"perHour"` // in any 60 minutes
	PerDay  *int `json:"perDay"`  // in any 24 hours
}

// VoiceSettings is how an agent speaks and listens (facts 2.8d): Agent.Voice, read.
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
		RetentionDays int  `json:"retentionDays"` // 0 keeps them as long as their conversation
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

// VoiceSettings reads the agent's settings; what is absent has the default that the interface gives it. Nil says that voice is off.
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

// RecordingRetentionDays returns for how many days recordings are kept by the agent's settings, 0 for as long as their conversation. Settings that make
// none and name no days do not say, nor do those that are null or cannot be read: what was said before holds for the recordings there are.
func (a *Agent) RecordingRetentionDays() (days int, ok bool) {
	v, err := a.VoiceSettings()
	if err != nil || v == nil {
		return 0, false
	}
	return v.Recordings.RetentionDays, v.Recordings.Enabled || v.Recordings.RetentionDays > 0
}

func defaultVoiceSettings() (v VoiceSettings) {
	v.Voice.Name, v.Voice.Speed, v.Voice.Stability, v.Voice.Similarity = "Sarah", 1, 0.5, 0.75
	v.Transcriber.Model, v.Transcriber.Language, v.Transcriber.MinSilence, v.Transcriber.Threshold = "deepgram/nova-3", "multi", 0.5, 0.5
	v.Model, v.AllowInterruptions, v.AllowTextInput = "auto", true, true
	return v
}

// MaxDuration is the longest call.
func (v *VoiceSettings) MaxDuration() time.Duration {
	if v.MaxSeconds == nil {
		return DefaultMaxCallDuration
	}
	return secondsToDuration(*v.MaxSeconds)
}

// Silence is after how much of it a call ends; 0 is never.
func (v *VoiceSettings) Silence() time.Duration {
	if v.SilenceSeconds == nil {
		return 0
	}
	return secondsToDuration(*v.SilenceSeconds)
}

// maxDurationSeconds keeps what clients may write as seconds from being more than a duration holds: a century is for ever.
const maxDurationSeconds = 100 * 365 * 24 * 3600

func secondsToDuration(n int) time.Duration {
	return time.Duration(min(n, maxDurationSeconds)) * time.Second
}

// VoiceRecording is the sound of a voice session, kept where the agent's settings say so.
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
