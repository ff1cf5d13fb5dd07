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
	DB           *store.DB
	Now          func() time.Time
	Logger       *slog.Logger
	PollInterval time.Duration // how often to look for events; 0 is half a second
}

const (
	defaultPollInterval = 500 * time.Millisecond
	sweepInterval       = time.Minute
	eventBatchSize      = 500
)

// Run follows the accounts until ctx is done.
func (x *Indexer) Run(ctx context.Context) error {
	poll := time.NewTicker(cmp.Or(x.PollInterval, defaultPollInterval))
	defer poll.Stop()
	lastSweep := time.Time{}
	for {
		more, err := x.StepAll(ctx)
		if now := x.Now(); now.Sub(lastSweep) >= sweepInterval && err == nil {
			lastSweep = now
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

// StepAll takes a step for each account whose index is behind, and reports whether one of them needs another.
func (x *Indexer) StepAll(ctx context.Context) (more bool, err error) {
	accounts, err := accountsBehind(ctx, x.DB.SQL())
	if err != nil {
		return false, err
	}
	var errs []error
	for _, account := range accounts {
		again, err := x.Step(ctx, account)
		overtaken := errors.Is(err, errConflict) // somebody else got on, perhaps not to the end
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
	p, err := findPosition(ctx, x.DB.SQL(), account)
	if err != nil {
		return false, err
	}
	if p == nil {
		return true, createPosition(ctx, x.DB.SQL(), account)
	}
	b := newBatch(x.DB, newIndex(x.DB.SQL()), account)
	followed, more, err := x.followEvents(ctx, b, p)
	if err != nil {
		return false, err
	}
	if !followed && p.buildingGeneration != 0 {
		if more, err = x.buildGeneration(ctx, b, p); err != nil {
			return false, err
		}
		followed = true
	}
	if !followed {
		return more, nil
	}
	return more || p.buildingGeneration != 0, b.write(ctx, p)
}

// followEvents takes in what has happened since the position. It reports whether there is something to write, and whether there is more.
func (x *Indexer) followEvents(ctx context.Context, b *batch, p *position) (some, more bool, err error) {
	end, err := sqldb.One(ctx, x.DB.SQL(), sqldb.Column[int64], `select event_seq from accounts where id = ?`, p.account)
	if err != nil || end <= p.seq {
		return false, false, err
	}
	list, err := x.DB.EventRefs(ctx, p.account, p.seq, eventBatchSize)
	if err != nil {
		return false, false, err
	}
	if lost, err := x.hasEventGap(ctx, p, list); err != nil || lost {
		return false, lost, errors.Join(err, startRebuild(ctx, x.DB.SQL(), p.account))
	}
	seen := map[parley.ConversationID]bool{}
	for _, t := range list {
		id := eventConversation(t)
		if t.Kind == "agent.deleted" {
			b.retiredAgents = append(b.retiredAgents, parley.AgentID(t.Subject))
		}
		if id != "" && t.Agent != "" && !seen[id] {
			seen[id] = true
			if done, err := b.updateGenerations(ctx, t.Agent, id, p); err != nil || !done {
				return true, true, err
			}
		}
		p.seq = t.Seq
	}
	if len(list) < eventBatchSize {
		p.seq = max(p.seq, end) // the events of what has been erased are gone
	}
	return true, len(list) == eventBatchSize, nil
}

// eventConversation returns the conversation that an event is about.
func eventConversation(t store.EventRef) parley.ConversationID {
	if t.Kind == "conversation.deleted" {
		return parley.ConversationID(t.Subject)
	}
	return t.Conversation
}

// hasEventGap reports that events were erased before they were followed: then only building anew helps. Single gaps are what erased
// conversations and agents leave, whose deletions are events that stay.
func (x *Indexer) hasEventGap(ctx context.Context, p *position, list []store.EventRef) (bool, error) {
	if p.seq == 0 || p.buildingGeneration != 0 || len(list) == 0 || list[0].Seq == p.seq+1 {
		return false, nil
	}
	oldest, err := sqldb.One(ctx, x.DB.SQL(), sqldb.Column[int64], `select min(seq) from events where account_id = ?`, p.account)
	return oldest > p.seq+1, err
}

// updateGenerations puts a conversation into all generations that get what happens.
func (b *batch) updateGenerations(ctx context.Context, agent parley.AgentID, id parley.ConversationID, p *position) (done bool, err error) {
	for _, g := range p.activeGenerations() {
		if b.remainingRows() <= 0 {
			return false, nil
		}
		if done, err := b.updateConversation(ctx, agent, id, g); err != nil || !done {
			return false, err
		}
	}
	return true, nil
}
