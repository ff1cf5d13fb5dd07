package admin

import (
	"context"

	"parley/internal/voice"
)

// VoiceStats tells how well the talks of the running server go.
var VoiceStats = Command[struct{}, voice.StatsSnapshot]{"voice.stats", false, (*Service).voiceStats}

func (d *Service) voiceStats(context.Context, struct{}) (voice.StatsSnapshot, error) {
	return d.VoiceStats.Snapshot(), nil
}
