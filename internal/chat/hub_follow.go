package chat

import (
	"context"
	"io"
	"time"

	"parley"
)

// News is what has happened in a conversation: a status, or messages, oldest first.
type News struct {
	Status   parley.ConversationStatus // empty when it is about messages
	Messages []parley.Message
}

// Follower follows one conversation. It is not for use by several goroutines. Close it.
type Follower struct {
	clerk        *Clerk
	account      parley.AccountID
	agent        parley.AgentID
	conversation parley.ConversationID
	seq          int64                     // of the last message told, or left out
	told         parley.ConversationStatus // empty at first
	wake         chan struct{}             // holds one ring
	over         chan struct{}             // closed when the server stops
}

// lookAgain is how often a follower looks for what another server has written.
const lookAgain = time.Second

// together is how many messages a follower is told at once, at most.
const together = 50

// Follow begins to follow a conversation: its status first, then its messages behind the number, then whatever happens. Without a
// number only new messages are told. Fails with RESOURCE_NOT_FOUND, or with RATE_LIMIT_TOO_MANY_REQUESTS when too many follow.
func (k *Clerk) Follow(ctx context.Context, account parley.AccountID, agent parley.AgentID, id parley.ConversationID, after *int64) (*Follower, error) {
	_, seq, err := k.DB.Pulse(ctx, account, agent, id)
	if err != nil {
		return nil, err
	}
	if after != nil {
		seq = min(seq, *after)
	}
	f := &Follower{clerk: k, account: account, agent: agent, conversation: id, seq: seq, wake: make(chan struct{}, 1), over: make(chan struct{})}
	if err := k.Hub.join(f); err != nil {
		return nil, err
	}
	return f, nil
}

// Close stops following.
func (f *Follower) Close() { f.clerk.Hub.leave(f) }

func (f *Follower) ring() {
	select {
	case f.wake <- struct{}{}:
	default: // it will look anyhow
	}
}

// Next gives the next news, waiting for it. It fails with io.EOF once the end of the conversation was told, when the conversation
// is deleted and when the server stops, and with ctx's error when ctx ends first; nothing is lost then, the next call goes on.
func (f *Follower) Next(ctx context.Context) (News, error) {
	again := time.NewTicker(lookAgain)
	defer again.Stop()
	for {
		news, err := f.look(ctx)
		if err != nil || news.Status != "" || len(news.Messages) > 0 {
			return news, err
		}
		select {
		case <-f.wake:
		case <-again.C:
		case <-f.over:
			return News{}, io.EOF
		case <-ctx.Done():
			return News{}, ctx.Err()
		}
	}
}

// look reads what is new. The end is told last, behind all messages.
func (f *Follower) look(ctx context.Context) (News, error) {
	if f.told == parley.Ended {
		return News{}, io.EOF
	}
	status, seq, err := f.clerk.DB.Pulse(ctx, f.account, f.agent, f.conversation)
	if parley.IsCode(err, parley.CodeResourceNotFound) {
		return News{}, io.EOF
	}
	if err != nil {
		return News{}, err
	}
	if status != f.told && status != parley.Ended {
		f.told = status
		return News{Status: status}, nil
	}
	if seq > f.seq {
		said, err := f.clerk.DB.MessagesAfter(ctx, f.account, f.agent, f.conversation, f.seq, together)
		if err != nil {
			return News{}, err
		}
		if len(said) > 0 {
			f.seq = said[len(said)-1].Seq
			return News{Messages: said}, nil
		}
		f.seq = seq // what came has been replaced since
	}
	if status == f.told {
		return News{}, nil
	}
	if status == parley.Ended { // an answer that is being cut short will leave what there is of it
		if open, err := f.clerk.DB.OpenTurn(ctx, f.account, f.conversation); err != nil || open != nil {
			return News{}, err
		}
		if _, now, err := f.clerk.DB.Pulse(ctx, f.account, f.agent, f.conversation); err != nil || now > f.seq {
			return News{}, err
		}
	}
	f.told = status
	return News{Status: status}, nil
}
