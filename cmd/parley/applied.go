package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"parley"
	"parley/internal/agents"
	"parley/internal/manifest"
)

// warn tells what looks wrong, on the error stream.
func (p *process) warn(notes []manifest.Note) {
	for _, n := range notes {
		if p.cli.JSON {
			_ = json.NewEncoder(p.stderr).Encode(map[string]any{"warning": map[string]string{n.Place(): n.Text}})
			continue
		}
		fmt.Fprintf(p.stderr, "warning: %s\n", n)
	}
}

// explain joins the faults of the file with those that a failure names, each at its line, in the order of the file.
func (p *process) explain(f *manifest.File, err error) error {
	var e *parley.Error
	if err != nil && !errors.As(err, &e) {
		return err
	}
	notes := f.Faults
	told := parley.Error{Code: parley.CodeInvalidBody, Message: f.Name + " is not as it must be."}
	if e != nil {
		for path, text := range e.Details {
			notes = append(notes, f.Place(path, text))
		}
		if e.Code != parley.CodeInvalidBody {
			told.Code, told.Message, told.Err = e.Code, e.Message, e.Err
		}
	}
	if len(notes) == 0 {
		return err
	}
	if !p.cli.JSON {
		return errors.New(told.Message + lines(manifest.Sorted(notes)))
	}
	told.Details = map[string]string{}
	for _, n := range notes {
		told.Details[n.Place()] = n.Text
	}
	return &told
}

func lines(notes []manifest.Note) string {
	var out strings.Builder
	for _, n := range notes {
		out.WriteString("\n  " + n.String())
	}
	return out.String()
}

// applied tells what became of each agent.
func (p *process) applied(list []agents.Applied, dryRun bool) error {
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
			fmt.Fprintf(p.stdout, "  %s\n", summary(c))
		}
	}
	return nil
}

// summary tells a change in one line.
func summary(c agents.Change) string {
	line := c.Op + " " + c.Part
	if c.Key != "" {
		line += " " + c.Key
	}
	if c.Op == "update" {
		line += ": " + fields(c)
	}
	return line
}
