package v2

import (
	"parley"
	"parley/internal/httpapi"
)

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
