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
	"slices"
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
	return f.runLimited(ctx, func(ctx context.Context) (*Page, error) {
		page, err := s.page(ctx, at)
		if err != nil || !q.asksForCustomers() {
			return page, err
		}
		return page, f.addCustomers(ctx, page, account.ID, []parley.AgentID{agent.ID}, q.Text)
	})
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

// AgentsPage is a page of what a search of all agents has found.
type AgentsPage struct {
	Page
	Withheld int // agents whose words are not searched: they mask personal data
}

// agentsRun is a search of several agents on its way. The search of no agent in it, which is that of all, seals the
// cursors and keeps the ranking.
type agentsRun struct {
	searchRun
	each []*searchRun // one of each agent
}

// foundDoc is a conversation with the search that has found it.
type foundDoc struct {
	rankedDoc
	by *searchRun
}

// FindAll is Find of all agents of an account: with words the best first, else the last active. Of many that hold the
// words the best maxRanked are found. Words are not looked for in agents that redact; where these are all, or the
// account is under HIPAA, it fails with CONVERSATION_SEARCH_UNAVAILABLE. Fails as Find does.
func (f *Finder) FindAll(ctx context.Context, account *parley.Account, q Query) (*AgentsPage, error) {
	q.Text = strings.TrimSpace(q.Text)
	p, err := q.compile(f.Now())
	if err != nil {
		return nil, err
	}
	if q.Text != "" && account.HIPAA {
		return nil, parley.NewError(parley.CodeSearchUnavailable)
	}
	if f.Allow != nil {
		if err := f.Allow(account.ID); err != nil {
			return nil, err
		}
	}
	a := &agentsRun{searchRun: searchRun{Finder: f, plan: p, index: newIndex(f.DB.SQL()), account: account.ID,
		fingerprint: q.fingerprint(account.ID.AgentRef(""))}}
	at, err := a.openCursor(q.Cursor)
	if err != nil {
		return nil, err
	}
	withheld, err := a.addAgents(ctx)
	if err != nil {
		return nil, err
	}
	page, err := f.runLimited(ctx, func(ctx context.Context) (*Page, error) {
		page, err := a.page(ctx, at)
		if err != nil || !q.asksForCustomers() {
			return page, err
		}
		return page, f.addCustomers(ctx, page, account.ID, a.agents(), q.Text)
	})
	if err != nil {
		return nil, err
	}
	return &AgentsPage{*page, withheld}, nil
}

// agents returns the agents that are searched.
func (a *agentsRun) agents() (list []parley.AgentID) {
	for _, one := range a.each {
		list = append(list, one.agent)
	}
	return list
}

// addAgents adds a search of each agent, and returns how many are left out.
func (a *agentsRun) addAgents(ctx context.Context) (withheld int, err error) {
	agents, err := a.DB.AgentRedactions(ctx, a.account)
	if err != nil {
		return 0, err
	}
	for _, agent := range agents {
		if a.plan.text != "" && agent.Redacts {
			withheld++
			continue
		}
		one := a.searchRun
		one.agent = agent.ID
		a.each = append(a.each, &one)
	}
	if withheld > 0 && len(a.each) == 0 {
		return withheld, parley.NewError(parley.CodeSearchUnavailable)
	}
	return withheld, nil
}

func (a *agentsRun) page(ctx context.Context, at *cursorPosition) (*Page, error) {
	switch {
	case at != nil && at.kind == cursorSnapshot:
		return a.snapshotPage(ctx, at)
	case a.plan.text == "":
		return a.listPage(ctx, at)
	}
	return a.rankPage(ctx)
}

// listPage finds conversations without words: the latest active first. A place in the list is one in each agent's.
func (a *agentsRun) listPage(ctx context.Context, at *cursorPosition) (*Page, error) {
	var found []foundDoc
	for _, s := range a.each {
		docs, err := s.listDocs(ctx, at)
		if err != nil {
			return nil, err
		}
		for _, d := range docs {
			found = append(found, foundDoc{rankedDoc{doc: d}, s})
		}
	}
	slices.SortFunc(found, func(x, y foundDoc) int { return compareActivity(x.doc, y.doc) })
	hasMore := len(found) > a.plan.limit
	found = found[:min(len(found), a.plan.limit)]
	page, err := a.load(ctx, found)
	if err == nil && hasMore {
		last := found[len(found)-1]
		page.Cursor = a.sealCursor(cursorPosition{cursorList, last.active, string(last.id)})
	}
	return page, err
}

// agentsSnapshot is the ranking of a search of all agents that has several pages.
type agentsSnapshot struct {
	Agents []rankedAgent `json:"agents"`
	Ranked [][2]int64    `json:"ranked"` // places of agents, and numbers of conversations; the best first
}

// rankedAgent is an agent with the partition in which its conversations were found.
type rankedAgent struct {
	ID        parley.AgentID `json:"id"`
	Partition string         `json:"partition"`
}

// rankPage finds the first page of a search for words, and fixes those that follow.
func (a *agentsRun) rankPage(ctx context.Context) (*Page, error) {
	var found []foundDoc
	w, places := &agentsSnapshot{}, map[*searchRun]int64{}
	for _, s := range a.each {
		on, list, _, err := s.rankAgent(ctx)
		if err != nil {
			return nil, err
		}
		if len(list) == 0 {
			continue
		}
		places[s] = int64(len(w.Agents))
		w.Agents = append(w.Agents, rankedAgent{s.agent, on.id()})
		for i := range list {
			found = append(found, foundDoc{list[i], s})
		}
	}
	slices.SortFunc(found, func(x, y foundDoc) int {
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(y.active, x.active), cmp.Compare(x.by.agent, y.by.agent),
			cmp.Compare(y.number, x.number))
	})
	found = found[:min(len(found), maxRanked)]
	for i := range found {
		w.Ranked = append(w.Ranked, [2]int64{places[found[i].by], found[i].number})
	}
	limit := min(a.plan.limit, len(found))
	page, err := a.load(ctx, found[:limit])
	if err != nil || limit == len(found) {
		return page, err
	}
	id, err := a.storeSnapshot(ctx, w)
	page.Cursor = a.sealCursor(cursorPosition{cursorSnapshot, int64(limit), id})
	return page, err
}

// snapshotPage returns a page of a ranking.
func (a *agentsRun) snapshotPage(ctx context.Context, at *cursorPosition) (*Page, error) {
	w := &agentsSnapshot{}
	if err := a.loadSnapshot(ctx, at.id, w); err != nil {
		return nil, err
	}
	if at.value < 0 || at.value > int64(len(w.Ranked)) {
		return nil, parley.NewError(parley.CodeInvalidCursor)
	}
	ranked := w.Ranked[at.value:]
	ranked = ranked[:min(len(ranked), a.plan.limit)]
	found, err := a.findRanked(ctx, w.Agents, ranked)
	if err != nil {
		return nil, err
	}
	page, err := a.load(ctx, found)
	if next := at.value + int64(len(ranked)); err == nil && next < int64(len(w.Ranked)) {
		page.Cursor = a.sealCursor(cursorPosition{cursorSnapshot, next, at.id})
	}
	return page, err
}

// findRanked finds conversations of a ranking in their order. Those of agents that are gone are left out.
func (a *agentsRun) findRanked(ctx context.Context, agents []rankedAgent, ranked [][2]int64) ([]foundDoc, error) {
	known := map[[2]int64]foundDoc{}
	for i, agent := range agents {
		var numbers []int64
		for _, place := range ranked {
			if place[0] == int64(i) {
				numbers = append(numbers, place[1])
			}
		}
		at := slices.IndexFunc(a.each, func(s *searchRun) bool { return s.agent == agent.ID })
		if len(numbers) == 0 || at < 0 {
			continue
		}
		docs, err := a.each[at].loadNumbers(ctx, agent.Partition, numbers)
		if err != nil {
			return nil, err
		}
		for number, d := range docs {
			known[[2]int64{int64(i), number}] = foundDoc{rankedDoc{doc: *d}, a.each[at]}
		}
	}
	var found []foundDoc
	for _, place := range ranked {
		if one, ok := known[place]; ok {
			found = append(found, one)
		}
	}
	return found, nil
}

// loadNumbers reads conversations of a partition by their numbers; none where the partition is gone.
func (s *searchRun) loadNumbers(ctx context.Context, partition string, numbers []int64) (map[int64]*doc, error) {
	on, err := s.loadPartition(ctx, partition)
	if parley.IsCode(err, parley.CodeInvalidCursor) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s.askForTokensOf(on)
	return loadDocs(ctx, s.DB.SQL(), on.number, numbers)
}

// load makes results of conversations in their order, those of each agent at once.
func (a *agentsRun) load(ctx context.Context, found []foundDoc) (*Page, error) {
	hits := map[parley.ConversationID]Hit{}
	for _, s := range a.each {
		var own []rankedDoc
		for i := range found {
			if found[i].by == s {
				own = append(own, found[i].rankedDoc)
			}
		}
		list, err := s.loadFound(ctx, own)
		if err != nil {
			return nil, err
		}
		for _, h := range list {
			hits[h.ID] = h
		}
	}
	page := &Page{}
	for i := range found {
		if h, ok := hits[found[i].id]; ok {
			page.Hits = append(page.Hits, h)
		}
	}
	return page, nil
}

// loadFound makes results of an agent's conversations, with snippets where words are looked for.
func (s *searchRun) loadFound(ctx context.Context, list []rankedDoc) ([]Hit, error) {
	if len(list) == 0 {
		return nil, nil
	}
	if s.plan.text != "" {
		page, err := s.buildPage(ctx, list)
		if err != nil {
			return nil, err
		}
		return page.Hits, nil
	}
	docs := make([]doc, len(list))
	for i := range list {
		docs[i] = list[i].doc
	}
	return s.loadHits(ctx, docs)
}
