package insight

import (
	"cmp"
	"context"
	"errors"
	"time"

	"parley"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// changedEvent is the event of a conversation whose insight has changed: search follows it, and this room does not.
const changedEvent = "conversation.insight"

const (
	eventBatchSize   = 500
	maxPendingJobs   = 1000 // jobs that are due before no more are made
	enqueueBatchSize = 100  // jobs that one transaction leaves
)

// Run follows the events of the accounts until ctx is done. Any number of servers may do so: a job that is left twice is one.
func (k *Service) Run(ctx context.Context) error {
	poll := time.NewTicker(cmp.Or(k.PollInterval, defaultPollInterval))
	defer poll.Stop()
	for {
		more, err := k.Follow(ctx)
		if err != nil && ctx.Err() == nil {
			k.Logger.Warn("conversations are not followed for insight", "err", err)
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

// Follow leaves a job for each conversation in which something has happened, and reports whether there is more.
func (k *Service) Follow(ctx context.Context) (more bool, err error) {
	behind, err := k.DB.AccountsBehindInsight(ctx)
	if err != nil || len(behind) == 0 {
		return false, err
	}
	due, err := k.DB.CountDueJobs(ctx, AnalyzeJob, k.Now(), maxPendingJobs)
	if err != nil || due >= maxPendingJobs {
		return false, err
	}
	var errs []error
	for _, f := range behind {
		again, err := k.followAccount(ctx, f)
		more, errs = more || again, append(errs, err)
	}
	return more, errors.Join(errs...)
}

func (k *Service) followAccount(ctx context.Context, f store.InsightProgress) (more bool, err error) {
	list, end, err := k.DB.Events(ctx, f.Account, f.Seq, eventBatchSize)
	if err != nil {
		return false, err
	}
	var touched []store.Event
	at := map[parley.ConversationID]int{}
	for _, h := range list {
		if h.Conversation == "" || h.Agent == "" || h.Kind == changedEvent {
			continue
		}
		if i, ok := at[h.Conversation]; ok {
			touched[i] = h
			continue
		}
		at[h.Conversation] = len(touched)
		touched = append(touched, h)
	}
	for len(touched) > 0 {
		some := touched[:min(enqueueBatchSize, len(touched))]
		if touched = touched[len(some):]; len(touched) > 0 {
			if err := k.enqueueAnalysis(ctx, f.Account, some, 0); err != nil {
				return false, err
			}
			continue
		}
		return len(list) == eventBatchSize, k.enqueueAnalysis(ctx, f.Account, some, followedSeq(list, end))
	}
	return len(list) == eventBatchSize, k.enqueueAnalysis(ctx, f.Account, nil, followedSeq(list, end))
}

// followedSeq is the number up to which the events are followed: behind the last one lie only those that have been erased.
func followedSeq(list []store.Event, end int64) int64 {
	if len(list) < eventBatchSize {
		return end
	}
	return list[len(list)-1].Seq
}

// enqueueAnalysis writes jobs down and, unless it is 0, how far the account has been followed.
func (k *Service) enqueueAnalysis(ctx context.Context, account parley.AccountID, list []store.Event, seq int64) error {
	return k.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		for _, h := range list {
			at := h.At.Add(k.quietTime())
			if h.Kind == "conversation.ended" {
				at = h.At
			}
			if err := k.Queue.Enqueue(ctx, tx.SQL(), newAnalyzeJob(account, h.Agent, h.Conversation, at)); err != nil {
				return err
			}
		}
		if seq == 0 {
			return nil
		}
		return tx.SaveInsightProgress(ctx, account, seq)
	})
}
