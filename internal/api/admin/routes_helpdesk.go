package admin

import (
	"encoding/json"
	"net/http"

	"parley"
)

// The operations on the statuses of tickets.
var (
	ListStatuses = newOperation(statusGroup.read, "GET /statuses", operation{
		Name:    "listStatuses",
		Summary: "List the statuses of the tickets of an agent",
	}, (*Service).listStatuses)
	AddStatus = newOperation(statusGroup.write, "POST /statuses", operation{
		Name:    "addStatus",
		Summary: "Add a status to a category",
		Status:  http.StatusCreated,
	}, (*Service).addStatus)
	ChangeStatus = newOperation(statusGroup.write, "PATCH /statuses/{status}", operation{
		Name:    "changeStatus",
		Summary: "Change the labels or the color of a status",
		Errors:  errorCodes{parley.CodeTicketStatus},
	}, (*Service).changeStatus)
	DefaultStatus = newOperation(statusGroup.write, "POST /statuses/{status}/default", operation{
		Name:    "setDefaultStatus",
		Summary: "Make a status the default of its category",
		Errors:  errorCodes{parley.CodeTicketStatus, parley.CodeInvalidBody},
	}, (*Service).defaultStatus)
	ArchiveStatus = newOperation(statusGroup.write, "POST /statuses/{status}/archive", operation{
		Name:    "archiveStatus",
		Summary: "Take a status out of use",
		Errors:  errorCodes{parley.CodeTicketStatus, parley.CodeInvalidBody},
	}, (*Service).archiveStatus)
)

// The operations on teams.
var (
	ListTeams = newOperation(teamGroup.read, "GET /teams", operation{
		Name:    "listTeams",
		Summary: "List the teams of an agent with their members",
	}, (*Service).listTeams)
	AddTeam = newOperation(teamGroup.write, "POST /teams", operation{
		Name:    "addTeam",
		Summary: "Add a team",
		Status:  http.StatusCreated,
	}, (*Service).addTeam)
	ChangeTeam = newOperation(teamGroup.write, "PATCH /teams/{team}", operation{
		Name:    "changeTeam",
		Summary: "Change what is sent of a team",
		Errors:  errorCodes{parley.CodeTicketTeam},
	}, (*Service).changeTeam)
	RemoveTeam = newOperation(teamGroup.write, "DELETE /teams/{team}", operation{
		Name:    "removeTeam",
		Summary: "Remove a team; its tickets and rules go to the default team",
		Errors:  errorCodes{parley.CodeTicketTeam, parley.CodeInvalidBody},
	}, (*Service).removeTeam)
	JoinTeam = newOperation(teamGroup.write, "PUT /teams/{team}/members/{member}", operation{
		Name:    "joinTeam",
		Summary: "Make a member of the account a member of a team, or change what they are in it",
		Errors:  errorCodes{parley.CodeTicketTeam, parley.CodeTicketMember},
	}, (*Service).joinTeam)
	LeaveTeam = newOperation(teamGroup.write, "DELETE /teams/{team}/members/{member}", operation{
		Name:    "leaveTeam",
		Summary: "Take a member out of a team",
		Errors:  errorCodes{parley.CodeTicketTeam, parley.CodeTicketMember},
	}, (*Service).leaveTeam)
)

// The operations on SLA targets: within how much working time tickets are to be replied to and resolved.
var (
	ListSLATargets = newOperation(teamGroup.read, "GET /sla-targets", operation{
		Name:    "listSLATargets",
		Summary: "List the SLA targets of an agent by the priority of tickets",
	}, (*Service).listSLATargets)
	ReplaceSLATargets = newOperation(teamGroup.write, "PUT /sla-targets", operation{
		Name:    "replaceSLATargets",
		Summary: "Replace the SLA targets of an agent",
	}, (*Service).replaceSLATargets)
)

// The operations on routing rules. All but Route return all rules as they are then.
var (
	ListRules = newOperation(ruleGroup.read, "GET /rules", operation{
		Name:    "listRules",
		Summary: "List the routing rules of an agent in their order",
	}, (*Service).listRules)
	AddRule = newOperation(ruleGroup.write, "POST /rules", operation{
		Name:    "addRule",
		Summary: "Add a routing rule",
		Status:  http.StatusCreated,
		Errors:  errorCodes{parley.CodeAlreadyExists, parley.CodeTicketTeam, parley.CodeTicketMember},
	}, (*Service).addRule)
	ReplaceRule = newOperation(ruleGroup.write, "PUT /rules/{rule}", operation{
		Name:    "replaceRule",
		Summary: "Give a routing rule another name, other conditions, and another team or assignee",
		Errors:  errorCodes{parley.CodeNotFound, parley.CodeTicketTeam, parley.CodeTicketMember},
	}, (*Service).replaceRule)
	RemoveRule = newOperation(ruleGroup.write, "DELETE /rules/{rule}", operation{
		Name:    "removeRule",
		Summary: "Remove a routing rule",
		Errors:  errorCodes{parley.CodeNotFound, parley.CodeInvalidBody},
	}, (*Service).removeRule)
	MoveRule = newOperation(ruleGroup.write, "POST /rules/{rule}/move", operation{
		Name:    "moveRule",
		Summary: "Give a routing rule another place",
		Errors:  errorCodes{parley.CodeNotFound},
	}, (*Service).moveRule)
	SwitchRule = newOperation(ruleGroup.write, "PUT /rules/{rule}/enabled", operation{
		Name:    "switchRule",
		Summary: "Put a routing rule in force, or out of it",
		Errors:  errorCodes{parley.CodeNotFound},
	}, (*Service).switchRule)
	Route = newOperation(ruleGroup.read, "POST /route", operation{
		Name:    "explainRoute",
		Summary: "Explain where a ticket would go, and open none",
	}, (*Service).explainRoute)
)

// The operations on tickets and customers.
var (
	ListCustomers = newOperation(ticketGroup.read, "GET /customers", operation{
		Name:       "listCustomers",
		Summary:    "List the customers of an agent, the newest first",
		Permission: parley.PermissionCustomersRead,
	}, (*Service).listCustomers)
	GetCustomer = newOperation(ticketGroup.read, "GET /customers/{customerId}", operation{
		Name:       "getCustomer",
		Summary:    "Get a customer, with conversations and tickets",
		Permission: parley.PermissionCustomersRead,
		Errors:     errorCodes{parley.CodeNotFound},
	}, (*Service).getCustomer)
	MergeCustomers = newOperation(ticketGroup.write, "POST /customers/{customerId}/merge", operation{
		Name:       "mergeCustomers",
		Summary:    "Make one customer of two, with the conversations, the tickets and what is known of both",
		Permission: parley.PermissionConversationsDelete, // one of the two is no more
		Errors:     errorCodes{parley.CodeNotFound, parley.CodeInvalidBody},
	}, (*Service).mergeCustomers).recorded(func(in NewMerge) change {
		return change{"customer.merge", in.ID, map[string]any{"from": in.From}}
	})
	ListLeads = newOperation(ticketGroup.read, "GET /leads", operation{
		Name:       "listLeads",
		Summary:    "List the contact details that customers have left with an agent, the newest first",
		Permission: parley.PermissionCustomersRead,
		Errors:     errorCodes{parley.CodeInvalidCursor},
	}, (*Service).listLeads)
	ListTickets = newOperation(ticketGroup.read, "GET /tickets", operation{
		Name:    "listTickets",
		Summary: "List the tickets of an agent, or find them",
		Errors:  errorCodes{parley.CodeNotFound, parley.CodeTicketTeam, parley.CodeTicketMember},
	}, (*Service).listTickets)
	ListAccountTickets = newOperation(accountTicketGroup, "GET /tickets", operation{
		Name:    "listAccountTickets",
		Summary: "List the tickets of all agents of an account",
		Errors:  errorCodes{parley.CodeInvalidCursor},
	}, (*Service).listAccountTickets)
	OpenTicket = newOperation(ticketGroup.write, "POST /tickets", operation{
		Name:    "openTicket",
		Summary: "Open a ticket",
		Status:  http.StatusCreated,
		Errors:  errorCodes{parley.CodeTicketStatus, parley.CodeTicketTeam, parley.CodeTicketMember},
	}, (*Service).openTicket).recordedWithID(func(in NewTicket, number string) change {
		return change{"ticket.open", in.AgentID, map[string]any{"ticketNumber": json.Number(number)}}
	})
	ShowTicket = newOperation(ticketGroup.read, "GET /tickets/{ticketNumber}", operation{
		Name:    "getTicket",
		Summary: "Get a ticket with its newest messages and events",
		Errors:  errorCodes{parley.CodeTicketNotFound},
	}, (*Service).showTicket)
	ChangeTicket = newOperation(ticketGroup.write, "PATCH /tickets/{ticketNumber}", operation{
		Name:    "changeTicket",
		Summary: "Change what is sent of a ticket",
		Errors: errorCodes{parley.CodeTicketNotFound, parley.CodeTicketStatus, parley.CodeTicketTeam,
			parley.CodeTicketMember, parley.CodeTicketChanged},
	}, (*Service).changeTicket).recorded(func(in TicketChange) change {
		return change{"ticket.change", in.AgentID, map[string]any{"ticketNumber": in.Number}}
	})
	WriteTicket = newOperation(ticketGroup.write, "POST /tickets/{ticketNumber}/messages", operation{
		Name:    "writeTicketMessage",
		Summary: "Write a reply or a note to a ticket",
		Status:  http.StatusCreated,
		Errors: errorCodes{parley.CodeTicketNotFound, parley.CodeNotTakenOver, parley.CodeMemberNotFound,
			parley.CodeNotRenderable},
	}, (*Service).writeTicket).recordedWithID(func(in NewTicketMessage, message string) change {
		return change{"ticket." + in.Type, in.AgentID, map[string]any{"ticketNumber": in.Number, "message": message}}
	})
)

// The operations on saved replies.
var (
	ListSavedReplies = newOperation(savedReplyGroup.read, "GET /saved-replies", operation{
		Name:    "listSavedReplies",
		Summary: "List the saved replies of an account",
	}, (*Service).listSavedReplies)
	AddSavedReply = newOperation(savedReplyGroup.write, "POST /saved-replies", operation{
		Name:    "addSavedReply",
		Summary: "Add a saved reply",
		Status:  http.StatusCreated,
	}, (*Service).addSavedReply).recordedWithID(func(in NewSavedReply, reply string) change {
		return change{"saved_reply.add", reply, map[string]any{"name": in.Name}}
	})
	ChangeSavedReply = newOperation(savedReplyGroup.write, "PATCH /saved-replies/{savedReplyId}", operation{
		Name:    "changeSavedReply",
		Summary: "Change what is sent of a saved reply",
		Errors:  errorCodes{parley.CodeNotFound},
	}, (*Service).changeSavedReply).recorded(func(in SavedReplyChange) change {
		return change{"saved_reply.change", in.ID, map[string]any{"name": in.Name}}
	})
	RemoveSavedReply = newOperation(savedReplyGroup.write, "DELETE /saved-replies/{savedReplyId}", operation{
		Name:    "removeSavedReply",
		Summary: "Remove a saved reply",
		Errors:  errorCodes{parley.CodeNotFound},
	}, (*Service).removeSavedReply).recorded(func(in SavedReplyRef) change {
		return change{action: "saved_reply.remove", subject: in.ID}
	})
)

// The operations on what an agent can do besides answering. Whoever may change an agent is shown the requests that it
// makes, as headers may hold keys.
var (
	ListActions = newOperation(actionGroup.read, "GET /actions", operation{
		Name:    "listActions",
		Summary: "List the actions and the procedures of an agent, and count their calls of the last 30 days",
	}, (*Service).listActions)
	GetAction = newOperation(actionGroup.write, "GET /actions/{key}", operation{
		Name:    "getAction",
		Summary: "Read an action, with the names of its secrets and its last failures",
		Errors:  errorCodes{parley.CodeNotFound},
	}, (*Service).getAction)
	AddAction = newOperation(actionGroup.write, "POST /actions", operation{
		Name:    "addAction",
		Summary: "Add an action to an agent",
		Status:  http.StatusCreated,
	}, (*Service).addAction).recorded(func(in NewAction) change {
		return change{"action.add", in.AgentID, map[string]any{"kind": in.Kind, "name": in.Name}}
	})
	ChangeAction = newOperation(actionGroup.write, "PATCH /actions/{key}", operation{
		Name:    "changeAction",
		Summary: "Change what is sent of an action",
		Errors:  errorCodes{parley.CodeNotFound, parley.CodeAgentChanged},
	}, (*Service).changeAction).recorded(func(in ActionChange) change {
		return change{"action.change", in.AgentID, map[string]any{"key": in.Key, "enabled": in.Enabled,
			"secretsChanged": len(in.Secrets) > 0}}
	})
	RemoveAction = newOperation(actionGroup.write, "DELETE /actions/{key}", operation{
		Name:    "removeAction",
		Summary: "Remove an action that no procedure runs",
		Errors:  errorCodes{parley.CodeNotFound},
	}, (*Service).removeAction).recorded(func(in ToolRef) change {
		return change{"action.remove", in.AgentID, map[string]any{"key": in.Key}}
	})
	TryAction = newOperation(actionGroup.write, "POST /actions/try", operation{
		Name: "tryAction",
		Summary: "Run an action once that need not be stored: its request is sent, and what is for a conversation is " +
			"only checked",
	}, (*Service).tryAction).recorded(func(in ActionTrial) change {
		return change{"action.try", in.AgentID, map[string]any{"key": in.Key, "kind": in.Kind, "name": in.Name}}
	})
)

// The operations on procedures.
var (
	GetProcedure = newOperation(actionGroup.write, "GET /procedures/{key}", operation{
		Name:    "getProcedure",
		Summary: "Read a procedure, with its last failures",
		Errors:  errorCodes{parley.CodeNotFound},
	}, (*Service).getProcedure)
	AddProcedure = newOperation(actionGroup.write, "POST /procedures", operation{
		Name:    "addProcedure",
		Summary: "Add a procedure to an agent",
		Status:  http.StatusCreated,
	}, (*Service).addProcedure).recorded(func(in NewProcedure) change {
		return change{"procedure.add", in.AgentID, map[string]any{"name": in.Name}}
	})
	ChangeProcedure = newOperation(actionGroup.write, "PATCH /procedures/{key}", operation{
		Name:    "changeProcedure",
		Summary: "Change what is sent of a procedure",
		Errors:  errorCodes{parley.CodeNotFound, parley.CodeAgentChanged},
	}, (*Service).changeProcedure).recorded(func(in ProcedureChange) change {
		return change{"procedure.change", in.AgentID, map[string]any{"key": in.Key, "enabled": in.Enabled}}
	})
	RemoveProcedure = newOperation(actionGroup.write, "DELETE /procedures/{key}", operation{
		Name:    "removeProcedure",
		Summary: "Remove a procedure",
		Errors:  errorCodes{parley.CodeNotFound},
	}, (*Service).removeProcedure).recorded(func(in ToolRef) change {
		return change{"procedure.remove", in.AgentID, map[string]any{"key": in.Key}}
	})
	TryProcedure = newOperation(actionGroup.write, "POST /procedures/try", operation{
		Name:    "tryProcedure",
		Summary: "Make one step of a procedure that need not be stored, as actions are tried",
	}, (*Service).tryProcedure).recorded(func(in ProcedureTrial) change {
		return change{"procedure.try", in.AgentID, map[string]any{"key": in.Key, "name": in.Name, "step": in.Step}}
	})
)

var channelGroup = newGroups("Channels", reasonAccount, parley.PermissionWebhooksRead, parley.PermissionWebhooksWrite)

// The operations on channels. Their deliveries, secrets and tests are those of webhooks.
var (
	AddChannel = newOperation(channelGroup.write, "POST /channels", operation{
		Name:    "addChannel",
		Summary: "Let a program connect a messenger to an agent",
		Status:  http.StatusCreated,
		Errors:  errorCodes{parley.CodeAgentNotFound},
	}, (*Service).addChannel)
	ChangeChannel = newOperation(channelGroup.write, "PATCH /channels/{channelId}", operation{
		Name:    "changeChannel",
		Summary: "Change a channel, or switch it on or off",
		Errors:  errorCodes{parley.CodeNotFound, parley.CodeInvalidBody},
	}, (*Service).changeChannel)
	RemoveChannel = newOperation(channelGroup.write, "DELETE /channels/{channelId}", operation{
		Name:    "removeChannel",
		Summary: "Remove a channel; its conversations stay",
		Errors:  errorCodes{parley.CodeNotFound},
	}, (*Service).removeChannel)
	ListChannels = newOperation(channelGroup.read, "GET /channels", operation{
		Name:    "listChannels",
		Summary: "List channels, the oldest first",
	}, (*Service).listChannels)
)
