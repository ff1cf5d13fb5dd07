package actions

import (
	"container/list"
	"sync"

	"parley"
	"parley/internal/chat"
)

// maxKept is how many agents' tools are kept ready.
const maxKept = 512

// cache keeps the tools of the agents that were used last. A change of an agent gives it a new version, so nothing stale is
// found.
type cache struct {
	mu    sync.Mutex
	order list.List // of *shelf, the last used first
	at    map[parley.AgentID]*list.Element
}

type shelf struct {
	agent   parley.AgentID
	version int64
	tools   []chat.Tool
}

func (c *cache) find(agent parley.AgentID, version int64) ([]chat.Tool, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.at[agent]
	if !ok || e.Value.(*shelf).version != version {
		return nil, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*shelf).tools, true
}

func (c *cache) keep(agent parley.AgentID, version int64, tools []chat.Tool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at == nil {
		c.at = map[parley.AgentID]*list.Element{}
	}
	if e, ok := c.at[agent]; ok {
		c.order.Remove(e)
	}
	c.at[agent] = c.order.PushFront(&shelf{agent, version, tools})
	if c.order.Len() > maxKept {
		last := c.order.Remove(c.order.Back()).(*shelf)
		delete(c.at, last.agent)
	}
}
