package insight

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"parley"
	"parley/internal/events"
	"parley/internal/sqldb"
	"parley/internal/store"
)

const (
	maxPendingJobs   = 1000 // jobs that are due before no more events are handled
	followBatchSize  = 40   // conversations that one transaction stores, in about two milliseconds: turns wait for it
	endedConvsBuffer = 256  // ended conversations that wait for their jobs; further ones wait for the follower
)

func (s *Service) follower() *events.Follower {
	return &events.Follower{
		DB: s.DB, Name: "insight", Logger: s.Logger, Handle: s.handleEvents, IsReady: s.isReadyForEvents,
		PollInterval: s.PollInterval, Delay: s.quietTime(), Now: s.Now, Bus: s.Queue.Bus,
	}
}

// Run follows the event log until ctx is done. Any number of servers may do so: what two of them analyze is stored
// once.
func (s *Service) Run(ctx context.Context) error {
	ended := make(chan parley.ConversationRef, endedConvsBuffer)
	defer s.DB.ObserveEvents(func(account parley.AccountID, list []store.NewEvent) {
		for _, e := range list {
			if e.Kind == parley.EventConversationEnded {
				select {
				case ended <- account.AgentRef(e.AgentID).ConversationRef(e.ConversationID):
				default:
				}
			}
		}
	})()
	var jobs sync.WaitGroup
	jobs.Go(func() { s.enqueueEnded(ctx, ended) })
	defer jobs.Wait()
	return s.follower().Run(ctx)
}

// enqueueEnded has conversations that were ended here analyzed at once. One that is missed, because the program ends
// here, is analyzed by the follower a little later.
func (s *Service) enqueueEnded(ctx context.Context, ended <-chan parley.ConversationRef) {
	for {
		select {
		case <-ctx.Done():
			return
		case ref := <-ended:
			err := s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
				return s.enqueueAll(ctx, tx, []parley.ConversationRef{ref})
			})
			if err != nil && ctx.Err() == nil {
				s.Logger.Warn("an ended conversation is not analyzed at once", "conversation", ref.Conversation, "err", err)
			}
		}
	}
}

// enqueueAll enqueues jobs that analyze conversations now.
func (s *Service) enqueueAll(ctx context.Context, tx *store.DB, refs []parley.ConversationRef) error {
	for _, ref := range refs {
		if err := s.Queue.Enqueue(ctx, tx.SQL(), newAnalyzeJob(ref, s.Now())); err != nil {
			return err
		}
	}
	return nil
}

// Follow analyzes the conversations that have been quiet for a while, and reports whether there is more.
func (s *Service) Follow(ctx context.Context) (more bool, err error) { return s.follower().Step(ctx) }

func (s *Service) isReadyForEvents(ctx context.Context) (bool, error) {
	due, err := s.DB.CountDueJobs(ctx, AnalyzeJob, s.Now(), maxPendingJobs)
	return due < maxPendingJobs, err
}

// handleEvents analyzes the conversations that the events are about. The events are as old as a conversation must be
// quiet: one that went on since is left for its later events. That an insight has changed is for search alone.
func (s *Service) handleEvents(ctx context.Context, b *events.Batch) error {
	latest := map[parley.ConversationRef]time.Time{}
	for _, e := range b.Events {
		if e.ConversationID != "" && e.AgentID != "" && e.Kind != parley.EventConversationInsight {
			latest[b.Account.AgentRef(e.AgentID).ConversationRef(e.ConversationID)] = e.At
		}
	}
	quiet := make([]quietConversation, 0, len(latest))
	for ref, at := range latest {
		quiet = append(quiet, quietConversation{ref, at})
	}
	// Agents are locked one after the other: in the same order wherever more than one is.
	slices.SortFunc(quiet, func(a, b quietConversation) int {
		return cmp.Or(cmp.Compare(a.Agent, b.Agent), cmp.Compare(a.Conversation, b.Conversation))
	})
	for len(quiet) > followBatchSize {
		if err := s.analyzeBatch(ctx, quiet[:followBatchSize], noPosition); err != nil {
			return err
		}
		quiet = quiet[followBatchSize:]
	}
	return s.analyzeBatch(ctx, quiet, func(tx *store.DB) error { return b.Save(ctx, tx, b.End) })
}

// quietConversation is a conversation in which something happened that is now old enough.
type quietConversation struct {
	parley.ConversationRef
	latest time.Time // event of those that are handled
}

func noPosition(*store.DB) error { return nil }

// analyzeBatch analyzes conversations and stores the outcome in one transaction, with what savePosition stores. What
// needs a model gets a job, and so does each of the batch where the transaction fails.
func (s *Service) analyzeBatch(ctx context.Context, quiet []quietConversation,
	savePosition func(tx *store.DB) error) error {
	var found []*analysis
	var jobs []parley.ConversationRef
	owners := &ownerCache{service: s}
	for _, q := range quiet {
		a, err := s.analyzeQuiet(ctx, owners, q)
		switch {
		case isGone(err):
		case err != nil:
			return err
		case a == nil: // it goes on
		case s.needsModel(ctx, a.agent):
			jobs = append(jobs, q.ConversationRef)
		default:
			found = append(found, a)
		}
	}
	err := s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		if err := s.storeAll(ctx, tx, found); err != nil {
			return err
		}
		return errors.Join(s.enqueueAll(ctx, tx, jobs), savePosition(tx))
	})
	if err == nil || errors.Is(err, events.ErrConflict) || parley.IsCode(err, parley.CodeUnderMaintenance) ||
		ctx.Err() != nil {
		return err
	}
	if !errors.Is(err, errConflict) && !isGone(err) {
		s.Logger.Warn("conversations are analyzed one by one", "account", quiet[0].Account, "err", err)
	}
	return s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		for _, a := range found {
			jobs = append(jobs, a.Ref())
		}
		return errors.Join(s.enqueueAll(ctx, tx, jobs), savePosition(tx))
	})
}

// analyzeQuiet analyzes a conversation that has been quiet for a while or has gone on for long. It returns nil for one
// that goes on, and for one that has been analyzed since.
func (s *Service) analyzeQuiet(ctx context.Context, owners *ownerCache, q quietConversation) (*analysis, error) {
	c, err := s.DB.Conversation(ctx, q.ConversationRef)
	if err != nil || isTrial(c) {
		return nil, err
	}
	previous, err := s.DB.Insight(ctx, q.ConversationRef)
	if err != nil || s.analyzeAt(c, previous).After(s.Now()) ||
		previous != nil && previous.GeneratedAt.After(q.latest) {
		return nil, err
	}
	return s.analyze(ctx, owners, c, previous)
}
