// Package admin is the operator's face: accounts, keys, members and traces, from the command line to the store. A server
// answers it on a socket in its data directory; without a server the same verbs run on the opened store.
package admin

import (
	"time"

	"parley/internal/access"
	"parley/internal/agents"
	"parley/internal/chat"
	"parley/internal/helpdesk"
	"parley/internal/insight"
	"parley/internal/retrieval"
	"parley/internal/search"
	"parley/internal/store"
	"parley/internal/voice"
	"parley/internal/webhook"
)

// Desk is what the verbs work on.
type Desk struct {
	DB        *store.DB
	Library   *retrieval.Library
	Office    *access.Office
	Clerk     *chat.Clerk
	Indexer   *search.Indexer
	Insight   *insight.Keeper
	Helpdesk  *helpdesk.Desk
	Manifests *agents.Manifests
	Webhooks  *webhook.Desk
	Voice     *voice.Desk
	Meter     *voice.Meter    // of the talks; nil where there are none
	Questions *chat.Questions // nil where sources are searched by words alone
	FilePart  FilePart        // nil where no files are read
	Now       func() time.Time
	Forget    func()        // called after a change, so that it is in force at once; may be nil
	Shut      func(on bool) // called when maintenance begins or ends; may be nil
	Close     func() error  // gives back what Reach.Open opened
}

// changed makes what was just written count from now on.
func (d *Desk) changed() {
	if d.Forget != nil {
		d.Forget()
	}
}
