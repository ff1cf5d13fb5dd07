package admin

import (
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
	ListTickets = newOperation(ticketGroup.read, "GET /tickets", operation{
		Name:    "listTickets",
		Summary: "List the tickets of an agent, or find them",
		Errors:  errorCodes{parley.CodeNotFound, parley.CodeTicketTeam, parley.CodeTicketMember},
	}, (*Service).listTickets)
	OpenTicket = newOperation(ticketGroup.write, "POST /tickets", operation{
		Name:    "openTicket",
		Summary: "Open a ticket",
		Status:  http.StatusCreated,
		Errors:  errorCodes{parley.CodeTicketStatus, parley.CodeTicketTeam, parley.CodeTicketMember},
	}, (*Service).openTicket)
	ShowTicket = newOperation(ticketGroup.read, "GET /tickets/{ticketNumber}", operation{
		Name:    "getTicket",
		Summary: "Get a ticket with its messages and events",
		Errors:  errorCodes{parley.CodeTicketNotFound},
	}, (*Service).showTicket)
	ChangeTicket = newOperation(ticketGroup.write, "PATCH /tickets/{ticketNumber}", operation{
		Name:    "changeTicket",
		Summary: "Change what is sent of a ticket",
		Errors: errorCodes{parley.CodeTicketNotFound, parley.CodeTicketStatus, parley.CodeTicketTeam,
			parley.CodeTicketMember},
	}, (*Service).changeTicket)
	WriteTicket = newOperation(ticketGroup.write, "POST /tickets/{ticketNumber}/messages", operation{
		Name:    "writeTicketMessage",
		Summary: "Write a reply or a note to a ticket",
		Status:  http.StatusCreated,
		Errors: errorCodes{parley.CodeTicketNotFound, parley.CodeNotTakenOver, parley.CodeMemberNotFound,
			parley.CodeNotRenderable},
	}, (*Service).writeTicket)
)
