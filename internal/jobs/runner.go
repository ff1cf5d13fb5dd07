package jobs

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"parley/internal/bus"
	"parley/internal/sqldb"
)

// Runner runs due jobs. Any number of them, on any number of nodes whose clocks agree within a lease, share the table.
type Runner struct {
	DB            *sqldb.DB
	Queue         *Queue // wakes this runner; its Now is the runner's clock
	Handlers      map[string]Handler
	Logger        *slog.Logger  // nil = slog.Default()
	MaxWorkers    int           // jobs at a time; 0 = 4
	LeaseDuration time.Duration // how long a job whose runner died stays with it; 0 = 1 minute. Renewed at a third of it
	// How often to look for jobs whose time has come, and for those of other servers while the queue's bus is not
	// complete; 0 = 1 s
	PollInterval time.Duration

	// Fair has accounts take turns, and the small jobs of an account go first (fair.go). It is for handlers of one kind.
	Fair bool

	started time.Time // when Run began

	// OnLost handlers are called once, in a handler's place, for a job whose runners died in every attempt. A job of a
	// kind without one is dead.
	OnLost map[string]Handler
}

func (r *Runner) now() time.Time       { return r.Queue.Now() }
func (r *Runner) lease() time.Duration { return cmp.Or(r.LeaseDuration, time.Minute) }
func (r *Runner) workers() int         { return cmp.Or(r.MaxWorkers, 4) }
func (r *Runner) poll() time.Duration  { return cmp.Or(r.PollInterval, time.Second) }
func (r *Runner) logger() *slog.Logger { return cmp.Or(r.Logger, slog.Default()) }

// Run runs due jobs until ctx is done; then it waits for the handlers, whose ctx is done too, and releases the jobs
// that they did not finish. It returns nil after that; while the database is away it logs and tries again.
func (r *Runner) Run(ctx context.Context) error {
	r.started = r.now()
	workers := r.workers()
	finished := make(chan struct{}, workers)
	running := 0
	poll := time.NewTicker(r.poll())
	defer poll.Stop()
	mayHaveMore := true // due jobs that have not been looked for
	woken := r.Queue.subscribe(r.Handlers)
	defer r.Queue.unsubscribe(woken)
	defer r.Queue.Bus.Subscribe(bus.Jobs, woken.wakeFor)()
	pace := bus.Pace{Bus: r.Queue.Bus, Interval: r.poll()}
	for ctx.Err() == nil {
		if free := workers - running; mayHaveMore && free > 0 {
			started := r.dispatch(ctx, free, finished, woken)
			running += started
			mayHaveMore = started == free
		}
		r.Queue.noteFree(woken, running < workers)
		select {
		case <-finished:
			running--
		case <-woken.wake:
			mayHaveMore = true
		case <-poll.C:
			isDue := pace.IsDue()
			mayHaveMore = mayHaveMore || isDue || r.Queue.isDue(woken)
		case <-ctx.Done():
		}
	}
	r.Queue.noteFree(woken, false)
	for ; running > 0; running-- {
		<-finished
	}
	return nil
}

// dispatch starts up to free due jobs and returns how many.
func (r *Runner) dispatch(ctx context.Context, free int, finished chan<- struct{}, woken *subscription) int {
	if len(r.Handlers) == 0 {
		return 0
	}
	r.Queue.beginLook(woken, r.now().Add(lookAhead))
	claimed, next, err := r.claim(ctx, free)
	if err != nil {
		next = r.now() // the next tick tries again
	}
	r.Queue.endLook(woken, next)
	r.Queue.noteLook(err)
	if err != nil && ctx.Err() == nil {
		r.logger().Warn("jobs: cannot look for work", "error", err)
	}
	for _, j := range claimed {
		go func() {
			defer func() { finished <- struct{}{} }()
			r.runJob(ctx, j)
		}()
	}
	return len(claimed)
}

// ExpireLeases ends the leases of all running jobs, so that they run again now: for the start of a server that alone
// holds the database, when their runners are dead.
func (r *Runner) ExpireLeases(ctx context.Context) error {
	_, err := r.DB.Exec(ctx, `update jobs set lease_until = 0 where state = 'running'`)
	return err
}

// RunDue runs the jobs that are due, and those that become due by that, one after the other, and returns how many. A
// job that fails is no error: it waits for its next attempt.
func (r *Runner) RunDue(ctx context.Context) (n int, err error) {
	for {
		claimed, _, err := r.claim(ctx, 1)
		if err != nil || len(claimed) == 0 {
			return n, err
		}
		r.runJob(ctx, claimed[0])
		n++
	}
}

// WaitIdle waits until no job of the runner's kinds is due or running, here or on another node.
func (r *Runner) WaitIdle(ctx context.Context) error {
	for {
		ended := r.Queue.jobEnded.wait()
		busy, err := r.hasActiveJobs(ctx)
		if err != nil || !busy {
			return err
		}
		select {
		case <-ended:
		case <-time.After(r.poll()):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// activeQuery asks for a job of a kind that is running, and for one that is due.
const activeQuery = `
	select id from (select id from jobs where kind = ? and state = 'running' limit 1) running
	union all
	select id from (select id from jobs where kind = ? and ` + dueReady + ` limit 1) due`

func (r *Runner) hasActiveJobs(ctx context.Context) (bool, error) {
	for kind := range r.Handlers {
		_, err := sqldb.One(ctx, r.DB, sqldb.Column[string], activeQuery, kind, kind, r.now().UnixMilli())
		if !sqldb.IsNotFound(err) {
			return true, err
		}
	}
	return false, nil
}

// RunEvery calls step at once and then at each interval, until ctx is done; it returns nil. A step that fails is logged
// with the message, and the next one comes in its time.
func RunEvery(ctx context.Context, interval time.Duration, logger *slog.Logger, message string,
	step func(context.Context) error) error {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		if err := step(ctx); err != nil && ctx.Err() == nil {
			logger.Warn(message, "err", err)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil
		}
	}
}
