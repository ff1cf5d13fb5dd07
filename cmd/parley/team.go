package main

import (
	"fmt"
	"strconv"

	"parley"
	"parley/internal/admin"
)

// teamCmd are the commands on teams.
type teamCmd struct {
	List   teamListCmd   `cmd:"" help:"List an agent's teams with their members."`
	Add    teamAddCmd    `cmd:"" help:"Add a team."`
	Change teamChangeCmd `cmd:"" help:"Change a team's name, strategy, limit or hours, or make it the default."`
	Remove teamRemoveCmd `cmd:"" help:"Remove a team; its tickets and rules go to the default team."`
	Join   teamJoinCmd   `cmd:"" help:"Make a member of the account a member of a team, or change what they are in it."`
	Leave  teamLeaveCmd  `cmd:"" help:"Take a member out of a team; their tickets stay with them."`
}

type teamListCmd struct {
	Agent string `required:"" placeholder:"ID" help:"Agent whose teams they are."`
}

func (c *teamListCmd) Run(p *process) error {
	list, err := call(p, admin.ListTeams, admin.AgentID{ID: c.Agent})
	if err != nil {
		return err
	}
	return p.teams(list)
}

// teams prints teams with their members.
func (p *process) teams(list []admin.Team) error {
	if p.cli.JSON {
		return p.print(list)
	}
	for i, t := range list {
		if i > 0 {
			fmt.Fprintln(p.stdout)
		}
		name := t.Name
		if t.Default {
			name += " (default)"
		}
		fmt.Fprintln(p.stdout, name)
		p.line("  team", "%s", t.ID)
		p.known("  key", t.Key)
		p.line("  strategy", "%s", t.Strategy)
		p.known("  most open", number(t.MaxOpen))
		p.known("  hours", hours(t.Hours))
		for _, m := range t.Members {
			p.line("  member", "%s", seat(m))
		}
	}
	return nil
}

// seat tells of a member what differs from the team.
func seat(m admin.TeamMember) string {
	text := m.Email + " (" + m.Name + ")"
	if m.MaxOpen != nil {
		text += ", most open " + number(m.MaxOpen)
	}
	if len(m.Hours) > 0 {
		text += ", " + hours(m.Hours)
	}
	if m.Away {
		text += ", away"
	}
	return text
}

func number(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

// team prints one as a list of one.
func (p *process) team(t admin.Team) error {
	if p.cli.JSON {
		return p.print(t)
	}
	return p.teams([]admin.Team{t})
}

// teamFlags are what a team may have.
type teamFlags struct {
	MaxOpen limit    `placeholder:"N" help:"Most open tickets of a member; \"none\" is no limit."`
	Hours   []string `sep:"none" placeholder:"SHIFT" help:"When its members work, such as \"mon-fri 09:00-17:00 Europe/Berlin\"; may be given again. \"always\" is always."`
}

type teamAddCmd struct {
	Agent    string `required:"" placeholder:"ID" help:"Agent whose tickets the team takes."`
	Name     string `required:"" help:"Name of the team."`
	Strategy string `default:"round_robin" enum:"manual,balanced,round_robin" help:"How a ticket finds a member: ${enum} (${default})."`
	teamFlags
	Key     string `placeholder:"KEY" help:"Name of the team in manifests."`
	Default bool   `help:"Make it the default team."`
}

func (c *teamAddCmd) Run(p *process) error {
	in := admin.NewTeam{AgentID: c.Agent, Key: c.Key, Name: c.Name, Default: c.Default, Strategy: c.Strategy}
	if c.MaxOpen.set != nil {
		in.MaxOpen = c.MaxOpen.set.Own
	}
	var err error
	if in.Hours, err = shifts(c.Hours); err != nil {
		return err
	}
	out, err := call(p, admin.AddTeam, in)
	if err != nil {
		return err
	}
	return p.team(out)
}

// teamRef names a team.
type teamRef struct {
	Agent string `required:"" placeholder:"ID" help:"Agent whose team it is."`
	Team  string `arg:"" help:"Team: its id, key or name."`
}

type teamChangeCmd struct {
	teamRef
	Name     *string `placeholder:"TEXT" help:"New name."`
	Strategy *string `placeholder:"NAME" help:"How a ticket finds a member: manual, balanced or round_robin."`
	teamFlags
	Default bool `help:"Make it the default team."`
}

func (c *teamChangeCmd) Run(p *process) error {
	in := admin.TeamChange{AgentID: c.Agent, Team: c.Team, Name: c.Name, Default: c.Default, Strategy: c.Strategy, MaxOpen: c.MaxOpen.set}
	list, err := c.hours()
	if err != nil {
		return err
	}
	if in.Hours = list; in.Name == nil && !in.Default && in.Strategy == nil && in.MaxOpen == nil && in.Hours == nil {
		return misused("nothing to change: give --name, --strategy, --max-open, --hours or --default")
	}
	out, err := call(p, admin.ChangeTeam, in)
	if err != nil {
		return err
	}
	return p.team(out)
}

// hours gives the shifts that were typed; nil is none typed.
func (f *teamFlags) hours() (*[]parley.Shift, error) {
	if f.Hours == nil {
		return nil, nil
	}
	list, err := shifts(f.Hours)
	return &list, err
}

type teamRemoveCmd struct{ teamRef }

func (c *teamRemoveCmd) Run(p *process) error {
	out, err := call(p, admin.RemoveTeam, admin.TeamRef{AgentID: c.Agent, Team: c.Team})
	if err != nil {
		return err
	}
	if p.cli.JSON {
		return p.print(out)
	}
	_, err = fmt.Fprintf(p.stdout, "Removed the team %s; its tickets and rules are with the default team.\n", c.Team)
	return err
}
