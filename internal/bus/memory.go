package bus

import (
	"context"
	"sync"
)

// Memory is an engine for several servers in one process.
type Memory struct {
	mu      sync.Mutex
	members map[*func(string)]bool
}

// Listen receives what is published until ctx is done.
func (m *Memory) Listen(ctx context.Context, ready func(), received func(message string)) error {
	m.mu.Lock()
	if m.members == nil {
		m.members = map[*func(string)]bool{}
	}
	m.members[&received] = true
	m.mu.Unlock()
	ready()
	<-ctx.Done()
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.members, &received)
	return nil
}

// Publish hands a message to all that listen. It never fails.
func (m *Memory) Publish(_ context.Context, message string) error {
	m.mu.Lock()
	list := make([]func(string), 0, len(m.members))
	for received := range m.members {
		list = append(list, *received)
	}
	m.mu.Unlock()
	for _, received := range list {
		received(message)
	}
	return nil
}

// Close does nothing: other servers may use the engine.
func (m *Memory) Close() {}
