package actions

import (
	"context"
	"sync"

	"parley"
)

// gate lets one at a time into each conversation.
type gate struct {
	mu   sync.Mutex
	busy map[parley.ConversationID]chan struct{} // closed when whoever is in leaves
}

// enter waits until the conversation is free. Fails when ctx ends first.
func (g *gate) enter(ctx context.Context, id parley.ConversationID) error {
	for {
		g.mu.Lock()
		taken, ok := g.busy[id]
		if !ok {
			if g.busy == nil {
				g.busy = map[parley.ConversationID]chan struct{}{}
			}
			g.busy[id] = make(chan struct{})
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

func (g *gate) leave(id parley.ConversationID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.busy[id])
	delete(g.busy, id)
}
