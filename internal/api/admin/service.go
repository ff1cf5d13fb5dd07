// Package admin is the operator's API: accounts, keys, members, webhooks, and the agents of all accounts with what they
// hold. A server serves it on a unix socket in its data directory; where no server runs, a command runs the same
// operations on the opened database. routes.go lists them; their rows are in the files routes*.go.
package admin

import (
	"context"
	"time"

	"parley"
	"parley/internal/access"
	"parley/internal/chat"
	"parley/internal/helpdesk"
	"parley/internal/httpapi"
	"parley/internal/insight"
	"parley/internal/manifest"
	"parley/internal/retrieval"
	"parley/internal/search"
	"parley/internal/store"
	"parley/internal/synonym"
	"parley/internal/voice"
	"parley/internal/webhook"
)

// Service is what the operations work on.
type Service struct {
	DB             *store.DB
	Indexes        *retrieval.Indexes
	Accounts       *access.Accounts
	Conversations  *chat.Conversations
	Indexer        *search.Indexer
	Insight        *insight.Service
	Helpdesk       *helpdesk.Service
	Manifests      *manifest.Service
	Synonyms       *synonym.Service
	Webhooks       *webhook.Service
	Voice          *voice.Sessions
	VoiceStats     *voice.Stats        // nil if there are no voice sessions
	Questions      *chat.QueryEmbedder // nil if sources are searched by words alone
	Reranker       *chat.QueryReranker // nil leaves passages in the order of the search
	ReadFilePart   FilePartReader      // nil if no files are read
	Now            func() time.Time
	ForgetAccess   func()        // called after a change, so that it is in force at once; may be nil
	SetMaintenance func(on bool) // called when maintenance begins or ends; may be nil
	Close          func() error  // closes what Client.Open opened

	// OnUndeclaredCode is told of a failure whose code its operation does not declare. Nil logs it.
	OnUndeclaredCode func(op *httpapi.Operation, code parley.Code)
}

// operatorName is the actor of everything that is done through this API.
const operatorName = "operator"

// applyChange puts what was just written in force at once.
func (s *Service) applyChange() {
	if s.ForgetAccess != nil {
		s.ForgetAccess()
	}
}

// findAgent returns the full id of an agent. It fails with AGENT_NOT_FOUND.
func (s *Service) findAgent(ctx context.Context, id string) (parley.AgentRef, error) {
	account, err := s.DB.OwnerOfAgent(ctx, parley.AgentID(id))
	return account.AgentRef(parley.AgentID(id)), err
}
