// Package admin is the operator's face: accounts, keys, members and traces, from the command line to the store. A server
// answers it on a socket in its data directory; without a server the same verbs run on the opened store.
package admin

import (
	"time"

	"parley/internal/access"
	"parley/internal/chat"
	"parley/internal/helpdesk"
	"parley/internal/insight"
	"parley/internal/manifest"
	"parley/internal/retrieval"
	"parley/internal/search"
	"parley/internal/store"
	"parley/internal/voice"
	"parley/internal/webhook"
)

// Service is what the verbs work on.
type Service struct {
	DB             *store.DB
	Indexes        *retrieval.Indexes
	Accounts       *access.Accounts
	Conversations  *chat.Conversations
	Indexer        *search.Indexer
	Insight        *insight.Service
	Helpdesk       *helpdesk.Service
	Manifests      *manifest.Service
	Webhooks       *webhook.Service
	Voice          *voice.Sessions
	VoiceStats     *voice.Stats        // of the talks; nil where there are none
	Questions      *chat.QueryEmbedder // nil where sources are searched by words alone
	ReadFilePart   FilePartReader      // nil where no files are read
	Now            func() time.Time
	ForgetAccess   func()        // called after a change, so that it is in force at once; may be nil
	SetMaintenance func(on bool) // called when maintenance begins or ends; may be nil
	Close          func() error  // gives back what Client.Open opened
}

// applyChange makes what was just written count from now on.
func (d *Service) applyChange() {
	if d.ForgetAccess != nil {
		d.ForgetAccess()
	}
}
