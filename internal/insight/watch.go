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

// changed is the event of a conversation whose insight has changed: search follows it, and this room does not.
const changed = "conversation.insight"

const (
	eventsAtOne  = 500
	mostWaiting  = 1000 // chores that are due before no more are made
	leftTogether = 100  // chores that one transaction leaves
)

// Run follows the events of the accounts until ctx is done. Any number of servers may do so: a chore that is left twice is one.
func (k *Keeper) Run(ctx context.Context) error {
	poll := time.NewTicker(cmp.Or(k.Poll, lookEvery))
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

// Follow leaves a chore for each conversation in which something has happened, and reports whether there is more.
func (k *Keeper) Follow(ctx context.Context) (more bool, err error) {
	behind, err := k.DB.BehindInsight(ctx)
	if err != nil || len(behind) == 0 {
		return false, err
	}
	due, err := k.DB.DueJobs(ctx, JudgeJob, k.Now(), mostWaiting)
	if err != nil || due >= mostWaiting {
		return false, err
	}
	var errs []error
	for _, f := range behind {
		again, err := k.follow(ctx, f)
		more, errs = more || again, append(errs, err)
	}
	return more, errors.Join(errs...)
}

func (k *Keeper) follow(ctx context.Context, f store.Follower) (more bool, err error) {
	list, end, err := k.DB.Happenings(ctx, f.Account, f.Seq, eventsAtOne)
	if err != nil {
		return false, err
	}
	var touched []store.Happening
	at := map[parley.ConversationID]int{}
	for _, h := range list {
		if h.Conversation == "" || h.Agent == "" || h.Kind == changed {
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
		some := touched[:min(leftTogether, len(touched))]
		if touched = touched[len(some):]; len(touched) > 0 {
			if err := k.leave(ctx, f.Account, some, 0); err != nil {
				return false, err
			}
			continue
		}
		return len(list) == eventsAtOne, k.leave(ctx, f.Account, some, reached(list, end))
	}
	return len(list) == eventsAtOne, k.leave(ctx, f.Account, nil, reached(list, end))
}

// reached is the number up to which the events are followed: behind the last one lie only those that have been erased.
func reached(list []store.Happening, end int64) int64 {
	if len(list) < eventsAtOne {
		return end
	}
	return list[len(list)-1].Seq
}

// leave writes chores down and, unless it is 0, how far the account has been followed.
func (k *Keeper) leave(ctx context.Context, account parley.AccountID, list []store.Happening, seq int64) error {
	return k.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		for _, h := range list {
			at := h.At.Add(k.wait())
			if h.Kind == "conversation.ended" {
				at = h.At
			}
			if err := k.Queue.Enqueue(ctx, tx.SQL(), judgeJob(account, h.Agent, h.Conversation, at)); err != nil {
				return err
			}
		}
		if seq == 0 {
			return nil
		}
		return tx.FollowedInsight(ctx, account, seq)
	})
}
