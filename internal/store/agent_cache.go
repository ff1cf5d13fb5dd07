package store

import (
	"context"
	"slices"
	"sync"
	"time"

	"parley"
	"parley/internal/sqldb"
)

const (
	maxCachedAgents = 4096
	// On PostgreSQL another server may have changed an agent, which is noticed after so long. On SQLite every change is
	// made by this process.
	maxAgentAge = 500 * time.Millisecond
)

// agentCache holds the agents that turns have asked for lately. While a transaction of this process changes an agent,
// the cache does not hold it: whoever has seen what was committed finds the agent as it is since.
type agentCache struct {
	mu       sync.Mutex
	changes  int64                   // so far
	changing map[parley.AgentRef]int // transactions that are changing the agent
	agents   map[parley.AgentRef]cachedAgent
}

type cachedAgent struct {
	agent *parley.Agent
	at    time.Time
}

// find returns an agent that is not older than maxAge, where that is not 0.
func (c *agentCache) find(ref parley.AgentRef, now time.Time, maxAge time.Duration) (_ *parley.Agent, changes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.agents[ref]
	if ok && maxAge > 0 && now.Sub(found.at).Abs() > maxAge {
		return nil, c.changes
	}
	return found.agent, c.changes
}

// add keeps an agent that was read after so many changes. If there has been another one since, it may be outdated.
func (c *agentCache) add(a *parley.Agent, now time.Time, changes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changes != changes || c.changing[a.Ref()] > 0 {
		return
	}
	if c.agents == nil || len(c.agents) >= maxCachedAgents {
		c.agents = map[parley.AgentRef]cachedAgent{}
	}
	c.agents[a.Ref()] = cachedAgent{a, now}
}

// beginChange removes an agent and keeps it out until the change has ended.
func (c *agentCache) beginChange(ref parley.AgentRef) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changing == nil {
		c.changing = map[parley.AgentRef]int{}
	}
	c.changing[ref]++
	c.changes++
	delete(c.agents, ref)
}

func (c *agentCache) endChange(ref parley.AgentRef) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes++
	if c.changing[ref]--; c.changing[ref] == 0 {
		delete(c.changing, ref)
	}
}

// agentChanges are the agents that a transaction changes.
type agentChanges struct {
	cache *agentCache
	refs  []parley.AgentRef
}

// end is called once the transaction is committed, or is not going to be.
func (a *agentChanges) end() {
	for _, ref := range a.refs {
		a.cache.endChange(ref)
	}
}

// forgetAgent has turns read the agent's record again once the transaction is committed. Each statement that changes
// more of it than the time of its last message is followed by it, in the same transaction.
func (db *DB) forgetAgent(ref parley.AgentRef) {
	if db.changes == nil { // the statement was a transaction of its own
		db.agents.beginChange(ref)
		db.agents.endChange(ref)
		return
	}
	if !slices.Contains(db.changes.refs, ref) {
		db.agents.beginChange(ref)
		db.changes.refs = append(db.changes.refs, ref)
	}
}

// AgentForTurn is Agent with only the fields that a turn needs, for the one path where every microsecond counts. The
// agent may be shared: it must not be changed.
func (db *DB) AgentForTurn(ctx context.Context, ref parley.AgentRef, now time.Time) (*parley.Agent, error) {
	maxAge := time.Duration(0)
	if db.sql.Dialect() == sqldb.Postgres {
		maxAge = maxAgentAge
	}
	a, changes := db.agents.find(ref, now, maxAge)
	if a != nil {
		return a, nil
	}
	a, err := db.readAgentForTurn(ctx, ref)
	if err != nil {
		return nil, err
	}
	db.agents.add(a, now, changes)
	return a, nil
}
