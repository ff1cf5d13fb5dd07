package main

import (
	"strconv"
	"strings"

	"parley/internal/api/admin"
)

type webhookAddCmd struct {
	AccountID string   `name:"account" placeholder:"ID" help:"Account whose agents' events are sent."`
	AgentID   string   `name:"agent" placeholder:"ID" help:"Send only the events of this agent."`
	Endpoint  string   `required:"" placeholder:"URL" help:"Where events are sent to."`
	Events    []string `name:"event" default:"leads.submit" placeholder:"NAME" help:"Event to send (${default})."`
	Secret    string   `placeholder:"TEXT" help:"Signs what is sent; one is made when left out."`
}

func (c *webhookAddCmd) Run(p *process) error {
	if c.AccountID == "" && c.AgentID == "" {
		return newUsageError("name an account (--account) or an agent (--agent)")
	}
	secret := ""
	if c.Secret == "" {
		secret = "secret"
	}
	return printAdminJSON(p, admin.AddWebhook, admin.NewWebhook(*c), secret)
}

type webhookRemoveCmd struct {
	ID string `arg:"" name:"webhookid" help:"Webhook to remove, as \"parley webhook list\" shows it."`
}

func (c *webhookRemoveCmd) Run(p *process) error {
	return printAdmin(p, admin.RemoveWebhook, admin.WebhookRef{ID: c.ID}, func(out admin.RemovedWebhook) error {
		return p.printf("Removed webhook %s.\n", out.ID)
	})
}

type webhookListCmd struct {
	Account string `placeholder:"ID" help:"Only webhooks of this account."`
}

func (c *webhookListCmd) Run(p *process) error {
	return printAdmin(p, admin.ListWebhooks, admin.AccountFilter{AccountID: c.Account}, p.printWebhooks)
}

func (p *process) printWebhooks(list []admin.Webhook) error {
	row := func(h admin.Webhook) []string {
		signed := "its secret"
		if h.KeyID != "" {
			signed = "API key " + h.KeyID
		}
		events, created := strings.Join(h.Events, ","), formatDay(&h.CreatedAt)
		return []string{h.ID, h.AccountID, orDash(h.AgentID), events, h.Endpoint, signed, created}
	}
	return printRows(p, "WEBHOOK\tACCOUNT\tAGENT\tEVENTS\tENDPOINT\tSIGNED WITH\tCREATED", "No webhooks.", list, row)
}

type webhookDeliveriesCmd struct {
	AccountID string `name:"account" placeholder:"ID" help:"Only deliveries of this account."`
	WebhookID string `name:"webhook" placeholder:"ID" help:"Only deliveries to this webhook."`
	State     string `enum:",${deliveryState}" default:"" placeholder:"STATE" help:"Only pending, delivered or dead ones."`
	Limit     int    `default:"50" placeholder:"N" help:"Most deliveries to list (${default})."`
}

func (c *webhookDeliveriesCmd) Run(p *process) error {
	if c.Limit < 1 {
		return newUsageError("--limit: %d is below 1", c.Limit)
	}
	return printAdmin(p, admin.ListDeliveries, admin.DeliveryQuery(*c), p.printDeliveries)
}

func (p *process) printDeliveries(list []admin.Delivery) error {
	row := func(d admin.Delivery) []string {
		status := ""
		if d.LastStatus != 0 {
			status = strconv.Itoa(d.LastStatus)
		}
		return []string{
			d.ID,
			d.WebhookID,
			d.Event,
			d.State,
			strconv.Itoa(d.Attempts),
			orDash(status),
			formatDay(d.NextAt),
			formatDay(&d.CreatedAt),
			orDash(d.LastError),
		}
	}
	return printRows(p, "DELIVERY\tWEBHOOK\tEVENT\tSTATE\tATTEMPTS\tSTATUS\tNEXT\tCREATED\tLAST FAILURE",
		"No deliveries.", list, row)
}

type webhookRedeliverCmd struct {
	ID []string `arg:"" name:"deliveryid" help:"Deliveries to send again, as \"parley webhook deliveries\" shows them."`
}

func (c *webhookRedeliverCmd) Run(p *process) error {
	for _, id := range c.ID {
		err := printAdmin(p, admin.Redeliver, admin.DeliveryRef{ID: id}, func(out admin.Redelivery) error {
			return p.printf("Delivery %s is sent again.\n", out.ID)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

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
	Source   string `enum:"${messengerChannel}" default:"Unspecified" placeholder:"NAME" help:"Which messenger it is."`
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
