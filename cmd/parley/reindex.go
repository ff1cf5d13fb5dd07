package main

import (
	"fmt"
	"os"
	"strings"

	"parley/internal/admin"
)

type reindexCmd struct {
	Account string `placeholder:"ID" help:"Only this account's; by default all accounts'."`
}

// reindexed is what is printed for machines: one account.
type reindexed struct {
	AccountID     string `json:"accountId"`
	Conversations int64  `json:"conversations"`
}

func (c *reindexCmd) Run(p *process) error {
	ids := []string{c.Account}
	if c.Account == "" {
		all, err := call(p, admin.ListAccounts, admin.Nothing{})
		if err != nil {
			return err
		}
		ids = nil
		for _, a := range all {
			ids = append(ids, a.ID)
		}
	}
	done := make([]reindexed, 0, len(ids))
	var conversations int64
	for _, id := range ids {
		is, err := p.reindex(id)
		if err != nil {
			return err
		}
		done, conversations = append(done, reindexed{id, is.Built}), conversations+is.Built
	}
	if p.cli.JSON {
		return p.print(done)
	}
	_, err := fmt.Fprintf(p.stdout, "Indexed %s of %s.\n", counted(int(conversations), "conversation", "conversations"), counted(len(ids), "account", "accounts"))
	return err
}

// reindex builds the index of an account anew. What was cut short goes on where it was.
func (p *process) reindex(account string) (is admin.ReindexState, err error) {
	for begin := true; ; begin = false {
		if is, err = call(p, admin.Reindex, admin.ReindexAsk{AccountID: account, Begin: begin}); err != nil {
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
	if !terminal(os.Stderr) {
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
