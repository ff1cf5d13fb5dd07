package main

import (
	"fmt"
	"strconv"
	"strings"

	"parley/internal/admin"
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
		return misused("name an account (--account) or an agent (--agent)")
	}
	out, err := call(p, admin.AddWebhook, admin.NewWebhook{AccountID: c.Account, AgentID: c.Agent, Endpoint: c.Endpoint, Events: c.Event, Secret: c.Secret})
	if err != nil {
		return err
	}
	if c.Secret == "" {
		p.onceOnly("secret")
	}
	return p.print(out)
}

type webhookRemoveCmd struct {
	ID string `arg:"" name:"webhookid" help:"Webhook to remove, as \"parley webhook list\" shows it."`
}

func (c *webhookRemoveCmd) Run(p *process) error {
	out, err := call(p, admin.RemoveWebhook, admin.WebhookRef{ID: c.ID})
	if err != nil {
		return err
	}
	if p.cli.JSON {
		return p.print(out)
	}
	_, err = fmt.Fprintf(p.stdout, "Removed webhook %s.\n", out.ID)
	return err
}

type webhookListCmd struct {
	Account string `placeholder:"ID" help:"Only webhooks of this account."`
}

func (c *webhookListCmd) Run(p *process) error {
	list, err := call(p, admin.ListWebhooks, admin.OfAccount{AccountID: c.Account})
	if err != nil {
		return err
	}
	if p.cli.JSON {
		return p.print(list)
	}
	var rows [][]string
	for _, h := range list {
		signed := "its secret"
		if h.KeyID != "" {
			signed = "API key " + h.KeyID
		}
		rows = append(rows, []string{h.ID, h.AccountID, orDash(h.AgentID), strings.Join(h.Events, ","), h.Endpoint, signed, day(&h.CreatedAt)})
	}
	return p.table("WEBHOOK\tACCOUNT\tAGENT\tEVENTS\tENDPOINT\tSIGNED WITH\tCREATED", "No webhooks.", rows)
}

type webhookDeliveriesCmd struct {
	Account string `placeholder:"ID" help:"Only deliveries of this account."`
	Webhook string `placeholder:"ID" help:"Only deliveries to this webhook."`
	State   string `enum:",pending,delivered,dead" default:"" placeholder:"STATE" help:"Only pending, delivered or dead ones."`
	Limit   int    `default:"50" placeholder:"N" help:"Most deliveries to list (${default})."`
}

func (c *webhookDeliveriesCmd) Run(p *process) error {
	if c.Limit < 1 {
		return misused("--limit: %d is below 1", c.Limit)
	}
	list, err := call(p, admin.ListDeliveries, admin.DeliveriesAsk{AccountID: c.Account, WebhookID: c.Webhook, State: c.State, Limit: c.Limit})
	if err != nil {
		return err
	}
	if p.cli.JSON {
		return p.print(list)
	}
	var rows [][]string
	for _, d := range list {
		status := ""
		if d.LastStatus != 0 {
			status = strconv.Itoa(d.LastStatus)
		}
		rows = append(rows, []string{d.ID, d.WebhookID, d.Event, d.State, strconv.Itoa(d.Attempts), orDash(status), day(d.NextAt), day(&d.CreatedAt), orDash(d.LastError)})
	}
	return p.table("DELIVERY\tWEBHOOK\tEVENT\tSTATE\tATTEMPTS\tSTATUS\tNEXT\tCREATED\tLAST FAILURE", "No deliveries.", rows)
}

type webhookRedeliverCmd struct {
	ID []string `arg:"" name:"deliveryid" help:"Deliveries to send again, as \"parley webhook deliveries\" shows them."`
}

func (c *webhookRedeliverCmd) Run(p *process) error {
	for _, id := range c.ID {
		out, err := call(p, admin.Redeliver, admin.DeliveryRef{ID: id})
		if err != nil {
			return err
		}
		if p.cli.JSON {
			err = p.print(out)
		} else {
			_, err = fmt.Fprintf(p.stdout, "Delivery %s is sent again.\n", out.ID)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
