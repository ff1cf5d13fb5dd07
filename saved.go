package parley

import "time"

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
	View      string  `json:"view,omitempty"`
	AgentID   AgentID `json:"agentId,omitempty"`
	MemberID  UserID  `json:"memberId,omitempty"` // who answers
	Query     string  `json:"query,omitempty"`
	Source    string  `json:"source,omitempty"`
	Sentiment string  `json:"sentiment,omitempty"`
	Feedback  string  `json:"feedback,omitempty"`
	Topic     string  `json:"topic,omitempty"`
	Escalated string  `json:"escalated,omitempty"`
	StartDate string  `json:"startDate,omitempty"`
	EndDate   string  `json:"endDate,omitempty"`
}
