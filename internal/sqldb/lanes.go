package sqldb

import (
	"slices"
	"sync"
	"time"
)

// maxInteractiveGroups is how many groups of the Interactive lane may run while Bulk waits, before one closure of Bulk
// runs.
const maxInteractiveGroups = 16

// laneQueue holds the closures that wait for the writer, by lane.
type laneQueue struct {
	mu                sync.Mutex
	waiting           [2][]*writeJob
	deferred          []*writeJob // of Interactive, each until it is undeferred or due; the oldest first
	isIdle            bool        // the writer waits for closures
	interactiveGroups int         // groups of Interactive that have run while Bulk waits
	closed            bool
	wake              chan struct{}
	dueTimer          *time.Timer // of the writer, for the first deferred closure
}

func newLaneQueue() *laneQueue {
	return &laneQueue{wake: make(chan struct{}, 1), dueTimer: time.NewTimer(maxDelay)}
}

// put queues the closure. It returns false when the queue is closed.
func (l *laneQueue) put(lane Lane, j *writeJob) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	if j.queued != nil && lane == Interactive {
		j.dueAt = time.Now().Add(maxDelay)
		l.deferred = append(l.deferred, j)
	} else {
		l.waiting[lane] = append(l.waiting[lane], j)
	}
	l.signal()
	return true
}

// undefer puts a deferred closure that still waits behind those that are not deferred.
func (l *laneQueue) undefer(j *writeJob, unlessBusy bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if unlessBusy && !l.isIdle {
		return
	}
	if i := slices.Index(l.deferred, j); i >= 0 {
		l.deferred = slices.Delete(l.deferred, i, i+1)
		l.waiting[Interactive] = append(l.waiting[Interactive], j)
	}
	l.signal()
}

// close refuses further closures. It returns false when the queue was closed before.
func (l *laneQueue) close() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := !l.closed
	l.closed = true
	l.signal()
	return first
}

func (l *laneQueue) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// waitForLane waits for a closure and returns the lane to serve next. It returns false when the queue is closed and
// empty.
func (l *laneQueue) waitForLane() (Lane, bool) {
	for {
		lane, ok, wait := l.nextLane()
		switch {
		case ok || wait == 0:
			return lane, ok
		case wait < 0:
			<-l.wake
		default:
			l.dueTimer.Reset(wait)
			select {
			case <-l.wake:
			case <-l.dueTimer.C:
			}
		}
	}
}

// nextLane returns the lane to serve next. If there is none, it returns how long to wait for one: less than 0 for as
// long as it takes, 0 if none will come.
func (l *laneQueue) nextLane() (_ Lane, ok bool, wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.undeferDue()
	lane, ok := l.pickLane()
	l.isIdle = !ok
	switch {
	case ok || l.closed:
		return lane, ok, 0
	case len(l.deferred) == 0:
		return lane, false, -1
	}
	return lane, false, max(time.Until(l.deferred[0].dueAt), 1)
}

// undeferDue queues the deferred closures that are due; all of them once the queue is closed.
func (l *laneQueue) undeferDue() {
	for len(l.deferred) > 0 && (l.closed || !l.deferred[0].dueAt.After(time.Now())) {
		l.waiting[Interactive] = append(l.waiting[Interactive], l.deferred[0])
		l.deferred = slices.Delete(l.deferred, 0, 1)
	}
}

// waitForMore waits until something is put into the queue; false when the time is over or the queue is closed.
func (l *laneQueue) waitForMore(over <-chan time.Time) bool {
	select {
	case <-l.wake:
	case <-over:
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.closed
}

func (l *laneQueue) pickLane() (Lane, bool) {
	hasInteractive, hasBulk := len(l.waiting[Interactive]) > 0, len(l.waiting[Bulk]) > 0
	if hasInteractive && (!hasBulk || l.interactiveGroups < maxInteractiveGroups) {
		l.interactiveGroups++
		if !hasBulk {
			l.interactiveGroups = 0
		}
		return Interactive, true
	}
	l.interactiveGroups = 0
	return Bulk, hasBulk
}

// take returns the next closure of the lane that its caller has not withdrawn. While Interactive closures wait, no Bulk
// closure joins a group that has begun.
func (l *laneQueue) take(lane Lane, joinsGroup bool) *writeJob {
	l.mu.Lock()
	defer l.mu.Unlock()
	if joinsGroup && lane == Bulk && len(l.waiting[Interactive]) > 0 {
		return nil
	}
	l.undeferDue()
	for len(l.waiting[lane]) > 0 {
		j := l.waiting[lane][0]
		l.waiting[lane][0] = nil
		l.waiting[lane] = l.waiting[lane][1:]
		if j.take() {
			return j
		}
	}
	l.waiting[lane] = nil
	return nil
}

// CrowdedGroups counts the commits so far that stored transactions of several interactive callers. While it grows,
// callers wait for the writer. PostgreSQL has no such writer: there it stays 0.
func (db *DB) CrowdedGroups() int64 {
	if l, ok := db.engine.(*sqliteEngine); ok {
		return l.writer.crowdedGroups.Load()
	}
	return 0
}

// QueueLengths counts the transactions of each lane that wait for the one writer of SQLite. On PostgreSQL, which has no
// such queue, ok is false.
func (db *DB) QueueLengths() (interactive, bulk int, ok bool) {
	e, ok := db.engine.(*sqliteEngine)
	if !ok {
		return 0, 0, false
	}
	q := e.writer.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting[Interactive]) + len(q.deferred), len(q.waiting[Bulk]), true
}
