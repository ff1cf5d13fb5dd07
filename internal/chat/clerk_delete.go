package chat

import (
	"context"
	"slices"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// EraseJob is the kind of the job that erases the rows of an agent's deleted conversations; its key is the agent's id.
const EraseJob = "conversation.erase"

// eraseRetryDelay is how long a last open turn is given before the rest is erased.
const eraseRetryDelay = 5 * time.Second

// deleteBatchSize is how many conversations one transaction deletes.
const deleteBatchSize = 100

// Delete takes conversations of an agent out of the world: nothing finds them any more, a live answer in them is cut short and
// leaves nothing. Their rows are erased by a job; leads and the ledger of credits stay. With idle, one that was active since
// stays. It gives the number of those it deleted; ids that are not there are passed over.
func (k *Conversations) Delete(ctx context.Context, account parley.AccountID, agent parley.AgentID, ids []parley.ConversationID, idle *time.Time) (n int, err error) {
	for batch := range slices.Chunk(ids, deleteBatchSize) {
		gone, err := k.deleteBatch(ctx, account, agent, batch, idle)
		if err != nil {
			return n, err
		}
		n += len(gone)
		for _, id := range gone {
			if err := k.stopTurn(ctx, account, agent, id); err != nil {
				return n, err
			}
			k.Hub.Wake(id)
		}
	}
	return n, nil
}

func (k *Conversations) deleteBatch(ctx context.Context, account parley.AccountID, agent parley.AgentID, ids []parley.ConversationID, idle *time.Time) (gone []parley.ConversationID, err error) {
	now := k.Now()
	err = k.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
		if gone, err = tx.DeleteConversations(ctx, account, agent, ids, idle, now); err != nil || len(gone) == 0 {
			return err
		}
		if err := k.Queue.Enqueue(ctx, tx.SQL(), eraseJob(account, agent)); err != nil {
			return err
		}
		events := make([]store.NewEvent, len(gone))
		for i, id := range gone { // they do not name the conversation as their own, so that they outlive its rows
			events[i] = store.NewEvent{Kind: "conversation.deleted", AgentID: agent, Subject: string(id)}
		}
		return tx.RecordEvents(ctx, account, now, events...)
	})
	return gone, err
}

// DeleteAll deletes every conversation that the filter lets through, in small steps, and gives their number.
func (k *Conversations) DeleteAll(ctx context.Context, account parley.AccountID, agent parley.AgentID, f store.ConversationFilter) (n int, err error) {
	for {
		ids, err := k.DB.ConversationIDs(ctx, account, agent, f, deleteBatchSize)
		if err != nil || len(ids) == 0 {
			return n, err
		}
		gone, err := k.Delete(ctx, account, agent, ids, f.IdleSince)
		if n += gone; err != nil {
			return n, err
		}
	}
}

// Erase handles EraseJob. While a turn is still open in one of the conversations, that one waits for it.
func (k *Conversations) Erase(ctx context.Context, job jobs.Job) error {
	agent := parley.AgentID(job.Key)
	gone, err := k.DB.EraseConversations(ctx, job.AccountID, agent)
	if err != nil || gone {
		return err
	}
	again := eraseJob(job.AccountID, agent)
	again.RunAt = k.Now().Add(eraseRetryDelay)
	return k.Queue.Enqueue(ctx, k.DB.SQL(), again)
}

func eraseJob(account parley.AccountID, agent parley.AgentID) jobs.Job {
	return jobs.Job{Kind: EraseJob, Key: string(agent), AccountID: account}
}

// Handlers returns what does the jobs of this room.
func (k *Conversations) Handlers() map[string]jobs.Handler {
	return map[string]jobs.Handler{EraseJob: k.Erase}
}
