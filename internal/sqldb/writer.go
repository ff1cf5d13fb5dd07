package sqldb

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// A group is at most maxGroup closures, and no closure joins it once groupTime of running them has passed.
const (
	maxGroup  = 64
	groupTime = 5 * time.Millisecond
)

// writer owns the one connection that writes. It takes the closures that are waiting when it is free, never waiting for
// more, runs each in a savepoint, commits them together and only then tells their callers. When that fails none of them
// is acknowledged and each runs again alone, once.
type writer struct {
	conn    *writeConn
	open    func(context.Context) (*writeConn, error)
	queue   *lanes
	group   []*job        // taken and not yet settled
	limit   time.Duration // groupTime, but in a test about whole groups
	watch   *time.Timer
	log     *unmerged
	commits chan<- struct{}
	logger  *slog.Logger
	stopped chan struct{}
}

func newWriter(conn *writeConn, open func(context.Context) (*writeConn, error), log *unmerged, commits chan<- struct{}, logger *slog.Logger) *writer {
	w := &writer{conn: conn, open: open, queue: newLanes(), limit: groupTime, watch: time.NewTimer(groupTime),
		log: log, commits: commits, logger: logger, stopped: make(chan struct{})}
	go w.loop()
	return w
}

func (w *writer) do(ctx context.Context, lane Lane, fn func(*transaction) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	j := &job{fn: fn, done: make(chan struct{})}
	if !w.queue.put(lane, j) {
		return unavailable(errClosed)
	}
	select {
	case <-j.done:
	case <-ctx.Done():
		if j.withdraw() {
			return ctx.Err()
		}
		<-j.done
	}
	return j.outcome()
}

// stop finishes what is queued; false when it had been stopped before.
func (w *writer) stop() bool {
	first := w.queue.close()
	<-w.stopped
	return first
}

// loop starts itself anew when a closure ends its goroutine (runtime.Goexit, as a failing test does): the writer must
// outlive it, and the rest of the group runs again.
func (w *writer) loop() {
	finished := false
	defer func() {
		if !finished {
			go w.loop()
		}
	}()
	if len(w.group) > 0 {
		w.again()
	}
	for {
		lane, ok := w.queue.wait()
		if !ok {
			break
		}
		w.turn(lane)
	}
	finished = true
	w.conn.close()
	close(w.stopped)
}

// turn runs and commits one group of the lane.
func (w *writer) turn(lane Lane) {
	j := w.queue.take(lane)
	if j == nil {
		return
	}
	if err := w.begin(); err != nil {
		j.settle(failSQLite("begin", err))
		return
	}
	w.watch.Reset(w.limit)
	w.group = w.group[:0]
	if !w.first(j) {
		return
	}
	for j = w.next(lane); j != nil; j = w.next(lane) {
		w.group = append(w.group, j)
		if !w.attempt(j) {
			w.again()
			return
		}
	}
	if err := w.conn.run("commit"); err != nil {
		w.logger.Warn("sqldb: a commit failed; its closures run again one by one", "error", err, "closures", len(w.group))
		w.again()
		return
	}
	w.committed()
	for _, j := range w.group {
		close(j.done)
	}
	clear(w.group)
	w.group = w.group[:0]
}

// first runs the closure that the group begins with. It needs no savepoint: when it fails there is nothing beside it to keep,
// and the group ends with it.
func (w *writer) first(j *job) bool {
	w.group = append(w.group, j)
	j.err, j.panicked = nil, nil
	t := &transaction{on: w.conn, ctx: context.Background()}
	j.run(t)
	j.err = t.end(j.err)
	switch {
	case doomedSQLite(t.failed):
		w.again()
	case j.err != nil:
		w.rollback()
		clear(w.group)
		w.group = w.group[:0]
		close(j.done)
	default:
		return true
	}
	return false
}

// next is the closure that may join the group being made, nil when it is full.
func (w *writer) next(lane Lane) *job {
	if len(w.group) >= maxGroup {
		return nil
	}
	select {
	case <-w.watch.C:
		return nil
	default:
		return w.queue.more(lane)
	}
}

// begin opens a transaction, which counts where that is due.
func (w *writer) begin() error {
	if err := w.enter(); err != nil {
		return err
	}
	if err := w.log.begin(w.conn); err != nil {
		w.rollback()
		return err
	}
	return nil
}

// enter opens a transaction, on a new connection if the old one is stuck in a transaction it could not end.
func (w *writer) enter() error {
	err := w.conn.run("begin immediate")
	if err == nil || doomedSQLite(err) {
		return err
	}
	fresh, openErr := w.open(context.Background())
	if openErr != nil {
		return errors.Join(err, openErr)
	}
	w.conn.close()
	w.conn = fresh
	return w.conn.run("begin immediate")
}

// attempt runs the closure in a savepoint, false when the whole transaction is lost with it.
func (w *writer) attempt(j *job) bool {
	j.err, j.panicked = nil, nil
	if err := w.conn.run("savepoint closure"); err != nil {
		j.err = failSQLite("savepoint", err)
		return false
	}
	t := &transaction{on: w.conn, ctx: context.Background()}
	j.run(t)
	j.err = t.end(j.err)
	if doomedSQLite(t.failed) {
		return false
	}
	if j.err != nil && w.conn.run("rollback to closure") != nil {
		return false
	}
	err := w.conn.run("release closure")
	if err != nil && j.err == nil {
		j.err = failSQLite("release", err)
	}
	return err == nil
}

// again gives up the group's transaction and runs each of its closures in one of its own.
func (w *writer) again() {
	w.rollback()
	for len(w.group) > 0 {
		j := w.group[0]
		if !j.exited {
			w.alone(j)
		}
		w.group = w.group[1:] // only now: should this closure end the goroutine, the next loop still knows it
		close(j.done)
	}
	w.group = nil
}

func (w *writer) alone(j *job) {
	if err := w.begin(); err != nil {
		j.err = failSQLite("begin", err)
		return
	}
	if !w.attempt(j) {
		w.rollback()
		return
	}
	if err := w.conn.run("commit"); err != nil {
		j.err = failSQLite("commit", err)
		w.rollback()
		return
	}
	w.committed()
}

// rollback may find nothing to roll back: SQLite has often done it already.
func (w *writer) rollback() { _ = w.conn.run("rollback") }

// committed is for a commit that is on disk and that nobody has heard of yet.
func (w *writer) committed() {
	if err := w.log.committed(); err != nil {
		w.logger.Warn("sqldb: note what the log holds", "error", err)
	}
	select {
	case w.commits <- struct{}{}:
	default:
	}
}
