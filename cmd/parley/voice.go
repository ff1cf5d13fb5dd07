package main

import (
	"fmt"
	"strconv"
	"time"

	"parley/internal/api/admin"
	"parley/internal/voice"
)

type voiceCmd struct {
	Sessions  voiceSessionsCmd  `cmd:"" help:"List voice sessions, the newest first."`
	End       voiceEndCmd       `cmd:"" help:"End voice sessions that live."`
	Recording voiceRecordingCmd `cmd:"" help:"Write the recording of a voice session, a WAV file, to standard output."`
	Stats     voiceStatsCmd     `cmd:"" help:"@voice-stats"`
}

type voiceSessionsCmd struct {
	AgentID string `name:"agent" placeholder:"ID" help:"Only sessions of this agent."`
	Live    bool   `help:"Only those that have not ended."`
	Limit   int    `default:"50" placeholder:"N" help:"Most sessions to list (${default})."`
}

func (c *voiceSessionsCmd) Run(p *process) error {
	if c.Limit < 1 {
		return newUsageError("--limit: %d is below 1", c.Limit)
	}
	return printAdmin(p, admin.ListVoiceSessions, admin.VoiceSessionQuery(*c), p.printVoiceSessions)
}

func (p *process) printVoiceSessions(list []admin.VoiceSession) error {
	row := func(s admin.VoiceSession) []string {
		return []string{
			s.ID,
			s.AgentID,
			s.ConversationID,
			s.UserID,
			formatDay(&s.CreatedAt),
			formatDuration(s),
			orDash(s.Reason),
			strconv.FormatFloat(s.Credits, 'g', -1, 64),
		}
	}
	return printRows(p, "SESSION\tAGENT\tCONVERSATION\tUSER\tCREATED\tTALKED\tENDED BY\tCREDITS", "No voice sessions.",
		list, row)
}

// formatDuration returns how long the customer was in a session, or the state of the session.
func formatDuration(s admin.VoiceSession) string {
	switch {
	case s.EndedAt == nil && s.JoinedAt == nil:
		return "waiting"
	case s.EndedAt == nil:
		return "live"
	case s.JoinedAt == nil:
		return "-"
	}
	return s.EndedAt.Sub(*s.JoinedAt).Round(time.Second).String()
}

type voiceEndCmd struct {
	ID []string `arg:"" name:"sessionid" help:"Sessions to end, as \"parley voice sessions\" shows them."`
}

func (c *voiceEndCmd) Run(p *process) error {
	for _, id := range c.ID {
		err := printAdmin(p, admin.EndVoiceSession, admin.VoiceSessionRef{ID: id}, func(out admin.EndedVoiceSession) error {
			if !out.WasLive {
				return p.printf("Voice session %s had ended before.\n", out.ID)
			}
			return p.printf("Ended voice session %s.\n", out.ID)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

type voiceRecordingCmd struct {
	ID string `arg:"" name:"sessionid" help:"The session, as \"parley voice sessions\" shows it."`
}

// Run writes the file part by part. With --json it only describes the file.
func (c *voiceRecordingCmd) Run(p *process) error {
	for size, part := int64(0), 0; ; part++ {
		r, err := runAdmin(p, admin.ReadVoiceRecording, admin.VoiceRecordingRequest{ID: c.ID, Part: part})
		if err != nil {
			return err
		}
		if p.commandLine.JSON {
			r.Part = nil
			return p.printJSON(r)
		}
		n, err := p.stdout.Write(r.Part)
		if err != nil {
			return err
		}
		if size += int64(n); size >= r.Bytes {
			return nil
		}
		if n == 0 {
			return fmt.Errorf("the recording has %d bytes and not %d", size, r.Bytes)
		}
	}
}

type voiceStatsCmd struct{}

func (c *voiceStatsCmd) Run(p *process) error {
	return printAdmin(p, admin.VoiceStats, admin.NoInput{}, p.printVoiceStats)
}

func (p *process) printVoiceStats(m voice.StatsSnapshot) error {
	state := ""
	if m.Overloaded {
		state = ", and no more fit"
	}
	err := p.printf("Voice sessions now: %d, %d of them joined%s. Gaps between packets of speech: %.0f ms. "+
		"Frames that did not come: %d.\n\n", m.Dialogs, m.Joined, state, m.GapP95, m.Lost)
	if err != nil {
		return err
	}
	return p.printTable("FROM THE END OF SPEECH\tP50 MS\tP95 MS", "", delayRows(m))
}

// delayRows returns the rows of the table: the parts of the delay, and what else is measured.
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
