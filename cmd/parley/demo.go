package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"parley/docs"
	"parley/internal/server"
)

type demoCmd struct {
	server.ServingConfig
	server.ModelConfig
	server.VoiceConfig
}

// Run serves an agent that has read the manual. Unless a data directory is named, the data is deleted at the end.
func (c *demoCmd) Run(p *process) (err error) {
	if !p.isSet("data") {
		if p.commandLine.Data, err = os.MkdirTemp("", "parley-demo-"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(p.commandLine.Data)) }()
	}
	cfg, err := p.serverConfig(c.ServingConfig, c.ModelConfig, c.VoiceConfig, p.logSetting("text,warn"))
	if err != nil {
		return err
	}
	s, err := openInstance(p, cfg, "parley demo")
	if err != nil {
		return err
	}
	return errors.Join(s.run(p, func() error { return p.showDemo(s) }), s.close())
}

// isSet reports whether a setting was given, by flag or by environment.
func (p *process) isSet(name string) bool {
	for _, s := range p.effectiveSettings() {
		if s.Name == name {
			return s.Origin != "default"
		}
	}
	return false
}

// showDemo prints the link to the console, prepares the demo on the running server and prints commands to copy.
func (p *process) showDemo(s *instance) error {
	setup, err := s.DemoLink(p)
	if err != nil {
		return err
	}
	if !p.commandLine.JSON {
		if err := p.printf(setupText, cmp.Or(setup, s.ConsoleURL())); err != nil {
			return err
		}
	}
	progress := func(format string, args ...any) { fmt.Fprintf(p.stderr, format+"\n", args...) }
	d, err := s.SetUpDemo(p, docs.Manual, progress)
	if err != nil {
		return err
	}
	data, err := filepath.Abs(p.commandLine.Data)
	if err != nil {
		return err
	}
	if p.commandLine.JSON {
		line := map[string]any{"ready": true, "version": version, "url": s.url, "model": s.model, "data": data,
			"accountId": d.Account, "apiKey": d.Key, "agentId": d.Agent, "chatUrl": chatURL(s, d)}
		if setup != "" {
			line["setupUrl"] = setup
		}
		return p.printJSON(line)
	}
	return p.printf(demoText, version, s.url, s.model, d.Account, d.Agent, d.Key, data, chatURL(s, d),
		curlCommand(s, d, "-s", demoQuestion, ""), curlCommand(s, d, "-sN", streamedDemoQuestion, `, "stream": true`),
		quoteShell(os.Args[0]), quoteShell(data))
}

const (
	demoQuestion         = "How do I back up Parley?"
	streamedDemoQuestion = "Which database does Parley use?"
)

// chatURL is where customers meet the agent.
func chatURL(s *instance, d server.Demo) string { return fmt.Sprintf("%s/%s/help", s.url, d.Agent) }

func curlCommand(s *instance, d server.Demo, options, message, more string) string {
	return fmt.Sprintf(`curl %s %s/api/v2/agents/%s/chat -H 'Authorization: Bearer %s' -d '{"message": "%s"%s}'`,
		options, s.url, d.Agent, d.Key, message, more)
}

// quoteShell quotes a word for a shell where it needs quotes.
func quoteShell(word string) string {
	if !strings.ContainsFunc(word, func(r rune) bool {
		return !strings.ContainsRune("/._-+:@%=,", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

const demoText = `
parley %s ready on %s, answering with %s

  account  %s
  agent    %s
  key      %s
  data     %s
  chat     %s

Ask its manual something:

  %s

The same as a stream:

  %s

Why did it answer like that? Put the conversationId of an answer in the place of CONVERSATION:

  %s trace CONVERSATION --data %s

Stop it with Ctrl-C.
`
