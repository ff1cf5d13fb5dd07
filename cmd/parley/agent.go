package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/manifest"
)

type agentCmd struct {
	Create agentCreateCmd `cmd:"" help:"Create an agent."`
	List   agentListCmd   `cmd:"" help:"List agents, the newest first."`
	Show   agentShowCmd   `cmd:"" help:"Show an agent with its settings."`
	Change agentChangeCmd `cmd:"" help:"Change settings of an agent."`
	Delete agentDeleteCmd `cmd:"" help:"Delete an agent with its sources and conversations for good."`
}

// instructionFlags are the two ways of writing instructions.
type instructionFlags struct {
	Instructions     *string `placeholder:"TEXT" xor:"instructions" help:"How it is to answer, in plain words."`
	InstructionsFile string  `placeholder:"FILE" xor:"instructions" help:"File of instructions; - is the input."`
}

// read returns the instructions; nil if none are written.
func (f *instructionFlags) read() (*string, error) {
	if f.InstructionsFile == "" {
		return f.Instructions, nil
	}
	content, err := readFileOrInput(f.InstructionsFile)
	text := string(content)
	return &text, err
}

// readFileOrInput reads a file; - is the standard input.
func readFileOrInput(path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(os.Stdin)
	}
	return os.ReadFile(path)
}

type agentCreateCmd struct {
	Name    string `arg:"" help:"Name of the agent, 1 to 100 characters."`
	Account string `placeholder:"ID" help:"@agent-account"`
	instructionFlags
	Model      string  `placeholder:"NAME" help:"Model that answers; auto when left out."`
	Temp       float64 `placeholder:"0…1" help:"How freely answers are worded: 0 is the same words each time."`
	Visibility string  `default:"private" enum:"${visibility}" help:"@agent-visibility"`
}

func (c *agentCreateCmd) Run(p *process) error {
	instructions, err := c.read()
	if err != nil {
		return err
	}
	account, err := p.accountOrOnly(c.Account)
	if err != nil {
		return err
	}
	in := admin.NewAgent{AccountID: account, Name: c.Name, Model: c.Model, Temp: c.Temp, Visibility: c.Visibility}
	if instructions != nil {
		in.Instructions = *instructions
	}
	return printAdmin(p, admin.CreateAgent, in, func(out admin.AgentDetails) error {
		return p.printf("Created agent %s.\nGive it something to read: parley source add FILE --agent %s\n", out.ID, out.ID)
	})
}

// accountOrOnly returns the account that is named, or else the only one there is.
func (p *process) accountOrOnly(named string) (string, error) {
	if named != "" {
		return named, nil
	}
	accounts, err := runAdmin(p, admin.ListAccounts, admin.NoInput{})
	switch {
	case err != nil:
		return "", err
	case len(accounts) == 0:
		return "", parley.NewErrorf(parley.CodeAccountNotFound,
			"There is no account yet: \"parley account create --name NAME\" makes one.")
	case len(accounts) > 1:
		return "", newUsageError("there are %d accounts: name one with --account; \"parley account list\" lists them",
			len(accounts))
	}
	return accounts[0].ID, nil
}

// agentOrOnly returns the agent that is named, or else the only one there is.
func (p *process) agentOrOnly(named string) (string, error) {
	if named != "" {
		return named, nil
	}
	agents, err := runAdmin(p, admin.ListAgents, admin.AgentQuery{Limit: 2})
	switch {
	case err != nil:
		return "", err
	case len(agents) == 0:
		return "", parley.NewErrorf(parley.CodeAgentNotFound,
			"There is no agent yet: \"parley agent create NAME\" makes one.")
	case len(agents) > 1:
		return "", newUsageError("there are several agents: name one with --agent; \"parley agent list\" lists them")
	}
	return agents[0].ID, nil
}

// onlyTag marks flags --agent that may be left out where there is only one agent.
const onlyTag = "only"

// nameOnlyAgent sets such a flag of the command to that agent if it was left out.
func (p *process) nameOnlyAgent() error {
	for _, flag := range p.kong.Flags() {
		if !flag.Tag.Has(onlyTag) || !flag.Target.IsZero() {
			continue
		}
		agent, err := p.agentOrOnly("")
		if err != nil {
			return err
		}
		flag.Target.SetString(agent)
	}
	return nil
}

type agentListCmd struct {
	Account string `placeholder:"ID" help:"Only agents of this account."`
	Limit   int    `default:"50" placeholder:"N" help:"Most of them (${default})."`
}

func (c *agentListCmd) Run(p *process) error {
	if c.Limit < 1 {
		return newUsageError("--limit: %d is not a number of agents", c.Limit)
	}
	return printAdmin(p, admin.ListAgents, admin.AgentQuery{AccountID: c.Account, Limit: c.Limit}, p.printAgents)
}

func (p *process) printAgents(list []admin.Agent) error {
	row := func(a admin.Agent) []string {
		return []string{a.ID, a.AccountID, a.Name, a.Status, strconv.FormatInt(a.Size, 10), a.Model, a.Visibility,
			formatDay(&a.CreatedAt), formatDay(a.LastMessageAt)}
	}
	return printRows(p, "AGENT\tACCOUNT\tNAME\tSTATUS\tBYTES\tMODEL\tVISIBILITY\tCREATED\tLAST MESSAGE",
		"No agents; \"parley agent create NAME\" makes one.", list, row)
}

type agentShowCmd struct {
	ID string `arg:"" optional:"" name:"agentid" help:"Agent to show; the only one when left out."`
}

func (c *agentShowCmd) Run(p *process) error {
	id, err := p.agentOrOnly(c.ID)
	if err != nil {
		return err
	}
	return printAdmin(p, admin.GetAgent, admin.AgentRef{ID: id}, func(out admin.AgentDetails) error {
		if err := p.printAgents([]admin.Agent{out.Agent}); err != nil {
			return err
		}
		return p.printSettings(out.AgentSettings)
	})
}

// printSettings prints the settings of an agent as a manifest has them.
func (p *process) printSettings(s admin.AgentSettings) error {
	text, err := manifest.Write(s.Settings)
	if err != nil {
		return err
	}
	return p.printf("\nSettings, version %d:\n\n%s", s.Version, text)
}

type agentChangeCmd struct {
	ID   string  `arg:"" name:"agentid" help:"Agent to change."`
	Name *string `placeholder:"NAME" help:"New name, 1 to 100 characters."`
	instructionFlags
	Model      *string  `placeholder:"NAME" help:"Model that answers."`
	Temp       *float64 `placeholder:"0…1" help:"How freely answers are worded: 0 is the same words each time."`
	Visibility *string  `placeholder:"public|private" help:"@agent-visibility"`
	Set        []string `sep:"none" placeholder:"NAME=VALUE" help:"@agent-set"`
}

func (c *agentChangeCmd) Run(p *process) error {
	settings, err := c.settings()
	if err != nil {
		return err
	}
	if len(settings) == 0 {
		return newUsageError("nothing to change: give --name, --instructions, --model, --temp, --visibility or --set")
	}
	sent, err := json.Marshal(settings)
	if err != nil {
		return err
	}
	before, err := runAdmin(p, admin.GetAgentSettings, admin.AgentRef{ID: c.ID})
	if err != nil {
		return err
	}
	in := admin.AgentSettingsChange{AgentID: c.ID, BaseVersion: before.Version, Settings: sent}
	return printAdmin(p, admin.ChangeAgentSettings, in, func(out admin.AgentSettings) error {
		if out.Version == before.Version {
			return p.printf("Nothing differs: version %d stays.\n", out.Version)
		}
		return p.printf("Changed agent %s: its settings have version %d.\n", c.ID, out.Version)
	})
}

// settings returns what the flags set, by the names that manifests have for settings.
func (c *agentChangeCmd) settings() (map[string]any, error) {
	settings := map[string]any{}
	for _, text := range c.Set {
		name, value, err := parseAgentSetting(text)
		if err != nil {
			return nil, err
		}
		settings[name] = value
	}
	instructions, err := c.read()
	for name, value := range map[string]*string{"name": c.Name, "instructions": instructions, "model": c.Model,
		"visibility": c.Visibility} {
		if value != nil {
			settings[name] = *value
		}
	}
	if c.Temp != nil {
		settings["temp"] = *c.Temp
	}
	return settings, err
}

// parseAgentSetting parses NAME=VALUE. A value that is not JSON is a text.
func parseAgentSetting(pair string) (name string, value any, err error) {
	name, text, found := strings.Cut(pair, "=")
	if !found || name == "" {
		return "", nil, newUsageError("--set: %q is not NAME=VALUE; \"parley agent show ID\" shows the names", pair)
	}
	if json.Valid([]byte(text)) {
		return name, json.RawMessage(text), nil
	}
	return name, text, nil
}

type agentDeleteCmd struct {
	ID  string `arg:"" name:"agentid" help:"Agent to delete."`
	Yes bool   `help:"Do not ask."`
}

func (c *agentDeleteCmd) Run(p *process) error {
	if !c.Yes {
		agent, err := runAdmin(p, admin.GetAgent, admin.AgentRef{ID: c.ID})
		if err != nil {
			return err
		}
		if err := p.confirmDelete(fmt.Sprintf("the agent %q with its sources and conversations", agent.Name)); err != nil {
			return err
		}
	}
	return printAdmin(p, admin.DeleteAgent, admin.AgentRef{ID: c.ID}, func(out admin.AgentDetails) error {
		return p.printf("Deleted agent %s.\n", out.ID)
	})
}
