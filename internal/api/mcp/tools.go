package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// toolPrefix is the prefix of the name of every tool.
const toolPrefix = "service_"

// tool is an operation of REST for assistants.
type tool struct {
	name        string // without the prefix
	operationID string
	title       string
	text        string
	toolHints
	maxItems          int      // maximum number of items on a page; 0 for that of REST
	fields            []string // of the items of a page; nil for all
	omittedParameters []string // parameters of the operation that the tool does not take
	requiredTexts     []string // texts that the tool requires although REST does not
	run               runner   // nil to call the operation
	otherOperationID  string   // of another operation that run calls; empty for none

	operation      *operation
	otherOperation *operation
	input          object
	output         object
}

// runner runs a tool. It returns the result, to be encoded as JSON, or a failure.
type runner func(ctx context.Context, s *server, t *tool, args arguments) (any, error)

// toolHints tell a client how careful it must be with a tool.
type toolHints struct {
	readOnly    bool // changes nothing
	idempotent  bool // a repeated call changes nothing more
	destructive bool // overwrites or deletes something
	openWorld   bool // reaches beyond this server: fetches pages, runs actions
}

// readHints are the hints of tools that only read.
var readHints = toolHints{readOnly: true, idempotent: true}

// toolTable is the one list of tools.
var toolTable = []tool{
	{
		name:        "whoami",
		operationID: "me",
		title:       "Who am I?",
		toolHints:   readHints,
		text: "Tells the workspace that the API key belongs to, its plan, and what the key may do: " +
			"permissions are its scopes, null means all. Call this first.",
	},
	{
		name:        "list_agents",
		operationID: "listAgents",
		title:       "List agents",
		toolHints:   readHints,
		maxItems:    25,
		fields: []string{"id", "name", "model", "visibility", "status", "autoRetrain", "size", "createdAt",
			"lastMessageAt", "lastTrainedAt"},
		text: "Lists the agents of the workspace with their main fields, 25 at most in a call. To see more, send " +
			"pagination.cursor back as cursor until hasMore is false.",
	},
	{
		name:        "get_agent",
		operationID: "getAgent",
		title:       "Get an agent",
		toolHints:   readHints,
		text:        "Gives all settings of an agent.",
	},
	{
		name:        "create_agent",
		operationID: "createAgent",
		title:       "Create an agent",
		toolHints:   toolHints{openWorld: true},
		text: "Creates an agent. With url, the page becomes its first source. pendingSteps, when present, " +
			"names steps that are still to be taken.",
	},
	{
		name:        "update_agent",
		operationID: "updateAgent",
		title:       "Change an agent",
		toolHints:   toolHints{idempotent: true, destructive: true},
		text:        "Changes those settings of an agent that are sent; the others stay. What a setting held before is gone.",
	},
	{
		name:        "delete_agent",
		operationID: "deleteAgent",
		title:       "Delete an agent",
		toolHints:   toolHints{idempotent: true, destructive: true},
		text:        "Deletes an agent with its sources and conversations, for good. Ask the user first.",
	},
	{
		name:        "clone_agent",
		operationID: "cloneAgent",
		title:       "Copy an agent",
		text:        "Copies an agent with all its sources.",
	},
	{
		name:        "update_agent_auto_retrain",
		operationID: "setAutoRetrain",
		title:       "Switch the weekly re-sync",
		toolHints:   toolHints{idempotent: true},
		text:        "Turns the weekly re-sync of an agent's websites on or off.",
	},
	{
		name:              "chat",
		operationID:       "chat",
		title:             "Ask an agent",
		toolHints:         toolHints{openWorld: true},
		omittedParameters: []string{"stream"},
		requiredTexts:     []string{"message"},
		text: "Sends a message to an agent and waits for its answer. Send metadata.conversationId " +
			"back as conversationId to go on. An answer costs credits, and an agent may run its actions.",
	},
	{
		name:        "update_conversation",
		operationID: "pauseConversation",
		title:       "Pause a conversation",
		toolHints:   toolHints{idempotent: true},
		text:        "Pauses a conversation, so that the agent does not answer in it, or lets it go on.",
	},
	{
		name:        "search_conversations",
		operationID: "searchConversations",
		title:       "Search conversations",
		toolHints:   readHints,
		run:         runSearches,
		text: "Finds conversations of an agent by words and filters. Takes 1 to 5 searches and gives a result or " +
			"an error for each, in the same order. Messages are read with " +
			toolPrefix + "export_conversations and a conversationId.",
	},
	{
		name:        "export_conversations",
		operationID: "exportConversations",
		title:       "Read conversations",
		toolHints:   readHints,
		maxItems:    20,
		run:         runExport,
		text: "Gives conversations of an agent, 20 at most in a call, without their messages unless include is " +
			"messages. truncated says that a limit of this tool has cut the page or a conversation's messages.",
	},
	{
		name:        "get_sources_summary",
		operationID: "summarizeSources",
		title:       "Count sources",
		toolHints:   readHints,
		text:        "Counts an agent's sources by kind.",
	},
	{
		name:        "list_sources",
		operationID: "listSources",
		title:       "List sources",
		toolHints:   readHints,
		maxItems:    50,
		text:        "Lists an agent's sources without their content, 50 at most in a call.",
	},
	{
		name:        "get_source",
		operationID: "getSource",
		title:       "Get a source",
		toolHints:   readHints,
		text:        "Gives the record of a source, without its content. Poll it to follow training.",
	},
	{
		name:        "create_source",
		operationID: "createSource",
		title:       "Add a source",
		toolHints:   toolHints{openWorld: true},
		text: "Gives an agent a text, questions with their answer, or a link to read. Training begins at " +
			"once. Files cannot be uploaded here.",
	},
	{
		name:        "update_source",
		operationID: "updateSource",
		title:       "Change a source",
		toolHints:   toolHints{idempotent: true, destructive: true, openWorld: true},
		text:        "Changes a source. The content that was there before is gone: ask the user first.",
	},
	{
		name:        "delete_source",
		operationID: "deleteSource",
		title:       "Delete a source",
		toolHints:   toolHints{idempotent: true, destructive: true},
		text:        "Deletes a source, for good. Ask the user first.",
	},
	{
		name:        "list_ticket_statuses",
		operationID: "listTicketStatuses",
		title:       "List ticket statuses",
		toolHints:   readHints,
		run:         runArray,
		text: "Lists an agent's ticket statuses: statusId of tickets stands for one of them. Each " +
			"category has one default.",
	},
	{
		name:        "list_helpdesk_teams",
		operationID: "listTeams",
		title:       "List teams",
		toolHints:   readHints,
		run:         runArray,
		text:        "Lists the teams of an agent's helpdesk: teamId of tickets stands for one of them.",
	},
	{
		name:        "create_ticket",
		operationID: "createTicket",
		title:       "Open a ticket",
		text: "Opens a ticket for a customer, who is found by e-mail address or made. Without an assignee " +
			"field, the routing rules or the team find who is to answer.",
	},
	{
		name:             "list_tickets",
		operationID:      "listTickets",
		title:            "List tickets",
		toolHints:        readHints,
		maxItems:         25,
		run:              runTickets,
		otherOperationID: "listTicketMessages",
		text: "Lists an agent's tickets, 25 at most in a call, the ones that changed last first. " +
			"includeMessages adds the first 25 messages of each.",
	},
	{
		name:        "search_tickets",
		operationID: "searchTickets",
		title:       "Search tickets",
		toolHints:   readHints,
		text: "Finds tickets of an agent by words, each of which must be there, or by number. There is no " +
			"second page: ask for more, or more precisely.",
	},
	{
		name:        "get_ticket",
		operationID: "getTicket",
		title:       "Get a ticket",
		toolHints:   readHints,
		text:        "Gives a ticket, by its number. What was said is read with " + toolPrefix + "list_ticket_messages.",
	},
	{
		name:        "update_ticket",
		operationID: "updateTicket",
		title:       "Change a ticket",
		toolHints:   toolHints{idempotent: true},
		text: "Changes what is sent of a ticket: its status, assignee, team or priority. A null " +
			"assigneeId or teamId is nobody or no team.",
	},
	{
		name:        "list_ticket_messages",
		operationID: "listTicketMessages",
		title:       "Read a ticket's messages",
		toolHints:   readHints,
		maxItems:    50,
		text: "Lists what was said about a ticket, 50 messages at most in a call, the oldest first. " +
			"Events come when types asks for them.",
	},
	{
		name:        "create_ticket_message",
		operationID: "createTicketMessage",
		title:       "Write to a ticket",
		toolHints:   toolHints{openWorld: true},
		text: "Replies to the customer, or leaves a note for the team, in the name of a member of the " +
			"account. Ask the user before replying: the customer reads it at once.",
	},
}

// newTools returns the tools, to be completed by buildServer.
func newTools() (list []*tool) {
	for _, t := range toolTable {
		list = append(list, &t)
	}
	return list
}

const instructions = "Agents of this service answer customers from their sources. Begin with " + toolPrefix +
	"whoami. Lists come in pages: send pagination.cursor back as cursor until hasMore is false. " +
	"truncated: true says that a tool gave less than was asked for. A failure has a code, such as " +
	"AGENT_NOT_FOUND. Ask the user before deleting anything or changing a source."

// buildServer builds the tools and the protocol server that offers them. It fails if the document lacks the operation
// of a tool.
func (s *server) buildServer() (*sdk.Server, error) {
	text, err := s.Document()
	if err != nil {
		return nil, err
	}
	ops, err := parseOperations(text)
	if err != nil {
		return nil, err
	}
	tools := sdk.NewServer(&sdk.Implementation{Name: "parley", Title: "Parley", Version: cmp.Or(s.Version, "devel")},
		&sdk.ServerOptions{Instructions: instructions, Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}})
	for _, t := range newTools() {
		if t.operation = ops[t.operationID]; t.operation == nil {
			return nil, fmt.Errorf("tool %s: there is no operation %s", t.name, t.operationID)
		}
		if t.otherOperation = ops[t.otherOperationID]; t.otherOperation == nil && t.otherOperationID != "" {
			return nil, fmt.Errorf("tool %s: there is no operation %s", t.name, t.otherOperationID)
		}
		t.buildSchemas()
		tools.AddTool(t.sdkTool(), s.toolHandler(t))
	}
	return tools, nil
}

func (t *tool) sdkTool() *sdk.Tool {
	return &sdk.Tool{Name: toolPrefix + t.name, Title: t.title, Description: t.text, InputSchema: t.input,
		OutputSchema: t.output,
		Annotations: &sdk.ToolAnnotations{Title: t.title, ReadOnlyHint: t.readOnly, IdempotentHint: t.idempotent,
			DestructiveHint: &t.destructive, OpenWorldHint: &t.openWorld}}
}

// takesParameter reports whether the tool takes the parameter of its operation.
func (t *tool) takesParameter(name string) bool { return !slices.Contains(t.omittedParameters, name) }
