package main

import (
	"fmt"
	"strconv"
	"time"

	"parley/internal/api/admin"
)

// voiceCmd are the commands on voice sessions.
type voiceCmd struct {
	Sessions  voiceSessionsCmd  `cmd:"" help:"List voice sessions, the newest first."`
	End       voiceEndCmd       `cmd:"" help:"End voice sessions that live."`
	Recording voiceRecordingCmd `cmd:"" help:"Write the recording of a voice session, a WAV file, to standard output."`
	Stats     voiceStatsCmd     `cmd:"" help:"Show how fast the running server's agents answer in voice sessions, and how even their sound is."`
}

type voiceSessionsCmd struct {
	Agent string `placeholder:"ID" help:"Only sessions of this agent."`
	Live  bool   `help:"Only those that have not ended."`
	Limit int    `default:"50" placeholder:"N" help:"Most sessions to list (${default})."`
}

func (c *voiceSessionsCmd) Run(p *process) error {
	if c.Limit < 1 {
		return newUsageError("--limit: %d is below 1", c.Limit)
	}
	list, err := runAdmin(p, admin.ListVoiceSessions, admin.VoiceSessionQuery{AgentID: c.Agent, Live: c.Live, Limit: c.Limit})
	if err != nil {
		return err
	}
	if p.commandLine.JSON {
		return p.printJSON(list)
	}
	var rows [][]string
	for _, s := range list {
		rows = append(rows, []string{s.ID, s.AgentID, s.ConversationID, s.UserID, formatDay(&s.CreatedAt), formatDuration(s), orDash(s.Reason), strconv.FormatFloat(s.Credits, 'g', -1, 64)})
	}
	return p.printTable("SESSION\tAGENT\tCONVERSATION\tUSER\tCREATED\tTALKED\tENDED BY\tCREDITS", "No voice sessions.", rows)
}

// formatDuration tells how long somebody was in a session, or how it stands.
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
		out, err := runAdmin(p, admin.EndVoiceSession, admin.VoiceSessionRef{ID: id})
		if err != nil {
			return err
		}
		if p.commandLine.JSON {
			if err := p.printJSON(out); err != nil {
				return err
			}
			continue
		}
		said := "Ended voice session %s.\n"
		if !out.WasLive {
			said = "Voice session %s had ended before.\n"
		}
		if _, err := fmt.Fprintf(p.stdout, said, out.ID); err != nil {
			return err
		}
	}
	return nil
}
