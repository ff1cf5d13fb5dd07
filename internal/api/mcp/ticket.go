package mcp

import (
	"context"
	"maps"

	"parley"
	"parley/internal/httpapi"
)

const (
	messagesPerTicket   = 25
	includeMessagesName = "includeMessages"
)

// runTickets returns a page of tickets, each with its first messages if they are asked for.
func runTickets(ctx context.Context, s *server, t *tool, args arguments) (any, error) {
	args = maps.Clone(args)
	include := args[includeMessagesName]
	delete(args, includeMessagesName)
	if text := string(include); include != nil && text != "true" && text != "false" {
		return nil, parley.Invalid(includeMessagesName, "must be true or false")
	}
	out, err := s.getPage(ctx, t, args)
	if err != nil || string(include) != "true" {
		return out, err
	}
	for _, ticket := range out.(*listPage).Data {
		if err := s.addMessages(ctx, t, args["agentId"], ticket); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// addMessages adds the first messages of a ticket to it, and marks it if there are more.
func (s *server) addMessages(ctx context.Context, t *tool, agent jsonText, ticket map[string]jsonText) error {
	text, err := s.callOperation(ctx, t.otherOperation, arguments{"agentId": agent, "ticketNumber": ticket["ticketNumber"],
		"limit": encodeNumber(messagesPerTicket)}, 0)
	if err != nil {
		return err
	}
	p, err := parsePage(text)
	if err != nil {
		return err
	}
	if ticket["messages"], err = httpapi.Marshal(p.Data); err == nil && p.hasMore() {
		ticket["truncated"] = jsonText("true")
	}
	return err
}

// describeTickets adds what the tool has in addition to the operation.
func (t *tool) describeTickets() {
	t.input["properties"].(object)[includeMessagesName] = object{"type": "boolean", "default": false,
		"description": "Whether each ticket comes with its first 25 replies and notes, the oldest first."}
	ticket := t.output["properties"].(object)["data"].(object)["items"].(object)["properties"].(object)
	ticket["messages"] = t.otherOperation.reply["properties"].(object)["data"]
	ticket["truncated"] = object{"type": "boolean",
		"description": "True when the ticket has more messages than are given."}
}

// runArray wraps a reply that is an array, since the result of a tool must be an object.
func runArray(ctx context.Context, s *server, t *tool, args arguments) (any, error) {
	text, err := s.callOperation(ctx, t.operation, args, 0)
	return object{"data": jsonText(text)}, err
}

func (t *tool) describeArray() {
	t.output = object{"type": "object", "required": []string{"data"}, "properties": object{"data": t.output}}
}
