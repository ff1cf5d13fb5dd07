// Package admin is the operator's API: accounts, keys, members, webhooks, and the agents of all accounts with what they
// hold. A server serves it on a unix socket in its data directory; where no server runs, a command runs the same
// operations on the opened database. AddMemberRoutes serves the members of an account what their roles permit of
// it, limited to that account. routes.go lists the operations; their rows are in the files routes*.go.
package admin

import (
	"context"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/actions"
	"parley/internal/agents"
	"parley/internal/archive"
	"parley/internal/backup"
	"parley/internal/chat"
	"parley/internal/helpdesk"
	"parley/internal/httpapi"
	"parley/internal/ingest"
	"parley/internal/insight"
	"parley/internal/jobs"
	"parley/internal/manifest"
	"parley/internal/modelserver"
	"parley/internal/movein"
	"parley/internal/pairing"
	"parley/internal/person"
	"parley/internal/retrieval"
	"parley/internal/search"
	"parley/internal/sqldb"
	"parley/internal/store"
	"parley/internal/synonym"
	"parley/internal/visitor"
	"parley/internal/voice"
	"parley/internal/webhook"
)

// Service is what the operations work on.
type Service struct {
	DB             *store.DB
	Indexes        *retrieval.Indexes
	Accounts       *access.Accounts
	Agents         *agents.Service
	Users          *access.Users
	People         *person.Service
	Visitors       *visitor.Service
	Chat           *chat.Engine
	Conversations  *chat.Conversations
	Indexer        *search.Indexer
	Search         *search.Finder
	Insight        *insight.Service
	Helpdesk       *helpdesk.Service
	Manifests      *manifest.Service
	MoveIns        *movein.Service
	Archive        *archive.Installation
	MaxImportBytes int64 // of an archive that is sent
	Actions        *actions.Toolbox
	Ingest         *ingest.Service
	Synonyms       *synonym.Service
	Webhooks       *webhook.Service
	Pairings       *pairing.Service
	Voice          *voice.Sessions
	VoiceStats     *voice.Stats // nil if there are no voice sessions
	ModelServers   *modelserver.Service
	ReadFilePart   FilePartReader         // nil if no files are read
	IncomingFolder func() (string, error) // where uploads are written to
	Now            func() time.Time
	ForgetAccess   func()        // called after a change, so that it is in force at once; may be nil
	SetMaintenance func(on bool) // called when maintenance begins or ends; may be nil
	Close          func() error  // closes what Client.Open opened
	CursorKey      []byte        // signs the cursors of the lists that members read
	PagesURL       string        // of the server, where the console has a host of its own; empty elsewhere
	Setup          Setup
	Jobs           *jobs.Queue
	Backups        *backup.Schedule // nil if the server makes none by itself

	// OnUndeclaredCode is told of a failure whose code its operation does not declare. Nil logs it.
	OnUndeclaredCode func(op *httpapi.Operation, code parley.Code)

	member *parley.Member // for whom the operations run; nil for the operator
}

// applyChange puts what was just written in force at once.
func (s *Service) applyChange() {
	if s.ForgetAccess != nil {
		s.ForgetAccess()
	}
}

// findAgent returns the full id of an agent. It fails with AGENT_NOT_FOUND.
func (s *Service) findAgent(ctx context.Context, id string) (parley.AgentRef, error) {
	if s.member != nil {
		ref := s.member.Account.AgentRef(parley.AgentID(id))
		return ref, s.DB.CheckAgent(ctx, ref, s.Now())
	}
	account, err := s.DB.OwnerOfAgent(ctx, parley.AgentID(id))
	store.SetAuditAccount(ctx, account)
	return account.AgentRef(parley.AgentID(id)), err
}

// actingFor returns the service as a member of an account uses it: it reaches that account alone, and what it changes
// is recorded as theirs.
func (s *Service) actingFor(m *parley.Member) *Service {
	acting, accounts, users := *s, *s.Accounts, *s.Users
	acting.member = m
	accounts.Actor, accounts.KeepOwners = acting.actor(), !access.May(m.Role, parley.PermissionOwnersManage)
	accounts.KeepGrants, accounts.KeepWaysIn, accounts.HasUsedSSO = true, true, m.HasUsedSSO
	accounts.HasUsedPasskey = m.HasUsedPasskey
	users.Accounts = &accounts
	acting.Accounts, acting.Users = &accounts, &users
	return &acting
}

// actor returns who acts, for the audit chain.
func (s *Service) actor() string {
	if s.member == nil {
		return "operator"
	}
	return "user:" + string(s.member.User)
}

// author returns who acts, for conversations and tickets, which name members by their ids.
func (s *Service) author() string {
	if s.member == nil {
		return "operator"
	}
	return string(s.member.User)
}

// ownAccount returns the account that a member is limited to; empty for the operator.
func (s *Service) ownAccount() parley.AccountID {
	if s.member == nil {
		return ""
	}
	return s.member.Account
}

// checkAccount fails with ACCOUNT_NOT_FOUND for a member who names another account than their own, whether it exists or
// not. Whether the operator's exists is for the caller to find out.
func (s *Service) checkAccount(id parley.AccountID) error {
	if s.member != nil && id != s.member.Account {
		return parley.NewError(parley.CodeAccountNotFound)
	}
	return nil
}

// limitAccount returns the account that a list is limited to: the one that is named, else the member's own. Empty is no
// limit. It fails as checkAccount does.
func (s *Service) limitAccount(id parley.AccountID) (parley.AccountID, error) {
	if id == "" {
		return s.ownAccount(), nil
	}
	return id, s.checkAccount(id)
}

// change is what the audit chain of an account holds of a change.
type change struct {
	action  string
	subject string
	details map[string]any
}

// newEntry returns an entry of the audit chain for what the member changes, or the operator in an account that is still
// to be found.
func (s *Service) newEntry(describe func(createdID string) change, awaitsID bool) *store.AuditEntry {
	return &store.AuditEntry{
		Account:  s.ownAccount(),
		Actor:    s.actor(),
		At:       s.Now(),
		AwaitsID: awaitsID,
		Describe: func(createdID string) (string, string, map[string]any) {
			c := describe(createdID)
			return c.action, c.subject, c.details
		},
	}
}

// appendEntry writes an entry by itself: of a change that is no transaction, or of what was so already. It runs even if
// the client is gone.
func (s *Service) appendEntry(ctx context.Context, entry *store.AuditEntry) error {
	if entry.Account == "" { // what was done concerns no account
		return nil
	}
	ctx = store.WithAuditEntry(context.WithoutCancel(ctx), nil)
	return s.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error { return entry.Append(ctx, tx, "") })
}
