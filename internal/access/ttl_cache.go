package access

import (
	"sync"
	"time"
)

const (
	cacheTTL      = 500 * time.Millisecond // how long a change by another server may stay unseen
	maxCacheItems = 4096
)

// ttlCache caches results of the database for half a second. Its zero value is ready to use.
type ttlCache[T any] struct {
	mu     sync.RWMutex
	items  map[string]cacheItem[T]
	clears int // counts calls of clear: a result that was read before one is not stored after it
}

type cacheItem[T any] struct {
	value     T
	expiresAt time.Time
}

func (m *ttlCache[T]) get(key string, now time.Time) (value T, ok bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	k, ok := m.items[key]
	if !ok || !now.Before(k.expiresAt) {
		return value, false
	}
	return k.value, true
}

func (m *ttlCache[T]) generation() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.clears
}

// put stores a result that was requested at askedAt, in that generation.
func (m *ttlCache[T]) put(key string, value T, askedAt time.Time, generation int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if generation != m.clears {
		return
	}
	if m.items == nil || len(m.items) >= maxCacheItems {
		m.items = map[string]cacheItem[T]{}
	}
	m.items[key] = cacheItem[T]{value, askedAt.Add(cacheTTL)}
}

func (m *ttlCache[T]) clear() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.items = nil
	m.clears++
}
