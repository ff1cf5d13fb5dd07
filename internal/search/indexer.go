package search

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"parley"
	"parley/internal/bus"
	"parley/internal/events"
	"parley/internal/store"
)

// Indexer keeps the index up to date. It follows the event log, so that whatever is written in the transaction that
// records an event is found a moment later; any number of servers may do so on the same database.
type Indexer struct {
	DB           *store.DB
	Now          func() time.Time
	Logger       *slog.Logger
	PollInterval time.Duration // how often to look for events; 0 is two seconds
	Bus          *bus.Bus      // tells of the events of other servers; may be nil

	lastSweep   time.Time
	lastRebuild time.Time  // of what is outdated
	merging     sync.Mutex // guards lastMerge and merger
	lastMerge   time.Time  // when merger last looked for what is to be merged
	merger      merger

	crowdedGroups int64 // when the database was last asked for them
}

// followerName is the name of the index's position in the event log.
const followerName = "search"

const (
	// Events gather for so long: a conversation is taken in once for a question with its answer, and a batch is a
	// transaction.
	defaultPollInterval = 2 * time.Second
	busyGroups          = 50 // crowded commits between two polls
	sweepInterval       = time.Minute
	rebuildInterval     = time.Hour // servers of an earlier version may go on for a while
	mergeInterval       = 10 * time.Minute
	mergeSteps          = 16 // of a merge, at most, before more is written
)

func (x *Indexer) follower() *events.Follower {
	return &events.Follower{
		DB: x.DB, Name: followerName, Logger: x.Logger, Handle: x.handleEvents, AfterRound: x.buildAndMerge,
		PollInterval: cmp.Or(x.PollInterval, defaultPollInterval), IsBusy: x.isDatabaseBusy, Bus: x.Bus,
	}
}

// isDatabaseBusy reports whether turns have waited for one another to be written since it was last asked: the index can
// wait a few seconds more.
func (x *Indexer) isDatabaseBusy() bool {
	count := x.DB.SQL().CrowdedGroups()
	isBusy := count-x.crowdedGroups >= busyGroups
	x.crowdedGroups = count
	return isBusy
}

// Run follows the event log, builds what is to be built and sweeps until ctx is done.
func (x *Indexer) Run(ctx context.Context) error {
	f := x.follower()
	f.AfterRound = func(ctx context.Context) (more bool, err error) {
		more, err = x.buildAndMerge(ctx)
		if now := x.Now(); now.Sub(x.lastSweep) >= sweepInterval && err == nil {
			x.lastSweep = now
			err = x.Sweep(ctx)
		}
		if now := x.Now(); now.Sub(x.lastRebuild) >= rebuildInterval && err == nil {
			x.lastRebuild = now
			err = x.RebuildOutdated(ctx)
		}
		if err == nil {
			err = x.Purge(ctx)
		}
		return more, err
	}
	return f.Run(ctx)
}

// StepAll takes a step for each account whose index is behind or being built, and reports whether one of them needs
// another.
func (x *Indexer) StepAll(ctx context.Context) (more bool, err error) { return x.follower().Step(ctx) }

// buildAndMerge builds what is to be built, and merges what has been written. After a build it looks at once whether
// all segments are to be merged.
func (x *Indexer) buildAndMerge(ctx context.Context) (more bool, err error) {
	isBuilding, err := x.buildAll(ctx)
	if err != nil {
		return false, err
	}
	x.merging.Lock() // a step may be asked for beside Run
	defer x.merging.Unlock()
	if isBuilding {
		x.lastMerge = time.Time{}
	}
	now := x.Now()
	isDue := !isBuilding && now.Sub(x.lastMerge) >= mergeInterval
	for range mergeSteps {
		if more, err = x.merger.step(ctx, x.DB.SQL(), isDue, x.lastMerge.IsZero()); !more || err != nil {
			break
		}
	}
	if isDue && !more {
		x.lastMerge = now
	}
	return more || isBuilding, err
}

// buildAll takes a step for each account whose index is being built.
func (x *Indexer) buildAll(ctx context.Context) (more bool, err error) {
	accounts, err := accountsBeingBuilt(ctx, x.DB.SQL())
	if err != nil {
		return false, err
	}
	var errs []error
	for _, account := range accounts {
		again, err := x.Step(ctx, account)
		more, errs = more || again, append(errs, err)
	}
	return more, errors.Join(errs...)
}

// Step handles some of the account's events or, when there are none, goes on with what is being built. It reports
// whether there is more to do.
func (x *Indexer) Step(ctx context.Context, account parley.AccountID) (more bool, err error) {
	st, err := findIndexState(ctx, x.DB.SQL(), account)
	if err != nil {
		return false, err
	}
	if st == nil {
		return true, createIndex(ctx, x.DB, account)
	}
	f := x.follower()
	next, err := f.NextBatch(ctx, account)
	if err != nil {
		return false, err
	}
	if next != nil {
		more, err = f.StepAccount(ctx, account)
		return more || st.buildingGeneration != 0, err
	}
	if st.buildingGeneration == 0 {
		return false, nil
	}
	b := newBuildBatch(x.DB, newIndex(x.DB.SQL()), account)
	if more, err = x.buildGeneration(ctx, b, st); err != nil {
		return false, err
	}
	err = b.write(ctx, st, func(*store.DB) error { return nil })
	x.merger.writes.Add(1)
	if errors.Is(err, events.ErrConflict) {
		return true, nil // the other server has perhaps not finished
	}
	return more || st.buildingGeneration != 0, err
}

// handleEvents updates the conversations that events are about.
func (x *Indexer) handleEvents(ctx context.Context, log *events.Batch) error {
	st, err := findIndexState(ctx, x.DB.SQL(), log.Account)
	if err != nil {
		return err
	}
	if st == nil {
		return createIndex(ctx, x.DB, log.Account)
	}
	if log.IsTruncated && st.buildingGeneration == 0 {
		// Events were erased before they were followed. Single gaps are what erased conversations and agents leave,
		// whose deletions are events that stay; a log that begins later needs the index to be rebuilt.
		return startRebuild(ctx, x.DB.SQL(), log.Account)
	}
	b := newBatch(x.DB, newIndex(x.DB.SQL()), log.Account)
	to, err := b.updateFromEvents(ctx, log, st)
	if err != nil {
		return err
	}
	err = b.write(ctx, st, func(tx *store.DB) error { return log.Save(ctx, tx, to) })
	x.merger.writes.Add(1)
	return err
}

// updateFromEvents updates conversations as far as the batch has space, and returns the position behind the events that
// are then in the index.
func (b *batch) updateFromEvents(ctx context.Context, log *events.Batch, st *indexState) (store.EventPosition, error) {
	to := log.Start
	seen := map[parley.ConversationID]bool{}
	for _, e := range log.Events {
		if e.Kind == parley.EventAgentDeleted {
			b.retiredAgents = append(b.retiredAgents, parley.AgentID(e.Subject))
		}
		if id := eventConversation(e); id != "" && e.AgentID != "" && !seen[id] {
			seen[id] = true
			if done, err := b.updateGenerations(ctx, e.AgentID, id, st); err != nil || !done {
				return to, err
			}
		}
		to = e.Position
	}
	return log.End, nil
}

// eventConversation returns the conversation that an event is about.
func eventConversation(e store.Event) parley.ConversationID {
	if e.Kind == parley.EventConversationDeleted {
		return parley.ConversationID(e.Subject)
	}
	return e.ConversationID
}

// updateGenerations puts a conversation into all active generations.
func (b *batch) updateGenerations(ctx context.Context, agent parley.AgentID, id parley.ConversationID,
	st *indexState) (done bool, err error) {
	for _, g := range st.activeGenerations() {
		if b.remainingRows() <= 0 {
			return false, nil
		}
		if done, err := b.updateConversation(ctx, agent, id, g); err != nil || !done {
			return false, err
		}
	}
	return true, nil
}
