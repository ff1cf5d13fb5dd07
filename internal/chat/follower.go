package chat

import (
	"context"
	"io"
	"time"

	"parley"
)

// Update is news of a conversation: its status, who answers, that they type, or messages, oldest first.
type Update struct {
	Status      parley.ConversationStatus // empty for other news
	IsUnclaimed bool                      // with a status: it waits for somebody to answer
	Person      *Person
	TypingUntil time.Time
	Messages    []parley.Message
}

func (u Update) isEmpty() bool {
	return u.Status == "" && u.Person == nil && u.TypingUntil.IsZero() && len(u.Messages) == 0
}

// Follower follows one conversation. It is not safe for concurrent use, and must be closed.
type Follower struct {
	conversations *Conversations
	ref           parley.ConversationRef
	lastSeq       int64                     // of the last message returned, or skipped
	lastStatus    parley.ConversationStatus // empty at first
	lastClaim     parley.UserID             // the member of whom was told last; empty for nobody
	lastTyping    time.Time                 // of which was told last
	followsPeople bool
	wake          chan struct{} // has a signal when there may be something new
	stopped       chan struct{} // closed when the server stops
	wakeMore      func()        // is called besides; guarded by the hub's mu; nil for nobody
}

// pollTimeout is how long the database may take to say what is new.
const pollTimeout = 10 * time.Second

// followBatchSize is the most messages of one Update.
const followBatchSize = 50

// Follow begins to follow a conversation: its status first, then its messages after the number, then whatever happens.
// Without a number only new messages are returned. Fails with RESOURCE_NOT_FOUND, or with RATE_LIMIT_TOO_MANY_REQUESTS
// when too many follow.
func (cs *Conversations) Follow(ctx context.Context, ref parley.ConversationRef, after *int64) (*Follower, error) {
	return cs.follow(ctx, ref, after, false)
}

// FollowAsVisitor is Follow for a conversation's own visitor, who is told of people as well: who answers, and that they
// type. A fifth of an account's followers are left to others while the agent answers: most visitors who look at a chat
// wait for nobody.
func (cs *Conversations) FollowAsVisitor(ctx context.Context, ref parley.ConversationRef,
	after *int64) (*Follower, error) {
	return cs.follow(ctx, ref, after, true)
}

func (cs *Conversations) follow(ctx context.Context, ref parley.ConversationRef, after *int64,
	isVisitor bool) (*Follower, error) {
	state, err := cs.DB.ConversationHead(ctx, ref)
	if err != nil {
		return nil, err
	}
	seq, limit := state.LastSeq, cs.Hub.maxFollowers()
	if after != nil {
		seq = min(seq, *after)
	}
	if isVisitor && state.Status == parley.ConversationOngoing {
		limit -= limit / 5
	}
	f := &Follower{conversations: cs, ref: ref, lastSeq: seq, followsPeople: isVisitor, wake: make(chan struct{}, 1),
		stopped: make(chan struct{})}
	f.signal() // to read how things are
	if err := cs.Hub.add(f, limit); err != nil {
		return nil, err
	}
	if err := cs.Hub.watchAccount(ctx, ref.Account); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Close stops following.
func (f *Follower) Close() { f.conversations.Hub.remove(f) }

// Notify has wake called besides when there may be something new, until the follower is closed. It must not wait.
func (f *Follower) Notify(wake func()) {
	h := f.conversations.Hub
	h.mu.Lock()
	defer h.mu.Unlock()
	f.wakeMore = wake
}

// notify says that there may be something new. The hub's mu is held.
func (f *Follower) notify() {
	f.signal()
	if f.wakeMore != nil {
		f.wakeMore()
	}
}

func (f *Follower) signal() {
	select {
	case f.wake <- struct{}{}:
	default: // it will look anyhow
	}
}

// Next waits for the next update. It fails with io.EOF after the end of the conversation, when the conversation is
// deleted and when the server stops, and with ctx's error when there is nothing new and ctx ends; nothing is lost then,
// and the next call goes on.
func (f *Follower) Next(ctx context.Context) (Update, error) {
	for f.await(ctx) {
		update, err := f.read(ctx)
		if err != nil || !update.isEmpty() {
			f.signal() // there may be more
			return update, err
		}
	}
	if err := ctx.Err(); err != nil && !f.isStopped() {
		return Update{}, err
	}
	return Update{}, io.EOF
}

// await waits until there may be something new. It returns false when ctx has ended first, or the server stops.
func (f *Follower) await(ctx context.Context) bool {
	if f.isStopped() {
		return false
	}
	select {
	case <-f.wake:
		return true
	default:
	}
	select {
	case <-f.wake:
		return !f.isStopped()
	case <-f.stopped:
	case <-ctx.Done():
	}
	return false
}

func (f *Follower) isStopped() bool {
	select {
	case <-f.stopped:
		return true
	default:
		return false
	}
}

// read is poll for whoever does not wait, and whose context has ended.
func (f *Follower) read(ctx context.Context) (Update, error) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), pollTimeout)
	defer stop()
	return f.poll(ctx)
}

// poll reads what is new. The end comes last, after all messages.
func (f *Follower) poll(ctx context.Context) (Update, error) {
	if f.lastStatus == parley.ConversationEnded {
		return Update{}, io.EOF
	}
	state, err := f.conversations.DB.ConversationHead(ctx, f.ref)
	if parley.IsCode(err, parley.CodeResourceNotFound) {
		return Update{}, io.EOF
	}
	if err != nil {
		return Update{}, err
	}
	status := state.Status
	if status != f.lastStatus && status != parley.ConversationEnded {
		f.lastStatus = status
		isUnclaimed := status == parley.ConversationTakenOver && state.ClaimedBy == ""
		return Update{Status: status, IsUnclaimed: isUnclaimed}, nil
	}
	isTakenOver := status == parley.ConversationTakenOver
	if people, err := f.pollPeople(ctx, state.ClaimedBy, isTakenOver); err != nil || !people.isEmpty() {
		return people, err
	}
	if messages, err := f.pollMessages(ctx, state.LastSeq); err != nil || len(messages) > 0 {
		return Update{Messages: messages}, err
	}
	if status == f.lastStatus {
		return Update{}, nil
	}
	if isDone, err := f.hasToldAll(ctx); err != nil || !isDone {
		return Update{}, err
	}
	f.lastStatus = status
	return Update{Status: status}, nil
}

// pollMessages returns the messages up to a number that were not returned yet.
func (f *Follower) pollMessages(ctx context.Context, last int64) ([]parley.Message, error) {
	if last <= f.lastSeq {
		return nil, nil
	}
	messages, err := f.conversations.DB.MessagesAfter(ctx, f.ref, f.lastSeq, followBatchSize)
	if err != nil {
		return nil, err
	}
	if f.lastSeq = last; len(messages) > 0 { // else the new messages have been replaced since
		f.lastSeq = messages[len(messages)-1].Seq
	}
	return messages, nil
}

// hasToldAll reports whether a conversation that has ended holds nothing more to tell: an answer that is being
// cancelled still stores its text so far.
func (f *Follower) hasToldAll(ctx context.Context) (bool, error) {
	if open, err := f.conversations.DB.OpenTurn(ctx, f.ref); err != nil || open != nil {
		return false, err
	}
	now, err := f.conversations.DB.ConversationHead(ctx, f.ref)
	return err == nil && now.LastSeq <= f.lastSeq, err
}
