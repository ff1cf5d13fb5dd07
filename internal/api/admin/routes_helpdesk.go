package admin

import (
	"net/http"

	"parley"
)

const (
	statusPath = agentPath + "/statuses/{status}"
	teamPath   = agentPath + "/teams/{team}"
	rulePath   = agentPath + "/rules/{rule}"
	ticketPath = agentPath + "/tickets/{ticketNumber}"
)

// The operations on the statuses of tickets.
var (
	ListStatuses = Operation[AgentRef, []Status]{
		Operation: operation{
			Name:       "listStatuses",
			Method:     http.MethodGet,
			Path:       agentPath + "/statuses",
			Tag:        "Statuses",
			Summary:    "List the statuses of the tickets of an agent",
			Permission: parley.PermissionHelpdeskRead,
			Errors:     errorCodes{parley.CodeAgentNotFound},
		},
		handle: (*Service).listStatuses,
	}
	AddStatus = Operation[NewStatus, Status]{
		Operation: operation{
			Name:       "addStatus",
			Method:     http.MethodPost,
			Path:       agentPath + "/statuses",
			Tag:        "Statuses",
			Summary:    "Add a status to a category",
			Permission: parley.PermissionHelpdeskWrite,
			Status:     http.StatusCreated,
			Errors:     errorCodes{parley.CodeAgentNotFound},
		},
		handle: (*Service).addStatus,
	}
	ChangeStatus = Operation[StatusChange, Status]{
		Operation: operation{
			Name:       "changeStatus",
			Method:     http.MethodPatch,
			Path:       statusPath,
			Tag:        "Statuses",
			Summary:    "Change the labels or the color of a status",
			Permission: parley.PermissionHelpdeskWrite,
			Errors:     errorCodes{parley.CodeAgentNotFound, parley.CodeTicketStatus},
		},
		handle: (*Service).changeStatus,
	}
	DefaultStatus = Operation[StatusRef, Status]{
		Operation: operation{
			Name:       "setDefaultStatus",
			Method:     http.MethodPost,
			Path:       statusPath + "/default",
			Tag:        "Statuses",
			Summary:    "Make a status the default of its category",
			Permission: parley.PermissionHelpdeskWrite,
			Errors:     errorCodes{parley.CodeAgentNotFound, parley.CodeTicketStatus, parley.CodeInvalidBody},
		},
		handle: (*Service).defaultStatus,
	}
	ArchiveStatus = Operation[StatusRef, Status]{
		Operation: operation{
			Name:       "archiveStatus",
			Method:     http.MethodPost,
			Path:       statusPath + "/archive",
			Tag:        "Statuses",
			Summary:    "Take a status out of use",
			Permission: parley.PermissionHelpdeskWrite,
			Errors:     errorCodes{parley.CodeAgentNotFound, parley.CodeTicketStatus, parley.CodeInvalidBody},
		},
		handle: (*Service).archiveStatus,
	}
)

// The operations on teams.
var (
	ListTeams = Operation[AgentRef, []Team]{
		Operation: operation{
			Name:       "listTeams",
			Method:     http.MethodGet,
			Path:       agentPath + "/teams",
			Tag:        "Teams",
			Summary:    "List the teams of an agent with their members",
			Permission: parley.PermissionHelpdeskRead,
			Errors:     errorCodes{parley.CodeAgentNotFound},
		},
		handle: (*Service).listTeams,
	}
	AddTeam = Operation[NewTeam, Team]{
		Operation: operation{
			Name:       "addTeam",
			Method:     http.MethodPost,
			Path:       agentPath + "/teams",
			Tag:        "Teams",
			Summary:    "Add a team",
			Permission: parley.PermissionHelpdeskWrite,
			Status:     http.StatusCreated,
			Errors:     errorCodes{parley.CodeAgentNotFound},
		},
		handle: (*Service).addTeam,
	}
	ChangeTeam = Operation[TeamChange, Team]{
		Operation: operation{
			Name:       "changeTeam",
			Method:     http.MethodPatch,
			Path:       teamPath,
			Tag:        "Teams",
			Summary:    "Change what is sent of a team",
			Permission: parley.PermissionHelpdeskWrite,
			Errors:     errorCodes{parley.CodeAgentNotFound, parley.CodeTicketTeam},
		},
		handle: (*Service).changeTeam,
	}
	RemoveTeam = Operation[TeamRef, NoOutput]{
		Operation: operation{
			Name:       "removeTeam",
			Method:     http.MethodDelete,
			Path:       teamPath,
			Tag:        "Teams",
			Summary:    "Remove a team; its tickets and rules go to the default team",
			Permission: parley.PermissionHelpdeskWrite,
			Errors:     errorCodes{parley.CodeAgentNotFound, parley.CodeTicketTeam, parley.CodeInvalidBody},
		},
		handle: (*Service).removeTeam,
	}
	JoinTeam = Operation[TeamMembership, Team]{
		Operation: operation{
			Name:       "joinTeam",
			Method:     http.MethodPut,
			Path:       teamPath + "/members/{member}",
			Tag:        "Teams",
			Summary:    "Make a member of the account a member of a team, or change what they are in it",
			Permission: parley.PermissionHelpdeskWrite,
			Errors:     errorCodes{parley.CodeAgentNotFound, parley.CodeTicketTeam, parley.CodeTicketMember},
		},
		handle: (*Service).joinTeam,
	}
	LeaveTeam = Operation[TeamMemberRef, Team]{
		Operation: operation{
			Name:       "leaveTeam",
			Method:     http.MethodDelete,
			Path:       teamPath + "/members/{member}",
			Tag:        "Teams",
			Summary:    "Take a member out of a team",
			Permission: parley.PermissionHelpdeskWrite,
			Errors: errorCodes{
				parley.CodeAgentNotFound,
				parley.CodeTicketTeam,
				parley.CodeTicketMember,
				parley.CodeInvalidBody,
			},
		},
		handle: (*Service).leaveTeam,
	}
)

// The operations on routing rules. All but Route return all rules as they are then.
var (
	ListRules = Operation[AgentRef, []Rule]{
		Operation: operation{
			Name:       "listRules",
			Method:     http.MethodGet,
			Path:       agentPath + "/rules",
			Tag:        "Rules",
			Summary:    "List the routing rules of an agent in their order",
			Permission: parley.PermissionHelpdeskRead,
			Errors:     errorCodes{parley.CodeAgentNotFound},
		},
		handle: (*Service).listRules,
	}
	AddRule = Operation[NewRule, []Rule]{
		Operation: operation{
			Name:       "addRule",
			Method:     http.MethodPost,
			Path:       agentPath + "/rules",
			Tag:        "Rules",
			Summary:    "Add a routing rule",
			Permission: parley.PermissionHelpdeskWrite,
			Status:     http.StatusCreated,
			Errors: errorCodes{
				parley.CodeAgentNotFound,
				parley.CodeAlreadyExists,
				parley.CodeTicketTeam,
				parley.CodeTicketMember,
			},
		},
		handle: (*Service).addRule,
	}
	RemoveRule = Operation[RuleRef, []Rule]{
		Operation: operation{
			Name:       "removeRule",
			Method:     http.MethodDelete,
			Path:       rulePath,
			Tag:        "Rules",
			Summary:    "Remove a routing rule",
			Permission: parley.PermissionHelpdeskWrite,
			Errors:     errorCodes{parley.CodeAgentNotFound, parley.CodeNotFound, parley.CodeInvalidBody},
		},
		handle: (*Service).removeRule,
	}
	MoveRule = Operation[RuleMove, []Rule]{
		Operation: operation{
			Name:       "moveRule",
			Method:     http.MethodPost,
			Path:       rulePath + "/move",
			Tag:        "Rules",
			Summary:    "Give a routing rule another place",
			Permission: parley.PermissionHelpdeskWrite,
			Errors:     errorCodes{parley.CodeAgentNotFound, parley.CodeNotFound},
		},
		handle: (*Service).moveRule,
	}
	SwitchRule = Operation[RuleSwitch, []Rule]{
		Operation: operation{
			Name:       "switchRule",
			Method:     http.MethodPut,
			Path:       rulePath + "/enabled",
			Tag:        "Rules",
			Summary:    "Put a routing rule in force, or out of it",
			Permission: parley.PermissionHelpdeskWrite,
			Errors:     errorCodes{parley.CodeAgentNotFound, parley.CodeNotFound},
		},
		handle: (*Service).switchRule,
	}
	Route = Operation[RouteRequest, RouteResult]{
		Operation: operation{
			Name:       "explainRoute",
			Method:     http.MethodPost,
			Path:       agentPath + "/route",
			Tag:        "Rules",
			Summary:    "Explain where a ticket would go, and open none",
			Permission: parley.PermissionHelpdeskRead,
			Errors:     errorCodes{parley.CodeAgentNotFound},
		},
		handle: (*Service).explainRoute,
	}
)

// The operations on tickets and customers.
var (
	ListCustomers = Operation[CustomerQuery, []Customer]{
		Operation: operation{
			Name:       "listCustomers",
			Method:     http.MethodGet,
			Path:       agentPath + "/customers",
			Tag:        "Tickets",
			Summary:    "List the customers of an agent, the newest first",
			Permission: parley.PermissionCustomersRead,
			Errors:     errorCodes{parley.CodeAgentNotFound},
		},
		handle: (*Service).listCustomers,
	}
	ListTickets = Operation[TicketQuery, []Ticket]{
		Operation: operation{
			Name:       "listTickets",
			Method:     http.MethodGet,
			Path:       agentPath + "/tickets",
			Tag:        "Tickets",
			Summary:    "List the tickets of an agent, or find them",
			Permission: parley.PermissionTicketsRead,
			Errors:     errorCodes{parley.CodeAgentNotFound, parley.CodeNotFound, parley.CodeTicketTeam},
		},
		handle: (*Service).listTickets,
	}
	OpenTicket = Operation[NewTicket, Ticket]{
		Operation: operation{
			Name:       "openTicket",
			Method:     http.MethodPost,
			Path:       agentPath + "/tickets",
			Tag:        "Tickets",
			Summary:    "Open a ticket",
			Permission: parley.PermissionTicketsWrite,
			Status:     http.StatusCreated,
			Errors: errorCodes{
				parley.CodeAgentNotFound,
				parley.CodeTicketStatus,
				parley.CodeTicketTeam,
				parley.CodeTicketMember,
			},
		},
		handle: (*Service).openTicket,
	}
	ShowTicket = Operation[TicketRef, TicketDetails]{
		Operation: operation{
			Name:       "getTicket",
			Method:     http.MethodGet,
			Path:       ticketPath,
			Tag:        "Tickets",
			Summary:    "Get a ticket with its messages and events",
			Permission: parley.PermissionTicketsRead,
			Errors:     errorCodes{parley.CodeAgentNotFound, parley.CodeTicketNotFound},
		},
		handle: (*Service).showTicket,
	}
	ChangeTicket = Operation[TicketChange, Ticket]{
		Operation: operation{
			Name:       "changeTicket",
			Method:     http.MethodPatch,
			Path:       ticketPath,
			Tag:        "Tickets",
			Summary:    "Change what is sent of a ticket",
			Permission: parley.PermissionTicketsWrite,
			Errors: errorCodes{
				parley.CodeAgentNotFound,
				parley.CodeTicketNotFound,
				parley.CodeTicketStatus,
				parley.CodeTicketTeam,
				parley.CodeTicketMember,
			},
		},
		handle: (*Service).changeTicket,
	}
	WriteTicket = Operation[NewTicketMessage, MessageRef]{
		Operation: operation{
			Name:       "writeTicketMessage",
			Method:     http.MethodPost,
			Path:       ticketPath + "/messages",
			Tag:        "Tickets",
			Summary:    "Write a reply or a note to a ticket",
			Permission: parley.PermissionTicketsWrite,
			Status:     http.StatusCreated,
			Errors: errorCodes{
				parley.CodeAgentNotFound,
				parley.CodeTicketNotFound,
				parley.CodeNotTakenOver,
				parley.CodeMemberNotFound,
				parley.CodeNotRenderable,
			},
		},
		handle: (*Service).writeTicket,
	}
)
