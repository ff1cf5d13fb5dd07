package main

import (
	"fmt"
	"os"
	"strings"

	"parley/internal/api/admin"
)

type reindexCmd struct {
	Account string `placeholder:"ID" help:"Only this account's; by default all accounts'."`
}

// reindexResult is what is printed for machines: one account.
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
	done := make([]reindexResult, 0, len(ids))
	var conversations int64
	for _, id := range ids {
		is, err := p.reindex(id)
		if err != nil {
			return err
		}
		done, conversations = append(done, reindexResult{id, is.Built}), conversations+is.Built
	}
	if p.commandLine.JSON {
		return p.printJSON(done)
	}
	_, err := fmt.Fprintf(p.stdout, "Indexed %s of %s.\n", formatCount(int(conversations), "conversation", "conversations"), formatCount(len(ids), "account", "accounts"))
	return err
}

// reindex builds the index of an account anew. What was cut short goes on where it was.
func (p *process) reindex(account string) (is admin.ReindexState, err error) {
	for begin := true; ; begin = false {
		if is, err = runAdmin(p, admin.Reindex, admin.ReindexRequest{AccountID: account, Begin: begin}); err != nil {
			return is, err
		}
		p.drawReindex(account, is)
		if is.Done {
			return is, nil
		}
	}
}

const barWidth = 30

// drawReindex draws a bar on a terminal, over the one before.
func (p *process) drawReindex(account string, is admin.ReindexState) {
	if !isTerminal(os.Stderr) {
		return
	}
	full := barWidth
	if is.Total > 0 && !is.Done {
		full = int(min(is.Built*barWidth/is.Total, barWidth))
	}
	end := ""
	if is.Done {
		end = "\n"
	}
	fmt.Fprintf(p.stderr, "\r%s [%s%s] %d of %d%s", account, strings.Repeat("#", full), strings.Repeat(".", barWidth-full), is.Built, max(is.Total, is.Built), end)
}
