package parley

import (
	"slices"
	"time"
)

// Account is one customer of this installation: it owns agents, keys and everything they hold.
type Account struct {
	ID        AccountID
	Name      string
	Plan      string   // name of a Plan
	Credits   *Credits // monthly grant that replaces the plan's; nil takes the plan's
	HIPAA     bool     // conversation text may not be searched
	CreatedAt time.Time
}

// Credits counts message credits in thousandths, so that fractions add up exactly.
type Credits int64

// Credit is one message credit.
const Credit Credits = 1000

// Float returns credits as the interface writes them: a number that may be fractional.
func (c Credits) Float() float64 { return float64(c) / float64(Credit) }

// RoundUp returns credits rounded up.
func (c Credits) RoundUp() int64 { return int64((c + Credit - 1) / Credit) }

// Plan is what an account may do. Zero limits mean "none"; nil ones mean "unlimited".
type Plan struct {
	Name                  string
	API                   bool     // may use the REST interfaces
	Voice                 bool     // may open voice sessions
	GPT4Models            bool     // may choose the models the first interface calls gpt-4
	MaxAgents             *int     // most agents
	StoragePerAgent       *int64   // bytes of sources per agent
	CreditsPerMonth       *Credits // message credits, back on the first of the month UTC
	CreditsPerVoiceMinute Credits  // charged per started minute
	VoicePerHour          *int     // voice sessions that an agent may begin in an hour, where it sets no limit of its own
	VoicePerDay           *int     // the same in a day
}

// AllowsStorage reports whether an agent may have so many bytes of sources.
func (p Plan) AllowsStorage(bytes int64) bool {
	return p.StoragePerAgent == nil || bytes <= *p.StoragePerAgent
}

// CheckStorage fails with SOURCE_SIZE_LIMIT_EXCEEDED where a source would bring an agent's to more bytes than the plan holds.
func (p Plan) CheckStorage(total int64) error {
	if p.AllowsStorage(total) {
		return nil
	}
	return NewErrorf(CodeSourceSize, "The %s plan allows %d bytes of sources for an agent; this one would bring them to %d.", p.Name, *p.StoragePerAgent, total)
}

// User is a member of the operator's team, never an end user.
type User struct {
	ID        UserID
	Email     string
	Name      string
	CreatedAt time.Time
}

// Role is what a member may do in an account.
type Role string

// The roles of a membership.
const (
	RoleOwner Role = "owner"
	RoleAdmin Role = "admin"
	RoleAgent Role = "agent"
)

// Roles lists the roles of a membership.
func Roles() []Role { return []Role{RoleOwner, RoleAdmin, RoleAgent} }

// Membership joins a user to an account.
type Membership struct {
	AccountID AccountID
	User      User
	Role      Role
	CreatedAt time.Time
}

// Scope is one permission of an API key (facts, section 5).
type Scope string

// The scopes that a key may be limited to. A key without a list has them all.
const (
	AgentsRead     Scope = "agents:read"
	AgentsWrite    Scope = "agents:write"
	AgentsDelete   Scope = "agents:delete"
	SourcesRead    Scope = "sources:read"
	SourcesWrite   Scope = "sources:write"
	SourcesDelete  Scope = "sources:delete"
	ChatlogsWrite  Scope = "chatlogs:write"
	ChatlogsExport Scope = "chatlogs:export"
	ChatlogsDelete Scope = "chatlogs:delete"
	TicketsRead    Scope = "helpdesk_tickets:read"
	TicketsWrite   Scope = "helpdesk_tickets:write"
	TicketsDelete  Scope = "helpdesk_tickets:delete"
)

// Scopes lists every scope there is.
func Scopes() []Scope {
	return []Scope{AgentsRead, AgentsWrite, AgentsDelete, SourcesRead, SourcesWrite, SourcesDelete,
		ChatlogsWrite, ChatlogsExport, ChatlogsDelete, TicketsRead, TicketsWrite, TicketsDelete}
}

// APIKey is the record of a key; the key itself is shown once and never stored.
type APIKey struct {
	ID         KeyID
	AccountID  AccountID
	Name       string
	Hash       string  // SHA-256 of the key, hex
	Hint       string  // the first characters, to tell keys apart in a list
	Source     string  // "cli" for a paired command line, else empty
	Scopes     []Scope // nil for full access
	CreatedAt  time.Time
	ExpiresAt  *time.Time
	LastUsedAt *time.Time
	RevokedAt  *time.Time
}

// Allows reports whether the key holds the scope.
func (k *APIKey) Allows(s Scope) bool {
	return s == "" || k.Scopes == nil || slices.Contains(k.Scopes, s)
}
