package main

import "parley/internal/api/admin"

type statusCmd struct {
	List    statusListCmd    `cmd:"" help:"List the statuses of an agent's tickets, archived ones too."`
	Add     statusAddCmd     `cmd:"" help:"Add a status to a category."`
	Change  statusChangeCmd  `cmd:"" help:"Change the labels or the color of a status."`
	Default statusDefaultCmd `cmd:"" help:"Make a status the default of its category."`
	Archive statusArchiveCmd `cmd:"" help:"Take a status out of use; tickets that have it keep it."`
}

type statusListCmd struct {
	Agent string `only:"" placeholder:"ID" help:"Agent whose tickets have the statuses."`
}

func (c *statusListCmd) Run(p *process) error {
	return printAdmin(p, admin.ListStatuses, admin.AgentRef{ID: c.Agent}, p.printStatuses)
}

func (p *process) printStatuses(list []admin.Status) error {
	row := func(s admin.Status) []string {
		mark := ""
		switch {
		case s.Default:
			mark = "default"
		case s.ArchivedAt != nil:
			mark = "archived " + formatDay(s.ArchivedAt)
		}
		return []string{s.Category, s.Label, s.ExternalLabel, orDash(s.Color), orDash(s.Key), orDash(mark), s.ID}
	}
	return printRows(p, "CATEGORY\tLABEL\tFOR CUSTOMERS\tCOLOR\tKEY\tSTATE\tSTATUS", "No statuses.", list, row)
}

type statusAddCmd struct {
	Agent         string `only:"" placeholder:"ID" help:"Agent whose tickets may have the status."`
	Category      string `required:"" enum:"${statusCategory}" help:"What the status comes down to: ${enum}."`
	Label         string `required:"" placeholder:"TEXT" help:"What the team reads."`
	ExternalLabel string `placeholder:"TEXT" help:"What customers read; the label when left out."`
	Color         string `placeholder:"#RRGGBB" help:"Color of the label."`
	Key           string `placeholder:"KEY" help:"Name of the status in manifests."`
	Default       bool   `help:"Make it the default of its category."`
}

func (c *statusAddCmd) Run(p *process) error {
	in := admin.NewStatus{
		AgentID:       c.Agent,
		Key:           c.Key,
		Category:      c.Category,
		Label:         c.Label,
		ExternalLabel: c.ExternalLabel,
		Color:         c.Color,
		Default:       c.Default,
	}
	return printAdmin(p, admin.AddStatus, in, asList(p.printStatuses))
}

type statusRef struct {
	AgentID string `name:"agent" only:"" placeholder:"ID" help:"Agent whose status it is."`
	Status  string `arg:"" help:"Status: its id, key or label."`
}

type statusChangeCmd struct {
	statusRef
	Label         *string `placeholder:"TEXT" help:"What the team reads from now on."`
	ExternalLabel *string `placeholder:"TEXT" help:"What customers read from now on."`
	Color         *string `placeholder:"#RRGGBB" help:"Color of the label; empty for none."`
}

func (c *statusChangeCmd) Run(p *process) error {
	if c.Label == nil && c.ExternalLabel == nil && c.Color == nil {
		return newUsageError("nothing to change: give --label, --external-label or --color")
	}
	in := admin.StatusChange{
		StatusRef:     admin.StatusRef(c.statusRef),
		Label:         c.Label,
		ExternalLabel: c.ExternalLabel,
		Color:         c.Color,
	}
	return printAdmin(p, admin.ChangeStatus, in, asList(p.printStatuses))
}

type statusDefaultCmd struct{ statusRef }

func (c *statusDefaultCmd) Run(p *process) error {
	return printAdmin(p, admin.DefaultStatus, admin.StatusRef(c.statusRef), asList(p.printStatuses))
}

type statusArchiveCmd struct{ statusRef }

func (c *statusArchiveCmd) Run(p *process) error {
	return printAdmin(p, admin.ArchiveStatus, admin.StatusRef(c.statusRef), asList(p.printStatuses))
}
