package chat

import (
	"sync"
	"time"

	"parley"
)

// Hub wakes those who follow a conversation once something was written to it on this server. The zero value is ready.
type Hub struct {
	MaxFollowers int // followers of one account; 0 means 1,000

	mu        sync.Mutex
	followers map[parley.ConversationID]map[*Follower]bool
	counts    map[parley.AccountID]int
	closed    bool
}

// Wake has the followers of a conversation look. It never waits for them.
func (h *Hub) Wake(id parley.ConversationID) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for f := range h.followers[id] {
		f.notify()
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
	for _, followers := range h.followers {
		for f := range followers {
			close(f.stopped)
		}
	}
}

func (h *Hub) add(f *Follower) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		fail := parley.NewError(parley.CodeUnderMaintenance)
		fail.RetryAfter = 5 * time.Second
		return fail
	}
	if most := orDefault(h.MaxFollowers, 1000); h.counts[f.account] >= most {
		fail := parley.NewErrorf(parley.CodeTooManyRequests, "Too many conversations of this account are being followed.")
		fail.RetryAfter, fail.Limit = 5*time.Second, most
		return fail
	}
	if h.followers == nil {
		h.followers, h.counts = map[parley.ConversationID]map[*Follower]bool{}, map[parley.AccountID]int{}
	}
	if h.followers[f.conversation] == nil {
		h.followers[f.conversation] = map[*Follower]bool{}
	}
	h.followers[f.conversation][f] = true
	h.counts[f.account]++
	return nil
}

func (h *Hub) remove(f *Follower) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.followers[f.conversation][f] {
		return
	}
	if delete(h.followers[f.conversation], f); len(h.followers[f.conversation]) == 0 {
		delete(h.followers, f.conversation)
	}
	if h.counts[f.account]--; h.counts[f.account] == 0 {
		delete(h.counts, f.account)
	}
}
