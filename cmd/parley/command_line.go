package main

import (
	"parley/internal/server"
)

// commandLine declares every command with its flags. The first group of flags belongs to every command.
type commandLine struct {
	JSON bool   `name:"json" help:"Print for machines."`
	Log  string `default:"text,info" env:"PARLEY_LOG" placeholder:"FORMAT,LEVEL" help:"Log as text or json, from debug, info, warn or error (${default})."`
	server.StorageConfig

	Serve   serveCmd `cmd:"" help:"Run the server."`
	Account struct {
		Create accountCreateCmd `cmd:"" help:"Create an account and its first API key."`
		Update accountUpdateCmd `cmd:"" help:"Change an account's plan, credits or HIPAA setting."`
		List   accountListCmd   `cmd:"" help:"List accounts."`
	} `cmd:"" help:"Create, change and list accounts."`
	Key struct {
		Create keyCreateCmd `cmd:"" help:"Create an API key. It is shown once."`
		Revoke keyRevokeCmd `cmd:"" help:"Revoke an API key."`
		List   keyListCmd   `cmd:"" help:"List API keys, never the keys themselves."`
	} `cmd:"" help:"Create, revoke and list API keys."`
	Member struct {
		Add    memberAddCmd    `cmd:"" help:"Add a member to an account's team."`
		Change memberChangeCmd `cmd:"" help:"Give a member another role."`
		Remove memberRemoveCmd `cmd:"" help:"Remove a member; their open tickets stay with the teams."`
		List   memberListCmd   `cmd:"" help:"List members."`
	} `cmd:"" help:"Add, change, remove and list members of an account's team."`
	Sources       sourcesCmd       `cmd:"" help:"List an agent's sources."`
	Conversations conversationsCmd `cmd:"" help:"List, delete, end, take over and hand back conversations."`
	Ticket        ticketCmd        `cmd:"" help:"List, show, open, change and answer an agent's tickets."`
	Status        statusCmd        `cmd:"" help:"List and change the statuses of an agent's tickets."`
	Team          teamCmd          `cmd:"" help:"List and change the teams that take an agent's tickets."`
	Rule          ruleCmd          `cmd:"" help:"List and change the rules that route an agent's tickets."`
	Route         routeCmd         `cmd:"" help:"Tell where a ticket would go, without opening one."`
	Customer      customerCmd      `cmd:"" help:"List an agent's customers."`
	Webhook       struct {
		Add        webhookAddCmd        `cmd:"" help:"Have events sent to an address. The secret is shown once."`
		Remove     webhookRemoveCmd     `cmd:"" help:"Send no more to an address."`
		List       webhookListCmd       `cmd:"" help:"List webhooks."`
		Deliveries webhookDeliveriesCmd `cmd:"" help:"List what was sent to webhooks, and what was not."`
		Redeliver  webhookRedeliverCmd  `cmd:"" help:"Send deliveries again, dead ones above all."`
	} `cmd:"" help:"Tell other servers what has happened."`
	Voice       voiceCmd `cmd:"" help:"List and end voice sessions."`
	Maintenance struct {
		On     maintenanceOnCmd     `cmd:"" help:"Refuse every request under /api but health; running answers finish."`
		Off    maintenanceOffCmd    `cmd:"" help:"Serve requests again."`
		Status maintenanceStatusCmd `cmd:"" help:"Say whether maintenance mode is on."`
	} `cmd:"" help:"Close the service for a while, and open it again."`
	Reindex     reindexCmd     `cmd:"" help:"Build the index of conversation search anew; the old one answers meanwhile."`
	Insights    insightsCmd    `cmd:"" help:"Count what an agent's conversations came to, and what its sources lack."`
	Apply       applyCmd       `cmd:"" help:"Make agents what a manifest says."`
	Diff        diffCmd        `cmd:"" help:"Show what apply would change; the exit status is 1 when it would."`
	ExportAgent exportAgentCmd `cmd:"" help:"Print an agent as a manifest."`

	Demo       demoCmd       `cmd:"" help:"Run a server with an agent that has read Parley's manual."`
	Ask        askCmd        `cmd:"" help:"Answer a question from a folder of Markdown or text."`
	Eval       evalCmd       `cmd:"" help:"Measure answers on a set of questions, or give an agent its past ones again."`
	Config     configCmd     `cmd:"" help:"Show the settings in force and where they come from."`
	Trace      traceCmd      `cmd:"" help:"Explain the answers of a conversation."`
	Version    versionCmd    `cmd:"" help:"Show the version."`
	Completion completionCmd `cmd:"" help:"Print a completion script for a shell."`
	Extract    extractCmd    `cmd:"" hidden:"" help:"Read files for the server, in a process of its own."`
	SFU        sfuCmd        `cmd:"" name:"sfu" hidden:"" help:"Carry the sound of voice sessions for the server, in a process of its own."`
}
