package chat

// IsStoredAnew is isStoredAnew.
func IsStoredAnew(size, stored int) bool { return isStoredAnew(size, stored) }

// WaitingTurns counts the turns that wait for another one of their conversation.
func (e *Engine) WaitingTurns() (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, queue := range e.queues {
		n += len(queue)
	}
	return n
}

// HasOutcomes reports whether so many live turns have left their outcome to their first transaction.
func (e *Engine) HasOutcomes(count int) bool {
	for _, t := range e.listLiveTurns() {
		t.mu.Lock()
		if t.outcome != nil {
			count--
		}
		t.mu.Unlock()
	}
	return count <= 0
}
