package mcp

import (
	"context"
	"maps"
)

const (
	firstMessages   = 25 // of each ticket in a list
	includeMessages = "includeMessages"
)

// runTickets gives a page of tickets, each with its first messages where they are asked for.
func runTickets(ctx context.Context, s *server, t *tool, args arguments) (any, error) {
	args = maps.Clone(args)
	include := args[includeMessages]
	delete(args, includeMessages)
	if text := string(include); include != nil && text != "true" && text != "false" {
		return nil, invalid(map[string]string{includeMessages: "must be true or false"})
	}
	out, err := s.page(ctx, t, args)
	if err != nil || string(include) != "true" {
		return out, err
	}
	for _, ticket := range out.(*page).Data {
		if err := s.addMessages(ctx, t, args["agentId"], ticket); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// addMessages puts the first messages of a ticket beside its fields, and says whether there are more.
func (s *server) addMessages(ctx context.Context, t *tool, agent jsonText, ticket map[string]jsonText) error {
	req, err := t.also.request(arguments{"agentId": agent, "ticketNumber": ticket["ticketNumber"], "limit": number(firstMessages)})
	if err != nil {
		return err
	}
	text, err := s.ask(ctx, req, 0)
	if err != nil {
		return err
	}
	p, err := pageOf(text)
	if err != nil {
		return err
	}
	if ticket["messages"], err = encode(p.Data); err == nil && p.more() {
		ticket["truncated"] = jsonText("true")
	}
	return err
}

// describeTickets adds what the tool takes and gives beside the operation's page.
func (t *tool) describeTickets() {
	t.input["properties"].(object)[includeMessages] = object{"type": "boolean", "default": false,
		"description": "Whether each ticket comes with its first 25 replies and notes, the oldest first."}
	ticket := t.output["properties"].(object)["data"].(object)["items"].(object)["properties"].(object)
	ticket["messages"] = t.also.reply["properties"].(object)["data"]
	ticket["truncated"] = object{"type": "boolean", "description": "True when the ticket has more messages than are given."}
}

// runArray wraps a reply that is an array: the result of a tool is an object.
func runArray(ctx context.Context, s *server, t *tool, args arguments) (any, error) {
	req, err := t.operation.request(args)
	if err != nil {
		return nil, err
	}
	text, err := s.ask(ctx, req, 0)
	return object{"data": jsonText(text)}, err
}

func (t *tool) describeArray() {
	t.output = object{"type": "object", "required": []string{"data"}, "properties": object{"data": t.output}}
}
