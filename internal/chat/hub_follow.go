package chat

import (
	"context"
	"io"
	"time"

	"parley"
)

// Update is what has happened in a conversation: a status, or messages, oldest first.
type Update struct {
	Status   parley.ConversationStatus // empty when it is about messages
	Messages []parley.Message
}

// Follower follows one conversation. It is not for use by several goroutines. Close it.
type Follower struct {
	conversations *Conversations
	account       parley.AccountID
	agent         parley.AgentID
	conversation  parley.ConversationID
	lastSeq       int64                     // of the last message told, or left out
	lastStatus    parley.ConversationStatus // empty at first
	wake          chan struct{}             // holds one ring
	stopped       chan struct{}             // closed when the server stops
}

// pollInterval is how often a follower looks for what another server has written.
const pollInterval = time.Second

// followBatchSize is how many messages a follower is told at once, at most.
const followBatchSize = 50

// Follow begins to follow a conversation: its status first, then its messages behind the number, then whatever happens. Without a
// number only new messages are told. Fails with RESOURCE_NOT_FOUND, or with RATE_LIMIT_TOO_MANY_REQUESTS when too many follow.
func (k *Conversations) Follow(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.ConversationID, after *int64) (*Follower, error) {
	_, seq, err := k.DB.StatusAndLastSeq(ctx, account, agent, id)
	if err != nil {
		return nil, err
	}
	if after != nil {
		seq = min(seq, *after)
	}
	f := &Follower{conversations: k, account: account, agent: agent, conversation: id, lastSeq: seq, wake: make(chan struct{}, 1), stopped: make(chan struct{})}
	if err := k.Hub.add(f); err != nil {
		return nil, err
	}
	return f, nil
}

// Close stops following.
func (f *Follower) Close() { f.conversations.Hub.remove(f) }

func (f *Follower) notify() {
	select {
	case f.wake <- struct{}{}:
	default: // it will look anyhow
	}
}

// Next returns the next news, waiting for it. It fails with io.EOF once the end of the conversation was told, when the conversation
// is deleted and when the server stops, and with ctx's error when ctx ends first; nothing is lost then, the next call goes on.
func (f *Follower) Next(ctx context.Context) (Update, error) {
	again := time.NewTicker(pollInterval)
	defer again.Stop()
	for {
		news, err := f.poll(ctx)
		if err != nil || news.Status != "" || len(news.Messages) > 0 {
			return news, err
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

// poll reads what is new. The end is told last, behind all messages.
func (f *Follower) poll(ctx context.Context) (Update, error) {
	if f.lastStatus == parley.ConversationEnded {
		return Update{}, io.EOF
	}
	status, seq, err := f.conversations.DB.StatusAndLastSeq(ctx, f.account, f.agent, f.conversation)
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
		messages, err := f.conversations.DB.MessagesAfter(ctx, f.account, f.agent, f.conversation, f.lastSeq, followBatchSize)
		if err != nil {
			return Update{}, err
		}
		if len(messages) > 0 {
			f.lastSeq = messages[len(messages)-1].Seq
			return Update{Messages: messages}, nil
		}
		f.lastSeq = seq // what came has been replaced since
	}
	if status == f.lastStatus {
		return Update{}, nil
	}
	if status == parley.ConversationEnded { // an answer that is being cut short will leave what there is of it
		if open, err := f.conversations.DB.OpenTurn(ctx, f.account, f.conversation); err != nil || open != nil {
			return Update{}, err
		}
		if _, now, err := f.conversations.DB.StatusAndLastSeq(ctx, f.account, f.agent, f.conversation); err != nil || now > f.lastSeq {
			return Update{}, err
		}
	}
	f.lastStatus = status
	return Update{Status: status}, nil
}
