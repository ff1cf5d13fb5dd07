package parley

import (
	"encoding/json"
	"errors"
	"net/netip"
	"slices"
	"time"
)

// Agent answers messages from the content of its sources (docs/interface/agents.md#record).
type Agent struct {
	ID                  AgentID
	AccountID           AccountID
	Name                string
	Instructions        string
	ChannelInstructions json.RawMessage // object by channel, or nil
	Model               string
	AutoRetrain         bool
	Temp                float64
	Visibility          string // public or private
	AllowedDomains      []string
	SuggestedMessages   json.RawMessage // array, or nil
	InitialMessages     []string
	CreditLimit         *int64          // whole credits a month; nil for no limit
	Notifications       json.RawMessage // object, or nil
	RateLimit           DeviceLimit
	Voice               json.RawMessage // object; nil turns voice off
	VoiceLimits         VoiceLimits
	WidgetLimits        WidgetLimits
	Styles              json.RawMessage // object of chat and centerStage, or nil
	IdentitySecret      string          // signs the identity of end users in the widget
	OldIdentitySecret   string          // is valid beside it until OldIdentityUntil; empty for none
	OldIdentityUntil    *time.Time
	Redact              bool // personal data is masked before anything is stored
	// after so many days without activity conversations are deleted; nil for never
	RetentionDays             *int64
	FileRetentionDays         *int64     // after so many days files are deleted; nil for as long as their conversation
	VisitorRetentionDays      *int64     // visitors not seen for so many days are deleted; nil for VisitorRetention
	Synonyms                  [][]string // groups of words or phrases that the search treats as equal; nil for none
	Topics                    []Topic    // the operator's tree of topics; nil to find topics automatically
	Insight                   InsightSettings
	V1                        json.RawMessage // settings that only REST v1 has: an object, or nil
	IconBlobID, PictureBlobID string          // images on the chat button and beside answers; empty for none
	Key                       string          // stable name in its manifest; empty for an agent without a manifest
	ConfigVersion             int64           // incremented by every change of the settings
	PassageVersion            int64           // incremented by every change of its passages

	// Counters, updated by the transactions that change what they count.
	Size             int64 // bytes of all sources
	Sources          SourceCounts
	CreditsUsed      Credits // in the current calendar month (UTC)
	Tools            int     // actions and procedures that are enabled
	Conversations    int64   // of all origins
	APIConversations int64   // that began through the API
	LastMessageAt    *time.Time
	LastTrainedAt    *time.Time
	CreatedAt        time.Time
	UpdatedAt        time.Time
}

// DeviceLimit limits how many messages one device of an end user may send in a time frame of seconds.
type DeviceLimit struct {
	Limit     int    `json:"limit"`
	Timeframe int    `json:"timeframe"`
	Message   string `json:"message"`
}

// WidgetLimits limit what visitors use of an agent through its widget. Days are those of UTC; nil is no limit.
type WidgetLimits struct {
	DailyCredits        *int64   `json:"dailyCredits"`           // whole credits of all visitors together
	DailyVisitorCredits *int64   `json:"dailyCreditsPerVisitor"` // whole credits of each visitor
	BlockedRanges       []string `json:"blockedRanges"`          // of addresses (CIDR), from which nobody is let in
}

// ErrDailyLimit is the cause of refusals of a day's limit of the widget.
var ErrDailyLimit = errors.New("parley: visitors have used what they may in a day")

// CheckAll fails with the code where all visitors together would have used sum on the day of now, and may not.
func (l WidgetLimits) CheckAll(sum Credits, now time.Time, code Code) error {
	return checkDay(sum, l.DailyCredits, now,
		NewErrorf(code, "The visitors of this agent have used as many credits as they may in one day."))
}

// CheckVisitor fails with RATE_LIMIT_TOO_MANY_REQUESTS where a visitor would have used sum on the day of now, and may
// not.
func (l WidgetLimits) CheckVisitor(sum Credits, now time.Time) error {
	return checkDay(sum, l.DailyVisitorCredits, now,
		NewErrorf(CodeTooManyRequests, "That is as much as the chat answers in one day."))
}

// checkDay fails with a refusal, until the next day, where a sum is more than a limit in whole credits.
func checkDay(sum Credits, limit *int64, now time.Time, refusal *Error) error {
	if limit == nil || sum <= Credits(*limit)*Credit {
		return nil
	}
	tomorrow := now.UTC().Truncate(24*time.Hour).AddDate(0, 0, 1)
	refusal.RetryAfter, refusal.Err = tomorrow.Sub(now), ErrDailyLimit
	return refusal
}

// Blocks reports whether nobody is let in from an address.
func (l WidgetLimits) Blocks(address string) bool {
	if len(l.BlockedRanges) == 0 {
		return false
	}
	ip, err := netip.ParseAddr(address)
	return err == nil && slices.ContainsFunc(l.BlockedRanges, func(text string) bool {
		blocked, err := netip.ParsePrefix(text)
		return err == nil && blocked.Contains(ip.Unmap().WithZone(""))
	})
}

// DefaultDeviceLimit returns the limit of an agent without one of its own.
func DefaultDeviceLimit() DeviceLimit {
	return DeviceLimit{Limit: 20, Timeframe: 240, Message: "Too many messages in a row"}
}

// SourceCounts counts an agent's sources by state.
type SourceCounts struct{ Live, Pending, Failed int }

// AgentStatus is derived from the states of the agent's sources (docs/interface/agents.md#status).
type AgentStatus string

// The states of an agent.
const (
	AgentUntrained AgentStatus = "untrained"
	AgentTraining  AgentStatus = "training"
	AgentFailed    AgentStatus = "failed"
	AgentTrained   AgentStatus = "trained"
)

// AgentStatuses lists the states of an agent.
func AgentStatuses() []AgentStatus {
	return []AgentStatus{AgentUntrained, AgentTraining, AgentFailed, AgentTrained}
}

// Status derives the agent's state: training before failed before trained before untrained.
func (a *Agent) Status() AgentStatus {
	switch {
	case a.Sources.Pending > 0:
		return AgentTraining
	case a.Sources.Failed > 0:
		return AgentFailed
	case a.Sources.Live > 0:
		return AgentTrained
	}
	return AgentUntrained
}
