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
