package insight

import (
	"context"

	"parley"
	"parley/internal/events"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// changedEvent is the event of a conversation whose insight has changed: search handles it, and this package does not.
const changedEvent = "conversation.insight"

const (
	maxPendingJobs   = 1000 // jobs that are due before no more are made
	enqueueBatchSize = 100  // jobs that one transaction enqueues
)

func (k *Service) follower() *events.Follower {
	return &events.Follower{
		DB: k.DB, Name: "insight", Logger: k.Logger, Handle: k.handleEvents, IsReady: k.isReadyForEvents,
		PollInterval: k.PollInterval,
	}
}

// Run follows the event log until ctx is done. Any number of servers may do so: a job that is enqueued twice is one.
func (k *Service) Run(ctx context.Context) error { return k.follower().Run(ctx) }

// Follow enqueues a job for each conversation in which something has happened, and reports whether there is more.
func (k *Service) Follow(ctx context.Context) (more bool, err error) { return k.follower().Step(ctx) }

func (k *Service) isReadyForEvents(ctx context.Context) (bool, error) {
	due, err := k.DB.CountDueJobs(ctx, AnalyzeJob, k.Now(), maxPendingJobs)
	return due < maxPendingJobs, err
}

// handleEvents enqueues a job for each conversation that the events are about, according to the latest of them.
func (k *Service) handleEvents(ctx context.Context, b *events.Batch) error {
	var latest []store.Event
	at := map[parley.ConversationID]int{}
	for _, e := range b.Events {
		if e.ConversationID == "" || e.AgentID == "" || e.Kind == changedEvent {
			continue
		}
		if i, ok := at[e.ConversationID]; ok {
			latest[i] = e
			continue
		}
		at[e.ConversationID] = len(latest)
		latest = append(latest, e)
	}
	for len(latest) > enqueueBatchSize {
		err := k.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
			return k.enqueueAnalysis(ctx, tx, b.Account, latest[:enqueueBatchSize])
		})
		if err != nil {
			return err
		}
		latest = latest[enqueueBatchSize:]
	}
	return k.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		if err := k.enqueueAnalysis(ctx, tx, b.Account, latest); err != nil {
			return err
		}
		return b.Save(ctx, tx, b.End)
	})
}

// enqueueAnalysis enqueues a job for the conversation of each event.
func (k *Service) enqueueAnalysis(ctx context.Context, tx *store.DB, account parley.AccountID,
	list []store.Event) error {
	for _, e := range list {
		at := e.At.Add(k.quietTime())
		if e.Kind == "conversation.ended" {
			at = e.At
		}
		if err := k.Queue.Enqueue(ctx, tx.SQL(),
			newAnalyzeJob(account.AgentRef(e.AgentID).ConversationRef(e.ConversationID), at)); err != nil {
			return err
		}
	}
	return nil
}
