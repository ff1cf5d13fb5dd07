package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"parley/internal/house"
	"parley/internal/voice/sfu"
)

type serveCmd struct {
	house.Service
	house.Models
	house.Voice
}

func (c *serveCmd) Run(p *process) error {
	cfg, err := p.config(c.Service, c.Models, c.Voice, p.cli.Log)
	if err != nil {
		return err
	}
	s, err := openSite(p, cfg, "parley serve")
	if err != nil {
		return err
	}
	return errors.Join(s.run(p, func() error { return p.ready(s) }), s.close())
}

// config gathers the settings of a server.
func (p *process) config(service house.Service, models house.Models, voice house.Voice, log string) (house.Config, error) {
	cfg := house.Config{Storage: p.cli.Storage, Service: service, Models: models, Voice: voice, Now: time.Now, Version: version}
	if err := cfg.Check(); err != nil {
		return cfg, usageError{err}
	}
	var err error
	if cfg.Reader, err = os.Executable(); err != nil {
		return cfg, fmt.Errorf("find this program, which reads the files of strangers: %w", err)
	}
	if sfu.Here {
		cfg.SFU = cfg.Reader
	}
	if os.Getenv("GOGC") == "" {
		cfg.Collect = debug.SetGCPercent
	}
	cfg.Logger, err = p.logger(log)
	return cfg, err
}

// ready says where the server is and what answers there.
func (p *process) ready(s *site) error {
	if p.cli.JSON {
		line := map[string]any{"ready": true, "version": version, "url": s.url, "filesUrl": s.filesURL, "model": s.model}
		if s.metricsURL != "" {
			line["metricsUrl"] = s.metricsURL
		}
		return p.print(line)
	}
	_, err := fmt.Fprintf(p.stdout, "parley %s ready on %s, answering with %s\n", version, s.url, s.model)
	return err
}
