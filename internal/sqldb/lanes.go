package sqldb

import (
	"sync"
	"time"
)

// maxInteractiveGroups is how many groups of turns may pass while bulk waits before one closure of bulk is let through.
const maxInteractiveGroups = 16

// laneQueue are the two queues before the writer.
type laneQueue struct {
	mu                sync.Mutex
	waiting           [2][]*writeJob
	interactiveGroups int // groups of turns since bulk, waiting, was last served
	closed            bool
	wake              chan struct{}
}

func newLaneQueue() *laneQueue { return &laneQueue{wake: make(chan struct{}, 1)} }

// put queues the closure; false when the queue is closed.
func (l *laneQueue) put(lane Lane, j *writeJob) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.waiting[lane] = append(l.waiting[lane], j)
	l.signal()
	return true
}

// close refuses further closures; false when it was closed before.
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

// waitForLane returns the lane whose turn it is, false when the queue is closed and empty.
func (l *laneQueue) waitForLane() (Lane, bool) {
	for {
		l.mu.Lock()
		lane, ok := l.pickLane()
		closed := l.closed
		l.mu.Unlock()
		if ok || closed {
			return lane, ok
		}
		<-l.wake
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
	turns, bulk := len(l.waiting[Interactive]) > 0, len(l.waiting[Bulk]) > 0
	if turns && (!bulk || l.interactiveGroups < maxInteractiveGroups) {
		l.interactiveGroups++
		if !bulk {
			l.interactiveGroups = 0
		}
		return Interactive, true
	}
	l.interactiveGroups = 0
	return Bulk, bulk
}

// take returns the next closure of the lane that its caller has not withdrawn. While turns wait, none of bulk joins a
// group already begun.
func (l *laneQueue) take(lane Lane, joins bool) *writeJob {
	l.mu.Lock()
	defer l.mu.Unlock()
	if joins && lane == Bulk && len(l.waiting[Interactive]) > 0 {
		return nil
	}
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

// QueueLengths counts the transactions of each lane that wait for the one writer of SQLite. PostgreSQL has no such
// queue here: then it reports false.
func (db *DB) QueueLengths() (turns, bulk int, ok bool) {
	l, ok := db.engine.(*sqliteEngine)
	if !ok {
		return 0, 0, false
	}
	q := l.writer.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting[Interactive]), len(q.waiting[Bulk]), true
}
