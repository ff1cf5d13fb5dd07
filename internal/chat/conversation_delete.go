package chat

import (
	"context"
	"errors"
	"slices"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// EraseJob is the kind of the job that erases the rows of an agent's deleted conversations; its key is the agent's id.
const EraseJob = "conversation.erase"

// eraseRetryDelay is how long the rest of an erasure waits for an open turn.
const eraseRetryDelay = 5 * time.Second

// deleteBatchSize is how many conversations one transaction deletes.
const deleteBatchSize = 100

// Delete deletes conversations of an agent: nothing finds them any more, and a running answer in them is cancelled and
// not stored. Their rows are erased by a job; leads and the ledger of credits stay. With idle, a conversation that was
// active since then stays. It returns how many it deleted; unknown ids are ignored.
func (cs *Conversations) Delete(ctx context.Context, ref parley.AgentRef, ids []parley.ConversationID,
	idle *time.Time) (n int, err error) {
	for batch := range slices.Chunk(ids, deleteBatchSize) {
		deleted, err := cs.deleteBatch(ctx, ref, batch, idle)
		if err != nil {
			return n, err
		}
		n += len(deleted)
		for _, id := range deleted {
			if err := cs.stopTurn(ctx, ref.ConversationRef(id)); err != nil {
				return n, err
			}
			cs.Hub.Wake(id)
		}
	}
	return n, nil
}

func (cs *Conversations) deleteBatch(ctx context.Context, ref parley.AgentRef, ids []parley.ConversationID,
	idle *time.Time) (deleted []parley.ConversationID, err error) {
	now := cs.Now()
	err = cs.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		if deleted, err = tx.DeleteConversations(ctx, ref, ids, idle, now); err != nil || len(deleted) == 0 {
			return err
		}
		if err := cs.Queue.Enqueue(ctx, tx.SQL(), eraseJob(ref)); err != nil {
			return err
		}
		events := make([]store.NewEvent, len(deleted))
		for i, id := range deleted { // without the conversation's id, so that they outlive its rows
			events[i] = store.NewEvent{Kind: parley.EventConversationDeleted, AgentID: ref.Agent, Subject: string(id)}
		}
		return tx.RecordEvents(ctx, ref.Account, now, events...)
	})
	return deleted, err
}

// DeleteAll deletes all conversations that match the filter, in small steps, and returns how many. With all that are a
// user's it forgets the browsers in which the user was known.
func (cs *Conversations) DeleteAll(ctx context.Context, ref parley.AgentRef,
	f store.ConversationFilter) (n int, err error) {
	for {
		ids, err := cs.DB.ConversationIDs(ctx, ref, f, deleteBatchSize)
		if err == nil && len(ids) == 0 && f.User != "" && f.IdleSince == nil {
			_, err = cs.DB.ForgetVisitors(ctx, ref, f.User)
		}
		if err != nil || len(ids) == 0 {
			return n, err
		}
		deleted, err := cs.Delete(ctx, ref, ids, f.IdleSince)
		if n += deleted; err != nil {
			return n, err
		}
	}
}

// Erase handles EraseJob. A conversation that still has an open turn is erased later.
func (cs *Conversations) Erase(ctx context.Context, job jobs.Job) error {
	agent := parley.AgentID(job.Key)
	deleted, err := cs.DB.EraseConversations(ctx, job.AccountID.AgentRef(agent))
	if err != nil || deleted {
		return err
	}
	again := eraseJob(job.AccountID.AgentRef(agent))
	again.RunAt = cs.Now().Add(eraseRetryDelay)
	return cs.Queue.Enqueue(ctx, cs.DB.SQL(), again)
}

func eraseJob(ref parley.AgentRef) jobs.Job {
	return jobs.Job{Kind: EraseJob, Key: string(ref.Agent), AccountID: ref.Account}
}

// Handlers returns the handlers of this package's jobs.
func (cs *Conversations) Handlers() map[string]jobs.Handler {
	return map[string]jobs.Handler{EraseJob: cs.Erase}
}

// sweepInterval is how often Sweep runs.
const sweepInterval = time.Hour

// maxRetentionDays bounds the days that conversations are stored: a century is forever, and more would not fit into a
// time.
const maxRetentionDays = 36_500

// sweepBatchSize is the most rows one transaction of a sweep changes.
const sweepBatchSize = 200

// Run sweeps every hour, until ctx is done. Several servers may do so at once.
func (cs *Conversations) Run(ctx context.Context) error {
	return jobs.RunEvery(ctx, sweepInterval, cs.Logger, "sweep conversations", cs.Sweep)
}

// Sweep marks tool calls that have waited too long for the client as ignored, abandons old procedure runs, and deletes
// conversations, files and visitors whose retention time is over.
func (cs *Conversations) Sweep(ctx context.Context) error {
	now := cs.Now()
	old := now.Add(-parley.ToolResultTimeout)
	return errors.Join(
		repeatBatches(func() (int64, error) { return cs.DB.IgnoreOldToolCalls(ctx, old, now, sweepBatchSize) }),
		repeatBatches(func() (int64, error) { return cs.DB.AbandonOldProcedureRuns(ctx, old, now, sweepBatchSize) }),
		cs.deleteExpired(ctx, now),
		cs.deleteExpiredRows(ctx, now),
		repeatBatches(func() (int64, error) { return cs.DB.SweepVisitors(ctx, now, sweepBatchSize) }),
	)
}

// repeatBatches repeats a step until it has little left to do.
func repeatBatches(step func() (int64, error)) error {
	for {
		if n, err := step(); err != nil || n < sweepBatchSize {
			return err
		}
	}
}

// deleteExpired deletes the conversations of agents with a retention time that have been idle for longer than that.
func (cs *Conversations) deleteExpired(ctx context.Context, now time.Time) error {
	agents, err := cs.DB.ConversationRetentions(ctx)
	if err != nil {
		return err
	}
	for _, a := range agents {
		since, ref := now.AddDate(0, 0, -int(min(a.Days, maxRetentionDays))), a.Account.AgentRef(a.Agent)
		n, err := cs.DeleteAll(ctx, ref, store.ConversationFilter{IdleSince: &since})
		if err := errors.Join(err, cs.DB.NoteExpired(ctx, ref, now, since, "conversations", n)); err != nil {
			return err
		}
	}
	return nil
}

// deleteExpiredRows deletes files, and visitors who have left nothing, of agents that keep them for a time only.
func (cs *Conversations) deleteExpiredRows(ctx context.Context, now time.Time) error {
	agents, err := cs.DB.RowRetentions(ctx)
	for _, a := range agents {
		err = errors.Join(err, cs.dropExpired(ctx, a.Agent, now, "files", a.Files, cs.DB.DropFiles),
			cs.dropExpired(ctx, a.Agent, now, "visitors", a.Visitors, cs.DB.DropVisitors))
	}
	return err
}

// dropExpired deletes rows of an agent that are older than they are kept, in small steps, and records how many. The job
// that erases conversations removes the bytes of files that nothing needs any more.
func (cs *Conversations) dropExpired(ctx context.Context, ref parley.AgentRef, now time.Time, kind string, days *int64,
	drop func(ctx context.Context, ref parley.AgentRef, before time.Time, limit int) (int64, error)) error {
	if days == nil {
		return nil
	}
	before, dropped := now.AddDate(0, 0, -int(min(*days, maxRetentionDays))), 0
	err := repeatBatches(func() (int64, error) {
		n, err := drop(ctx, ref, before, sweepBatchSize)
		dropped += int(n)
		return n, err
	})
	if dropped > 0 {
		err = errors.Join(err, cs.Queue.Enqueue(ctx, cs.DB.SQL(), eraseJob(ref)))
	}
	return errors.Join(err, cs.DB.NoteExpired(ctx, ref, now, before, kind, dropped))
}
