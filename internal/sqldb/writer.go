package sqldb

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"
)

// A group has at most maxGroupJobs closures, and none joins it once it has run for maxGroupTime.
const (
	maxGroupJobs = 64
	maxGroupTime = 5 * time.Millisecond
	// Callers that were answered together often write again together. So after a group of several the writer waits for
	// half the time that a commit takes, at most maxGatherTime, to make the next group as large.
	maxGatherTime = time.Millisecond
	// A group of nothing but deferred closures waits this long for one that is not.
	maxDeferral = 2 * time.Millisecond
	// A deferred closure is left in the queue for this long: what follows it may be known by then, and both be written at
	// once.
	maxDelay = 10 * time.Millisecond
	// crowdedGroup is the number of callers in a group from which on they are taken to wait for the writer.
	crowdedGroup = 4
	// guardedGroups is how many groups run their closures in savepoints after a closure has failed that had written.
	guardedGroups = 64
)

// writer owns the one connection that writes. It takes the closures that wait, runs them one after the other, commits
// them together and only then answers their callers. When the commit fails, or a closure fails after it has written,
// none of them is acknowledged and each runs once more, alone.
type writer struct {
	conn           *writeConn
	open           func() (*writeConn, error)
	queue          *laneQueue
	group          []*writeJob   // taken and not yet answered
	groupTimeLimit time.Duration // maxGroupTime; longer in tests of whole groups
	groupTimer     *time.Timer
	deferral       time.Duration // maxDeferral, but in a test about it
	deferralTimer  *time.Timer
	guarded        int           // how many of the next groups use savepoints
	commitTime     time.Duration // average for groups of several closures
	counter        *commitCounter
	commits        chan<- struct{}
	logger         *slog.Logger
	crowdedGroups  atomic.Int64 // so far
	stopped        chan struct{}
}

func newWriter(conn *writeConn, open func() (*writeConn, error), counter *commitCounter, commits chan<- struct{},
	logger *slog.Logger) *writer {
	w := &writer{conn: conn, open: open, queue: newLaneQueue(), groupTimeLimit: maxGroupTime,
		groupTimer: time.NewTimer(maxGroupTime), deferral: maxDeferral,
		deferralTimer: time.NewTimer(maxDeferral),
		counter:       counter, commits: commits, logger: logger, stopped: make(chan struct{})}
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
		j.queued(&Deferral{queue: w.queue, job: j})
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

// stop waits until what is queued has run. It returns false when the writer was stopped before.
func (w *writer) stop() bool {
	first := w.queue.close()
	<-w.stopped
	return first
}

// loop starts a new goroutine when a closure has ended this one (runtime.Goexit, as a failing test does). The rest of
// the group then runs again.
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
	callers := w.countCallers()
	waitsForNext := lane == Interactive && callers > 1
	if lane == Interactive && callers >= crowdedGroup {
		w.crowdedGroups.Add(1)
	}
	for _, j := range w.group {
		close(j.done)
	}
	clear(w.group)
	w.group = w.group[:0]
	if waitsForNext {
		time.Sleep(min(w.commitTime/2, maxGatherTime))
	}
}

// runJoined runs a closure as part of the group. It returns false when the group cannot go on; a closure that fails
// before it has changed anything does not stop the group.
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

// dissolveGroup rolls the group back because of the closure that ran last. The others run again.
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

// commitGroup commits what the group has written, or rolls back when all of its closures have failed.
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

// nextJob returns the next closure of the group, or nil when the group is complete.
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

// countCallers counts the closures of the group that are not deferred: a caller has one of those at a time.
func (w *writer) countCallers() (n int) {
	for _, j := range w.group {
		if !j.mayWait() {
			n++
		}
	}
	return n
}

// isDeferrable reports whether nobody waits for the group by itself.
func (w *writer) isDeferrable() bool {
	return !slices.ContainsFunc(w.group, func(j *writeJob) bool { return !j.mayWait() || j.err != nil })
}

// begin begins a transaction, and increments the commit count in it when that is due.
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

// beginImmediate begins a transaction, on a new connection if the old one could not end its last transaction.
func (w *writer) beginImmediate() error {
	err := w.conn.runStatement("begin immediate")
	if err == nil || abortsSQLiteTransaction(err) {
		return err
	}
	conn, openErr := w.open()
	if openErr != nil {
		return errors.Join(err, openErr)
	}
	_ = w.conn.close()
	w.conn = conn
	return w.conn.runStatement("begin immediate")
}

// runInSavepoint runs the closure in a savepoint. It returns false when the whole transaction has failed.
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
		w.group = w.group[1:] // only now: if this closure ends the goroutine, the next loop still has it
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

// rollback rolls back. Its error is ignored, since SQLite often has rolled back by itself.
func (w *writer) rollback() { _ = w.conn.runStatement("rollback") }

// notifyCommit records a commit that is on disk, and wakes the checkpointer.
func (w *writer) notifyCommit() {
	if err := w.counter.recordCommit(); err != nil {
		w.logger.Warn("sqldb: record the commit count", "error", err)
	}
	select {
	case w.commits <- struct{}{}:
	default:
	}
}
