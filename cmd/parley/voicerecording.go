package main

import (
	"fmt"

	"parley/internal/api/admin"
)

type voiceRecordingCmd struct {
	ID string `arg:"" name:"sessionid" help:"The session, as \"parley voice sessions\" shows it."`
}

// Run writes the file part by part; with --json it only describes it.
func (c *voiceRecordingCmd) Run(p *process) error {
	for written, part := int64(0), 0; ; part++ {
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
		if written += int64(n); written >= r.Bytes {
			return nil
		}
		if n == 0 {
			return fmt.Errorf("the recording has %d bytes and not %d", written, r.Bytes)
		}
	}
}
