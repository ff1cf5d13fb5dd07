package main

import (
	"fmt"

	"parley/internal/api/admin"
	"parley/internal/voice"
)

type voiceStatsCmd struct{}

func (c *voiceStatsCmd) Run(p *process) error {
	m, err := runAdmin(p, admin.VoiceStats, admin.NoInput{})
	if err != nil {
		return err
	}
	if p.commandLine.JSON {
		return p.printJSON(m)
	}
	state := ""
	if m.Overloaded {
		state = ", and no more fit"
	}
	if _, err := fmt.Fprintf(p.stdout, "Voice sessions now: %d, %d of them joined%s. Gaps between packets of speech: %.0f ms. "+
		"Frames that did not come: %d.\n\n", m.Dialogs, m.Joined, state, m.GapP95, m.Lost); err != nil {
		return err
	}
	return p.printTable("FROM THE END OF SPEECH\tP50 MS\tP95 MS", "", delayRows(m))
}

// delayRows are the rows: where the time went, and what else is measured.
func delayRows(m voice.StatsSnapshot) [][]string {
	row := func(name string, p50, p95 float64) []string {
		return []string{name, fmt.Sprintf("%.0f", p50), fmt.Sprintf("%.0f", p95)}
	}
	a, b := m.SpokenP50, m.SpokenP95
	return [][]string{
		row("silence until the turn was over", a.Silence, b.Silence),
		row("recognition", a.Hearing, b.Hearing),
		row("first text of the answer", a.Answer, b.Answer),
		row("first clause", a.Piece, b.Piece),
		row("first speech", a.Speech, b.Speech),
		row("first packet", a.Output, b.Output),
		row(fmt.Sprintf("in all, of %d answers", m.Spoken), a.Total, b.Total),
		row(fmt.Sprintf("in all, of %d answers to text", m.Typed), m.TypedP50, m.TypedP95),
		row("from the customer's first sound until the agent spoke more softly", m.DuckedP50, m.DuckedP95),
		row("from the customer's first sound until the agent was held", m.HeldP50, m.HeldP95),
	}
}
