package agents

import (
	"context"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// EraseJob is the kind of the job that erases a retired agent's rows; its key is the agent's id.
const EraseJob = "agent.erase"

// eraseRetryDelay is how long an erasure waits for an open turn, or for a copy that is being made.
const eraseRetryDelay = 5 * time.Second

// Delete deletes an agent at once; its rows are erased by a job. Fails with AGENT_NOT_FOUND.
func (s *Service) Delete(ctx context.Context, account parley.Account, id parley.AgentID) error {
	now := s.Now()
	err := s.DB.Transact(ctx, sqldb.Interactive, func(tx *store.DB) error {
		if err := tx.DeleteAgent(ctx, account.ID.AgentRef(id), now); err != nil {
			return err
		}
		if err := s.Queue.Enqueue(ctx, tx.SQL(), eraseJob(account.ID.AgentRef(id))); err != nil {
			return err
		}
		// The event does not belong to the agent, so that it outlives the agent's rows.
		return tx.RecordEvents(ctx, account.ID, now, store.NewEvent{Kind: "agent.deleted", Subject: string(id)})
	})
	if err == nil {
		s.Indexes.Drop(id)
		if s.StopAgent != nil {
			s.StopAgent(account.ID.AgentRef(id))
		}
	}
	return err
}

// Erase handles EraseJob. While one of the agent's turns is open, the rest waits for it; while the agent is being
// copied, nothing is erased.
func (s *Service) Erase(ctx context.Context, job jobs.Job) error {
	agent := parley.AgentID(job.Key)
	s.Indexes.Drop(agent)
	copied, err := s.hasCopyInProgress(ctx, s.DB, job.AccountID, func(c clonePayload, _ parley.AgentID) bool {
		return c.From == agent
	})
	if err != nil {
		return err
	}
	isErased := false
	if !copied {
		isErased, err = s.DB.EraseAgent(ctx, job.AccountID.AgentRef(agent))
	}
	if err != nil || isErased {
		return err
	}
	again := eraseJob(job.AccountID.AgentRef(agent))
	again.RunAt = s.Now().Add(eraseRetryDelay)
	return s.Queue.Enqueue(ctx, s.DB.SQL(), again)
}

func eraseJob(ref parley.AgentRef) jobs.Job {
	return jobs.Job{Kind: EraseJob, Key: string(ref.Agent), AccountID: ref.Account}
}

// Handlers returns the handlers of this package's jobs.
func (s *Service) Handlers() map[string]jobs.Handler {
	return map[string]jobs.Handler{EraseJob: s.Erase, CloneJob: s.ContinueCopy}
}
