package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"parley/internal/ingest/extract"
	"parley/internal/ingest/extract/sandbox"
	"parley/internal/server"
	"parley/internal/voice/sfu"
)

type serveCmd struct {
	server.ServingConfig
	server.ModelConfig
	server.VoiceConfig
}

func (c *serveCmd) Run(p *process) error {
	cfg, err := p.serverConfig(c.ServingConfig, c.ModelConfig, c.VoiceConfig, p.commandLine.Log)
	if err != nil {
		return err
	}
	s, err := openInstance(p, cfg, "parley serve")
	if err != nil {
		return err
	}
	return errors.Join(s.run(p, func() error { return p.printReady(s) }), s.close())
}

// serverConfig builds the configuration of a server from the settings.
func (p *process) serverConfig(service server.ServingConfig, models server.ModelConfig, voice server.VoiceConfig,
	log string) (server.Config, error) {
	cfg := server.Config{
		StorageConfig: p.commandLine.StorageConfig,
		ServingConfig: service,
		ModelConfig:   models,
		VoiceConfig:   voice,
		Now:           time.Now,
		Version:       version,
	}
	cfg.OTLPEndpoint = cmp.Or(cfg.OTLPEndpoint, os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT"))
	if err := cfg.Check(); err != nil {
		return cfg, usageError{err}
	}
	var err error
	if cfg.ExtractProgram, err = os.Executable(); err != nil {
		return cfg, fmt.Errorf("find this program, which reads the files of strangers: %w", err)
	}
	if sfu.Available {
		cfg.SFUProgram = cfg.ExtractProgram
	}
	if os.Getenv("GOGC") == "" {
		cfg.SetGOGC = debug.SetGCPercent
	}
	cfg.Logger, err = p.newLogger(log)
	return cfg, err
}

// printReady prints the address of the server and the model that answers, and the link by which the first person gets
// into the console.
func (p *process) printReady(s *instance) error {
	setup, err := s.SetUpLink(p)
	if err != nil {
		return err
	}
	if p.commandLine.JSON {
		line := map[string]any{"ready": true, "version": version, "url": s.url, "filesUrl": s.filesURL, "model": s.model}
		if setup != "" {
			line["setupUrl"] = setup
		}
		if s.metricsURL != "" {
			line["metricsUrl"] = s.metricsURL
		}
		return p.printJSON(line)
	}
	if err := p.printf("parley %s ready on %s, answering with %s\n", version, s.url, s.model); err != nil || setup == "" {
		return err
	}
	return p.printf(setupText, setup)
}

const setupText = "Open the console: %s\n"

// extractCmd is not for people: the server runs it to read uploaded files, and talks to it over standard input and
// output.
type extractCmd struct {
	Need    sandbox.Need `enum:"all,calls,nothing" default:"all" help:"Fences that a program needs: ${enum}."`
	Program []string     `arg:"" optional:"" passthrough:"" help:"@extract-program"`
}

func (c *extractCmd) Run(p *process) error {
	words := c.Program
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	if len(words) > 0 {
		return sandbox.Become(c.Need, words[0], words[1:])
	}
	return extract.Serve(os.Stdin, p.stdout)
}

// sfuCmd is not for people: the server runs it for voice sessions, and talks to it over standard input and output.
type sfuCmd struct{}

func (sfuCmd) Run(p *process) error { return sfu.Serve(p, os.Stdin, os.Stdout, os.Stderr) }
