package retrieval

import "parley"

// VectorRows returns how many rows of vectors the agent's index holds, those of removed passages among them.
func (l *Indexes) VectorRows(agent parley.AgentID) int {
	index, _ := l.agentIndex(agent).current()
	index.mu.RLock()
	defer index.mu.RUnlock()
	return len(index.docs)
}

// AgentCount tells of how many agents something is kept.
func (l *Indexes) AgentCount() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.entries)
}
