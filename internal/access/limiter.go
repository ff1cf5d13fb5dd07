package access

import (
	"container/list"
	"sync"
	"time"
)

// The limits of a Limiter that sets none (facts 5.1).
const (
	DefaultLimit  = 100
	DefaultWindow = 10 * time.Second
	defaultKeys   = 65_536
)

// Limiter holds each key to a number of requests in a sliding window, exactly: it logs the time of every request it lets
// through. A refused request is not logged, so a caller that keeps knocking is let in again when its time comes.
type Limiter struct {
	Limit   int           // requests in a window; 0 for DefaultLimit
	Window  time.Duration // 0 for DefaultWindow
	MaxKeys int           // most keys remembered; beyond it the one silent for longest starts anew. 0 for 65,536

	mu           sync.Mutex
	logs         map[string]*list.Element // of *log, the latest in front
	recentlyUsed list.List
}

// RateState is what the limiter says about one request.
type RateState struct {
	OK         bool
	Limit      int
	Remaining  int
	Reset      time.Time     // when one more request than Remaining will be free; now when none has been counted
	RetryAfter time.Duration // when not OK
}

// requestLog holds the times of a key's requests in the window, oldest first, from times[from].
type requestLog struct {
	key   string
	times []int64 // nanoseconds since 1970
	first int
}

// Take counts a request of the key and says whether it may go on.
func (l *Limiter) Take(key string, now time.Time) RateState {
	l.mu.Lock()
	defer l.mu.Unlock()
	g := l.logFor(key)
	now = l.dropExpired(g, now)
	if g.len() >= l.limit() {
		return l.state(g, now, false)
	}
	g.add(now)
	l.evictIdle(now)
	return l.state(g, now, true)
}

// Peek says what Take would say to the key, and counts nothing.
func (l *Limiter) Peek(key string, now time.Time) RateState {
	l.mu.Lock()
	defer l.mu.Unlock()
	g := &requestLog{}
	if e, ok := l.logs[key]; ok {
		g = e.Value.(*requestLog)
		now = l.dropExpired(g, now)
	}
	return l.state(g, now, g.len() < l.limit())
}

func (l *Limiter) limit() int {
	if l.Limit > 0 {
		return l.Limit
	}
	return DefaultLimit
}

func (l *Limiter) window() time.Duration {
	if l.Window > 0 {
		return l.Window
	}
	return DefaultWindow
}

func (l *Limiter) state(g *requestLog, now time.Time, ok bool) RateState {
	r := RateState{OK: ok, Limit: l.limit(), Remaining: max(0, l.limit()-g.len()), Reset: now}
	if g.len() > 0 {
		r.Reset = time.Unix(0, g.times[g.first]).Add(l.window()).UTC()
	}
	if !ok {
		r.RetryAfter = r.Reset.Sub(now)
	}
	return r
}

func (l *Limiter) logFor(key string) *requestLog {
	if e, ok := l.logs[key]; ok {
		l.recentlyUsed.MoveToFront(e)
		return e.Value.(*requestLog)
	}
	if l.logs == nil {
		l.logs = map[string]*list.Element{}
	}
	g := &requestLog{key: key}
	l.logs[key] = l.recentlyUsed.PushFront(g)
	return g
}

// dropExpired drops what has left the window. A clock that was set back counts as standing still.
func (l *Limiter) dropExpired(g *requestLog, now time.Time) time.Time {
	if g.len() > 0 {
		if last := time.Unix(0, g.times[len(g.times)-1]); now.Before(last) {
			now = last
		}
	}
	start := now.Add(-l.window()).UnixNano()
	for g.len() > 0 && g.times[g.first] <= start {
		g.first++
	}
	return now
}

// evictIdle forgets the keys silent for longest: those whose window is empty, at most two at a time, and any beyond the bound.
func (l *Limiter) evictIdle(now time.Time) {
	most := l.MaxKeys
	if most <= 0 {
		most = defaultKeys
	}
	for range 2 {
		e := l.recentlyUsed.Back()
		g := e.Value.(*requestLog)
		if l.dropExpired(g, now); g.len() > 0 && len(l.logs) <= most {
			return
		}
		l.recentlyUsed.Remove(e)
		delete(l.logs, g.key)
	}
}

func (g *requestLog) len() int { return len(g.times) - g.first }

// add appends, and reuses the room of what has left once that is half of it.
func (g *requestLog) add(t time.Time) {
	if g.first > 0 && g.first >= len(g.times)/2 {
		g.times = g.times[:copy(g.times, g.times[g.first:])]
		g.first = 0
	}
	g.times = append(g.times, t.UnixNano())
}
