package parley

import (
	"encoding/json"
	"time"
)

// StatusCategory is the category of a ticket's status.
type StatusCategory string

// The categories of ticket statuses.
const (
	TicketNew        StatusCategory = "new"
	TicketOnYou      StatusCategory = "on_you"      // the team is to act
	TicketOnCustomer StatusCategory = "on_customer" // the customer is to answer
	TicketOnHold     StatusCategory = "on_hold"
	TicketClosed     StatusCategory = "closed"
	TicketCancelled  StatusCategory = "cancelled"
)

// StatusCategories lists the categories in the order of the API.
func StatusCategories() []StatusCategory {
	return []StatusCategory{TicketNew, TicketOnYou, TicketOnCustomer, TicketOnHold, TicketClosed, TicketCancelled}
}

// IsOpen reports whether tickets of this category still need work.
func (c StatusCategory) IsOpen() bool { return c != TicketClosed && c != TicketCancelled }

// TicketStatus is one of an agent's statuses (docs/interface/helpdesk.md#statuses). Each category has exactly one
// default.
type TicketStatus struct {
	ID            StatusID
	AccountID     AccountID
	AgentID       AgentID
	Key           string // stable name in the manifest; empty without a manifest
	Category      StatusCategory
	ExternalLabel string // for customers
	InternalLabel string // for the team
	Color         string // #RRGGBB, or empty
	IsDefault     bool   // of its category
	Position      int    // within its category
	ArchivedAt    *time.Time
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// Strategy is how a team's tickets are assigned to members.
type Strategy string

// The strategies of teams.
const (
	StrategyManual     Strategy = "manual"      // tickets are not assigned
	StrategyBalanced   Strategy = "balanced"    // to the member with the fewest open tickets
	StrategyRoundRobin Strategy = "round_robin" // to each member in turn
)

// Strategies lists the strategies of teams.
func Strategies() []Strategy {
	return []Strategy{StrategyManual, StrategyBalanced, StrategyRoundRobin}
}

// Team is a group of members who share tickets (docs/interface/helpdesk.md#teams). Each agent has exactly one default
// team.
type Team struct {
	ID        TeamID
	AccountID AccountID
	AgentID   AgentID
	Key       string // stable name in the manifest; empty without a manifest
	Name      string
	IsDefault bool
	Strategy  Strategy
	MaxOpen   *int           // open tickets up to which a member gets new ones; nil for no limit
	Hours     []WorkingHours // when its members work; none for always
	Members   []TeamMember
	CreatedAt time.Time
	UpdatedAt time.Time
}

// TeamMember is a member of the account in a team.
type TeamMember struct {
	User           User
	MaxOpen        *int           // in place of the team's; nil for the team's
	Hours          []WorkingHours // in place of the team's; none for the team's
	IsAway         bool           // gets no new tickets
	LastAssignment int64          // order of the latest round-robin assignment
	JoinedAt       time.Time
}

// WorkingHours is a part of a week in which somebody works. If To is not after From, it ends on the next day.
type WorkingHours struct {
	Days     []string `json:"days"` // mon tue wed thu fri sat sun
	From     string   `json:"from"` // 09:00
	To       string   `json:"to"`   // 17:00; 24:00 is the end of the day
	TimeZone string   `json:"zone"` // IANA time zone
}

// Rule routes tickets (docs/interface/helpdesk.md#routing-rules). The first enabled rule whose conditions hold
// determines the team, the member, or both.
type Rule struct {
	ID        RuleID
	AccountID AccountID
	AgentID   AgentID
	Key       string
	Name      string
	Position  int
	Enabled   bool
	All       []Condition // all of them must hold
	Any       []Condition // if there are any, one of them must hold
	TeamID    TeamID      // empty if the rule sets only a member
	MemberID  UserID      // empty if the rule sets only a team
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Condition tests one property of a new ticket. Case is ignored. One of the values must match, or for a negated
// operator none of them.
type Condition struct {
	Field  string   `json:"field"` // subject, body, email, domain, channel, priority
	Op     string   `json:"op"`    // is, is_not, contains, not_contains, starts_with, ends_with
	Values []string `json:"values"`
}

// Person is somebody outside the team: a customer of tickets, a contact, a lead or an end user.
type Person struct {
	ID         PersonID
	AccountID  AccountID
	AgentID    AgentID
	Email      string // unique within the agent, whatever its case; empty when it is not known
	ExternalID string // the client's own id, unique within the agent; empty when there is none
	Name       string
	Phone      string
	Attributes json.RawMessage // object
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

// TicketChannel is where a ticket came from.
type TicketChannel string

// The channels of tickets.
const (
	TicketHelpdesk         TicketChannel = "helpdesk"
	TicketIframe           TicketChannel = "iframe"
	TicketEmail            TicketChannel = "email"
	TicketWhatsApp         TicketChannel = "whatsapp"
	TicketAPI              TicketChannel = "api"
	TicketMessenger        TicketChannel = "messenger"
	TicketInstagram        TicketChannel = "instagram"
	TicketCenterStage      TicketChannel = "center_stage"
	TicketPhone            TicketChannel = "phone"
	TicketInstagramComment TicketChannel = "instagram_comment"
	TicketFacebookComment  TicketChannel = "facebook_comment"
)

// TicketChannels lists the channels in the order of the API.
func TicketChannels() []TicketChannel {
	return []TicketChannel{TicketHelpdesk, TicketIframe, TicketEmail, TicketWhatsApp, TicketAPI, TicketMessenger,
		TicketInstagram,
		TicketCenterStage, TicketPhone, TicketInstagramComment, TicketFacebookComment}
}

// Ticket is a customer's request that people work on. Its messages are those of its conversation.
type Ticket struct {
	ID             TicketID
	AccountID      AccountID
	AgentID        AgentID
	Number         int64 // counted per agent from 1, without gaps
	Subject        string
	Description    string
	StatusID       StatusID
	Category       StatusCategory // of the status
	AssigneeID     UserID         // empty when unassigned
	Customer       Person
	Metadata       json.RawMessage // object
	Channel        TicketChannel
	ConversationID ConversationID
	TeamID         TeamID // empty for none
	Priority       string
	CreatedAt      time.Time
	UpdatedAt      time.Time
	LastMessageAt  *time.Time // nil before the first message
	SLA            TicketSLA
}

// SLATarget is within how much working time tickets of a priority are to be replied to and resolved.
type SLATarget struct {
	Priority          string `json:"priority"`
	FirstReplyMinutes int    `json:"firstReplyMinutes,omitempty"` // until a member replies; 0 for no target
	ResolutionMinutes int    `json:"resolutionMinutes,omitempty"` // until it is closed or cancelled; 0 for no target
}

// TicketSLA is how far a ticket is with the targets of its helpdesk. Its clock counts working time, and is stopped
// while the customer is to answer and while the ticket is closed.
type TicketSLA struct {
	Worked               time.Duration // what had passed when the clock was started last
	RunningSince         *time.Time    // nil while the clock is stopped
	RepliedAt            *time.Time    // the first reply of a member; nil before
	FirstReplyDueAt      *time.Time    // nil without a target, once that is met, and while the clock is stopped
	ResolutionDueAt      *time.Time    // likewise
	FirstReplyBreachedAt *time.Time    // when it was recorded that it was missed; nil before
	ResolutionBreachedAt *time.Time
}

// DueAt returns when the next thing is due in the ticket, or nil.
func (s *TicketSLA) DueAt() *time.Time { return earlier(s.FirstReplyDueAt, s.ResolutionDueAt) }

// NextBreachAt returns when the next target is missed, of those that are not recorded as missed, or nil.
func (s *TicketSLA) NextBreachAt() *time.Time {
	reply, resolution := s.FirstReplyDueAt, s.ResolutionDueAt
	if s.FirstReplyBreachedAt != nil {
		reply = nil
	}
	if s.ResolutionBreachedAt != nil {
		resolution = nil
	}
	return earlier(reply, resolution)
}

func earlier(a, b *time.Time) *time.Time {
	if a == nil || b != nil && b.Before(*a) {
		return b
	}
	return a
}

// TicketMessage is one entry of a ticket: a reply that the customer sees, a note of the team, or an event
// (docs/interface/helpdesk.md#messages-of-a-ticket).
type TicketMessage struct {
	Message
	Type        string // reply, note, event
	Sender      Sender
	Event       *TicketEvent // of an event only
	Attachments []Attachment
}

// Sender is the author of a ticket's message.
type Sender struct {
	Type  string // customer, agent (a member of the team), system (the AI agent, or the server)
	ID    string
	Name  string
	Email string
}

// TicketEvent is a change of a ticket (docs/interface/helpdesk.md#messages-of-a-ticket).
type TicketEvent struct {
	// status_change, assign, team_change, priority_change, created, escalated, handed_back, ended
	Kind         string `json:"eventType"`
	StatusFrom   string `json:"statusFrom,omitempty"`
	StatusTo     string `json:"statusTo,omitempty"`
	DoneBy       string `json:"doneBy,omitempty"` // id of a member, "api", "operator", "agent", "customer" or "system"
	AssignedTo   string `json:"assignedTo,omitempty"`
	AssignedFrom string `json:"assignedFrom,omitempty"` // the assignee before
	From         string `json:"from,omitempty"`         // of a changed team or priority
	To           string `json:"to,omitempty"`
	Reason       string `json:"reason,omitempty"`
}

// Attachment is a file that belongs to a ticket's message.
type Attachment struct {
	ID        AttachmentID
	MessageID MessageID
	BlobID    string
	Name      string
	MediaType string
	Size      int64 // bytes
	CreatedAt time.Time
	Text      string // of a visitor's file, its beginning, for models; else empty
}

// SavedReply is a text that an account keeps for its members to write to customers with. It may hold placeholders, such
// as {{customer.name}}.
type SavedReply struct {
	ID        SavedReplyID
	AccountID AccountID
	Name      string
	Text      string
	CreatedAt time.Time
	UpdatedAt time.Time
}

// SavedView is a filter of the inbox under a name.
type SavedView struct {
	ID        SavedViewID
	AccountID AccountID
	OwnerID   UserID // who has made it
	IsShared  bool   // all members of the account have it; otherwise its owner alone
	Name      string
	Filter    InboxFilter
	CreatedAt time.Time
	UpdatedAt time.Time
}

// InboxFilter is what the list of the inbox is narrowed by, as people choose it. What is empty narrows nothing.
type InboxFilter struct {
	View             string  `json:"view,omitempty"`
	AgentID          AgentID `json:"agentId,omitempty"`
	MemberID         UserID  `json:"memberId,omitempty"` // who answers
	Order            string  `json:"order,omitempty"`
	Query            string  `json:"query,omitempty"`
	Source           string  `json:"source,omitempty"`
	Sentiment        string  `json:"sentiment,omitempty"`
	Feedback         string  `json:"feedback,omitempty"`
	Topic            string  `json:"topic,omitempty"`
	Escalated        string  `json:"escalated,omitempty"`
	Tool             string  `json:"tool,omitempty"`
	ToolOutcome      string  `json:"toolOutcome,omitempty"`
	Procedure        string  `json:"procedure,omitempty"`
	ProcedureOutcome string  `json:"procedureOutcome,omitempty"`
	HasVoice         string  `json:"hasVoice,omitempty"`
	StartDate        string  `json:"startDate,omitempty"`
	EndDate          string  `json:"endDate,omitempty"`
}
