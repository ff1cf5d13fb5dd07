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
	robotsKept  = 24 * time.Hour   // as RFC 9309 allows
	failureKept = 10 * time.Minute // that it could not be had
)

// robotsCache keeps what each origin's robots.txt says.
type robotsCache struct {
	mu   sync.Mutex
	list map[string]*robotsEntry
}

type robotsEntry struct {
	turn   chan struct{} // held by who reads or fetches
	until  time.Time
	robots *Robots
	err    error
}

// robotsOf gives what an address's host asks of this crawler. A robots.txt that is not there (4xx, or redirects without an end)
// allows everything; one that cannot be had forbids everything for now, which is told as an error.
func (c *Crawler) robotsOf(ctx context.Context, u *url.URL) (*Robots, error) {
	e := c.robots.entry(u.Scheme + "://" + u.Host)
	select {
	case e.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { <-e.turn }()
	if c.Now().Before(e.until) {
		return e.robots, e.err
	}
	robots, err := c.fetchRobots(ctx, u)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	e.robots, e.err, e.until = robots, err, c.Now().Add(robotsKept)
	if err != nil {
		e.until = c.Now().Add(failureKept)
	}
	return robots, err
}

func (rc *robotsCache) entry(origin string) *robotsEntry {
	rc.mu.Lock()
	defer rc.mu.Unlock()
	if rc.list == nil || len(rc.list) > manyHosts {
		rc.list = map[string]*robotsEntry{}
	}
	e := rc.list[origin]
	if e == nil {
		e = &robotsEntry{turn: make(chan struct{}, 1)}
		rc.list[origin] = e
	}
	return e
}

func (c *Crawler) fetchRobots(ctx context.Context, u *url.URL) (*Robots, error) {
	at := &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"}
	reply, err := c.get(ctx, at, Validators{}, 0, outbound.Limits{Bytes: maxRobots, Cut: true})
	var e *outbound.Error
	switch {
	case errors.As(err, &e) && e.Kind == outbound.Endless:
		return &Robots{}, nil
	case err != nil:
		return nil, err
	case reply.Status == http.StatusTooManyRequests || reply.Status >= 500:
		return nil, &outbound.Error{Kind: outbound.Failed, Reason: fmt.Sprintf("the host answered %d when it was asked for robots.txt", reply.Status)}
	case reply.Status >= 300:
		return &Robots{}, nil
	}
	return ParseRobots(reply.Body, productToken(c.Agent)), nil
}
