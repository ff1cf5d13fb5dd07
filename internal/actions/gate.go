package actions

import (
	"context"
	"sync"

	"parley"
)

// conversationLocks lets one at a time into each conversation.
type conversationLocks struct {
	mu     sync.Mutex
	locked map[parley.ConversationID]chan struct{} // closed when whoever is in leaves
}

// lock waits until the conversation is free. Fails when ctx ends first.
func (g *conversationLocks) lock(ctx context.Context, id parley.ConversationID) error {
	for {
		g.mu.Lock()
		taken, ok := g.locked[id]
		if !ok {
			if g.locked == nil {
				g.locked = map[parley.ConversationID]chan struct{}{}
			}
			g.locked[id] = make(chan struct{})
			g.mu.Unlock()
			return nil
		}
		g.mu.Unlock()
		select {
		case <-taken:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (g *conversationLocks) unlock(id parley.ConversationID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.locked[id])
	delete(g.locked, id)
}
