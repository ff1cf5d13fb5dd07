package jobs

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"parley"
	"parley/internal/bus"
	"parley/internal/sqldb"
)

// Queue enqueues jobs; the zero value with Now set is ready. It wakes the runners of the same process.
type Queue struct {
	Now func() time.Time
	Bus *bus.Bus // wakes the runners of other servers, which look for jobs every second without; may be nil

	jobEnded notifier // a job of this process has ended

	mu            sync.Mutex
	subscriptions []*subscription
	outages       map[jobName]error // of jobs whose latest attempt in this process found no database, or a full one
	lookOutage    error             // why the latest look for due jobs found no database, or a full one; nil otherwise
}

// jobName names a job.
type jobName struct{ kind, key string }

// Outage returns why the latest attempt of a job in this process found no database, or a full one, or why no job can be
// begun: such a job is tried again until it finds one. It returns nil if the job does not wait for that.
func (q *Queue) Outage(kind, key string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.outages[jobName{kind, key}]; err != nil {
		return err
	}
	return q.lookOutage
}

// noteLook notes how a look for due jobs went, for Outage.
func (q *Queue) noteLook(outcome error) {
	if !parley.IsCode(outcome, parley.CodeUnderMaintenance) {
		outcome = nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.lookOutage = outcome
}

// noteOutcome notes how an attempt went, for Outage.
func (q *Queue) noteOutcome(j Job, outcome error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	name := jobName{j.Kind, j.Key}
	if !parley.IsCode(outcome, parley.CodeUnderMaintenance) {
		delete(q.outages, name)
		return
	}
	if q.outages == nil {
		q.outages = map[jobName]error{}
	}
	q.outages[name] = outcome
}

// subscription is a runner that waits for jobs of its kinds.
type subscription struct {
	kinds map[string]Handler
	wake  chan struct{}

	// Guarded by the queue's mu.
	dueAt   time.Time // when the next job is due that is known of; zero if none is
	hasFree bool      // workers
}

// signal wakes the runner. It does not wait.
func (s *subscription) signal() {
	select {
	case s.wake <- struct{}{}:
	default: // it has been woken and has not looked since
	}
}

// expect notes when a job is due. The queue's mu is held.
func (s *subscription) expect(at time.Time) {
	if !at.IsZero() && (s.dueAt.IsZero() || at.Before(s.dueAt)) {
		s.dueAt = at
	}
}

// Enqueue writes the job down as part of tx and wakes the runners of its kind, where it is due, once that is committed.
// If one of its kind and key waits already, they become one, with the newer payload and the earlier time; if it is
// running, it runs once more afterwards; if it is dead, it comes back to life.
func (q *Queue) Enqueue(ctx context.Context, tx *sqldb.DB, j Job) error {
	now := q.Now()
	if j.RunAt.IsZero() {
		j.RunAt = now
	}
	if j.Payload == nil {
		j.Payload = []byte("{}")
	}
	var account any
	if j.AccountID != "" {
		account = string(j.AccountID)
	}
	ms := now.UnixMilli()
	_, err := tx.Exec(ctx, enqueueQuery, parley.NewTimedUUID(), j.Kind, j.Key, account, j.Payload, j.RunAt.UnixMilli(),
		j.Size,
		cmp.Or(j.MaxAttempts, defaultAttempts), cmp.Or(j.Backoff, defaultBackoff).Milliseconds(), ms, ms)
	if err == nil {
		tx.AfterCommit(func() {
			q.noteOutcome(j, nil) // what an earlier attempt found says nothing of the next one
			q.announce(j.Kind, j.RunAt, now)
		})
	}
	return err
}

// announce has runners run a job, now or when it is due.
func (q *Queue) announce(kind string, runAt, now time.Time) {
	if !runAt.After(now) {
		q.wakeAll(kind)
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, s := range q.subscriptions {
		if _, ok := s.kinds[kind]; ok {
			s.expect(runAt)
		}
	}
}

// wakeAll wakes the runners of a kind, and those of other servers if all of this process are busy.
func (q *Queue) wakeAll(kind string) {
	if !q.wakeRunners(kind) {
		q.Bus.Publish(bus.Jobs, kind)
	}
}

// While a job runs its run_at is free to hold when it is to run again.
const enqueueQuery = `
	insert into jobs (
	  id,
	  kind,
	  key,
	  account_id,
	  payload,
	  state,
	  run_at,
	  size,
	  attempts,
	  max_attempts,
	  backoff_ms,
	  created_at,
	  updated_at
	)
	values (?, ?, ?, ?, ?, 'ready', ?, ?, 0, ?, ?, ?, ?)
	on conflict (kind, key) do update set
	  account_id = excluded.account_id,
	  payload = excluded.payload,
	  size = excluded.size,
	  max_attempts = excluded.max_attempts,
	  backoff_ms = excluded.backoff_ms,
	  updated_at = excluded.updated_at,
	  run_at = case when (jobs.state = 'ready' or jobs.again = 1)
	    and jobs.run_at < excluded.run_at then jobs.run_at else excluded.run_at end,
	  again = case when jobs.state = 'running' then 1 else 0 end,
	  attempts = case when jobs.state = 'dead' then 0 else jobs.attempts end,
	  last_error = case when jobs.state = 'dead' then null else jobs.last_error end,
	  state = case when jobs.state = 'dead' then 'ready' else jobs.state end`

// Wake makes all runners look for due jobs now rather than at their next poll.
func (q *Queue) Wake() { q.wakeRunners("") }

// wakeRunners wakes the runners of a kind in this process, or all, and reports whether one of them has free workers.
func (q *Queue) wakeRunners(kind string) (hasFree bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, s := range q.subscriptions {
		if _, ok := s.kinds[kind]; ok || kind == "" {
			s.signal()
			hasFree = hasFree || s.hasFree
		}
	}
	return hasFree
}

// noteFree notes whether a runner has free workers.
func (q *Queue) noteFree(s *subscription, hasFree bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	s.hasFree = hasFree
}

// wakeFor wakes a runner for kinds of jobs that other servers have published; nil are all.
func (s *subscription) wakeFor(kinds []string) {
	isOfRunner := func(kind string) bool { return s.kinds[kind] != nil }
	if kinds == nil || slices.ContainsFunc(kinds, isOfRunner) {
		s.signal()
	}
}

// subscribe returns what is woken when a job of the kinds is due, until unsubscribe is called.
func (q *Queue) subscribe(kinds map[string]Handler) *subscription {
	q.mu.Lock()
	defer q.mu.Unlock()
	s := &subscription{kinds: kinds, wake: make(chan struct{}, 1)}
	q.subscriptions = append(q.subscriptions, s)
	return s
}

func (q *Queue) unsubscribe(s *subscription) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.subscriptions = slices.DeleteFunc(q.subscriptions, func(other *subscription) bool { return other == s })
}

// isDue reports whether a job is due of which the runner knows without asking.
func (q *Queue) isDue(s *subscription) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !s.dueAt.IsZero() && !s.dueAt.After(q.Now())
}

// beginLook forgets which jobs are known of that are due by a time: the runner looks for them. What is enqueued
// meanwhile is noted again.
func (q *Queue) beginLook(s *subscription, until time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !s.dueAt.After(until) {
		s.dueAt = time.Time{}
	}
}

// endLook notes when the next job is due that has been found; the zero time if none has.
func (q *Queue) endLook(s *subscription, next time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	s.expect(next)
}

// notifier wakes all that wait for it.
type notifier struct {
	mu   sync.Mutex
	done chan struct{}
}

// wait returns a channel that the next notify closes. Take it before looking for work, or one in between is missed.
func (n *notifier) wait() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.done == nil {
		n.done = make(chan struct{})
	}
	return n.done
}

func (n *notifier) notify() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.done != nil {
		close(n.done)
		n.done = nil
	}
}

// LiveJobs returns the account's jobs of a kind that wait or run, with their keys and payloads.
func (q *Queue) LiveJobs(ctx context.Context, db *sqldb.DB, kind string, account parley.AccountID) ([]Job, error) {
	return sqldb.All(ctx, db, func(scan sqldb.Scan) (Job, error) {
		j := Job{Kind: kind, AccountID: account}
		err := scan(&j.Key, (*[]byte)(&j.Payload))
		return j, err
	}, `
		select key, payload
		from jobs
		where kind = ? and account_id = ? and state in ('ready', 'running')
		order by id`, kind, account)
}

// maxDepth is the most jobs of one state that Depth counts: looking must not cost more the more jobs there are.
const maxDepth = 10_000

// Depth is how many jobs there are in the database, of all runners, up to 10,000 of each state.
type Depth struct {
	Waiting, Running, Dead int
	OldestDue              time.Duration // for how long the one that is due longest has been due; 0 if none is
}

// Depth counts the jobs of all accounts.
func (q *Queue) Depth(ctx context.Context, db *sqldb.DB) (d Depth, err error) {
	var earliest int64
	if d.Waiting, earliest, err = countJobs(ctx, db, "ready"); err != nil {
		return d, err
	}
	if d.Running, _, err = countJobs(ctx, db, "running"); err != nil {
		return d, err
	}
	if d.Dead, _, err = countJobs(ctx, db, "dead"); err != nil {
		return d, err
	}
	if d.Waiting > 0 {
		d.OldestDue = max(q.Now().Sub(time.UnixMilli(earliest)), 0)
	}
	return d, nil
}

const countQuery = `
	select count(*), coalesce(min(run_at), 0)
	from (select run_at from jobs where state = ? order by run_at limit ?) counted`

func countJobs(ctx context.Context, db *sqldb.DB, state string) (n int, earliest int64, err error) {
	err = db.QueryRow(ctx, countQuery, state, maxDepth).Scan(&n, &earliest)
	return n, earliest, err
}

// Failures counts the jobs of the kinds that wait after a failed attempt or were given up, up to 10,000. It returns why
// the latest of them failed; the empty text if none has.
func (q *Queue) Failures(ctx context.Context, db *sqldb.DB, kinds []string) (n int, last string, err error) {
	if len(kinds) == 0 {
		return 0, "", nil
	}
	args := make([]any, 0, len(kinds)+1)
	for _, kind := range kinds {
		args = append(args, kind)
	}
	reasons, err := sqldb.All(ctx, db, sqldb.Column[string], `
		select last_error
		from jobs
		where kind in (?`+strings.Repeat(", ?", len(kinds)-1)+`) and last_error is not null
		order by updated_at desc
		limit ?`, append(args, maxDepth)...)
	if err != nil || len(reasons) == 0 {
		return 0, "", err
	}
	return len(reasons), reasons[0], nil
}
