package chat

// Busy reports that this server is making an answer right now: what can wait lets it go first.
func (e *Engine) Busy() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.liveTurns) > 0
}
