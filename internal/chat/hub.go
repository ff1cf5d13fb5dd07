package chat

import (
	"cmp"
	"context"
	"sync"
	"time"

	"parley"
	"parley/internal/events"
)

// Hub wakes the followers of a conversation when something is written to it. A follower that is not woken costs no
// query. The zero value is ready to use.
type Hub struct {
	MaxFollowers int               // followers of one account; 0 means 1,000
	Events       *events.Broadcast // tells what other servers have written; nil: there are no others

	mu        sync.Mutex
	followers map[parley.ConversationID]map[*Follower]bool
	accounts  map[parley.AccountID]*followedAccount
	typing    map[parley.ConversationID]typing
	closed    bool
}

// followedAccount is an account with followers.
type followedAccount struct {
	count  int
	events *events.Subscription // nil until it is needed
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
			f.notify()
		}
	}
}

// add registers a follower, of whom there may be so many in its account.
func (h *Hub) add(f *Follower, limit int) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		fail := parley.NewError(parley.CodeUnderMaintenance)
		fail.RetryAfter = 5 * time.Second
		return fail
	}
	account := h.accounts[f.ref.Account]
	if account == nil {
		account = &followedAccount{}
	}
	if account.count >= limit {
		fail := parley.NewErrorf(parley.CodeTooManyRequests, "Too many conversations of this account are being followed.")
		if fail.RetryAfter, fail.Limit = 5*time.Second, limit; limit < h.maxFollowers() {
			fail.RetryAfter = time.Minute // they wait for nobody
		}
		return fail
	}
	if h.followers == nil {
		h.followers, h.accounts = map[parley.ConversationID]map[*Follower]bool{}, map[parley.AccountID]*followedAccount{}
	}
	if h.followers[f.ref.Conversation] == nil {
		h.followers[f.ref.Conversation] = map[*Follower]bool{}
	}
	h.followers[f.ref.Conversation][f] = true
	h.accounts[f.ref.Account] = account
	account.count++
	return nil
}

func (h *Hub) maxFollowers() int { return cmp.Or(h.MaxFollowers, 1000) }

func (h *Hub) remove(f *Follower) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.followers[f.ref.Conversation][f] {
		return
	}
	f.wakeMore = nil
	if delete(h.followers[f.ref.Conversation], f); len(h.followers[f.ref.Conversation]) == 0 {
		delete(h.followers, f.ref.Conversation)
	}
	account := h.accounts[f.ref.Account]
	if account.count--; account.count > 0 {
		return
	}
	delete(h.accounts, f.ref.Account)
	if account.events != nil {
		account.events.Close()
	}
}

// watchAccount has the followers of an account woken by what other servers write: all of them by one subscription.
func (h *Hub) watchAccount(ctx context.Context, id parley.AccountID) error {
	if h.Events == nil || h.isWatched(id) {
		return nil
	}
	// Whoever calls wake holds what Take needs.
	subscription, err := h.Events.Subscribe(ctx, id, "", func() { go h.wakeChanged(id) })
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if account := h.accounts[id]; account != nil && account.events == nil {
		account.events = subscription
		return nil
	}
	subscription.Close()
	return nil
}

func (h *Hub) isWatched(id parley.AccountID) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	account := h.accounts[id]
	return account == nil || account.events != nil
}

// wakeChanged wakes the followers of the conversations in which something has happened.
func (h *Hub) wakeChanged(id parley.AccountID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	account := h.accounts[id]
	if account == nil || account.events == nil {
		return
	}
	update := account.events.Take()
	for _, e := range update.Events {
		// That of a deletion has the conversation as its subject.
		for f := range h.followers[cmp.Or(e.ConversationID, parley.ConversationID(e.Subject))] {
			f.notify()
		}
	}
	if update.IsReset {
		h.wakeAll(id)
	}
}

// wakeAll wakes the followers of an account. h.mu is held.
func (h *Hub) wakeAll(id parley.AccountID) {
	for _, followers := range h.followers {
		for f := range followers {
			if f.ref.Account == id {
				f.notify()
			}
		}
	}
}

const (
	typingLifetime = 20 * time.Second // after which somebody who says nothing more does not type any more
	typingInterval = 3 * time.Second  // between two signs of typing that are passed on
	maxIdleTyping  = 256              // conversations after which those are forgotten in which nobody types any more
)

// Person is a member of the team who answers in a conversation, as its customer sees them.
type Person struct {
	Name    string // empty for one who has left the account
	HasLeft bool   // the agent answers again
}

// typing is a member who types.
type typing struct {
	account parley.AccountID
	until   time.Time
}

// MemberTypes notes that a member writes to the customer of a conversation. It reaches those who follow the
// conversation on this server; one that is not the account's has no followers of the account.
func (cs *Conversations) MemberTypes(account parley.AccountID, id parley.ConversationID) {
	if cs.Hub.setTyping(account, id, cs.Now()) {
		cs.Hub.Wake(id)
	}
}

// setTyping reports whether it is time to pass the sign on.
func (h *Hub) setTyping(account parley.AccountID, id parley.ConversationID, now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	before := h.typing[id]
	if before.account == account && now.Before(before.until.Add(typingInterval-typingLifetime)) {
		return false
	}
	if h.typing == nil {
		h.typing = map[parley.ConversationID]typing{}
	}
	if len(h.typing) >= maxIdleTyping {
		for other, t := range h.typing {
			if !now.Before(t.until) {
				delete(h.typing, other)
			}
		}
	}
	h.typing[id] = typing{account, now.Add(typingLifetime)}
	return true
}

// typingUntil returns until when a member of the account is taken to type; the zero time for nobody.
func (h *Hub) typingUntil(ref parley.ConversationRef, now time.Time) time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.typing[ref.Conversation]
	if t.account != ref.Account || !now.Before(t.until) {
		return time.Time{}
	}
	return t.until
}

// stopTyping forgets that a member types: the message is there.
func (h *Hub) stopTyping(id parley.ConversationID) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.typing, id)
}

// pollPeople returns who answers now, if it is another one than before, or that they type.
func (f *Follower) pollPeople(ctx context.Context, claimedBy parley.UserID, isTakenOver bool) (u Update, err error) {
	if !f.followsPeople {
		return u, nil
	}
	if claimedBy != f.lastClaim {
		person := &Person{HasLeft: claimedBy == ""}
		shown := claimedBy
		if person.HasLeft {
			shown = f.lastClaim
		}
		if person.Name, err = f.conversations.memberName(ctx, f.ref.Account, shown); err != nil {
			return u, err
		}
		f.lastClaim = claimedBy
		return Update{Person: person}, nil
	}
	until := f.conversations.Hub.typingUntil(f.ref, f.conversations.Now())
	if isTakenOver && until.After(f.lastTyping) {
		f.lastTyping = until
		return Update{TypingUntil: until}, nil
	}
	return u, nil
}

// memberName returns the name of a member of the account; empty for somebody who is none.
func (cs *Conversations) memberName(ctx context.Context, account parley.AccountID, id parley.UserID) (string, error) {
	m, err := cs.DB.Member(ctx, account, id, parley.CodeMemberNotFound)
	if parley.IsCode(err, parley.CodeMemberNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return m.User.Name, nil
}

// AuthorNames returns the names of the members who wrote some of the messages; empty for those who have left the
// account.
func (cs *Conversations) AuthorNames(ctx context.Context, account parley.AccountID,
	messages []parley.Message) (map[parley.UserID]string, error) {
	var names map[parley.UserID]string
	for i := range messages {
		id := messages[i].AuthorID
		if _, isKnown := names[id]; id == "" || isKnown {
			continue
		}
		name, err := cs.memberName(ctx, account, id)
		if err != nil {
			return nil, err
		}
		if names == nil {
			names = map[parley.UserID]string{}
		}
		names[id] = name
	}
	return names, nil
}

// PersonOf returns the member who answers in a conversation; nil for nobody.
func (cs *Conversations) PersonOf(ctx context.Context, c *parley.Conversation) (*Person, error) {
	if c.ClaimedBy == "" || c.Status != parley.ConversationTakenOver {
		return nil, nil
	}
	name, err := cs.memberName(ctx, c.AccountID, c.ClaimedBy)
	if err != nil {
		return nil, err
	}
	return &Person{Name: name}, nil
}

// claim returns the member who has taken a conversation over; empty where the agent or the operator did.
func claim(by string) parley.UserID {
	if !parley.IsUUID(by) {
		return ""
	}
	return parley.UserID(by)
}
