package sqldb

import "sync"

// fairness is how many groups of turns may pass while bulk waits before one closure of bulk is let through.
const fairness = 16

// lanes are the two queues before the writer.
type lanes struct {
	mu      sync.Mutex
	waiting [2][]*job
	passed  int // groups of turns since bulk, waiting, was last served
	closed  bool
	wake    chan struct{}
}

func newLanes() *lanes { return &lanes{wake: make(chan struct{}, 1)} }

// put queues the closure; false when the queue is closed.
func (l *lanes) put(lane Lane, j *job) bool {
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
func (l *lanes) close() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := !l.closed
	l.closed = true
	l.signal()
	return first
}

func (l *lanes) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// wait gives the lane whose turn it is, false when the queue is closed and empty.
func (l *lanes) wait() (Lane, bool) {
	for {
		l.mu.Lock()
		lane, some := l.pick()
		closed := l.closed
		l.mu.Unlock()
		if some || closed {
			return lane, some
		}
		<-l.wake
	}
}

func (l *lanes) pick() (Lane, bool) {
	turns, bulk := len(l.waiting[Turns]) > 0, len(l.waiting[Bulk]) > 0
	if turns && (!bulk || l.passed < fairness) {
		l.passed++
		if !bulk {
			l.passed = 0
		}
		return Turns, true
	}
	l.passed = 0
	return Bulk, bulk
}

// take gives the next closure of the lane that its caller has not withdrawn.
func (l *lanes) take(lane Lane) *job {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.pop(lane)
}

// more is take for a group already begun: bulk joins neither a group of turns nor, while turns wait, one of its own.
func (l *lanes) more(lane Lane) *job {
	l.mu.Lock()
	defer l.mu.Unlock()
	if lane == Bulk && len(l.waiting[Turns]) > 0 {
		return nil
	}
	return l.pop(lane)
}

func (l *lanes) pop(lane Lane) *job {
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
