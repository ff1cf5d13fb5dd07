// Package search finds conversations by words and by facets (docs/interface/search.md): the rules of a query, the index
// of words behind SQLite and PostgreSQL, its feeding from the events of the accounts, the ranking, the pages and the
// snippets.
//
// token.go splits texts into words, in the same way on both databases. A conversation is found when each word of the
// query is in one of its messages or in its title. The index is two tables (index.go): the distinct words of each
// conversation with its facets, in which candidates are found, and the words of each message, from which they are
// ranked. What the tables hold besides, and how it is written, is in docs.go, conversation.go and batch.go; indexer.go
// follows the event log, build.go rebuilds the index.
package search

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/internal/httpapi"
	"parley/internal/store"
)

// Finder answers searches.
type Finder struct {
	DB            *store.DB
	Cursors       httpapi.Cursors
	Now           func() time.Time
	Allow         func(account parley.AccountID) error // counts a search of the account, or refuses it; nil counts nothing
	Timeout       time.Duration                        // the longest that a search may take; 0 is 2 s
	MaxConcurrent int                                  // searches that run at a time; 0 is 8

	once  sync.Once
	slots chan struct{}
}

const (
	defaultTimeout       = 2 * time.Second
	defaultMaxConcurrent = 8
	busyRetryAfter       = time.Second
)

// Page is a page of results.
type Page struct {
	Hits   []Hit
	Cursor *string // of the next page; nil on the last one
}

// Hit is a conversation that was found.
type Hit struct {
	parley.Conversation
	Snippet *Snippet // nil without a query, and where only the title matched
}

// Find searches the conversations of an agent, of all origins. It may give fewer than asked for, even none, while more
// are to come: a conversation that was deleted since its page was fixed is left out.
//
// Fails with VALIDATION_INVALID_BODY, VALIDATION_SEARCH_WINDOW_EXCEEDED, VALIDATION_INVALID_DATE_RANGE, with
// CONVERSATION_SEARCH_UNAVAILABLE for words in an account under HIPAA or of an agent that redacts, with
// RATE_LIMIT_TOO_MANY_REQUESTS, with VALIDATION_INVALID_CURSOR and VALIDATION_CURSOR_QUERY_MISMATCH, and with
// CONVERSATION_SEARCH_BUSY when it takes too long or too many run.
func (f *Finder) Find(ctx context.Context, account *parley.Account, agent *parley.Agent, q Query) (*Page, error) {
	q.Text = strings.TrimSpace(q.Text) // blanks ask for nothing
	p, err := q.compile(f.Now())
	if err != nil {
		return nil, err
	}
	if q.Text != "" && (account.HIPAA || agent.Redact) {
		return nil, parley.NewError(parley.CodeSearchUnavailable)
	}
	if f.Allow != nil {
		if err := f.Allow(account.ID); err != nil {
			return nil, err
		}
	}
	s := &searchRun{Finder: f, plan: p, index: newIndex(f.DB.SQL()), account: account.ID, agent: agent.ID,
		fingerprint: q.fingerprint(account.ID.AgentRef(agent.ID))}
	at, err := s.openCursor(q.Cursor)
	if err != nil {
		return nil, err
	}
	return f.runLimited(ctx, func(ctx context.Context) (*Page, error) { return s.page(ctx, at) })
}

// runLimited runs a search when there is a free slot, within the budget.
func (f *Finder) runLimited(ctx context.Context, run func(context.Context) (*Page, error)) (*Page, error) {
	f.once.Do(func() { f.slots = make(chan struct{}, cmp.Or(f.MaxConcurrent, defaultMaxConcurrent)) })
	within, cancel := context.WithTimeout(ctx, cmp.Or(f.Timeout, defaultTimeout))
	defer cancel()
	select {
	case f.slots <- struct{}{}:
		defer func() { <-f.slots }()
	case <-within.Done():
		return nil, busyError(ctx, within.Err())
	}
	page, err := run(within)
	if err != nil && within.Err() != nil {
		return nil, busyError(ctx, err)
	}
	return page, err
}

// busyError is the error of a search that ran out of time; a caller who has gone gets the error of its context.
func busyError(caller context.Context, cause error) error {
	if caller.Err() != nil {
		return errors.Join(caller.Err(), cause)
	}
	e := parley.WrapError(parley.CodeSearchBusy, cause)
	e.RetryAfter = busyRetryAfter
	return e
}

// searchRun is one search on its way.
type searchRun struct {
	*Finder
	plan        *queryPlan
	index       Index
	account     parley.AccountID
	agent       parley.AgentID
	fingerprint string // fingerprint
}

func (s *searchRun) page(ctx context.Context, at *cursorPosition) (*Page, error) {
	switch {
	case at != nil && at.kind == cursorSnapshot:
		return s.snapshotPage(ctx, at)
	case at != nil && at.kind == cursorTail:
		return s.tailPage(ctx, at)
	case s.plan.text == "":
		return s.listPage(ctx, at)
	default:
		return s.rankPage(ctx)
	}
}
