package retrieval

import "parley"

// Rows tells how many passages the agent's index has room for, those forgotten among them.
func (l *Library) Rows(agent parley.AgentID) int {
	index, _ := l.volume(agent).current()
	index.mu.RLock()
	defer index.mu.RUnlock()
	return len(index.docs)
}

// Volumes tells of how many agents something is kept.
func (l *Library) Volumes() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.shelf)
}
