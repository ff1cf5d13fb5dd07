package chat

// WaitingTurns counts the turns that wait for another one of their conversation.
func (e *Engine) WaitingTurns() (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, queue := range e.queues {
		n += len(queue)
	}
	return n
}
