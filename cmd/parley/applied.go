package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"parley"
	"parley/internal/manifest"
)

// printWarnings tells what looks wrong, on the error stream.
func (p *process) printWarnings(notes []manifest.Note) {
	for _, n := range notes {
		if p.commandLine.JSON {
			_ = json.NewEncoder(p.stderr).Encode(map[string]any{"warning": map[string]string{n.Position(): n.Text}})
			continue
		}
		fmt.Fprintf(p.stderr, "warning: %s\n", n)
	}
}

// joinFileFaults joins the faults of the file with those that a failure names, each at its line, in the order of the file.
func (p *process) joinFileFaults(f *manifest.File, err error) error {
	var e *parley.Error
	if err != nil && !errors.As(err, &e) {
		return err
	}
	notes := f.Faults
	told := parley.Error{Code: parley.CodeInvalidBody, Message: f.Name + " is not as it must be."}
	if e != nil {
		for path, text := range e.Details {
			notes = append(notes, f.Locate(path, text))
		}
		if e.Code != parley.CodeInvalidBody {
			told.Code, told.Message, told.Err = e.Code, e.Message, e.Err
		}
	}
	if len(notes) == 0 {
		return err
	}
	if !p.commandLine.JSON {
		return errors.New(told.Message + formatNotes(manifest.SortNotes(notes)))
	}
	told.Details = map[string]string{}
	for _, n := range notes {
		told.Details[n.Position()] = n.Text
	}
	return &told
}

func formatNotes(notes []manifest.Note) string {
	var out strings.Builder
	for _, n := range notes {
		out.WriteString("\n  " + n.String())
	}
	return out.String()
}

// printApplied tells what became of each agent.
func (p *process) printApplied(list []manifest.ApplyResult, dryRun bool) error {
	for _, a := range list {
		name := orDash(a.Key)
		if a.Agent != "" {
			name += " (" + string(a.Agent) + ")"
		}
		switch {
		case len(a.Changes) == 0:
			name += ": no changes"
		case dryRun:
			name += ": would change"
		}
		if _, err := fmt.Fprintln(p.stdout, name); err != nil {
			return err
		}
		for _, c := range a.Changes {
			fmt.Fprintf(p.stdout, "  %s\n", changeSummary(c))
		}
	}
	return nil
}

// changeSummary tells a change in one line.
func changeSummary(c manifest.Change) string {
	line := c.Op + " " + c.Part
	if c.Key != "" {
		line += " " + c.Key
	}
	if c.Op == "update" {
		line += ": " + changedFields(c)
	}
	return line
}
