package search

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// Indexer brings the index behind what happens. It follows the events of the accounts, so that whatever is written with an event
// in its transaction is found a moment later; any number of servers may do so on the same database.
type Indexer struct {
	DB     *store.DB
	Now    func() time.Time
	Logger *slog.Logger
	Poll   time.Duration // how often to look for events; 0 is half a second
}

const (
	pollEvery    = 500 * time.Millisecond
	sweepEvery   = time.Minute
	touchesAtOne = 500
)

// Run follows the accounts until ctx is done.
func (x *Indexer) Run(ctx context.Context) error {
	poll := time.NewTicker(cmp.Or(x.Poll, pollEvery))
	defer poll.Stop()
	swept := time.Time{}
	for {
		more, err := x.Round(ctx)
		if now := x.Now(); now.Sub(swept) >= sweepEvery && err == nil {
			swept = now
			err = x.Sweep(ctx)
		}
		if err != nil && ctx.Err() == nil {
			x.Logger.Warn("the index of conversations is behind", "err", err)
		}
		if more && err == nil && ctx.Err() == nil {
			continue
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// Round takes a step for each account whose index is behind, and reports whether one of them needs another.
func (x *Indexer) Round(ctx context.Context) (more bool, err error) {
	accounts, err := behind(ctx, x.DB.SQL())
	if err != nil {
		return false, err
	}
	var errs []error
	for _, account := range accounts {
		again, err := x.Step(ctx, account)
		overtaken := errors.Is(err, errBehind) // somebody else got on, perhaps not to the end
		if err != nil && !overtaken {
			errs = append(errs, err)
		}
		more = more || again || overtaken
	}
	return more, errors.Join(errs...)
}

// Step follows some of the account's events, or, when there are none, goes on with what is being built. It reports whether there
// is more to do.
func (x *Indexer) Step(ctx context.Context, account parley.AccountID) (more bool, err error) {
	p, err := positionOf(ctx, x.DB.SQL(), account)
	if err != nil {
		return false, err
	}
	if p == nil {
		return true, begin(ctx, x.DB.SQL(), account)
	}
	b := newBatch(x.DB, indexOf(x.DB.SQL()), account)
	followed, more, err := x.follow(ctx, b, p)
	if err != nil {
		return false, err
	}
	if !followed && p.building != 0 {
		if more, err = x.build(ctx, b, p); err != nil {
			return false, err
		}
		followed = true
	}
	if !followed {
		return more, nil
	}
	return more || p.building != 0, b.write(ctx, p)
}

// follow takes in what has happened since the position. It reports whether there is something to write, and whether there is more.
func (x *Indexer) follow(ctx context.Context, b *batch, p *position) (some, more bool, err error) {
	end, err := sqldb.One(ctx, x.DB.SQL(), sqldb.Column[int64], `select event_seq from accounts where id = ?`, p.account)
	if err != nil || end <= p.seq {
		return false, false, err
	}
	list, err := x.DB.Touches(ctx, p.account, p.seq, touchesAtOne)
	if err != nil {
		return false, false, err
	}
	if lost, err := x.lost(ctx, p, list); err != nil || lost {
		return false, lost, errors.Join(err, rebuild(ctx, x.DB.SQL(), p.account))
	}
	seen := map[parley.ConversationID]bool{}
	for _, t := range list {
		id := about(t)
		if t.Kind == "agent.deleted" {
			b.retired = append(b.retired, parley.AgentID(t.Subject))
		}
		if id != "" && t.Agent != "" && !seen[id] {
			seen[id] = true
			if done, err := b.everywhere(ctx, t.Agent, id, p); err != nil || !done {
				return true, true, err
			}
		}
		p.seq = t.Seq
	}
	if len(list) < touchesAtOne {
		p.seq = max(p.seq, end) // the events of what has been erased are gone
	}
	return true, len(list) == touchesAtOne, nil
}

// about gives the conversation that an event is about.
func about(t store.Touch) parley.ConversationID {
	if t.Kind == "conversation.deleted" {
		return parley.ConversationID(t.Subject)
	}
	return t.Conversation
}

// lost reports that events were erased before they were followed: then only building anew helps. Single gaps are what erased
// conversations and agents leave, whose deletions are events that stay.
func (x *Indexer) lost(ctx context.Context, p *position, list []store.Touch) (bool, error) {
	if p.seq == 0 || p.building != 0 || len(list) == 0 || list[0].Seq == p.seq+1 {
		return false, nil
	}
	oldest, err := sqldb.One(ctx, x.DB.SQL(), sqldb.Column[int64], `select min(seq) from events where account_id = ?`, p.account)
	return oldest > p.seq+1, err
}

// everywhere puts a conversation into all generations that get what happens.
func (b *batch) everywhere(ctx context.Context, agent parley.AgentID, id parley.ConversationID, p *position) (done bool, err error) {
	for _, g := range p.generations() {
		if b.room() <= 0 {
			return false, nil
		}
		if done, err := b.put(ctx, agent, id, g); err != nil || !done {
			return false, err
		}
	}
	return true, nil
}
