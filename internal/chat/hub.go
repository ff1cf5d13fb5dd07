package chat

import (
	"cmp"
	"context"
	"io"
	"sync"
	"time"

	"parley"
)

// Hub wakes the followers of a conversation when something is written to it on this server. The zero value is ready to
// use.
type Hub struct {
	MaxFollowers int // followers of one account; 0 means 1,000

	mu        sync.Mutex
	followers map[parley.ConversationID]map[*Follower]bool
	counts    map[parley.AccountID]int
	closed    bool
}

// Wake wakes the followers of a conversation. It never waits for them.
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

// Close stops all followers and refuses new ones: the server is stopping.
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
	if limit := cmp.Or(h.MaxFollowers, 1000); h.counts[f.ref.Account] >= limit {
		fail := parley.NewErrorf(parley.CodeTooManyRequests, "Too many conversations of this account are being followed.")
		fail.RetryAfter, fail.Limit = 5*time.Second, limit
		return fail
	}
	if h.followers == nil {
		h.followers, h.counts = map[parley.ConversationID]map[*Follower]bool{}, map[parley.AccountID]int{}
	}
	if h.followers[f.ref.Conversation] == nil {
		h.followers[f.ref.Conversation] = map[*Follower]bool{}
	}
	h.followers[f.ref.Conversation][f] = true
	h.counts[f.ref.Account]++
	return nil
}

func (h *Hub) remove(f *Follower) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.followers[f.ref.Conversation][f] {
		return
	}
	if delete(h.followers[f.ref.Conversation], f); len(h.followers[f.ref.Conversation]) == 0 {
		delete(h.followers, f.ref.Conversation)
	}
	if h.counts[f.ref.Account]--; h.counts[f.ref.Account] == 0 {
		delete(h.counts, f.ref.Account)
	}
}

// Update is news of a conversation: its status, or messages, oldest first.
type Update struct {
	Status   parley.ConversationStatus // empty for messages
	Messages []parley.Message
}

// Follower follows one conversation. It is not safe for concurrent use, and must be closed.
type Follower struct {
	conversations *Conversations
	ref           parley.ConversationRef
	lastSeq       int64                     // of the last message returned, or skipped
	lastStatus    parley.ConversationStatus // empty at first
	wake          chan struct{}             // buffers one signal
	stopped       chan struct{}             // closed when the server stops
}

// pollInterval is how often a follower checks what other servers have written.
const pollInterval = time.Second

// followBatchSize is the most messages of one Update.
const followBatchSize = 50

// Follow begins to follow a conversation: its status first, then its messages after the number, then whatever happens.
// Without a number only new messages are returned. Fails with RESOURCE_NOT_FOUND, or with RATE_LIMIT_TOO_MANY_REQUESTS
// when too many follow.
func (cs *Conversations) Follow(ctx context.Context, ref parley.ConversationRef, after *int64) (*Follower, error) {
	_, seq, err := cs.DB.StatusAndLastSeq(ctx, ref)
	if err != nil {
		return nil, err
	}
	if after != nil {
		seq = min(seq, *after)
	}
	f := &Follower{conversations: cs, ref: ref, lastSeq: seq, wake: make(chan struct{}, 1),
		stopped: make(chan struct{})}
	if err := cs.Hub.add(f); err != nil {
		return nil, err
	}
	return f, nil
}

// Close stops following.
func (f *Follower) Close() { f.conversations.Hub.remove(f) }

func (f *Follower) notify() {
	select {
	case f.wake <- struct{}{}:
	default: // it will check anyhow
	}
}

// Next waits for the next update. It fails with io.EOF after the end of the conversation, when the conversation is
// deleted and when the server stops, and with ctx's error when ctx ends first; nothing is lost then, and the next call
// goes on.
func (f *Follower) Next(ctx context.Context) (Update, error) {
	again := time.NewTicker(pollInterval)
	defer again.Stop()
	for {
		update, err := f.poll(ctx)
		if err != nil || update.Status != "" || len(update.Messages) > 0 {
			return update, err
		}
		select {
		case <-f.wake:
		case <-again.C:
		case <-f.stopped:
			return Update{}, io.EOF
		case <-ctx.Done():
			return Update{}, ctx.Err()
		}
	}
}

// poll reads what is new. The end comes last, after all messages.
func (f *Follower) poll(ctx context.Context) (Update, error) {
	if f.lastStatus == parley.ConversationEnded {
		return Update{}, io.EOF
	}
	status, seq, err := f.conversations.DB.StatusAndLastSeq(ctx, f.ref)
	if parley.IsCode(err, parley.CodeResourceNotFound) {
		return Update{}, io.EOF
	}
	if err != nil {
		return Update{}, err
	}
	if status != f.lastStatus && status != parley.ConversationEnded {
		f.lastStatus = status
		return Update{Status: status}, nil
	}
	if seq > f.lastSeq {
		messages, err := f.conversations.DB.MessagesAfter(ctx, f.ref, f.lastSeq, followBatchSize)
		if err != nil {
			return Update{}, err
		}
		if len(messages) > 0 {
			f.lastSeq = messages[len(messages)-1].Seq
			return Update{Messages: messages}, nil
		}
		f.lastSeq = seq // the new messages have been replaced since
	}
	if status == f.lastStatus {
		return Update{}, nil
	}
	if status == parley.ConversationEnded { // an answer that is being cancelled still stores its text so far
		if open, err := f.conversations.DB.OpenTurn(ctx, f.ref); err != nil || open != nil {
			return Update{}, err
		}
		_, now, err := f.conversations.DB.StatusAndLastSeq(ctx, f.ref)
		if err != nil || now > f.lastSeq {
			return Update{}, err
		}
	}
	f.lastStatus = status
	return Update{Status: status}, nil
}
