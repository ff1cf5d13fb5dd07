package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"time"

	"parley/internal/api/admin"
)

type conversationDeleteCmd struct {
	IDs    []string `arg:"" optional:"" name:"id" help:"Conversations to delete."`
	Agent  string   `placeholder:"ID" help:"Delete conversations of this agent, with --user or --before."`
	User   string   `placeholder:"USERID" help:"Those of this end user."`
	Before string   `placeholder:"DATE" help:"Those without activity since: 2026-01-31 (its beginning, UTC) or 2026-01-31T12:00:00Z."`
	Yes    bool     `help:"Do not ask."`
}

func (c *conversationDeleteCmd) Run(p *process) error {
	which, err := c.selection()
	if err != nil {
		return err
	}
	if !c.Yes {
		if err := p.confirmDelete(which); err != nil {
			return err
		}
	}
	out, err := runAdmin(p, admin.DeleteConversations, which)
	if err != nil {
		return err
	}
	if p.commandLine.JSON {
		return p.printJSON(out)
	}
	_, err = fmt.Fprintf(p.stdout, "Deleted %s.\n", formatCount(out.Conversations, "conversation", "conversations"))
	return err
}

func (c *conversationDeleteCmd) selection() (admin.Selection, error) {
	which := admin.Selection{IDs: c.IDs, AgentID: c.Agent, UserID: c.User}
	byFilter := c.Agent != "" || c.User != "" || c.Before != ""
	switch {
	case len(c.IDs) > 0 && byFilter:
		return which, newUsageError("give ids or --agent, not both")
	case len(c.IDs) == 0 && (c.Agent == "" || c.User == "" && c.Before == ""):
		return which, newUsageError("say which conversations: their ids, or --agent with --user or --before")
	case c.Before == "":
		return which, nil
	}
	at, err := time.Parse(time.DateOnly, c.Before)
	if err != nil {
		at, err = time.Parse(time.RFC3339, c.Before)
	}
	if err != nil {
		return which, newUsageError("--before: %q is not a time such as 2026-01-31 or 2026-01-31T12:00:00Z", c.Before)
	}
	which.Before = &at
	return which, nil
}

// confirmDelete says how many conversations would go, and asks.
func (p *process) confirmDelete(which admin.Selection) error {
	count, err := runAdmin(p, admin.CountConversations, which)
	if err != nil {
		return err
	}
	if !isTerminal(os.Stdin) {
		return newUsageError("this would delete %s for good; say --yes", formatCount(count.Conversations, "conversation", "conversations"))
	}
	fmt.Fprintf(p.stderr, "Delete %s for good? [y/N] ", formatCount(count.Conversations, "conversation", "conversations"))
	answer, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil || !strings.EqualFold(strings.TrimSpace(answer), "y") {
		return newUsageError("nothing was deleted; --yes answers for a script")
	}
	return nil
}
