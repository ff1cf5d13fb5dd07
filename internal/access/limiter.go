package access

import (
	"cmp"
	"container/list"
	"errors"
	"sync"
	"time"

	"parley"
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
type Limiter struct {
	Limit   int           // requests in a window; 0 for DefaultLimit
	Window  time.Duration // 0 for DefaultWindow
	MaxKeys int           // most keys remembered; beyond it the one idle for longest starts over. 0 for 65,536

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

// requestLog holds the times of a key's requests in the window, oldest first, from times[from].
type requestLog struct {
	key   string
	times []int64 // nanoseconds since 1970
	first int
}

// Take counts a request of the key and returns whether it is admitted.
func (l *Limiter) Take(key string, now time.Time) RateState {
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

// Peek returns what Take would return for the key, without counting a request.
func (l *Limiter) Peek(key string, now time.Time) RateState {
	l.mu.Lock()
	defer l.mu.Unlock()
	log := &requestLog{}
	if e, ok := l.logs[key]; ok {
		log = e.Value.(*requestLog)
		now = l.dropExpired(log, now)
	}
	return l.state(log, now, log.len() < l.limit())
}

func (l *Limiter) limit() int { return cmp.Or(max(l.Limit, 0), DefaultLimit) }

func (l *Limiter) window() time.Duration { return cmp.Or(max(l.Window, 0), DefaultWindow) }

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
		log := e.Value.(*requestLog)
		if l.dropExpired(log, now); log.len() > 0 && len(l.logs) <= limit {
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

// DeviceLimiters count messages against the limits that agents have for a device. Its zero value is ready.
type DeviceLimiters struct {
	mu       sync.Mutex
	limiters map[parley.DeviceLimit]*Limiter
}

const maxDeviceLimiters = 1000

// Take counts a message of a device, which the key names across all agents. It fails with RATE_LIMIT_TOO_MANY_REQUESTS
// and the agent's own words.
func (d *DeviceLimiters) Take(limit parley.DeviceLimit, key string, now time.Time) error {
	err := d.limiter(limit).Take(key, now).Err()
	var e *parley.Error
	if errors.As(err, &e) {
		e.Message = limit.Message
	}
	return err
}

// limiter returns the limiter of agents with a limit. Where there are very many limits all begin again.
func (d *DeviceLimiters) limiter(limit parley.DeviceLimit) *Limiter {
	limit.Message = ""
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.limiters[limit]
	if l == nil {
		if d.limiters == nil || len(d.limiters) >= maxDeviceLimiters {
			d.limiters = map[parley.DeviceLimit]*Limiter{}
		}
		l = &Limiter{Limit: limit.Limit, Window: time.Duration(limit.Timeframe) * time.Second}
		d.limiters[limit] = l
	}
	return l
}
