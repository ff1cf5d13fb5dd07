package mcp

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// prefix begins the name of every tool (interface 4.6, rule 7).
const prefix = "service_"

// tool is an operation of REST as an assistant sees it.
type tool struct {
	name  string // behind the prefix
	op    string // the operationId
	title string
	text  string
	hints
	most    int      // items on a page, where fewer than REST's
	fields  []string // of the items of a page; nil for all
	without []string // parameters of the operation that the tool does not take
	needs   []string // texts that it needs although REST does not
	run     runner   // nil for the operation as it is
	other   string   // the operationId of another operation that run asks; empty for none

	operation *operation
	also      *operation // other
	input     object
	output    object
}

// runner answers a call of a tool. What it gives is the JSON of the result, or a refusal.
type runner func(ctx context.Context, s *server, t *tool, args arguments) (any, error)

// hints tell a client how careful to be.
type hints struct {
	reads       bool // changes nothing
	repeats     bool // the same call again changes nothing more
	destroys    bool // what was there is gone
	goesOutside bool // reaches beyond this server: fetches pages, runs actions
}

// offered is the one list of tools.
func offered() []*tool {
	reads := hints{reads: true, repeats: true}
	return []*tool{
		{name: "whoami", op: "me", title: "Who am I?", hints: reads,
			text: "Tells the workspace that the API key belongs to, its plan, and what the key may do: permissions are its scopes, null means all. Call this first."},
		{name: "list_agents", op: "listAgents", title: "List agents", hints: reads, most: 25,
			fields: []string{"id", "name", "model", "visibility", "status", "autoRetrain", "size", "createdAt", "lastMessageAt", "lastTrainedAt"},
			text:   "Lists the agents of the workspace with their main fields, 25 at most in a call. To see more, send pagination.cursor back as cursor until hasMore is false."},
		{name: "get_agent", op: "getAgent", title: "Get an agent", hints: reads, text: "Gives all settings of an agent."},
		{name: "create_agent", op: "createAgent", title: "Create an agent", hints: hints{goesOutside: true},
			text: "Creates an agent. With url, the page becomes its first source. pendingSteps, when present, names steps that are still to be taken."},
		{name: "update_agent", op: "updateAgent", title: "Change an agent", hints: hints{repeats: true, destroys: true},
			text: "Changes those settings of an agent that are sent; the others stay. What a setting held before is gone."},
		{name: "delete_agent", op: "deleteAgent", title: "Delete an agent", hints: hints{repeats: true, destroys: true},
			text: "Deletes an agent with its sources and conversations, for good. Ask the user first."},
		{name: "clone_agent", op: "cloneAgent", title: "Copy an agent", text: "Copies an agent with all its sources."},
		{name: "update_agent_auto_retrain", op: "setAutoRetrain", title: "Switch the weekly re-sync", hints: hints{repeats: true},
			text: "Turns the weekly re-sync of an agent's websites on or off."},
		{name: "chat", op: "chat", title: "Ask an agent", hints: hints{goesOutside: true}, without: []string{"stream"}, needs: []string{"message"},
			text: "Sends a message to an agent and waits for its answer. Send metadata.conversationId back as conversationId to go on. An answer costs credits, and an agent may run its actions."},
		{name: "update_conversation", op: "pauseConversation", title: "Pause a conversation", hints: hints{repeats: true},
			text: "Pauses a conversation, so that the agent does not answer in it, or lets it go on."},
		{name: "search_conversations", op: "searchConversations", title: "Search conversations", hints: reads, run: runSearches,
			text: "Finds conversations of an agent by words and filters. Takes 1 to 5 searches and gives a result or an error for each, in the same order. Messages are read with " + prefix + "export_conversations and a conversationId."},
		{name: "export_conversations", op: "exportConversations", title: "Read conversations", hints: reads, most: 20, run: runExport,
			text: "Gives conversations of an agent, 20 at most in a call, without their messages unless include is messages. truncated says that a limit of this tool has cut the page or a conversation's messages."},
		{name: "get_sources_summary", op: "summarizeSources", title: "Count sources", hints: reads, text: "Counts an agent's sources by kind."},
		{name: "list_sources", op: "listSources", title: "List sources", hints: reads, most: 50,
			text: "Lists an agent's sources without their content, 50 at most in a call."},
		{name: "get_source", op: "getSource", title: "Get a source", hints: reads, text: "Gives the record of a source, without its content. Poll it to follow training."},
		{name: "create_source", op: "createSource", title: "Add a source", hints: hints{goesOutside: true},
			text: "Gives an agent a text, questions with their answer, or a link to read. Training begins at once. Files cannot be uploaded here."},
		{name: "update_source", op: "updateSource", title: "Change a source", hints: hints{repeats: true, destroys: true, goesOutside: true},
			text: "Changes a source. The content that was there before is gone: ask the user first."},
		{name: "delete_source", op: "deleteSource", title: "Delete a source", hints: hints{repeats: true, destroys: true},
			text: "Deletes a source, for good. Ask the user first."},
		{name: "list_ticket_statuses", op: "listTicketStatuses", title: "List ticket statuses", hints: reads, run: runArray,
			text: "Lists an agent's ticket statuses: statusId of tickets stands for one of them. Each category has one default."},
		{name: "list_helpdesk_teams", op: "listTeams", title: "List teams", hints: reads, run: runArray,
			text: "Lists the teams of an agent's helpdesk: teamId of tickets stands for one of them."},
		{name: "create_ticket", op: "createTicket", title: "Open a ticket",
			text: "Opens a ticket for a customer, who is found by e-mail address or made. Without an assignee field, the routing rules or the team find who is to answer."},
		{name: "list_tickets", op: "listTickets", title: "List tickets", hints: reads, most: 25, run: runTickets, other: "listTicketMessages",
			text: "Lists an agent's tickets, 25 at most in a call, the ones that changed last first. includeMessages adds the first 25 messages of each."},
		{name: "search_tickets", op: "searchTickets", title: "Search tickets", hints: reads,
			text: "Finds tickets of an agent by words, each of which must be there, or by number. There is no second page: ask for more, or more precisely."},
		{name: "get_ticket", op: "getTicket", title: "Get a ticket", hints: reads, text: "Gives a ticket, by its number. What was said is read with " + prefix + "list_ticket_messages."},
		{name: "update_ticket", op: "updateTicket", title: "Change a ticket", hints: hints{repeats: true},
			text: "Changes what is sent of a ticket: its status, assignee, team or priority. A null assigneeId or teamId is nobody or no team."},
		{name: "list_ticket_messages", op: "listTicketMessages", title: "Read a ticket's messages", hints: reads, most: 50,
			text: "Lists what was said about a ticket, 50 messages at most in a call, the oldest first. Events come when types asks for them."},
		{name: "create_ticket_message", op: "createTicketMessage", title: "Write to a ticket", hints: hints{goesOutside: true},
			text: "Replies to the customer, or leaves a note for the team, in the name of a member of the account. Ask the user before replying: the customer reads it at once."},
	}
}

const instructions = "Agents of this service answer customers from their sources. Begin with " + prefix + "whoami. Lists come in pages: send pagination.cursor back as cursor until hasMore is false. " +
	"truncated: true says that a tool gave less than was asked for. A failure has a code, such as AGENT_NOT_FOUND. Ask the user before deleting anything or changing a source."

// offer builds the tools and the server that the protocol talks to.
func (s *server) offer() error {
	ops, err := operations(s.Document)
	if err != nil {
		return err
	}
	s.tools = sdk.NewServer(&sdk.Implementation{Name: "parley", Title: "Parley", Version: cmp.Or(s.Version, "devel")},
		&sdk.ServerOptions{Instructions: instructions, Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}}})
	for _, t := range offered() {
		if t.operation = ops[t.op]; t.operation == nil {
			return fmt.Errorf("tool %s: there is no operation %s", t.name, t.op)
		}
		if t.also = ops[t.other]; t.also == nil && t.other != "" {
			return fmt.Errorf("tool %s: there is no operation %s", t.name, t.other)
		}
		t.describe()
		s.tools.AddTool(t.offer(), s.answerer(t))
	}
	return nil
}

func (t *tool) offer() *sdk.Tool {
	return &sdk.Tool{Name: prefix + t.name, Title: t.title, Description: t.text, InputSchema: t.input, OutputSchema: t.output,
		Annotations: &sdk.ToolAnnotations{Title: t.title, ReadOnlyHint: t.reads, IdempotentHint: t.repeats, DestructiveHint: &t.destroys, OpenWorldHint: &t.goesOutside}}
}

// takes reports whether the tool takes the parameter of its operation.
func (t *tool) takes(name string) bool { return !slices.Contains(t.without, name) }
