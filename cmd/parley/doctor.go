package main

import (
	"os"
	"strings"
	"time"

	"parley/internal/doctor"
	"parley/internal/server"
)

type doctorCmd struct {
	server.ServingConfig
	server.ModelConfig
	server.VoiceConfig

	Deep bool `help:"Also read whole files and indexes, which takes longer the more there are."`
}

// Run prints what each check has found. The exit status is 1 if something does not work.
func (c *doctorCmd) Run(p *process) error {
	log, err := p.newLogger("text,error")
	if err != nil {
		return err
	}
	d := doctor.Doctor{
		Config: server.Config{
			StorageConfig: p.commandLine.StorageConfig,
			ServingConfig: c.ServingConfig,
			ModelConfig:   c.ModelConfig,
			VoiceConfig:   c.VoiceConfig,
			Now:           time.Now,
			Version:       version,
			Logger:        log,
		},
		Environ: os.Environ(), Deep: c.Deep,
	}
	for _, s := range p.effectiveSettings() {
		d.Settings = append(d.Settings, s.Env)
	}
	findings := d.Run(p)
	if err := p.printFindings(findings); err != nil {
		return err
	}
	if countFindings(findings, doctor.Fault) > 0 {
		p.kong.Exit(1)
	}
	return nil
}

// printFindings prints a line for each finding, and below it what to do.
func (p *process) printFindings(findings []doctor.Finding) error {
	if p.commandLine.JSON {
		return p.printJSON(findings)
	}
	for _, f := range findings {
		if err := p.printf("%-8s %s: %s\n", f.Status, f.Check, f.Found); err != nil {
			return err
		}
		if f.Advice == "" {
			continue
		}
		if err := p.printf("%s%s\n", strings.Repeat(" ", 9), f.Advice); err != nil {
			return err
		}
	}
	return p.printf("%s, %s.\n", formatCount(countFindings(findings, doctor.Fault), "fault", "faults"),
		formatCount(countFindings(findings, doctor.Warning), "warning", "warnings"))
}

func countFindings(findings []doctor.Finding, status doctor.Status) (n int) {
	for _, f := range findings {
		if f.Status == status {
			n++
		}
	}
	return n
}
