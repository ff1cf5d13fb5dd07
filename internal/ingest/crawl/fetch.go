package crawl

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"parley/internal/outbound"
)

const (
	tries   = 3                // of one address
	backoff = time.Second      // after the first; then twice as long each
	maxWait = 60 * time.Second // for a Retry-After: who asks for more has failed for this time
)

const accepted = "text/html, application/xhtml+xml, text/markdown, text/plain, application/pdf, application/xml;q=0.9, */*;q=0.1"

// get asks for an address, again if the host is busy or does not answer. Redirects are followed as limits say.
func (c *Crawler) get(ctx context.Context, u *url.URL, last Validators, pause time.Duration, limits outbound.Limits) (*outbound.Reply, error) {
	for try := 1; ; try++ {
		reply, err := c.once(ctx, u, last, pause, limits)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		wait := c.patience(reply, try)
		if try == tries || wait > maxWait || !busy(reply, err) {
			return reply, err
		}
		c.hold(u.Host, wait)
	}
}

func (c *Crawler) once(ctx context.Context, u *url.URL, last Validators, pause time.Duration, limits outbound.Limits) (*outbound.Reply, error) {
	leave, err := c.enter(ctx, u.Host, pause)
	if err != nil {
		return nil, err
	}
	defer leave()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", c.Agent)
	req.Header.Set("Accept", accepted)
	if last.Tag != "" {
		req.Header.Set("If-None-Match", last.Tag)
	}
	if last.Modified != "" {
		req.Header.Set("If-Modified-Since", last.Modified)
	}
	return c.Client.Do(req, limits)
}

// busy reports whether another try may help.
func busy(reply *outbound.Reply, err error) bool {
	if err != nil {
		var e *outbound.Error
		return errors.As(err, &e) && (e.Kind == outbound.Failed || e.Kind == outbound.TooSlow)
	}
	switch reply.Status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// patience is how long to wait after a try.
func (c *Crawler) patience(reply *outbound.Reply, try int) time.Duration {
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
func (r *run) fetch(ctx context.Context, link Link, u *url.URL, limits outbound.Limits) (*outbound.Reply, Outcome, error) {
	robots, err := r.robotsOf(ctx, u)
	if ctx.Err() != nil {
		return nil, Outcome{}, ctx.Err()
	}
	if err != nil {
		return nil, hostFailed(err), nil
	}
	if link.Role == PageRole && !robots.Allows(u) {
		return nil, excluded("the site's robots.txt asks not to read it"), nil
	}
	reply, err := r.get(ctx, u, link.Validators, r.pause(robots), limits)
	switch {
	case ctx.Err() != nil:
		return nil, Outcome{}, ctx.Err()
	case err != nil:
		return nil, hostFailed(err), nil
	case reply.Status >= 400:
		return nil, statusFailed(reply), nil
	}
	return reply, Outcome{}, nil
}

func (r *run) pause(robots *Robots) time.Duration {
	pause := min(robots.Delay, maxDelay)
	if r.Slow {
		pause = max(pause, slowPause)
	}
	return pause
}

func hostFailed(err error) Outcome {
	o := failed(outbound.Reason(err), err)
	var e *outbound.Error
	o.away = errors.As(err, &e) && (e.Kind == outbound.Failed || e.Kind == outbound.TooSlow)
	return o
}

func statusFailed(reply *outbound.Reply) Outcome {
	o := failed("the host answered "+strconv.Itoa(reply.Status)+" "+http.StatusText(reply.Status), nil)
	o.Status, o.away = reply.Status, reply.Status >= 500 || reply.Status == http.StatusTooManyRequests
	return o
}
