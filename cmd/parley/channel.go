package main

import "parley/internal/api/admin"

type channelCmd struct {
	Add    channelAddCmd    `cmd:"" help:"Add a channel to an agent. The secret is shown once."`
	List   channelListCmd   `cmd:"" help:"List channels."`
	Change channelChangeCmd `cmd:"" help:"Change a channel, or switch it on or off."`
	Secret channelSecretCmd `cmd:"" help:"Give a channel another secret, which is shown once."`
	Remove channelRemoveCmd `cmd:"" help:"Remove a channel; its conversations stay."`
}

type channelAddCmd struct {
	AgentID  string `name:"agent" required:"" placeholder:"ID" help:"Agent that answers."`
	Name     string `required:"" placeholder:"TEXT" help:"What people know the channel by."`
	Source   string `enum:"${messengerChannel}" default:"Unspecified" placeholder:"NAME" help:"Where its conversations begin."`
	Endpoint string `required:"" placeholder:"URL" help:"Where answers are sent to."`
	Secret   string `placeholder:"TEXT" help:"Signs what is sent in both directions; one is made when left out."`
}

func (c *channelAddCmd) Run(p *process) error {
	secret := ""
	if c.Secret == "" {
		secret = "secret"
	}
	return printAdminJSON(p, admin.AddChannel, admin.NewChannel(*c), secret)
}

type channelListCmd struct {
	AccountID string `name:"account" placeholder:"ID" help:"Only channels of this account."`
	AgentID   string `name:"agent" placeholder:"ID" help:"Only channels of this agent."`
}

func (c *channelListCmd) Run(p *process) error {
	return printAdmin(p, admin.ListChannels, admin.ChannelQuery(*c), p.printChannels)
}

func (p *process) printChannels(list []admin.Channel) error {
	row := func(c admin.Channel) []string {
		state := "on"
		if c.DisabledAt != nil {
			state = "off"
		}
		return []string{c.ID, c.AgentID, c.Name, c.Source, state, c.Endpoint, c.Path, formatDay(&c.CreatedAt)}
	}
	return printRows(p, "CHANNEL\tAGENT\tNAME\tSOURCE\tSTATE\tENDPOINT\tPATH\tCREATED", "No channels.", list, row)
}

type channelChangeCmd struct {
	ID       string  `arg:"" name:"channelid" help:"Channel to change, as \"parley channel list\" shows it."`
	Name     *string `placeholder:"TEXT" help:"What people know the channel by."`
	Endpoint *string `placeholder:"URL" help:"Where answers are sent to."`
	On       bool    `xor:"state" help:"Switch it on: answers that wait are sent."`
	Off      bool    `xor:"state" help:"Switch it off: messages are refused."`
}

func (c *channelChangeCmd) Run(p *process) error {
	change := admin.ChannelChange{ID: c.ID, Name: c.Name, Endpoint: c.Endpoint}
	if c.On || c.Off {
		change.Enabled = &c.On
	}
	return printAdmin(p, admin.ChangeChannel, change, func(out admin.Channel) error {
		return p.printChannels([]admin.Channel{out})
	})
}

type channelSecretCmd struct {
	ID string `arg:"" name:"channelid" help:"Channel that gets another secret."`
}

func (c *channelSecretCmd) Run(p *process) error {
	return printAdminJSON(p, admin.RotateWebhookSecret, admin.WebhookRef{ID: c.ID}, "secret")
}

type channelRemoveCmd struct {
	ID string `arg:"" name:"channelid" help:"Channel to remove, as \"parley channel list\" shows it."`
}

func (c *channelRemoveCmd) Run(p *process) error {
	return printAdmin(p, admin.RemoveChannel, admin.ChannelRef(*c),
		func(out admin.RemovedChannel) error { return p.printf("Removed channel %s.\n", out.ID) })
}
