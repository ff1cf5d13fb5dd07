package sqldb

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"
)

// A group is at most maxGroupJobs closures, and no closure joins it once maxGroupTime of running them has passed.
const (
	maxGroupJobs = 64
	maxGroupTime = 5 * time.Millisecond
	// Callers that were answered together ask again together: after a group of several the writer waits for as long as
	// half of a commit takes, at most maxGatherTime, so that the next group is as large.
	maxGatherTime = time.Millisecond
	// A group of nothing but deferred closures waits this long for one that is not.
	maxDeferral = 2 * time.Millisecond
	// After a closure has failed when it had written, so many groups run their closures in savepoints.
	guardedGroups = 64
)

// writer owns the one connection that writes. It takes the closures that are waiting when it is free, runs them one
// after the other, commits them together and only then tells their callers. When that fails, or one of them fails after
// it has written, none of them is acknowledged and each runs again alone, once.
type writer struct {
	conn           *writeConn
	open           func() (*writeConn, error)
	queue          *laneQueue
	group          []*writeJob   // taken and not yet settled
	groupTimeLimit time.Duration // maxGroupTime, but in a test about whole groups
	groupTimer     *time.Timer
	deferral       time.Duration // maxDeferral, but in a test about it
	deferralTimer  *time.Timer
	guarded        int           // groups that are still to use savepoints
	commitTime     time.Duration // of a group of several, on average
	counter        *commitCounter
	commits        chan<- struct{}
	logger         *slog.Logger
	stopped        chan struct{}
}

func newWriter(conn *writeConn, open func() (*writeConn, error), log *commitCounter,
	commits chan<- struct{}, logger *slog.Logger) *writer {
	w := &writer{conn: conn, open: open, queue: newLaneQueue(), groupTimeLimit: maxGroupTime,
		groupTimer: time.NewTimer(maxGroupTime), deferral: maxDeferral,
		deferralTimer: time.NewTimer(maxDeferral),
		counter:       log, commits: commits, logger: logger, stopped: make(chan struct{})}
	go w.loop()
	return w
}

func (w *writer) submit(ctx context.Context, lane Lane, j *writeJob) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	j.done = make(chan struct{})
	if !w.queue.put(lane, j) {
		return unavailable(errClosed)
	}
	if j.queued != nil {
		j.queued()
	}
	select {
	case <-j.done:
	case <-ctx.Done():
		if j.withdraw() {
			return ctx.Err()
		}
		<-j.done
	}
	return j.result()
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
		w.rerunIndividually()
	}
	for {
		lane, ok := w.queue.waitForLane()
		if !ok {
			break
		}
		w.runGroup(lane)
	}
	finished = true
	_ = w.conn.close()
	close(w.stopped)
}

// runGroup runs and commits one group of the lane.
func (w *writer) runGroup(lane Lane) {
	j := w.queue.take(lane, false)
	if j == nil {
		return
	}
	if err := w.begin(); err != nil {
		j.finish(mapSQLiteError("begin", err))
		return
	}
	w.guarded = max(0, w.guarded-1)
	w.groupTimer.Reset(w.groupTimeLimit)
	w.deferralTimer.Reset(w.deferral)
	w.group = w.group[:0]
	for ; j != nil; j = w.nextJob(lane) {
		w.group = append(w.group, j)
		if !w.runJoined(j) {
			w.dissolveGroup(j)
			return
		}
	}
	if !w.commitGroup() {
		w.rerunIndividually()
		return
	}
	gathers := lane == Interactive && len(w.group) > 1
	for _, j := range w.group {
		close(j.done)
	}
	clear(w.group)
	w.group = w.group[:0]
	if gathers {
		time.Sleep(min(w.commitTime/2, maxGatherTime))
	}
}

// runJoined runs a closure as part of the group, false when the group cannot go on with it. One that fails before it
// has changed anything needs nothing undone.
func (w *writer) runJoined(j *writeJob) bool {
	if w.guarded > 0 && len(w.group) > 1 {
		return w.runInSavepoint(j)
	}
	changes := w.conn.conn.TotalChanges()
	t := j.runOn(w.conn)
	switch {
	case abortsSQLiteTransaction(t.firstErr):
		return false
	case j.err == nil:
		return true
	}
	return w.conn.conn.TotalChanges() == changes && !t.changedSchema
}

// dissolveGroup undoes the group because of the closure that ran last. Alone, that is the end of it.
func (w *writer) dissolveGroup(last *writeJob) {
	if len(w.group) > 1 || abortsSQLiteTransaction(last.err) {
		w.guarded = guardedGroups
		w.rerunIndividually()
		return
	}
	w.rollback()
	clear(w.group)
	w.group = w.group[:0]
	close(last.done)
}

// commitGroup commits what the group has written. Where all have failed there is nothing to keep.
func (w *writer) commitGroup() bool {
	if !slices.ContainsFunc(w.group, func(j *writeJob) bool { return j.err == nil }) {
		w.rollback()
		return true
	}
	began := time.Now()
	if err := w.conn.runStatement("commit"); err != nil {
		w.logger.Warn("sqldb: a commit failed; its closures run again one by one", "error", err, "closures", len(w.group))
		return false
	}
	if len(w.group) > 1 {
		w.commitTime += (time.Since(began) - w.commitTime) / 8
	}
	w.notifyCommit()
	return true
}

// nextJob is the closure that may join the group being made, nil when it is full.
func (w *writer) nextJob(lane Lane) *writeJob {
	if len(w.group) >= maxGroupJobs {
		return nil
	}
	select {
	case <-w.groupTimer.C:
		return nil
	default:
	}
	j := w.queue.take(lane, true)
	for j == nil && w.isDeferrable() && w.queue.waitForMore(w.deferralTimer.C) {
		j = w.queue.take(lane, true)
	}
	return j
}

// isDeferrable reports whether nobody waits for the group by itself.
func (w *writer) isDeferrable() bool {
	return !slices.ContainsFunc(w.group, func(j *writeJob) bool { return j.queued == nil || j.err != nil })
}

// begin opens a transaction, which counts where that is due.
func (w *writer) begin() error {
	if err := w.beginImmediate(); err != nil {
		return err
	}
	if err := w.counter.begin(w.conn); err != nil {
		w.rollback()
		return err
	}
	return nil
}

// beginImmediate opens a transaction, on a new connection if the old one is stuck in a transaction it could not end.
func (w *writer) beginImmediate() error {
	err := w.conn.runStatement("begin immediate")
	if err == nil || abortsSQLiteTransaction(err) {
		return err
	}
	fresh, openErr := w.open()
	if openErr != nil {
		return errors.Join(err, openErr)
	}
	_ = w.conn.close()
	w.conn = fresh
	return w.conn.runStatement("begin immediate")
}

// runInSavepoint runs the closure in a savepoint, false when the whole transaction is lost with it.
func (w *writer) runInSavepoint(j *writeJob) bool {
	if err := w.conn.runStatement("savepoint closure"); err != nil {
		j.err, j.panicked = mapSQLiteError("savepoint", err), nil
		return false
	}
	t := j.runOn(w.conn)
	if abortsSQLiteTransaction(t.firstErr) {
		return false
	}
	if j.err != nil && w.conn.runStatement("rollback to closure") != nil {
		return false
	}
	err := w.conn.runStatement("release closure")
	if err != nil && j.err == nil {
		j.err = mapSQLiteError("release", err)
	}
	return err == nil
}

// rerunIndividually abandons the group's transaction and runs each of its closures in one of its own.
func (w *writer) rerunIndividually() {
	w.rollback()
	for len(w.group) > 0 {
		j := w.group[0]
		if !j.exited {
			w.runAlone(j)
		}
		w.group = w.group[1:] // only now: should this closure end the goroutine, the next loop still knows it
		close(j.done)
	}
	w.group = nil
}

func (w *writer) runAlone(j *writeJob) {
	if err := w.begin(); err != nil {
		j.err = mapSQLiteError("begin", err)
		return
	}
	if t := j.runOn(w.conn); j.err != nil || t.firstErr != nil {
		w.rollback()
		return
	}
	if err := w.conn.runStatement("commit"); err != nil {
		j.err = mapSQLiteError("commit", err)
		w.rollback()
		return
	}
	w.notifyCommit()
}

// rollback may find nothing to roll back: SQLite has often done it already.
func (w *writer) rollback() { _ = w.conn.runStatement("rollback") }

// notifyCommit is for a commit that is on disk and that nobody has heard of yet.
func (w *writer) notifyCommit() {
	if err := w.counter.recordCommit(); err != nil {
		w.logger.Warn("sqldb: note what the log holds", "error", err)
	}
	select {
	case w.commits <- struct{}{}:
	default:
	}
}
