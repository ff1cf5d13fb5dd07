package modelserver

import (
	"cmp"
	"context"
	"time"

	"parley"
	"parley/internal/bus"
	"parley/internal/chat"
	"parley/internal/model"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// accountServers are the servers of one account as they were at a revision. Once made it does not change.
type accountServers struct {
	revision string
	list     []*connection
	servers  []parley.ModelServer // of the connections
}

const (
	maxAccounts = 10_000 // whose servers are held in memory
	maxOwners   = 50_000 // agents whose accounts are held in memory

	refreshInterval = time.Second // between two looks for what was changed on other servers, if no bus tells
	refreshTimeout  = 5 * time.Second
)

// Backend returns what answers for an account's agents of a model name; false when there is no such name.
func (s *Service) Backend(ctx context.Context, account parley.AccountID, name string) (model.Backend, bool, error) {
	back, ok := s.Models.Lookup(name)
	if !ok {
		return back, false, nil
	}
	a, err := s.serversOf(ctx, account)
	if err != nil {
		return back, false, err
	}
	if c := a.connection(s.answering(a.servers, name)); c != nil {
		back = model.Backend{Model: c.model, Name: c.server.Model, Label: c.server.Model,
			Format: c.server.Format, Credits: model.ConnectedCredits(name),
			ContextTokens: cmp.Or(c.server.ContextTokens, model.DefaultContextTokens)}
	}
	return back, true, nil
}

// QueryEmbedder returns what embeds the questions to an account's agents; nil if it has no embedding server.
func (s *Service) QueryEmbedder(ctx context.Context, account parley.AccountID) (*chat.QueryEmbedder, error) {
	c, err := s.connectionOfKind(ctx, account, parley.ModelServerEmbedding)
	if c == nil {
		return nil, err
	}
	return c.queryEmbedder, nil
}

// QueryReranker returns what orders the passages for an account's agents; nil if it has no reranking server.
func (s *Service) QueryReranker(ctx context.Context, account parley.AccountID) (*chat.QueryReranker, error) {
	c, err := s.connectionOfKind(ctx, account, parley.ModelServerReranking)
	if c == nil {
		return nil, err
	}
	return c.queryReranker, nil
}

// Embedder returns what embeds the passages of an account, as it is this moment, whichever server has changed it; nil
// if it has no embedding server.
func (s *Service) Embedder(ctx context.Context, account parley.AccountID) (model.Embedder, error) {
	if err := s.Refresh(ctx); err != nil {
		return nil, err
	}
	c, err := s.connectionOfKind(ctx, account, parley.ModelServerEmbedding)
	if c == nil {
		return nil, err
	}
	return c.embedder, nil
}

// MayHaveServers reports whether any account has, or had, servers, as far as this server knows.
func (s *Service) MayHaveServers() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.isLoaded || s.revision != ""
}

// VectorModel returns whose vectors an agent's passages are searched by; empty for none.
func (s *Service) VectorModel(ctx context.Context, agent parley.AgentID) (string, error) {
	account, err := s.ownerOf(ctx, agent)
	if err != nil || account == "" {
		return "", err
	}
	c, err := s.connectionOfKind(ctx, account, parley.ModelServerEmbedding)
	if c == nil {
		return "", err
	}
	return c.embedder.Name(), nil
}

// ownerOf returns the account of an agent; empty where no account has servers, and for an agent that is gone.
func (s *Service) ownerOf(ctx context.Context, agent parley.AgentID) (parley.AccountID, error) {
	if hasServers, err := s.hasServers(ctx); err != nil || !hasServers {
		return "", err
	}
	s.mu.Lock()
	account, ok := s.owners[agent]
	s.mu.Unlock()
	if ok {
		return account, nil
	}
	account, err := s.DB.OwnerOfAgent(ctx, agent)
	if parley.IsCode(err, parley.CodeAgentNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.owners == nil || len(s.owners) >= maxOwners {
		s.owners = map[parley.AgentID]parley.AccountID{}
	}
	s.owners[agent] = account
	return account, nil
}

func (s *Service) connectionOfKind(ctx context.Context, account parley.AccountID,
	kind parley.ModelServerKind) (*connection, error) {
	a, err := s.serversOf(ctx, account)
	if err != nil || s.isFixed(kind) {
		return nil, err
	}
	for _, c := range a.list {
		if c.server.Kind == kind {
			return c, nil
		}
	}
	return nil, nil //nolint:nilnil // the account has none
}

// isFixed reports whether the operator's settings name the one server of a kind.
func (s *Service) isFixed(kind parley.ModelServerKind) bool {
	for _, f := range s.Fixed {
		if f.Kind == kind {
			return true
		}
	}
	return false
}

// serversOf returns the account's servers. While they cannot be read, they are those of the last time.
func (s *Service) serversOf(ctx context.Context, account parley.AccountID) (*accountServers, error) {
	if hasServers, err := s.hasServers(ctx); err != nil || !hasServers {
		return &accountServers{}, err
	}
	s.mu.Lock()
	before, revision := s.accounts[account], s.revision
	s.mu.Unlock()
	if before != nil && before.revision == revision {
		return before, nil
	}
	list, err := s.DB.ModelServers(ctx, account)
	switch {
	case err != nil && before != nil:
		return before, nil // other work reports that the database is not available
	case err != nil:
		return nil, err
	}
	a := s.connectAll(revision, list, before)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.accounts == nil || len(s.accounts) >= maxAccounts {
		s.accounts = map[parley.AccountID]*accountServers{}
	}
	s.accounts[account] = a
	return a, nil
}

// connectAll returns the servers of an account, with the connections that there are to those that have not changed.
func (s *Service) connectAll(revision string, list []parley.ModelServer, before *accountServers) *accountServers {
	a := &accountServers{revision: revision, servers: list}
	for i := range list {
		c := before.connection(&list[i])
		if c == nil || !c.server.UpdatedAt.Equal(list[i].UpdatedAt) {
			c = s.connect(list[i])
		}
		a.list = append(a.list, c)
	}
	return a
}

func (a *accountServers) connection(m *parley.ModelServer) *connection {
	if a == nil || m == nil {
		return nil
	}
	for _, c := range a.list {
		if c.server.ID == m.ID {
			return c
		}
	}
	return nil
}

// Run follows what other servers change, and writes how the servers of models do, until ctx is done.
func (s *Service) Run(ctx context.Context) error {
	tick := time.NewTicker(refreshInterval)
	defer tick.Stop()
	changed, unwatch := s.Bus.Watch(bus.Settings)
	defer unwatch()
	pace := bus.Pace{Bus: s.Bus, Interval: refreshInterval}
	for {
		select {
		case <-tick.C:
			if pace.IsDue() {
				_ = s.Follow(ctx) // other work reports that the database is not available
			}
			s.saveStates(ctx)
		case <-changed:
			_ = s.Follow(ctx)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), refreshTimeout)
			defer cancel()
			s.saveStates(last)
			return nil
		}
	}
}

// Follow has what other processes have changed read again. Of SQLite there is one process alone, which knows its own
// changes: nothing is asked there.
func (s *Service) Follow(ctx context.Context) error {
	s.mu.Lock()
	isLoaded := s.isLoaded
	s.mu.Unlock()
	if isLoaded && s.DB.SQL().Dialect() == sqldb.SQLite {
		return nil
	}
	return s.Refresh(ctx)
}

// Refresh has what has changed since the last time read again. While the database is not available, nothing changes.
func (s *Service) Refresh(ctx context.Context) error {
	s.refreshing.Lock()
	defer s.refreshing.Unlock()
	ctx, stop := context.WithTimeout(ctx, refreshTimeout)
	defer stop()
	revision, err := s.DB.ModelServerRevision(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.isLoaded, s.revision = true, revision
	return nil
}

// saveStates writes which servers of models have begun to work, or to fail.
func (s *Service) saveStates(ctx context.Context) {
	for _, c := range s.connections() {
		state, isChanged := c.health.takeChange()
		if !isChanged {
			continue
		}
		m := c.server
		m.State = state
		if err := s.saveState(ctx, sqldb.Bulk, &m); err != nil {
			c.health.restoreChange()
			return // other work reports that the database is not available
		}
	}
}

// saveState writes whether a server of models works, and tells it.
func (s *Service) saveState(ctx context.Context, lane sqldb.Lane, m *parley.ModelServer) error {
	return s.DB.Transact(ctx, lane, func(tx *store.DB) error {
		if err := tx.SaveModelServerState(ctx, m); err != nil {
			return err
		}
		return s.tell(ctx, tx, m, parley.EventModelServerState)
	})
}

func (s *Service) connections() (list []*connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.accounts {
		list = append(list, a.list...)
	}
	return list
}

// hasServers reports whether any account has, or had, servers.
func (s *Service) hasServers(ctx context.Context) (bool, error) {
	s.mu.Lock()
	isLoaded, revision := s.isLoaded, s.revision
	s.mu.Unlock()
	if isLoaded {
		return revision != "", nil
	}
	if err := s.Refresh(ctx); err != nil {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.revision != "", nil
}
