// Package jobs runs jobs that survive a restart. A job is written down in the transaction that made it necessary,
// and run at least once after that transaction is committed: handlers must bear being repeated.
package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"parley"
)

// Job is a job. At most one lives for each pair of Kind and Key.
type Job struct {
	ID          string           // given by Enqueue
	Kind        string           // names the handler
	Key         string           // what it is about, such as the id of a source
	AccountID   parley.AccountID // its owner; empty for jobs of the installation
	Payload     json.RawMessage  // whatever else the handler needs; nil is stored as {}
	Size        int64            // bytes that it has to work on; a fair runner has an account's small jobs go first
	RunAt       time.Time        // not before this; zero = now
	Attempts    int              // runs begun so far, the present one included
	MaxAttempts int              // after this many the job is dead; 0 = 10
	Backoff     time.Duration    // wait after the first failure, doubled by each further one up to an hour; 0 = 1 s

	createdAt time.Time
	updatedAt time.Time // when its state changed last

	lease     string // the claim under which it runs
	runOnLost bool   // it is not run any more: Runner.Lost is
}

// Handler does the job. Its ctx ends when the runner stops or the lease is lost; what it then leaves undone is done by
// the next run. An error or a panic is a failed attempt.
type Handler func(ctx context.Context, j Job) error

const (
	defaultAttempts = 10
	defaultBackoff  = time.Second
	maxBackoff      = time.Hour
)

// backoffDelay is how long the job rests after its latest failure.
func (j Job) backoffDelay() time.Duration { return j.backoffAfter(j.Attempts - 1) }

// backoffAfter is the backoff, doubled so many times.
func (j Job) backoffAfter(times int) time.Duration {
	w := j.Backoff
	for i := 0; i < times && w < maxBackoff; i++ {
		w *= 2
	}
	return min(w, maxBackoff)
}

// EncodePayload returns the payload of a job. The value is of a type that always encodes.
func EncodePayload(v any) json.RawMessage {
	payload, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("jobs: %T does not encode: %v", v, err))
	}
	return payload
}

// DecodePayload reads the payload of a job.
func DecodePayload[T any](j Job) (payload T, err error) {
	if err = json.Unmarshal(j.Payload, &payload); err != nil {
		return payload, fmt.Errorf("payload: %w", err)
	}
	return payload, nil
}
