package crawl

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"parley/internal/outbound"
)

const (
	robotsTTL        = 24 * time.Hour   // as RFC 9309 allows
	robotsFailureTTL = 10 * time.Minute // that it could not be had
)

// robotsCache keeps what each origin's robots.txt says.
type robotsCache struct {
	mu      sync.Mutex
	entries map[string]*robotsEntry
}

type robotsEntry struct {
	lock    chan struct{} // held by who reads or fetches
	expires time.Time
	robots  *Robots
	err     error
}

// robotsFor returns what an address's host asks of this crawler. A robots.txt that is not there (4xx, or redirects
// without an end) allows everything; one that cannot be had forbids everything for now, which is an error.
func (c *Crawler) robotsFor(ctx context.Context, u *url.URL) (*Robots, error) {
	e := c.robots.entry(u.Scheme + "://" + u.Host)
	select {
	case e.lock <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-e.lock }()
	if c.Now().Before(e.expires) {
		return e.robots, e.err
	}
	robots, err := c.fetchRobots(ctx, u)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	e.robots, e.err, e.expires = robots, err, c.Now().Add(robotsTTL)
	if err != nil {
		e.expires = c.Now().Add(robotsFailureTTL)
	}
	return robots, err
}

func (rc *robotsCache) entry(origin string) *robotsEntry {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	if rc.entries == nil || len(rc.entries) > maxIdleHosts {
		rc.entries = map[string]*robotsEntry{}
	}
	e := rc.entries[origin]
	if e == nil {
		e = &robotsEntry{lock: make(chan struct{}, 1)}
		rc.entries[origin] = e
	}
	return e
}

func (c *Crawler) fetchRobots(ctx context.Context, u *url.URL) (*Robots, error) {
	at := &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"}
	reply, err := c.fetchWithRetry(ctx, at, Validators{}, 0, outbound.Limits{MaxBytes: maxRobotsBytes, Truncate: true})
	var e *outbound.Error
	switch {
	case errors.As(err, &e) && e.Kind == outbound.KindTooManyRedirects:
		return &Robots{}, nil
	case err != nil:
		return nil, err
	case reply.Status == http.StatusTooManyRequests || reply.Status >= 500:
		return nil, &outbound.Error{Kind: outbound.KindFailed,
			Reason: fmt.Sprintf("the host answered %d when it was asked for robots.txt", reply.Status)}
	case reply.Status >= 300:
		return &Robots{}, nil
	}
	return ParseRobots(reply.Body, productToken(c.UserAgent)), nil
}
