package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"parley"
	"parley/internal/jobs"
	"parley/internal/retrieval"
	"parley/internal/sqldb"
	"parley/internal/store"
)

// EmbedJob is the kind of the chore that gives the passages of an agent their vectors; its key is the agent's id.
const EmbedJob = "agent.embed"

const (
	embedAtOnce   = 96               // texts between two writes: what one request to a provider takes
	embedAttempts = 20               // in a row without any success
	embedBackoff  = 5 * time.Second  // after the first of them, doubled by each up to an hour
	embedAgain    = 10 * time.Second // after a failure that came behind successes
)

// EmbedHandlers gives what does the chores that ask the embedding provider: a runner of their own keeps a slow provider from
// standing in the way of texts.
func (d *Desk) EmbedHandlers() map[string]jobs.Handler {
	return map[string]jobs.Handler{EmbedJob: d.Embed}
}

func embedChore(account parley.AccountID, agent parley.AgentID) jobs.Job {
	payload, err := json.Marshal(subject{agent})
	if err != nil {
		panic(err) // a string always encodes
	}
	return jobs.Job{Kind: EmbedJob, Key: string(agent), AccountID: account, Payload: payload, MaxAttempts: embedAttempts, Backoff: embedBackoff}
}

// embedLater leaves the vectors of a source that goes live to a chore: until they are there it is found by its words.
func (d *Desk) embedLater(ctx context.Context, tx *store.DB, s *parley.Source) error {
	if d.Embedder == nil {
		return nil
	}
	return d.Queue.Enqueue(ctx, tx.SQL(), embedChore(s.AccountID, s.AgentID))
}

// EmbedAll leaves a chore for each agent with passages that have no vector of the present model. It does nothing without an
// embedder.
func (d *Desk) EmbedAll(ctx context.Context) error {
	if d.Embedder == nil {
		return nil
	}
	agents, err := d.Library.AgentsUnembedded(ctx)
	if err != nil {
		return err
	}
	for agent, account := range agents {
		err := d.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error {
			return d.Queue.Enqueue(ctx, tx.SQL(), embedChore(account, agent))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Embed handles EmbedJob: passages without a vector get one, some at a time, so that a run that was cut short goes on where it
// was. When the provider fails the agent answers by words as before, and the chore comes back later.
func (d *Desk) Embed(ctx context.Context, job jobs.Job) error {
	var about subject
	if err := json.Unmarshal(job.Payload, &about); err != nil {
		return fmt.Errorf("payload: %w", err)
	}
	if d.Embedder == nil {
		return nil
	}
	done, err := d.embed(ctx, job.AccountID, about.Agent)
	switch {
	case dropped(err):
		return nil
	case err != nil:
		return errors.Join(err, d.embedAgain(ctx, job, about.Agent, done, err))
	}
	return d.Library.EraseOtherVectors(ctx, about.Agent)
}

// embed tells how many texts were embedded.
func (d *Desk) embed(ctx context.Context, account parley.AccountID, agent parley.AgentID) (done int, err error) {
	var last *retrieval.Unembedded
	for {
		if _, err := d.DB.Agent(ctx, account, agent, d.Now()); err != nil {
			return done, err
		}
		list, err := d.Library.Unembedded(ctx, account, agent, last, embedAtOnce)
		if err != nil || len(list) == 0 {
			return done, err
		}
		packed, err := d.vectors(ctx, list)
		if err != nil {
			return done, err
		}
		if err := d.keep(ctx, account, agent, packed); err != nil {
			return done, err
		}
		done += len(packed)
		last = &list[len(list)-1]
	}
}

// vectors asks for the vector of each text once, however often it is there.
func (d *Desk) vectors(ctx context.Context, list []retrieval.Unembedded) (map[string][]byte, error) {
	packed, texts, hashes := map[string][]byte{}, []string{}, []string{}
	for _, u := range list {
		if _, ok := packed[u.Hash]; !ok {
			packed[u.Hash] = nil
			texts, hashes = append(texts, u.Text), append(hashes, u.Hash)
		}
	}
	vectors, err := d.Embedder.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	for i, v := range vectors {
		packed[hashes[i]] = retrieval.Pack(v)
	}
	return packed, nil
}

// keep writes vectors, which every server then finds in the agent's next passage version.
func (d *Desk) keep(ctx context.Context, account parley.AccountID, agent parley.AgentID, packed map[string][]byte) error {
	var version int64
	err := d.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) (err error) {
		if version, err = tx.NextPassages(ctx, account, agent); err != nil {
			return err
		}
		return d.Library.PutVectors(ctx, tx.SQL(), agent, version, packed)
	})
	if err != nil {
		return err
	}
	return d.Library.Warm(ctx, agent, version)
}

// embedAgain has the chore come back soon after a run that got somewhere, with all its attempts, and not before the provider's
// time where it has named one.
func (d *Desk) embedAgain(ctx context.Context, job jobs.Job, agent parley.AgentID, done int, why error) error {
	var wait time.Duration
	var said *parley.Error
	if errors.As(why, &said) {
		wait = min(said.RetryAfter, time.Hour)
	}
	if done > 0 {
		wait = max(wait, embedAgain)
	}
	if wait == 0 || ctx.Err() != nil {
		return nil //nolint:nilerr // a stopped chore comes back by itself
	}
	next := embedChore(job.AccountID, agent)
	next.RunAt = d.Now().Add(wait)
	return d.DB.Transact(ctx, sqldb.Bulk, func(tx *store.DB) error { return d.Queue.Enqueue(ctx, tx.SQL(), next) })
}
