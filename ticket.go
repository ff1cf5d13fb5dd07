package parley

import (
	"encoding/json"
	"time"
)

// StatusCategory is what a ticket's status comes down to (interface 3.1).
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

// StatusCategories lists the categories in the interface's order.
func StatusCategories() []StatusCategory {
	return []StatusCategory{TicketNew, TicketOnYou, TicketOnCustomer, TicketOnHold, TicketClosed, TicketCancelled}
}

// IsOpen reports whether somebody still has something to do with a ticket of this category.
func (c StatusCategory) IsOpen() bool { return c != TicketClosed && c != TicketCancelled }

// TicketStatus is one of an agent's statuses (facts 2.10). Each category has exactly one default.
type TicketStatus struct {
	ID            StatusID
	AccountID     AccountID
	AgentID       AgentID
	Key           string // stable name in the manifest; empty for one that none manages
	Category      StatusCategory
	ExternalLabel string // what customers read
	InternalLabel string // what the team reads
	Color         string // #RRGGBB, or empty
	IsDefault     bool   // of its category
	Position      int    // within its category
	ArchivedAt    *time.Time
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// Strategy is how a team's tickets find a member.
type Strategy string

// The strategies of teams.
const (
	StrategyManual     Strategy = "manual"      // nobody is picked
	StrategyBalanced   Strategy = "balanced"    // who has the fewest open tickets
	StrategyRoundRobin Strategy = "round_robin" // everybody in turn
)

// Strategies lists the strategies of teams.
func Strategies() []Strategy {
	return []Strategy{StrategyManual, StrategyBalanced, StrategyRoundRobin}
}

// Team is a group of members who share tickets (facts 2.10). Each agent has exactly one default team.
type Team struct {
	ID        TeamID
	AccountID AccountID
	AgentID   AgentID
	Key       string // stable name in the manifest; empty for one that none manages
	Name      string
	IsDefault bool
	Strategy  Strategy
	MaxOpen   *int           // open tickets a member may have before nobody gives them more; nil is no limit
	Hours     []WorkingHours // when its members work; none is always
	Members   []TeamMember
	CreatedAt time.Time
	UpdatedAt time.Time
}

// TeamMember is a member of the account in a team.
type TeamMember struct {
	User           User
	MaxOpen        *int           // in place of the team's; nil takes the team's
	Hours          []WorkingHours // in place of the team's; none takes the team's
	IsAway         bool           // gets no tickets
	LastAssignment int64          // grows with each ticket that went round to them
	JoinedAt       time.Time
}

// WorkingHours is a stretch of a week in which somebody works. One whose end is not after its start goes on until the next day.
type WorkingHours struct {
	Days     []string `json:"days"` // mon tue wed thu fri sat sun
	From     string   `json:"from"` // 09:00
	To       string   `json:"to"`   // 17:00; 24:00 is the end of the day
	TimeZone string   `json:"zone"` // IANA time zone
}

// Rule routes tickets (facts B). The first enabled rule whose conditions hold gives the team, the member, or both.
type Rule struct {
	ID        RuleID
	AccountID AccountID
	AgentID   AgentID
	Key       string
	Name      string
	Position  int
	Enabled   bool
	All       []Condition // all of them must hold
	Any       []Condition // where there are any, one of them must hold
	TeamID    TeamID      // empty leaves it to the member
	MemberID  UserID      // empty leaves it to the team
	CreatedAt time.Time
	UpdatedAt time.Time
}

// Condition looks at one property of a new ticket. Case is ignored; of several values one is enough, and of a negated operator
// none may match.
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

// TicketChannel is where a ticket came from (interface 2.2).
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

// TicketChannels lists the channels in the interface's order.
func TicketChannels() []TicketChannel {
	return []TicketChannel{TicketHelpdesk, TicketIframe, TicketEmail, TicketWhatsApp, TicketAPI, TicketMessenger, TicketInstagram,
		TicketCenterStage, TicketPhone, TicketInstagramComment, TicketFacebookComment}
}

// Ticket is a customer's request that people work on (interface 2.2). What is said about it stands in its conversation.
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
}

// TicketMessage is one entry of a ticket: a reply that the customer sees, a note of the team, or something that happened to
// it (facts 2.10).
type TicketMessage struct {
	Message
	Type        string // reply, note, event
	Sender      Sender
	Event       *TicketEvent // of an event only
	Attachments []Attachment
}

// Sender is who wrote a ticket's message.
type Sender struct {
	Type  string // customer, agent (a member of the team), system (the AI agent, or nobody)
	ID    string
	Name  string
	Email string
}

// TicketEvent is something that happened to a ticket (facts 2.10).
type TicketEvent struct {
	Kind       string `json:"eventType"` // status_change, assign, team_change, priority_change, created, escalated, handed_back, ended
	StatusFrom string `json:"statusFrom,omitempty"`
	StatusTo   string `json:"statusTo,omitempty"`
	DoneBy     string `json:"doneBy,omitempty"` // id of a member, "api", "operator", "agent", "customer" or "system"
	AssignedTo string `json:"assignedTo,omitempty"`
	// AssignedFrom is who had it before.
	AssignedFrom string `json:"assignedFrom,omitempty"`
	From         string `json:"from,omitempty"` // of a changed team or priority
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
}
