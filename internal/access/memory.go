package access

import (
	"sync"
	"time"
)

const (
	memoryFor  = 500 * time.Millisecond // the longest that a change by another server stays unseen
	memorySize = 4096
)

// memory keeps answers of the database for half a second. Its zero value is ready.
type memory[T any] struct {
	mu    sync.RWMutex
	items map[string]kept[T]
	drops int // grows with forget: an answer read before it is not kept after it
}

type kept[T any] struct {
	value T
	until time.Time
}

func (m *memory[T]) get(key string, now time.Time) (value T, ok bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	k, ok := m.items[key]
	if !ok || !now.Before(k.until) {
		return value, false
	}
	return k.value, true
}

func (m *memory[T]) generation() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.drops
}

// put keeps an answer that was asked for at the time asked, in the generation of then.
func (m *memory[T]) put(key string, value T, asked time.Time, generation int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if generation != m.drops {
		return
	}
	if m.items == nil || len(m.items) >= memorySize {
		m.items = map[string]kept[T]{}
	}
	m.items[key] = kept[T]{value, asked.Add(memoryFor)}
}

func (m *memory[T]) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.items = nil
	m.drops++
}
