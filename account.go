package parley

import (
	"slices"
	"time"
)

// Account is one customer of this installation. It owns agents, keys and everything that belongs to them.
type Account struct {
	ID        AccountID
	Name      string
	Plan      string   // name of a Plan
	Credits   *Credits // a month, in place of those of the plan; nil for those of the plan
	HIPAA     bool     // the text of conversations must not be searched
	CreatedAt time.Time

	ViewersSeePersonalData bool // of customers; otherwise it is masked for them

	TimeZone string // IANA name; empty for UTC

	OnlySSO     bool   // members enter it by single sign-on alone
	ExemptOwner UserID // who enters it in other ways too; empty without OnlySSO

	AdminsNeedPasskey bool // owners and admins enter it with a passkey or by single sign-on
	NoPasswords       bool // all members do so, and a password alone does not let them add a passkey
}

// DayStart returns when the day of a moment begins by the account's time zone.
func (a *Account) DayStart(at time.Time) time.Time {
	zone, err := time.LoadLocation(a.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	year, month, day := at.In(zone).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, zone)
}

// Credits is a number of message credits in thousandths, so that fractions add up exactly.
type Credits int64

// Credit is one message credit.
const Credit Credits = 1000

// Float returns the number of credits, which may be fractional.
func (c Credits) Float() float64 { return float64(c) / float64(Credit) }

// RoundUp returns the number of credits, rounded up.
func (c Credits) RoundUp() int64 { return int64((c + Credit - 1) / Credit) }

// Plan is what an account may do. A limit of 0 allows nothing; a nil limit is no limit.
type Plan struct {
	Name                  string
	API                   bool     // may use the REST interfaces
	Voice                 bool     // may open voice sessions
	GPT4Models            bool     // may choose the models that REST v1 calls gpt-4
	MaxAgents             *int     // maximum number of agents
	StoragePerAgent       *int64   // bytes of sources per agent
	CreditsPerMonth       *Credits // message credits, renewed on the first of the month UTC
	CreditsPerVoiceMinute Credits  // charged per started minute
	VoicePerHour          *int     // voice sessions that an agent without a limit of its own may begin in an hour
	VoicePerDay           *int     // the same in a day
	CreditPrice           *Price   // what a credit costs; nil where that is not set
}

// Price is an amount of money.
type Price struct {
	Amount   float64
	Currency string // by ISO 4217, such as EUR
}

// AllowsStorage reports whether an agent may have that many bytes of sources.
func (p Plan) AllowsStorage(bytes int64) bool {
	return p.StoragePerAgent == nil || bytes <= *p.StoragePerAgent
}

// CheckStorage fails with SOURCE_SIZE_LIMIT_EXCEEDED if the plan does not allow an agent that many bytes of sources.
func (p Plan) CheckStorage(total int64) error {
	if p.AllowsStorage(total) {
		return nil
	}
	return NewErrorf(CodeSourceSize,
		"The %s plan allows %d bytes of sources for an agent; this one would bring them to %d.", p.Name,
		*p.StoragePerAgent, total)
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
	RoleOwner  Role = "owner"
	RoleAdmin  Role = "admin"
	RoleAgent  Role = "agent"
	RoleViewer Role = "viewer"
)

// Roles lists the roles of a membership.
func Roles() []Role { return []Role{RoleOwner, RoleAdmin, RoleAgent, RoleViewer} }

// Membership joins a user to an account.
type Membership struct {
	AccountID AccountID
	User      User
	Role      Role
	CreatedAt time.Time
}

// AccountMember is a member as those see them who run the account.
type AccountMember struct {
	Membership
	LastSeenAt  *time.Time // in the console of this account, to the minute; nil if never
	HasPassword bool
	SecondStep  bool // the password needs a passkey or a recovery code beside it
	Passkeys    int
	HasSSO      bool // is known to the provider of single sign-on
}

// SignsInBy reports whether the member has a way of signing in.
func (m *AccountMember) SignsInBy(way SignInWay) bool {
	switch way {
	case SignInPassword:
		return m.HasPassword
	case SignInPasskey:
		return m.Passkeys > 0
	case SignInSSO:
		return m.HasSSO
	}
	return false
}

// Scope is one permission of an API key (docs/interface/authentication.md#scopes).
type Scope string

// The scopes that a key may be limited to. A key without a list has all of them.
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

// Scopes lists all scopes.
func Scopes() []Scope {
	return []Scope{AgentsRead, AgentsWrite, AgentsDelete, SourcesRead, SourcesWrite, SourcesDelete,
		ChatlogsWrite, ChatlogsExport, ChatlogsDelete, TicketsRead, TicketsWrite, TicketsDelete}
}

// APIKey is the record of a key. The key itself is shown once and never stored.
type APIKey struct {
	ID         KeyID
	AccountID  AccountID
	Name       string
	Hash       string  // SHA-256 of the key, hex
	Hint       string  // the first characters, to tell keys apart in a list
	Source     string  // KeySourceCLI for a paired command line, else empty
	CreatedBy  string  // actor: "operator" or "user:" and an id; empty if nobody knows
	Scopes     []Scope // nil for full access
	CreatedAt  time.Time
	ExpiresAt  *time.Time
	LastUsedAt *time.Time
	RevokedAt  *time.Time
}

// Allows reports whether the key has the scope.
func (k *APIKey) Allows(s Scope) bool {
	return s == "" || k.Scopes == nil || slices.Contains(k.Scopes, s)
}

// KeySourceCLI is the source of the keys that command lines get by pairing.
const KeySourceCLI = "cli"

// PairingState is how far a command line has come that asks for an API key.
type PairingState string

// The states of pairings. One that has expired is in any of them.
const (
	PairingPending  PairingState = "pending"
	PairingApproved PairingState = "approved" // it has not fetched its key yet
	PairingDenied   PairingState = "denied"
	PairingUsed     PairingState = "used"
)

// Pairing is the request of a command line for an API key (docs/interface/authentication.md#pairing). Somebody approves
// it in the console, by the code that the command line shows.
type Pairing struct {
	ID         PairingID
	DeviceHash string // SHA-256 of the code that only the command line has, hex
	UserCode   string // that it shows, without the hyphen
	DeviceName string // as it calls its machine; nobody has checked that
	Address    string // it asked from there
	State      PairingState
	AccountID  AccountID // of whoever has decided; empty until then
	DecidedBy  UserID
	Scopes     []Scope // of the key
	PolledAt   *time.Time
	CreatedAt  time.Time
	ExpiresAt  time.Time
}

// Permission is something that a member of an account may be allowed to do. An API key has scopes in its place. Which
// role has which permissions is in internal/access/role.go.
type Permission string

// The permissions.
const (
	PermissionAccountsRead        Permission = "accounts:read"
	PermissionAccountsWrite       Permission = "accounts:write" // plan, name, sign-in rules
	PermissionAuditRead           Permission = "audit:read"
	PermissionKeysRead            Permission = "keys:read"
	PermissionKeysWrite           Permission = "keys:write"
	PermissionMembersRead         Permission = "members:read"
	PermissionMembersWrite        Permission = "members:write"
	PermissionOwnersManage        Permission = "owners:manage" // make owners, and change or remove them
	PermissionModelsRead          Permission = "models:read"   // servers of models, with their addresses
	PermissionModelsWrite         Permission = "models:write"
	PermissionStateRead           Permission = "state:read" // how the server does
	PermissionWebhooksRead        Permission = "webhooks:read"
	PermissionWebhooksWrite       Permission = "webhooks:write"
	PermissionAgentsRead          Permission = "agents:read"
	PermissionAgentsWrite         Permission = "agents:write"
	PermissionAgentsDelete        Permission = "agents:delete"
	PermissionPlaygroundUse       Permission = "playground:use" // ask agents, which costs credits
	PermissionSourcesRead         Permission = "sources:read"
	PermissionSourcesWrite        Permission = "sources:write"
	PermissionAnswersImprove      Permission = "answers:improve" // give an agent a better answer to a question
	PermissionConversationsRead   Permission = "conversations:read"
	PermissionConversationsWrite  Permission = "conversations:write"
	PermissionConversationsDelete Permission = "conversations:delete"
	PermissionInsightsRead        Permission = "insights:read"
	PermissionInsightsWrite       Permission = "insights:write"
	PermissionVoiceRead           Permission = "voice:read"
	PermissionVoiceWrite          Permission = "voice:write"
	PermissionRecordingsRead      Permission = "recordings:read" // of voice sessions, where nothing can be masked
	PermissionHelpdeskRead        Permission = "helpdesk:read"
	PermissionHelpdeskWrite       Permission = "helpdesk:write" // statuses, teams and rules
	PermissionTicketsRead         Permission = "tickets:read"
	PermissionTicketsWrite        Permission = "tickets:write"
	PermissionCustomersRead       Permission = "customers:read"

	// What concerns all accounts of a server is the operator's alone: no role has these.
	PermissionServerRead  Permission = "server:read"
	PermissionServerWrite Permission = "server:write" // accounts, maintenance, and the index of searches
)

// Member is a person who has signed in and acts in one account.
type Member struct {
	User        UserID
	Account     AccountID
	Role        Role
	SteppedUpAt time.Time // when they last showed again who they are; zero if never

	ViewersSeePersonalData bool // of customers, in the account

	HasUsedSSO     bool // to sign in this time
	HasUsedPasskey bool // likewise, or to show again who they are
}
