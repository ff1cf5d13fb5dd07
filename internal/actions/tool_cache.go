package actions

import (
	"container/list"
	"sync"

	"parley"
	"parley/internal/chat"
)

// maxCachedAgents is how many agents' tools are cached.
const maxCachedAgents = 512

// agentCaches caches the tools of the agents that were used last. Each change of an agent increments its version, so no
// stale tools are found.
type agentCaches struct {
	mu      sync.Mutex
	order   list.List // of *toolCache, the last used first
	byAgent map[parley.AgentID]*list.Element
}

type toolCache struct {
	agent   parley.AgentID
	version int64
	tools   []chat.Tool
}

func (c *agentCaches) load(agent parley.AgentID, version int64) ([]chat.Tool, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byAgent[agent]
	if !ok || e.Value.(*toolCache).version != version {
		return nil, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*toolCache).tools, true
}

func (c *agentCaches) store(agent parley.AgentID, version int64, tools []chat.Tool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byAgent == nil {
		c.byAgent = map[parley.AgentID]*list.Element{}
	}
	if e, ok := c.byAgent[agent]; ok {
		c.order.Remove(e)
	}
	c.byAgent[agent] = c.order.PushFront(&toolCache{agent, version, tools})
	if c.order.Len() > maxCachedAgents {
		last := c.order.Remove(c.order.Back()).(*toolCache)
		delete(c.byAgent, last.agent)
	}
}
