package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"parley/docs"
	"parley/internal/house"
)

type demoCmd struct {
	house.Service
	house.Models
	house.Voice
}

// Run serves an agent that has read the manual. Unless a data directory is named, its data goes when it ends.
func (c *demoCmd) Run(p *process) (err error) {
	if !p.named("data") {
		if p.cli.Data, err = os.MkdirTemp("", "parley-demo-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(p.cli.Data)) }()
	}
	log := p.cli.Log
	if !p.named("log") {
		log = "text,warn"
	}
	cfg, err := p.config(c.Service, c.Models, c.Voice, log)
	if err != nil {
		return err
	}
	s, err := openSite(p, cfg, "parley demo")
	if err != nil {
		return err
	}
	return errors.Join(s.run(p, func() error { return p.show(s) }), s.close())
}

// named reports whether a setting was given, by flag or by environment.
func (p *process) named(name string) bool {
	for _, s := range p.settings() {
		if s.Name == name {
			return s.Origin != "default"
		}
	}
	return false
}

// show prepares the demo while the server runs already, and prints what to copy.
func (p *process) show(s *site) error {
	progress := func(format string, args ...any) { fmt.Fprintf(p.stderr, format+"\n", args...) }
	d, err := s.Demo(p, docs.Manual, progress)
	if err != nil {
		return err
	}
	data, err := filepath.Abs(p.cli.Data)
	if err != nil {
		return err
	}
	if p.cli.JSON {
		return p.print(map[string]any{"ready": true, "version": version, "url": s.url, "model": s.model, "data": data,
			"accountId": d.Account, "apiKey": d.Key, "agentId": d.Agent})
	}
	_, err = fmt.Fprintf(p.stdout, demoText, version, s.url, s.model, d.Account, d.Agent, d.Key, data,
		command(s, d, "-s", question, ""), command(s, d, "-sN", streamed, `, "stream": true`), shell(os.Args[0]), shell(data))
	return err
}

const (
	question = "How do I back up Parley?"
	streamed = "Which database does Parley use?"
)

func command(s *site, d house.Demo, options, message, more string) string {
	return fmt.Sprintf(`curl %s %s/api/v2/agents/%s/chat -H 'Authorization: Bearer %s' -d '{"message": "%s"%s}'`, options, s.url, d.Agent, d.Key, message, more)
}

// shell quotes a word for a shell where it needs to be.
func shell(word string) string {
	if !strings.ContainsFunc(word, func(r rune) bool {
		return !strings.ContainsRune("/._-+:@%=,", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

const demoText = `parley %s ready on %s, answering with %s

  account  %s
  agent    %s
  key      %s
  data     %s

Ask its manual something:

  %s

The same as a stream:

  %s

Why did it answer like that? Put the conversationId of an answer in the place of CONVERSATION:

  %s trace CONVERSATION --data %s

Stop it with Ctrl-C.
`
