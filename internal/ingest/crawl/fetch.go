package crawl

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley/internal/httpclient"
	"parley/internal/outbound"
)

const (
	maxTries = 3                // of one address
	backoff  = time.Second      // after the first; then twice as long each
	maxWait  = 60 * time.Second // for a Retry-After: who asks for more has failed for this time
)

const acceptHeader = "text/html, application/xhtml+xml, text/markdown, text/plain, application/pdf, " +
	"application/xml;q=0.9, */*;q=0.1"

// fetchWithRetry asks for an address, again if the host is busy or does not answer. Redirects are followed as limits
// say; jar may be nil.
func (c *Crawler) fetchWithRetry(ctx context.Context, u *url.URL, last Validators, pause time.Duration,
	limits outbound.Limits, jar *cookieJar) (*outbound.Response, error) {
	for try := 1; ; try++ {
		reply, err := c.fetchOnce(ctx, u, last, pause, limits, jar)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		wait := c.retryDelay(reply, try)
		if try == maxTries || wait > maxWait || !isRetryable(reply, err) {
			return reply, err
		}
		c.delayHost(u.Host, wait)
	}
}

func (c *Crawler) fetchOnce(ctx context.Context, u *url.URL, last Validators, pause time.Duration,
	limits outbound.Limits, jar *cookieJar) (*outbound.Response, error) {
	leave, err := c.acquireHost(ctx, u.Host, pause)
	if err != nil {
		return nil, err
	}
	defer leave()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", c.UserAgent)
	req.Header.Set("Accept", acceptHeader)
	if last.ETag != "" {
		req.Header.Set("If-None-Match", last.ETag)
	}
	if last.LastModified != "" {
		req.Header.Set("If-Modified-Since", last.LastModified)
	}
	jar.add(req)
	reply, err := c.Client.Do(req, limits)
	if err != nil {
		return nil, err
	}
	if err := decodeReply(reply, limits.MaxBytes); err != nil {
		return nil, err
	}
	return reply, nil
}

// isRetryable reports whether another try may help.
func isRetryable(reply *outbound.Response, err error) bool {
	if err != nil {
		return isHostFailure(err)
	}
	switch reply.Status {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// isHostFailure reports whether it is the host that fails, rather than what it is asked.
func isHostFailure(err error) bool {
	var e *outbound.Error
	return errors.As(err, &e) && (e.Kind == outbound.KindFailed || e.Kind == outbound.KindTimeout)
}

// retryDelay returns how long to wait after a try.
func (c *Crawler) retryDelay(reply *outbound.Response, try int) time.Duration {
	wait := backoff << (try - 1)
	if reply == nil {
		return wait
	}
	text := strings.TrimSpace(reply.Header.Get("Retry-After"))
	if seconds, err := strconv.Atoi(text); err == nil {
		return max(wait, time.Duration(min(max(seconds, 0), 86400))*time.Second)
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(wait, at.Sub(c.Now()))
	}
	return wait
}

// fetch asks for an address of the site as robots.txt allows. Without a reply the outcome says why.
func (r *crawlRun) fetch(ctx context.Context, link Link, u *url.URL,
	limits outbound.Limits) (*outbound.Response, Outcome, error) {
	robots, err := r.robotsFor(ctx, u)
	if ctx.Err() != nil {
		return nil, Outcome{}, ctx.Err()
	}
	if err != nil {
		return nil, hostFailedOutcome(err), nil
	}
	if link.Role == PageRole && !robots.Allows(u) {
		return nil, excludedOutcome("the site's robots.txt asks not to read it"), nil
	}
	reply, err := r.fetchWithCookies(ctx, link, u, r.pause(robots), limits)
	switch {
	case ctx.Err() != nil:
		return nil, Outcome{}, ctx.Err()
	case err != nil:
		return nil, hostFailedOutcome(err), nil
	case reply.Status >= 400:
		return nil, statusFailedOutcome(reply), nil
	}
	return reply, Outcome{}, nil
}

// fetchWithCookies asks for an address with the cookies of this crawl. A page that sets one and redirects to itself is
// asked for again.
func (r *crawlRun) fetchWithCookies(ctx context.Context, link Link, u *url.URL, pause time.Duration,
	limits outbound.Limits) (*outbound.Response, error) {
	for hops := link.Hops; ; hops++ {
		reply, err := r.fetchWithRetry(ctx, u, link.Validators, pause, limits, &r.cookies)
		if err != nil || !r.cookies.keep(u, reply.Header) || reply.Status < 300 || reply.Status >= 400 ||
			hops >= maxHops {
			return reply, err
		}
		if to, err := Canonical(u, reply.Header.Get("Location")); err != nil || to.String() != u.String() {
			return reply, nil //nolint:nilerr // another address, or none, is for the caller
		}
	}
}

func (r *crawlRun) pause(robots *Robots) time.Duration {
	pause := min(robots.Delay, maxCrawlDelay)
	if r.Slow {
		pause = max(pause, slowPause)
	}
	return pause
}

func hostFailedOutcome(err error) Outcome {
	o := failedOutcome(outbound.Reason(err), err)
	o.isHostFailure = isHostFailure(err)
	return o
}

func statusFailedOutcome(reply *outbound.Response) Outcome {
	o := failedOutcome("the host answered "+strconv.Itoa(reply.Status)+" "+http.StatusText(reply.Status), nil)
	o.Status, o.isHostFailure = reply.Status, reply.Status >= 500 || reply.Status == http.StatusTooManyRequests
	return o
}

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
		maps.DeleteFunc(hs.list, func(_ string, h *host) bool { return h.users == 0 && h.nextRequest.Before(now) })
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
