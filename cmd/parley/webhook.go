package main

import (
	"fmt"
	"strconv"
	"strings"

	"parley/internal/api/admin"
)

type webhookAddCmd struct {
	Account  string   `placeholder:"ID" help:"Account whose agents' events are sent."`
	Agent    string   `placeholder:"ID" help:"Send only the events of this agent."`
	Endpoint string   `required:"" placeholder:"URL" help:"Where events are sent to."`
	Event    []string `default:"leads.submit" placeholder:"NAME" help:"Event to send (${default})."`
	Secret   string   `placeholder:"TEXT" help:"Signs what is sent; one is made when left out."`
}

func (c *webhookAddCmd) Run(p *process) error {
	if c.Account == "" && c.Agent == "" {
		return newUsageError("name an account (--account) or an agent (--agent)")
	}
	out, err := runAdmin(p, admin.AddWebhook, admin.NewWebhook{
		AccountID: c.Account,
		AgentID:   c.Agent,
		Endpoint:  c.Endpoint,
		Events:    c.Event,
		Secret:    c.Secret,
	})
	if err != nil {
		return err
	}
	if c.Secret == "" {
		p.warnShownOnce("secret")
	}
	return p.printJSON(out)
}

type webhookRemoveCmd struct {
	ID string `arg:"" name:"webhookid" help:"Webhook to remove, as \"parley webhook list\" shows it."`
}

func (c *webhookRemoveCmd) Run(p *process) error {
	out, err := runAdmin(p, admin.RemoveWebhook, admin.WebhookRef{ID: c.ID})
	if err != nil {
		return err
	}
	if p.commandLine.JSON {
		return p.printJSON(out)
	}
	_, err = fmt.Fprintf(p.stdout, "Removed webhook %s.\n", out.ID)
	return err
}

type webhookListCmd struct {
	Account string `placeholder:"ID" help:"Only webhooks of this account."`
}

func (c *webhookListCmd) Run(p *process) error {
	list, err := runAdmin(p, admin.ListWebhooks, admin.AccountFilter{AccountID: c.Account})
	if err != nil {
		return err
	}
	if p.commandLine.JSON {
		return p.printJSON(list)
	}
	var rows [][]string
	for _, h := range list {
		signed := "its secret"
		if h.KeyID != "" {
			signed = "API key " + h.KeyID
		}
		rows = append(rows, []string{
			h.ID,
			h.AccountID,
			orDash(h.AgentID),
			strings.Join(h.Events, ","),
			h.Endpoint,
			signed,
			formatDay(&h.CreatedAt),
		})
	}
	return p.printTable("WEBHOOK\tACCOUNT\tAGENT\tEVENTS\tENDPOINT\tSIGNED WITH\tCREATED", "No webhooks.", rows)
}

type webhookDeliveriesCmd struct {
	Account string `placeholder:"ID" help:"Only deliveries of this account."`
	Webhook string `placeholder:"ID" help:"Only deliveries to this webhook."`
	State   string `enum:",pending,delivered,dead" default:"" placeholder:"STATE" help:"Only pending, delivered or dead ones."`
	Limit   int    `default:"50" placeholder:"N" help:"Most deliveries to list (${default})."`
}

func (c *webhookDeliveriesCmd) Run(p *process) error {
	if c.Limit < 1 {
		return newUsageError("--limit: %d is below 1", c.Limit)
	}
	list, err := runAdmin(p, admin.ListDeliveries, admin.DeliveryQuery{
		AccountID: c.Account,
		WebhookID: c.Webhook,
		State:     c.State,
		Limit:     c.Limit,
	})
	if err != nil {
		return err
	}
	if p.commandLine.JSON {
		return p.printJSON(list)
	}
	var rows [][]string
	for _, d := range list {
		status := ""
		if d.LastStatus != 0 {
			status = strconv.Itoa(d.LastStatus)
		}
		rows = append(rows, []string{
			d.ID,
			d.WebhookID,
			d.Event,
			d.State,
			strconv.Itoa(d.Attempts),
			orDash(status),
			formatDay(d.NextAt),
			formatDay(&d.CreatedAt),
			orDash(d.LastError),
		})
	}
	return p.printTable("DELIVERY\tWEBHOOK\tEVENT\tSTATE\tATTEMPTS\tSTATUS\tNEXT\tCREATED\tLAST FAILURE",
		"No deliveries.", rows)
}

type webhookRedeliverCmd struct {
	ID []string `arg:"" name:"deliveryid" help:"Deliveries to send again, as \"parley webhook deliveries\" shows them."`
}

func (c *webhookRedeliverCmd) Run(p *process) error {
	for _, id := range c.ID {
		out, err := runAdmin(p, admin.Redeliver, admin.DeliveryRef{ID: id})
		if err != nil {
			return err
		}
		if p.commandLine.JSON {
			err = p.printJSON(out)
		} else {
			_, err = fmt.Fprintf(p.stdout, "Delivery %s is sent again.\n", out.ID)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
