package main

import (
	"cmp"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"parley"
	"parley/internal/certs"
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
	d.Config.OTLPEndpoint = cmp.Or(d.Config.OTLPEndpoint, os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT")) // as the server does
	for _, s := range p.effectiveSettings() {
		d.Settings = append(d.Settings, s.Env)
	}
	findings := d.Run(p)
	if err := p.Err(); err != nil {
		return err // what could not be looked at any more would count as faults
	}
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

// healthTimeout bounds how long a server may take to say how it is. It answers at once unless it hangs.
const healthTimeout = 10 * time.Second

type healthCmd struct {
	URL    string `arg:"" optional:"" name:"url" help:"Address of the server; that of --listen when left out."`
	Listen string `default:"127.0.0.1:8080" env:"PARLEY_LISTEN" placeholder:"HOST:PORT"` // its help is the setting's

	certs.TLSConfig
}

// serverHealth is what the command prints.
type serverHealth struct {
	URL    string `json:"url"`
	Status string `json:"status"` // what the server says
}

// Run asks a server how it is, as containers and monitors do.
func (c *healthCmd) Run(p *process) error {
	base := strings.TrimRight(cmp.Or(c.URL, c.Scheme()+"://"+reachableAddress(c.Listen)), "/")
	status, err := p.askHealth(base, c.URL == "")
	if err != nil {
		return parley.NewErrorf(parley.CodeResourceNotFound, "No server answers on %s: %v. Start one with "+
			"\"parley serve\", or give the address at which it listens.", base, err)
	}
	if p.commandLine.JSON {
		return p.printJSON(serverHealth{base, status})
	}
	return p.printf("%s: %s\n", base, status)
}

// askHealth returns what the server at an address says of itself. One that is asked by its listening address has a
// certificate for another name.
func (p *process) askHealth(base string, isOwnAddress bool) (string, error) {
	req, err := http.NewRequestWithContext(p, http.MethodGet, base+"/api/v2/health", nil)
	if err != nil {
		return "", err
	}
	transport := &http.Transport{DisableKeepAlives: true, Proxy: http.ProxyFromEnvironment,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: isOwnAddress}}
	res, err := (&http.Client{Timeout: healthTimeout, Transport: transport}).Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	var reply struct {
		Status string `json:"status"`
		Error  struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.NewDecoder(res.Body).Decode(&reply); err != nil {
		return "", fmt.Errorf("it is no Parley server: %w", err)
	}
	if res.StatusCode != http.StatusOK {
		return "", fmt.Errorf("status %d: %s", res.StatusCode, reply.Error.Message)
	}
	return reply.Status, nil
}
