package ingest

import (
	"context"
	"errors"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/model"
	"parley/internal/retrieval"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// EmbedJob is the kind of the job that embeds the passages of an agent; its key is the agent's id. EmbedAccountJob is
// the kind of the one that leaves such a job for each agent of an account; its key is the account's id.
const (
	EmbedJob        = "agent.embed"
	EmbedAccountJob = "account.embed"
)

const (
	embedBatchSize   = 96               // texts between two writes: what one request to a provider takes
	maxEmbedAttempts = 20               // in a row without any success
	embedBackoff     = 5 * time.Second  // after the first of them, doubled by each up to an hour
	embedRetryDelay  = 10 * time.Second // after a failure that came behind successes
)

// EmbedHandlers returns the handlers of jobs that call the embedding provider. They have a runner of their own, so that
// a slow provider does not delay texts.
func (s *Service) EmbedHandlers() map[string]jobs.Handler {
	return map[string]jobs.Handler{EmbedJob: s.Embed, EmbedAccountJob: s.embedAccount}
}

// embedder returns what embeds the passages of an account; nil if they are found by words alone.
func (s *Service) embedder(ctx context.Context, account parley.AccountID) (model.Embedder, error) {
	if s.Embedder != nil || s.EmbedderOf == nil {
		return s.Embedder, nil
	}
	return s.EmbedderOf(ctx, account)
}

// EnqueueAccountEmbedding leaves the vectors of an account whose embedding server has changed to a job, in the
// transaction of the change.
func (s *Service) EnqueueAccountEmbedding(ctx context.Context, tx *store.DB, account parley.AccountID) error {
	return s.Queue.Enqueue(ctx, tx.SQL(), jobs.Job{Kind: EmbedAccountJob, Key: string(account), AccountID: account,
		MaxAttempts: maxEmbedAttempts, Backoff: embedBackoff})
}

// embedAccount handles EmbedAccountJob.
func (s *Service) embedAccount(ctx context.Context, job jobs.Job) error {
	e, err := s.embedder(ctx, job.AccountID)
	if err != nil || e == nil {
		return err
	}
	return s.enqueueUnembedded(ctx, job.AccountID, e.Name())
}

func newEmbedJob(ref parley.AgentRef) jobs.Job {
	return jobs.Job{Kind: EmbedJob, Key: string(ref.Agent), AccountID: ref.Account,
		Payload: jobs.EncodePayload(jobPayload{ref.Agent}), MaxAttempts: maxEmbedAttempts, Backoff: embedBackoff}
}

// enqueueEmbed leaves the vectors of a source that goes live to a job: until they are there it is found by its words.
func (s *Service) enqueueEmbed(ctx context.Context, tx *store.DB, src *parley.Source) error {
	if s.Embedder == nil && (s.MayEmbed == nil || !s.MayEmbed()) {
		return nil
	}
	return s.Queue.Enqueue(ctx, tx.SQL(), newEmbedJob(src.AgentRef()))
}

// EmbedAll leaves a job for each agent with passages that have no vector of the present model. It does nothing without
// an embedder.
func (s *Service) EmbedAll(ctx context.Context) error {
	if s.Embedder == nil {
		return nil
	}
	return s.enqueueUnembedded(ctx, "", s.Embedder.Name())
}

// enqueueUnembedded leaves a job for each agent, of one account or of all, with passages that have no vector of the
// model.
func (s *Service) enqueueUnembedded(ctx context.Context, account parley.AccountID, model string) error {
	agents, err := s.Indexes.AgentsUnembedded(ctx, account, model)
	if err != nil {
		return err
	}
	for agent, account := range agents {
		err := s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
			return s.Queue.Enqueue(ctx, tx.SQL(), newEmbedJob(account.AgentRef(agent)))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Embed handles EmbedJob: passages without a vector get one, some at a time, so that a run that was cut short goes on
// where it was. When the provider fails the agent answers by words as before, and the job comes back later.
func (s *Service) Embed(ctx context.Context, job jobs.Job) error {
	ref, _, err := jobSource(job)
	if err != nil {
		return err
	}
	e, err := s.embedder(ctx, ref.Account)
	if err != nil || e == nil {
		return err
	}
	done, err := s.embedMissing(ctx, ref, e)
	switch {
	case isDropped(err):
		return nil
	case err != nil:
		return errors.Join(err, s.retryEmbed(ctx, ref, done, err))
	}
	if done > 0 {
		s.logger().Info("all passages of an agent are embedded", "agent", ref.Agent, "model", e.Name(), "embedded_now", done)
	}
	return s.Indexes.EraseOtherVectors(ctx, ref.Agent, e.Name())
}

// embedMissing returns how many texts were embedded.
func (s *Service) embedMissing(ctx context.Context, ref parley.AgentRef, e model.Embedder) (done int, err error) {
	var last *retrieval.Unembedded
	for {
		if _, err := s.DB.Agent(ctx, ref, s.Now()); err != nil {
			return done, err
		}
		list, err := s.Indexes.Unembedded(ctx, ref, e.Name(), last, embedBatchSize)
		if err != nil || len(list) == 0 {
			return done, err
		}
		packed, err := embedTexts(ctx, e, list)
		if err != nil {
			return done, err
		}
		if err := s.storeVectors(ctx, ref, e.Name(), packed); err != nil {
			return done, err
		}
		if done += len(packed); len(list) == embedBatchSize {
			s.logger().Info("passages are being embedded", "agent", ref.Agent, "model", e.Name(), "done", done)
		}
		last = &list[len(list)-1]
	}
}

// embedTexts asks for the vector of each text once, however often the text occurs.
func embedTexts(ctx context.Context, e model.Embedder, list []retrieval.Unembedded) (map[string][]byte, error) {
	packed, texts, hashes := map[string][]byte{}, []string{}, []string{}
	for _, u := range list {
		if _, ok := packed[u.Hash]; !ok {
			packed[u.Hash] = nil
			texts, hashes = append(texts, u.Text), append(hashes, u.Hash)
		}
	}
	vectors, err := e.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	for i, v := range vectors {
		packed[hashes[i]] = retrieval.PackVector(v)
	}
	return packed, nil
}

// storeVectors writes vectors, which every server then finds in the agent's next passage version.
func (s *Service) storeVectors(ctx context.Context, ref parley.AgentRef, vectorModel string,
	packed map[string][]byte) error {
	var version int64
	err := s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) (err error) {
		if version, err = tx.IncrementPassageVersion(ctx, ref); err != nil {
			return err
		}
		return s.Indexes.PutVectors(ctx, tx.SQL(), ref.Agent, vectorModel, version, packed)
	})
	if err != nil {
		return err
	}
	return s.Indexes.Warm(ctx, ref.Agent, version)
}

// retryEmbed has the job come back soon after a run that got somewhere, with all its attempts, and not before the
// provider's time where it has named one.
func (s *Service) retryEmbed(ctx context.Context, ref parley.AgentRef, done int, cause error) error {
	var wait time.Duration
	var failure *parley.Error
	if errors.As(cause, &failure) {
		wait = min(failure.RetryAfter, time.Hour)
	}
	if done > 0 {
		wait = max(wait, embedRetryDelay)
	}
	if wait == 0 || ctx.Err() != nil {
		return nil //nolint:nilerr // a stopped job comes back by itself
	}
	next := newEmbedJob(ref)
	next.RunAt = s.Now().Add(wait)
	return s.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error { return s.Queue.Enqueue(ctx, tx.SQL(), next) })
}
