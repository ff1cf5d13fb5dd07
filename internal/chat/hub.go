package chat

import (
	"sync"
	"time"

	"parley"
)

// Hub wakes those who follow a conversation once something was written to it on this server. The zero value is ready.
type Hub struct {
	Most int // followers of one account; 0 means 1,000

	mu      sync.Mutex
	follows map[parley.ConversationID]map[*Follower]bool
	counts  map[parley.AccountID]int
	closed  bool
}

// Wake has the followers of a conversation look. It never waits for them.
func (h *Hub) Wake(id parley.ConversationID) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for f := range h.follows[id] {
		f.ring()
	}
}

// Close ends all following, and lets nobody follow any more: the server is stopping.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	h.closed = true
	for _, followers := range h.follows {
		for f := range followers {
			close(f.over)
		}
	}
}

func (h *Hub) join(f *Follower) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		fail := parley.Fail(parley.CodeUnderMaintenance)
		fail.RetryAfter = 5 * time.Second
		return fail
	}
	if most := orDefault(h.Most, 1000); h.counts[f.account] >= most {
		fail := parley.Failf(parley.CodeTooManyRequests, "Too many conversations of this account are being followed.")
		fail.RetryAfter, fail.Limit = 5*time.Second, most
		return fail
	}
	if h.follows == nil {
		h.follows, h.counts = map[parley.ConversationID]map[*Follower]bool{}, map[parley.AccountID]int{}
	}
	if h.follows[f.conversation] == nil {
		h.follows[f.conversation] = map[*Follower]bool{}
	}
	h.follows[f.conversation][f] = true
	h.counts[f.account]++
	return nil
}

func (h *Hub) leave(f *Follower) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.follows[f.conversation][f] {
		return
	}
	if delete(h.follows[f.conversation], f); len(h.follows[f.conversation]) == 0 {
		delete(h.follows, f.conversation)
	}
	if h.counts[f.account]--; h.counts[f.account] == 0 {
		delete(h.counts, f.account)
	}
}
