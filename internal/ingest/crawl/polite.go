package crawl

import (
	"context"
	"sync"
	"time"
)

const (
	perHost   = 2                // requests to one host at a time, of however many crawls
	slowPause = 2 * time.Second  // between the requests of a slow crawl
	maxDelay  = 30 * time.Second // of a Crawl-delay: who asks for more gets that
	manyHosts = 1024             // more than these are tidied away when they are idle
)

// hosts remembers when hosts may be asked again.
type hosts struct {
	mu   sync.Mutex
	list map[string]*host
}

type host struct {
	slots chan struct{}
	alone chan struct{} // held by a request that asks for a pause: there is one of these at a time
	users int           // guarded by hosts.mu
	next  time.Time     // guarded by hosts.mu; no request begins before
}

// enter waits until a host may be asked, and bears that it be left alone for pause after. The caller must leave.
func (c *Crawler) enter(ctx context.Context, name string, pause time.Duration) (leave func(), err error) {
	h := c.hosts.use(name, c.Now())
	seat := h.slots
	if pause > 0 {
		seat = h.alone
	}
	select {
	case seat <- struct{}{}:
	case <-ctx.Done():
		c.hosts.release(h, time.Time{})
		return nil, ctx.Err()
	}
	for {
		wait := c.hosts.reserve(h, c.Now(), pause)
		if wait <= 0 {
			break
		}
		if err := c.sleep(ctx, wait); err != nil {
			<-seat
			c.hosts.release(h, time.Time{})
			return nil, err
		}
	}
	return func() {
		c.hosts.release(h, c.Now().Add(pause))
		<-seat
	}, nil
}

// hold keeps everybody from a host for a while.
func (c *Crawler) hold(name string, wait time.Duration) {
	h := c.hosts.use(name, c.Now())
	c.hosts.release(h, c.Now().Add(wait))
}

func (hs *hosts) use(name string, now time.Time) *host {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	if hs.list == nil {
		hs.list = map[string]*host{}
	}
	if len(hs.list) > manyHosts {
		for name, h := range hs.list {
			if h.users == 0 && h.next.Before(now) {
				delete(hs.list, name)
			}
		}
	}
	h := hs.list[name]
	if h == nil {
		h = &host{slots: make(chan struct{}, perHost), alone: make(chan struct{}, 1)}
		hs.list[name] = h
	}
	h.users++
	return h
}

// reserve takes the next moment, if it has come, and says otherwise how long that takes.
func (hs *hosts) reserve(h *host, now time.Time, pause time.Duration) (wait time.Duration) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	if wait = h.next.Sub(now); wait > 0 {
		return wait
	}
	h.next = now.Add(pause)
	return 0
}

func (hs *hosts) release(h *host, next time.Time) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	h.users--
	if next.After(h.next) {
		h.next = next
	}
}

func (c *Crawler) sleep(ctx context.Context, d time.Duration) error {
	if c.Sleep != nil {
		return c.Sleep(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
