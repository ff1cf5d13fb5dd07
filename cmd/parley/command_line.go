package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"parley/internal/access"
	"parley/internal/cmdline"
	"parley/internal/server"
	"parley/internal/voice/rtc"
	"parley/internal/voice/sfu"
)

// commandLine declares every command with its flags. The first group of flags belongs to every command. Help that is
// too long for a tag is in longHelp, and that of the settings in server.SettingHelp.
type commandLine struct {
	JSON bool   `name:"json" help:"Print for machines."`
	Log  string `default:"text,info" env:"PARLEY_LOG" placeholder:"FORMAT,LEVEL" help:"@log"`
	server.StorageConfig
	SettingsFile string           `name:"config" env:"PARLEY_CONFIG" placeholder:"FILE" help:"@config"`
	ShowVersion  kong.VersionFlag `name:"version" help:"Show the version."`

	Serve   serveCmd  `cmd:"" help:"Run the server."`
	Demo    demoCmd   `cmd:"" help:"Run a server with an agent that has read Parley's manual."`
	Ask     askCmd    `cmd:"" help:"Ask an agent, or a folder of Markdown or text without one."`
	Agent   agentCmd  `cmd:"" help:"Create, list, show, change and delete agents."`
	Source  sourceCmd `cmd:"" aliases:"sources" help:"Add, list and remove what an agent reads."`
	Account struct {
		Create accountCreateCmd `cmd:"" help:"Create an account and its first API key."`
		Update accountUpdateCmd `cmd:"" help:"Change an account's name, plan, credits and other settings."`
		List   accountListCmd   `cmd:"" help:"List accounts."`

		Domains accountDomainsCmd `cmd:"" help:"List an account's domains of single sign-on, or confirm one."`
	} `cmd:"" help:"Create, change and list accounts."`
	Key struct {
		Create keyCreateCmd `cmd:"" help:"Create an API key. It is shown once."`
		Revoke keyRevokeCmd `cmd:"" help:"Revoke an API key."`
		List   keyListCmd   `cmd:"" help:"List API keys, never the keys themselves."`
	} `cmd:"" help:"Create, revoke and list API keys."`
	Member struct {
		Add      memberAddCmd      `cmd:"" help:"Add a member to an account's team."`
		Invite   memberInviteCmd   `cmd:"" help:"Make a link by which somebody becomes a member and signs in."`
		Link     memberLinkCmd     `cmd:"" help:"Make a link by which a member sets a password and signs in."`
		Password memberPasswordCmd `cmd:"" help:"Set a member's password; it is read from the standard input."`
		Change   memberChangeCmd   `cmd:"" help:"Give a member another role."`
		Remove   memberRemoveCmd   `cmd:"" help:"Remove a member; their open tickets stay with the teams."`
		List     memberListCmd     `cmd:"" help:"List members."`

		Invitations memberInvitationsCmd `cmd:"" help:"List, renew and withdraw invitations without an answer."`
	} `cmd:"" help:"Add, invite, change, remove and list members of an account's team."`
	Audit         auditCmd         `cmd:"" help:"Prove and export what was done to an account."`
	Import        importCmd        `cmd:"" help:"Take over agents and conversations of another service."`
	Conversations conversationsCmd `cmd:"" help:"List, end, delete and take over conversations."`
	Ticket        ticketCmd        `cmd:"" help:"List, show, open, change and answer tickets."`
	TicketStatus  statusCmd        `cmd:"" aliases:"status" help:"List and change the statuses of an agent's tickets."`
	Team          teamCmd          `cmd:"" help:"List and change the teams that take tickets."`
	Rule          ruleCmd          `cmd:"" help:"List and change the rules that route tickets."`
	Route         routeCmd         `cmd:"" help:"Tell where a ticket would go, without opening one."`
	Customer      customerCmd      `cmd:"" help:"List an agent's customers."`
	Person        struct {
		Export personExportCmd `cmd:"" help:"Print all that an account holds of a person, as JSON with files in base64."`
		Erase  personEraseCmd  `cmd:"" help:"Erase all that an account holds of a person, for good."`
	} `cmd:"" help:"Export and erase what is held of one person."`
	Webhook struct {
		Add        webhookAddCmd        `cmd:"" help:"Have events sent to an address. The secret is shown once."`
		Remove     webhookRemoveCmd     `cmd:"" help:"Send no more to an address."`
		List       webhookListCmd       `cmd:"" help:"List webhooks."`
		Deliveries webhookDeliveriesCmd `cmd:"" help:"List what was sent to webhooks, and what was not."`
		Redeliver  webhookRedeliverCmd  `cmd:"" help:"Send deliveries again, dead ones above all."`
	} `cmd:"" help:"Tell other servers what has happened."`
	Channel     channelCmd `cmd:"" help:"Connect messengers to agents, by programs of your own."`
	Voice       voiceCmd   `cmd:"" help:"List and end voice sessions."`
	Maintenance struct {
		On     maintenanceOnCmd     `cmd:"" help:"Refuse every request under /api but health; running answers finish."`
		Off    maintenanceOffCmd    `cmd:"" help:"Serve requests again."`
		Status maintenanceStatusCmd `cmd:"" help:"Say whether maintenance mode is on."`
	} `cmd:"" help:"Close the service for a while, and open it again."`
	Reindex     reindexCmd     `cmd:"" help:"Build the index of conversation search again."`
	Insights    insightsCmd    `cmd:"" help:"Count what an agent's conversations came to, and what its sources lack."`
	Synonyms    synonymsCmd    `cmd:"" help:"Propose words that mean the same to an agent's search, and accept them."`
	Apply       applyCmd       `cmd:"" help:"Make agents what a manifest says."`
	Diff        diffCmd        `cmd:"" help:"Show what apply would change, and exit with 1 if it would."`
	ExportAgent exportAgentCmd `cmd:"" help:"Print an agent as a manifest."`

	Eval    evalCmd   `cmd:"" help:"Measure answers on a set of questions, or give an agent its past ones again."`
	Config  configCmd `cmd:"" help:"Show the settings in force and where they come from."`
	Trace   traceCmd  `cmd:"" help:"Explain the answers of a conversation."`
	Backup  backupCmd `cmd:"" help:"Copy all data to a folder or an archive."`
	Archive struct {
		Export archiveExportCmd `cmd:"" help:"Write an account to one file."`
		Import archiveImportCmd `cmd:"" help:"Read an account from such a file."`
	} `cmd:"" help:"Move an account to another installation."`
	Restore    restoreCmd    `cmd:"" help:"Put a backup back into an empty data directory or database."`
	Doctor     doctorCmd     `cmd:"" help:"Check data, settings, engines and machine, and say what to do."`
	Health     healthCmd     `cmd:"" help:"Ask a server whether it answers, and exit with 1 if not."`
	Version    versionCmd    `cmd:"" help:"Show the version."`
	Completion completionCmd `cmd:"" help:"Print a completion script for a shell."`
	Man        manCmd        `cmd:"" help:"Print the manual page, for man."`
	Extract    extractCmd    `cmd:"" hidden:"" help:"Read files for the server, in a process of its own."`
	SFU        sfuCmd        `cmd:"" name:"sfu" hidden:"" help:"@sfu"`

	File *cmdline.SettingsFile `kong:"-"` // nil if none is named
}

// longHelp is the help that is too long for a tag. The tags refer to it: help:"@sfu".
var longHelp = map[string]string{
	"archive-file": "File to write, such as shop.zip. It must not exist.",
	"archive-new-ids": "Import under other ids, where those of the archive are taken: the account is there already, or " +
		"was imported before.",
	"account-plan": "Plan: free, hobby, standard, pro, enterprise, unlimited or one of your own; unlimited when left " +
		"out.",
	"agent-account":    "Account that gets it; the only one when left out.",
	"agent-visibility": "Whether only API keys may ask it (private), or also visitors of your pages (public).",
	"agent-set": "Set any setting, such as creditLimit=500, by the name that \"parley agent show\" has for it; may be " +
		"given again. A value that is not JSON is a text.",
	"account-credits":      "Message credits a month, in place of the plan's; \"plan\" goes back to the plan's.",
	"ask-from":             "Folder of Markdown or text files (.md, .markdown, .txt).",
	"log":                  "Log as text or json, from debug, info, warn or error (${default}).",
	"sfu":                  "Carry the sound of voice sessions for the server, in a process of its own.",
	"config":               "File of settings, in YAML: a line for each, by the name of its flag.",
	"conversations-before": "Those without activity since: 2026-01-31 (its beginning, UTC) or 2026-01-31T12:00:00Z.",
	"eval-set":             "Folder or file with a question set; may be given more than once.",
	"eval-across": "Ask the questions of one language against the documents of another, such as de-en, in sets that are " +
		"translations of each other.",
	"eval-search": "What passages are found by: words, vectors, or both, which is usual with an embedding " +
		"server.",
	"audit-hash": "A hash that was kept elsewhere: fail unless a row has it. It shows even rows that were cut off the " +
		"end.",
	"import-url": "Address of the other service's REST interface, such as https://host.example/api/v2.",
	"import-key": "Its API key. Others can see arguments: prefer the variable, --key-file, or the standard input, which " +
		"is asked when there is none.",
	"key-scopes":    "What the key may do, such as agents:read,chatlogs:write; all when left out.",
	"key-expires":   "When the key ends: 90d, 12h, 2027-01-31 or 2027-01-31T12:00:00Z; never when left out.",
	"manifest-file": "Manifest to read: YAML, a document for each agent; - reads the standard input.",
	"manifest-out": "Write agent.yaml to this folder, and the files of sources to the folder files in it, in place of " +
		"printing.",
	"manifest-prune": "Also delete actions, procedures, teams, rules and sources that have a key and are not in the " +
		"manifest, in the sections that it has, and archive such statuses.",
	"rule-all":        "Condition that must hold, such as \"subject contains invoice|bill\"; may be given again.",
	"extract-program": "A program to become within the limits, with its arguments; none to read files.",
	"team-hours": "When its members work, such as \"mon-fri 09:00-17:00 Europe/Berlin\"; may be given again. " +
		"\"always\" is always.",
	"source-agent": "Agent whose sources they are; the only one when left out.",
	"source-link": "What an address stands for: the page (individual), the website from there on (crawl), or the pages " +
		"that a sitemap lists (sitemap).",
	"ticket-status":   "Only those of these categories: new, on_you, on_customer, on_hold, closed, cancelled.",
	"ticket-team":     "Only those of this team: its id, key or name; \"none\" is those of no team.",
	"ticket-find":     "Find tickets by words or by number, the best first; not with the filters.",
	"ticket-assignee": "Member who gets it; \"none\" is nobody; the rules and the team decide when left out.",
	"voice-stats":     "Show how fast the running server's agents answer in voice sessions, and how even their sound is.",
}

// commandGroups are the headings under which help lists the commands. A command without one is listed before them.
var commandGroups = map[string][]string{
	"Run it":   {"serve", "demo", "ask"},
	"Agents":   {"agent", "source", "channel", "insights", "synonyms", "apply", "diff", "export-agent", "eval", "trace"},
	"Accounts": {"account", "archive", "key", "member", "webhook", "audit", "import"},
	"Help desk": {"conversations", "ticket", "ticket-status", "team", "rule", "route", "customer", "person",
		"voice"},
	"Server": {"maintenance", "reindex", "config", "backup", "restore", "doctor", "health", "version", "completion",
		"man"},
}

// addGroups puts the commands under their headings.
func addGroups(k *kong.Kong) error {
	for title, names := range commandGroups {
		for _, node := range k.Model.Children {
			if slices.Contains(names, node.Name) {
				node.Group = &kong.Group{Key: title, Title: title}
			}
		}
	}
	return nil
}

// addLongHelp sets the help of commands and flags that is not in their tags.
func addLongHelp(k *kong.Kong) error {
	return kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
		var err error
		switch node := node.(type) {
		case *kong.Node:
			node.Help, err = lookUpHelp(node.Help)
		case *kong.Flag:
			if node.Help == "" {
				node.Help = server.SettingHelp[node.Name]
			}
		case *kong.Value:
			node.Help, err = lookUpHelp(node.Help)
			if node.Tag.Has(onlyTag) {
				node.Help = strings.TrimSuffix(node.Help, ".") + "; the only one when left out."
			}
			node.OrigHelp = node.Help
		}
		return next(err)
	})
}

// lookUpHelp returns the help that a tag holds or refers to.
func lookUpHelp(tag string) (string, error) {
	name, isReference := strings.CutPrefix(tag, "@")
	if !isReference {
		return tag, nil
	}
	text, ok := longHelp[name]
	if !ok {
		return "", fmt.Errorf("no help is named %s", name)
	}
	return text, nil
}

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"Shell: ${enum}."`
}

func (c *completionCmd) Run(p *process) error {
	plans, err := access.LoadPlans(p.commandLine.Plans)
	if err != nil {
		return err
	}
	return cmdline.WriteCompletion(p.stdout, c.Shell, p.kong.Model.Node, plans.Names())
}

type manCmd struct{}

func (manCmd) Run(p *process) error {
	return cmdline.WriteManPage(p.stdout, p.kong.Model.Node, "parley "+version)
}

const version = "0.1.0"

type versionCmd struct{}

type versionInfo struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"`
	Go      string `json:"go"`
	Media   bool   `json:"mediaServer"` // false when built with the tag novoice, or on a Mac without a C compiler
	Voice   bool   `json:"voice"`       // false when built with the tag novoice
}

func (versionCmd) Run(p *process) error {
	v := newVersionInfo()
	if p.commandLine.JSON {
		return p.printJSON(v)
	}
	return p.printf("%s\n", v)
}

func newVersionInfo() versionInfo {
	return versionInfo{Version: version, Commit: buildCommit(), Go: runtime.Version(), Media: sfu.Available,
		Voice: rtc.Available}
}

// String returns the line that people read.
func (v versionInfo) String() string {
	line := "parley " + v.Version
	if v.Commit != "" {
		line += " (" + v.Commit + ")"
	}
	switch {
	case !v.Voice:
		line += ", without voice,"
	case !v.Media:
		line += ", without a media server,"
	}
	return line + " " + v.Go
}

// commit is the commit of the sources where they are built without their repository, as in a container. The linker sets
// it: -X main.commit=…
var commit string

// buildCommit returns the commit that the program was built from, with "+" when the tree had changes; empty if it is
// not known.
func buildCommit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return formatCommit(commit, nil)
	}
	return formatCommit(commit, info.Settings)
}

// formatCommit shortens the commit that the build has found in the repository, or else the one that is known.
func formatCommit(known string, settings []debug.BuildSetting) string {
	revision, mark := known, ""
	for _, s := range settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			mark = "+"
		}
	}
	if revision == "" {
		return ""
	}
	return revision[:min(12, len(revision))] + mark
}
