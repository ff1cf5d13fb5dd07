// Package limits counts requests against limits: on this server, and with the others where they have a counter.
package limits

import (
	"cmp"
	"container/list"
	"sync"
	"time"

	"parley"
	"parley/internal/bus"
)

// The limits of a Limiter that sets none (docs/interface/authentication.md#rate-limits).
const (
	DefaultLimit  = 100
	DefaultWindow = 10 * time.Second
	defaultKeys   = 65_536
)

// Limiter limits each key to a number of requests in a sliding window, exactly: it logs the time of every admitted
// request. A refused request is not logged, so a caller that keeps trying is admitted again as soon as the window
// allows it.
//
// With a Shared, limiters of one name and window count together on all servers. Each also logs what it has admitted
// itself: for the time in which the counter does not answer, and because a limit that is used up here needs no call.
type Limiter struct {
	Name    string        // tells limiters with the same Shared apart
	Limit   int           // requests in a window; 0 for DefaultLimit
	Window  time.Duration // 0 for DefaultWindow
	MaxKeys int           // most keys remembered; beyond it the one idle for longest starts over. 0 for 65,536
	Shared  *Shared       // nil counts on this server alone

	mu           sync.Mutex
	logs         map[string]*list.Element // of *requestLog, the latest in front
	recentlyUsed list.List
}

// RateState is the limiter's decision about one request.
type RateState struct {
	OK         bool
	Limit      int
	Remaining  int
	Reset      time.Time     // when one more request than Remaining will be free; now when none has been counted
	RetryAfter time.Duration // when not OK
}

// Err returns RATE_LIMIT_TOO_MANY_REQUESTS of a request that was not admitted; nil of one that was.
func (r RateState) Err() error {
	if r.OK {
		return nil
	}
	e := parley.NewError(parley.CodeTooManyRequests)
	e.RetryAfter = r.RetryAfter
	return e
}

// requestLog holds the times of a key's requests in the window, oldest first, from times[first].
type requestLog struct {
	key   string
	times []int64 // nanoseconds since 1970
	first int

	usedUpUntil time.Time // by other servers
}

// Take counts a request of the key and returns whether it is admitted.
func (l *Limiter) Take(key string, now time.Time) RateState {
	if l.Shared == nil {
		return l.takeHere(key, now)
	}
	if state := l.peekHere(key, now); !state.OK {
		return state
	}
	tally, ok := l.Shared.Take(l.rule(), key, now)
	if !ok {
		return l.takeHere(key, now)
	}
	state := l.stateOf(tally, tally.IsTaken, now)
	l.note(key, state, now)
	return state
}

// Peek returns what Take would return for the key, without counting a request.
func (l *Limiter) Peek(key string, now time.Time) RateState {
	state := l.peekHere(key, now)
	if l.Shared == nil || !state.OK {
		return state
	}
	if tally, ok := l.Shared.Peek(l.rule(), key, now); ok {
		return l.stateOf(tally, tally.Uses < l.limit(), now)
	}
	return state
}

// stateOf returns the state that the servers have counted together.
func (l *Limiter) stateOf(t bus.Tally, ok bool, now time.Time) RateState {
	r := RateState{OK: ok, Limit: l.limit(), Remaining: max(0, l.limit()-t.Uses), Reset: now}
	if t.Uses > 0 {
		r.Reset = now.Add(l.window() - t.Oldest).UTC()
	}
	if !ok {
		r.RetryAfter = r.Reset.Sub(now)
	}
	return r
}

// note logs what the servers have counted together: a request, or that nothing is left.
func (l *Limiter) note(key string, state RateState, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	log := l.logFor(key)
	now = l.dropExpired(log, now)
	if state.OK {
		log.add(now)
	} else {
		log.usedUpUntil = state.Reset
	}
	l.evictIdle(now)
}

// takeHere counts a request on this server.
func (l *Limiter) takeHere(key string, now time.Time) RateState {
	l.mu.Lock()
	defer l.mu.Unlock()
	log := l.logFor(key)
	now = l.dropExpired(log, now)
	if log.len() >= l.limit() {
		return l.state(log, now, false)
	}
	log.add(now)
	l.evictIdle(now)
	return l.state(log, now, true)
}

// peekHere returns what this server knows of the key.
func (l *Limiter) peekHere(key string, now time.Time) RateState {
	l.mu.Lock()
	defer l.mu.Unlock()
	log := &requestLog{}
	if e, ok := l.logs[key]; ok {
		log = e.Value.(*requestLog)
		now = l.dropExpired(log, now)
	}
	if wait := log.usedUpUntil.Sub(now); 0 < wait && wait <= l.window() { // a clock may be set back
		return RateState{Limit: l.limit(), Reset: log.usedUpUntil, RetryAfter: wait}
	}
	return l.state(log, now, log.len() < l.limit())
}

func (l *Limiter) limit() int { return cmp.Or(max(l.Limit, 0), DefaultLimit) }

func (l *Limiter) window() time.Duration { return cmp.Or(max(l.Window, 0), DefaultWindow) }

func (l *Limiter) rule() Rule { return Rule{l.Name, l.limit(), l.window()} }

func (l *Limiter) state(log *requestLog, now time.Time, ok bool) RateState {
	r := RateState{OK: ok, Limit: l.limit(), Remaining: max(0, l.limit()-log.len()), Reset: now}
	if log.len() > 0 {
		r.Reset = time.Unix(0, log.times[log.first]).Add(l.window()).UTC()
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
	log := &requestLog{key: key}
	l.logs[key] = l.recentlyUsed.PushFront(log)
	return log
}

// dropExpired drops what has left the window. A clock that was set back counts as standing still.
func (l *Limiter) dropExpired(log *requestLog, now time.Time) time.Time {
	if log.len() > 0 {
		if last := time.Unix(0, log.times[len(log.times)-1]); now.Before(last) {
			now = last
		}
	}
	start := now.Add(-l.window()).UnixNano()
	for log.len() > 0 && log.times[log.first] <= start {
		log.first++
	}
	return now
}

// evictIdle drops the keys idle for longest: those whose window is empty, at most two at a time, and any beyond the
// bound.
func (l *Limiter) evictIdle(now time.Time) {
	limit := cmp.Or(max(l.MaxKeys, 0), defaultKeys)
	for range 2 {
		e := l.recentlyUsed.Back()
		if e == nil {
			return
		}
		log := e.Value.(*requestLog)
		l.dropExpired(log, now)
		if isIdle := log.len() == 0 && !now.Before(log.usedUpUntil); !isIdle && len(l.logs) <= limit {
			return
		}
		l.recentlyUsed.Remove(e)
		delete(l.logs, log.key)
	}
}

func (r *requestLog) len() int { return len(r.times) - r.first }

// add appends a time. It reuses the space of expired times once they are half of the log.
func (r *requestLog) add(t time.Time) {
	if r.first > 0 && r.first >= len(r.times)/2 {
		r.times = r.times[:copy(r.times, r.times[r.first:])]
		r.first = 0
	}
	r.times = append(r.times, t.UnixNano())
}
