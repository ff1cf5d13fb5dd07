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
	Limit  int           // requests in a window; 0 for DefaultLimit
	Window time.Duration // 0 for DefaultWindow
	Keys   int           // most keys remembered; beyond it the one silent for longest starts anew. 0 for 65,536

	mu   sync.Mutex
	logs map[string]*list.Element // of *log, the latest in front
	used list.List
}

// Reading is what the limiter says about one request.
type Reading struct {
	OK         bool
	Limit      int
	Remaining  int
	Reset      time.Time     // when one more request than Remaining will be free; now when none has been counted
	RetryAfter time.Duration // when not OK
}

// log holds the times of a key's requests in the window, oldest first, from times[from].
type log struct {
	key   string
	times []int64 // nanoseconds since 1970
	from  int
}

// Take counts a request of the key and says whether it may go on.
func (l *Limiter) Take(key string, now time.Time) Reading {
	l.mu.Lock()
	defer l.mu.Unlock()
	g := l.log(key)
	now = l.advance(g, now)
	if g.len() >= l.limit() {
		return l.reading(g, now, false)
	}
	g.add(now)
	l.sweep(now)
	return l.reading(g, now, true)
}

// Look says what Take would say to the key, and counts nothing.
func (l *Limiter) Look(key string, now time.Time) Reading {
	l.mu.Lock()
	defer l.mu.Unlock()
	g := &log{}
	if e, ok := l.logs[key]; ok {
		g = e.Value.(*log)
		now = l.advance(g, now)
	}
	return l.reading(g, now, g.len() < l.limit())
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

func (l *Limiter) reading(g *log, now time.Time, ok bool) Reading {
	r := Reading{OK: ok, Limit: l.limit(), Remaining: max(0, l.limit()-g.len()), Reset: now}
	if g.len() > 0 {
		r.Reset = time.Unix(0, g.times[g.from]).Add(l.window()).UTC()
	}
	if !ok {
		r.RetryAfter = r.Reset.Sub(now)
	}
	return r
}

func (l *Limiter) log(key string) *log {
	if e, ok := l.logs[key]; ok {
		l.used.MoveToFront(e)
		return e.Value.(*log)
	}
	if l.logs == nil {
		l.logs = map[string]*list.Element{}
	}
	g := &log{key: key}
	l.logs[key] = l.used.PushFront(g)
	return g
}

// advance drops what has left the window. A clock that was set back counts as standing still.
func (l *Limiter) advance(g *log, now time.Time) time.Time {
	if g.len() > 0 {
		if last := time.Unix(0, g.times[len(g.times)-1]); now.Before(last) {
			now = last
		}
	}
	start := now.Add(-l.window()).UnixNano()
	for g.len() > 0 && g.times[g.from] <= start {
		g.from++
	}
	return now
}

// sweep forgets the keys silent for longest: those whose window is empty, at most two at a time, and any beyond the bound.
func (l *Limiter) sweep(now time.Time) {
	most := l.Keys
	if most <= 0 {
		most = defaultKeys
	}
	for range 2 {
		e := l.used.Back()
		g := e.Value.(*log)
		if l.advance(g, now); g.len() > 0 && len(l.logs) <= most {
			return
		}
		l.used.Remove(e)
		delete(l.logs, g.key)
	}
}

func (g *log) len() int { return len(g.times) - g.from }

// add appends, and reuses the room of what has left once that is half of it.
func (g *log) add(t time.Time) {
	if g.from > 0 && g.from >= len(g.times)/2 {
		g.times = g.times[:copy(g.times, g.times[g.from:])]
		g.from = 0
	}
	g.times = append(g.times, t.UnixNano())
}
