package admin

import (
	"context"

	"parley/internal/voice"
)

// VoiceStats tells how well the talks of the running server go.
var VoiceStats = Verb[struct{}, voice.Measured]{"voice.stats", false, (*Desk).voiceStats}

func (d *Desk) voiceStats(context.Context, struct{}) (voice.Measured, error) {
	return d.Meter.Read(), nil
}
