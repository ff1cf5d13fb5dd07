package crawl

import (
	"context"
	"sync"
	"time"

	"parley/internal/httpclient"
)

const (
	maxPerHost    = 2                // requests to one host at a time, of however many crawls
	slowPause     = 2 * time.Second  // between the requests of a slow crawl
	maxCrawlDelay = 30 * time.Second // of a Crawl-delay: who asks for more gets that
	maxIdleHosts  = 1024             // more than these are tidied away when they are idle
)

// hosts remembers when hosts may be asked again.
type hosts struct {
	mu   sync.Mutex
	list map[string]*host
}

type host struct {
	slots       chan struct{}
	pausedSlot  chan struct{} // held by a request that asks for a pause: there is one of these at a time
	users       int           // guarded by hosts.mu
	nextRequest time.Time     // guarded by hosts.mu; no request begins before
}

// acquireHost waits until a host may be asked, and reserves a pause of the host after that. The caller must call leave.
func (c *Crawler) acquireHost(ctx context.Context, name string, pause time.Duration) (leave func(), err error) {
	h := c.hosts.retain(name, c.Now())
	slot := h.slots
	if pause > 0 {
		slot = h.pausedSlot
	}
	select {
	case slot <- struct{}{}:
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
			<-slot
			c.hosts.release(h, time.Time{})
			return nil, err
		}
	}
	return func() {
		c.hosts.release(h, c.Now().Add(pause))
		<-slot
	}, nil
}

// delayHost keeps everybody from a host for a while.
func (c *Crawler) delayHost(name string, wait time.Duration) {
	h := c.hosts.retain(name, c.Now())
	c.hosts.release(h, c.Now().Add(wait))
}

func (hs *hosts) retain(name string, now time.Time) *host {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	if hs.list == nil {
		hs.list = map[string]*host{}
	}
	if len(hs.list) > maxIdleHosts {
		for name, h := range hs.list {
			if h.users == 0 && h.nextRequest.Before(now) {
				delete(hs.list, name)
			}
		}
	}
	h := hs.list[name]
	if h == nil {
		h = &host{slots: make(chan struct{}, maxPerHost), pausedSlot: make(chan struct{}, 1)}
		hs.list[name] = h
	}
	h.users++
	return h
}

// reserve reserves the next moment when the host may be asked, if it has come, and returns otherwise how long to wait.
func (hs *hosts) reserve(h *host, now time.Time, pause time.Duration) (wait time.Duration) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	if wait = h.nextRequest.Sub(now); wait > 0 {
		return wait
	}
	h.nextRequest = now.Add(pause)
	return 0
}

func (hs *hosts) release(h *host, next time.Time) {
	hs.mu.Lock()
	defer hs.mu.Unlock()
	h.users--
	if next.After(h.nextRequest) {
		h.nextRequest = next
	}
}

func (c *Crawler) sleep(ctx context.Context, d time.Duration) error {
	if c.Sleep != nil {
		return c.Sleep(ctx, d)
	}
	return httpclient.Sleep(ctx, d)
}
