package main

import (
	"fmt"
	"strings"

	"parley/internal/api/admin"
)

type (
	maintenanceOnCmd     struct{}
	maintenanceOffCmd    struct{}
	maintenanceStatusCmd struct{}
)

func (maintenanceOnCmd) Run(p *process) error {
	return printAdmin(p, admin.SetMaintenance, admin.MaintenanceState{Enabled: true}, p.printMaintenance)
}

func (maintenanceOffCmd) Run(p *process) error {
	return printAdmin(p, admin.SetMaintenance, admin.MaintenanceState{Enabled: false}, p.printMaintenance)
}

func (maintenanceStatusCmd) Run(p *process) error {
	return printAdmin(p, admin.GetMaintenance, admin.NoInput{}, p.printMaintenance)
}

func (p *process) printMaintenance(state admin.MaintenanceState) error {
	if state.Enabled {
		return p.printf("Maintenance mode is on: every request under /api but health is refused.\n")
	}
	return p.printf("Maintenance mode is off.\n")
}

type reindexCmd struct {
	Account string `placeholder:"ID" help:"Only this account's; by default all accounts'."`
}

// reindexResult is the result for one account, as JSON.
type reindexResult struct {
	AccountID     string `json:"accountId"`
	Conversations int64  `json:"conversations"`
}

func (c *reindexCmd) Run(p *process) error {
	ids := []string{c.Account}
	if c.Account == "" {
		all, err := runAdmin(p, admin.ListAccounts, admin.NoInput{})
		if err != nil {
			return err
		}
		ids = nil
		for _, a := range all {
			ids = append(ids, a.ID)
		}
	}
	results := make([]reindexResult, 0, len(ids))
	var conversations int64
	for _, id := range ids {
		state, err := p.reindex(id)
		if err != nil {
			return err
		}
		results, conversations = append(results, reindexResult{id, state.Built}), conversations+state.Built
	}
	if p.commandLine.JSON {
		return p.printJSON(results)
	}
	return p.printf("Indexed %s of %s.\n", formatCount(int(conversations), "conversation", "conversations"),
		formatCount(len(ids), "account", "accounts"))
}

// reindex rebuilds the index of an account. A rebuild that was interrupted continues.
func (p *process) reindex(account string) (state admin.ReindexState, err error) {
	for begin := true; ; begin = false {
		if state, err = runAdmin(p, admin.Reindex, admin.ReindexRequest{AccountID: account, Begin: begin}); err != nil {
			return state, err
		}
		p.drawReindex(account, state)
		if state.Done {
			return state, nil
		}
	}
}

const barWidth = 30

// drawReindex draws a progress bar on a terminal, in place of the previous one.
func (p *process) drawReindex(account string, state admin.ReindexState) {
	if isTerminal(p.stderr) {
		fmt.Fprint(p.stderr, formatBar(account, state.Built, state.Total, state.Done))
	}
}

// formatBar returns a progress bar that takes the place of the previous one.
func formatBar(label string, done, all int64, isDone bool) string {
	full, end := int64(barWidth), "\n"
	if !isDone {
		full, end = min(done*barWidth/max(all, done, 1), barWidth), ""
	}
	return fmt.Sprintf("\r\x1b[K%s [%s%s] %d of %d%s", label, strings.Repeat("#", int(full)),
		strings.Repeat(".", barWidth-int(full)), done, max(all, done), end)
}
