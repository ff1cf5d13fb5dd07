package parley

import "time"

// A visitor's token is good for VisitorTokenLifetime. Whoever was not seen for VisitorRetention has none any more,
// and is deleted where nothing of theirs is left.
const (
	VisitorTokenLifetime = 90 * 24 * time.Hour
	VisitorRetention     = VisitorTokenLifetime + 24*time.Hour
)

// Visitor is a browser that talks to an agent through its widget. No address is kept of it, and nothing that would tell
// browsers apart.
type Visitor struct {
	ID         VisitorID
	AccountID  AccountID
	AgentID    AgentID
	UserID     EndUserID // who it is, by the embedding site's word; empty for nobody known
	FirstPage  string    // where the agent was embedded, without the query
	Locale     string    // BCP 47
	CreatedAt  time.Time
	LastSeenAt time.Time
}
