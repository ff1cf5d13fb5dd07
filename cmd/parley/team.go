package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"parley"
	"parley/internal/api/admin"
	"parley/internal/httpapi"
)

type teamCmd struct {
	List   teamListCmd   `cmd:"" help:"List an agent's teams with their members."`
	Add    teamAddCmd    `cmd:"" help:"Add a team."`
	Change teamChangeCmd `cmd:"" help:"Change a team's name, strategy, limit or hours, or make it the default."`
	Remove teamRemoveCmd `cmd:"" help:"Remove a team; its tickets and rules go to the default team."`
	Join   teamJoinCmd   `cmd:"" help:"Make a member of the account a member of a team, or change what they are in it."`
	Leave  teamLeaveCmd  `cmd:"" help:"Take a member out of a team; their tickets stay with them."`
}

type teamListCmd struct {
	Agent string `only:"" placeholder:"ID" help:"Agent whose teams they are."`
}

func (c *teamListCmd) Run(p *process) error {
	return printAdmin(p, admin.ListTeams, admin.AgentRef{ID: c.Agent}, p.printTeams)
}

func (p *process) printTeams(list []admin.Team) error {
	for i, t := range list {
		if i > 0 {
			fmt.Fprintln(p.stdout)
		}
		name := t.Name
		if t.Default {
			name += " (default)"
		}
		fmt.Fprintln(p.stdout, name)
		p.printLine("  team", "%s", t.ID)
		p.printIfSet("  key", t.Key)
		p.printLine("  strategy", "%s", t.Strategy)
		p.printIfSet("  most open", formatLimit(t.MaxOpen))
		p.printIfSet("  hours", formatWorkingHours(t.Hours))
		for _, m := range t.Members {
			p.printLine("  member", "%s", formatMember(m))
		}
	}
	return nil
}

// formatMember describes a member by what differs from the team.
func formatMember(m admin.TeamMember) string {
	text := m.Email + " (" + m.Name + ")"
	if m.MaxOpen != nil {
		text += ", most open " + formatLimit(m.MaxOpen)
	}
	if len(m.Hours) > 0 {
		text += ", " + formatWorkingHours(m.Hours)
	}
	if m.Away {
		text += ", away"
	}
	return text
}

func formatLimit(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

// teamFlags are flags that teams and their members share.
type teamFlags struct {
	MaxOpen ticketLimitFlag `placeholder:"N" help:"Most open tickets of a member; \"none\" is no limit."`
	Hours   []string        `sep:"none" placeholder:"SHIFT" help:"@team-hours"`
}

type teamAddCmd struct {
	Agent    string `only:"" placeholder:"ID" help:"Agent whose tickets the team takes."`
	Name     string `required:"" help:"Name of the team."`
	Strategy string `default:"round_robin" enum:"${strategy}" help:"How a ticket finds a member: ${enum} (${default})."`
	teamFlags
	Key     string `placeholder:"KEY" help:"Name of the team in manifests."`
	Default bool   `help:"Make it the default team."`
}

func (c *teamAddCmd) Run(p *process) error {
	in := admin.NewTeam{AgentID: c.Agent, Key: c.Key, Name: c.Name, Default: c.Default, Strategy: c.Strategy}
	in.MaxOpen = c.MaxOpen.Ptr()
	var err error
	if in.Hours, err = parseWorkingHours(c.Hours); err != nil {
		return err
	}
	return printAdmin(p, admin.AddTeam, in, asList(p.printTeams))
}

type teamRef struct {
	AgentID string `name:"agent" only:"" placeholder:"ID" help:"Agent whose team it is."`
	Team    string `arg:"" help:"Team: its id, key or name."`
}

type teamChangeCmd struct {
	teamRef
	Name     *string `placeholder:"TEXT" help:"New name."`
	Strategy *string `placeholder:"NAME" help:"How a ticket finds a member: manual, balanced or round_robin."`
	teamFlags
	Default bool `help:"Make it the default team."`
}

func (c *teamChangeCmd) Run(p *process) error {
	in := admin.TeamChange{
		TeamRef:  admin.TeamRef(c.teamRef),
		Name:     c.Name,
		Default:  c.Default,
		Strategy: c.Strategy,
		MaxOpen:  c.MaxOpen.Opt,
	}
	list, err := c.parseHours()
	if err != nil {
		return err
	}
	if in.Hours = list; in.Name == nil && !in.Default && in.Strategy == nil && !in.MaxOpen.Present && in.Hours == nil {
		return newUsageError("nothing to change: give --name, --strategy, --max-open, --hours or --default")
	}
	return printAdmin(p, admin.ChangeTeam, in, asList(p.printTeams))
}

// parseHours returns the working hours of the flags, or nil if there are none.
func (f *teamFlags) parseHours() (*[]parley.WorkingHours, error) {
	if f.Hours == nil {
		return nil, nil
	}
	list, err := parseWorkingHours(f.Hours)
	return &list, err
}

type teamRemoveCmd struct{ teamRef }

func (c *teamRemoveCmd) Run(p *process) error {
	return printAdmin(p, admin.RemoveTeam, admin.TeamRef(c.teamRef), func(admin.NoOutput) error {
		return p.printf("Removed the team %s; its tickets and rules are with the default team.\n", c.Team)
	})
}

type teamJoinCmd struct {
	teamRef
	Member string `required:"" placeholder:"EMAIL" help:"Member of the account."`
	teamFlags
	Away *bool `help:"Give them no tickets; --away=false ends that."`
}

func (c *teamJoinCmd) Run(p *process) error {
	in := admin.TeamMembership{
		TeamMemberRef: admin.TeamMemberRef{TeamRef: admin.TeamRef(c.teamRef), Member: c.Member},
		MaxOpen:       c.MaxOpen.Opt,
		Away:          c.Away,
	}
	var err error
	if in.Hours, err = c.parseHours(); err != nil {
		return err
	}
	return printAdmin(p, admin.JoinTeam, in, asList(p.printTeams))
}

type teamLeaveCmd struct {
	teamRef
	Member string `required:"" placeholder:"EMAIL" help:"Member of the team."`
}

func (c *teamLeaveCmd) Run(p *process) error {
	in := admin.TeamMemberRef{TeamRef: admin.TeamRef(c.teamRef), Member: c.Member}
	return printAdmin(p, admin.LeaveTeam, in, asList(p.printTeams))
}

var weekdays = []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"}

// parseWorkingHours parses working hours such as "mon-fri 09:00-17:00 Europe/Berlin"; the word always stands for none.
// The helpdesk checks the parts.
func parseWorkingHours(texts []string) ([]parley.WorkingHours, error) {
	if len(texts) == 1 && texts[0] == "always" {
		return []parley.WorkingHours{}, nil
	}
	var list []parley.WorkingHours
	for _, text := range texts {
		words := strings.Fields(text)
		if len(words) != 3 {
			return nil,
				newUsageError("--hours: %q is not days, times and a time zone, such as \"mon-fri 09:00-17:00 Europe/Berlin\"", text)
		}
		from, to, ok := strings.Cut(words[1], "-")
		if !ok {
			return nil, newUsageError("--hours: %q is not two times such as 09:00-17:00", words[1])
		}
		list = append(list, parley.WorkingHours{Days: parseDays(words[0]), From: from, To: to, TimeZone: words[2]})
	}
	return list, nil
}

// parseDays parses days such as mon,wed or mon-fri; a range may cross the end of the week.
func parseDays(text string) (list []string) {
	for part := range strings.SplitSeq(strings.ToLower(text), ",") {
		first, last, isRange := strings.Cut(part, "-")
		from, to := slices.Index(weekdays, first), slices.Index(weekdays, last)
		if !isRange || from < 0 || to < 0 {
			list = append(list, part)
			continue
		}
		for i := from; ; i = (i + 1) % len(weekdays) {
			list = append(list, weekdays[i])
			if i == to {
				break
			}
		}
	}
	return list
}

// formatWorkingHours formats working hours as they are typed.
func formatWorkingHours(list []parley.WorkingHours) string {
	var parts []string
	for _, s := range list {
		parts = append(parts, strings.Join(s.Days, ",")+" "+s.From+"-"+s.To+" "+s.TimeZone)
	}
	return strings.Join(parts, "; ")
}

// ticketLimitFlag is a number of open tickets, or the word none, which is null.
type ticketLimitFlag struct{ httpapi.Opt[int] }

// Decode parses the flag's value.
func (f *ticketLimitFlag) Decode(ctx *kong.DecodeContext) error {
	return decodeOptNumber(ctx, "number", "none", &f.Opt)
}
