package retrieval

import "parley"

// VectorRows returns how many rows of vectors the agent's index holds, those of removed passages among them.
func (ix *Indexes) VectorRows(agent parley.AgentID) int {
	index, _ := ix.agentIndex(agent, ix.VectorModel).current()
	index.mu.RLock()
	defer index.mu.RUnlock()
	return len(index.docs)
}

// AgentCount tells of how many agents something is kept.
func (ix *Indexes) AgentCount() int {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return len(ix.entries)
}
