package movein

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"parley"
	"parley/internal/outbound"
	"parley/internal/store"
)

const (
	requestTimeout = 2 * time.Minute
	maxPageBytes   = 16 << 20
	maxItemBytes   = 64 << 20 // of a page with one item

	listPageSize   = 100
	exportPageSize = 20 // the most that every service of the interface takes

	// maxEmptyPages is how many pages in a row may hold nothing although more follow: what was deleted leaves such gaps.
	maxEmptyPages = 1000

	firstBackoff = time.Second
	maxBackoff   = time.Minute
	maxWait      = 15 * time.Minute
)

// client reads pages of a service.
type client struct {
	http *outbound.Client
	base *url.URL
	key  string
	now  func() time.Time
}

func newClient(http *outbound.Client, base *url.URL, key string, now func() time.Time) *client {
	return &client{http, base, key, now}
}

// passingFailure is a failure after which another attempt may succeed.
type passingFailure struct {
	text    string
	wait    time.Duration // that the service asks for
	isLimit bool          // it only says that there were too many requests
}

func (t *passingFailure) Error() string { return t.text }

// backoff returns how long to wait after the attempt of a number, from 1.
func backoff(attempt int) time.Duration { return min(firstBackoff<<min(attempt-1, 10), maxBackoff) }

// errAgentGone is returned where the service does not have the agent that is asked for.
var errAgentGone = errors.New("movein: the service has no such agent")

// errBadRequest is returned where the service does not take a request as it is, such as one with a cursor that is over.
var errBadRequest = errors.New("movein: the service does not take the request")

// errPageTooLarge is returned for a page that a smaller limit may help.
var errPageTooLarge = errors.New("movein: the page is too large")

// page is a page of a list as the interface has it.
type page struct {
	Data       *[]json.RawMessage `json:"data"`
	Pagination struct {
		Cursor  *string `json:"cursor"`
		HasMore bool    `json:"hasMore"`
		Total   *int64  `json:"total"`
	} `json:"pagination"`

	wait time.Duration // before the next request
}

// readPage reads a page of a list behind a place. The path is below the base.
func (c *client) readPage(ctx context.Context, walk store.MoveInWalk, limit int, path ...string) (*page, error) {
	p, err := c.tryPage(ctx, walk, limit, path...)
	if errors.Is(err, errPageTooLarge) {
		return nil, parley.Invalid("url", "sends a page of a list that is larger than any of the interface")
	}
	return p, err
}

// readPageAsLarge is readPage with the largest limit of some whose page is not too large.
func (c *client) readPageAsLarge(ctx context.Context, walk store.MoveInWalk, path ...string) (*page, error) {
	for _, limit := range []int{exportPageSize, 5} {
		p, err := c.tryPage(ctx, walk, limit, path...)
		if !errors.Is(err, errPageTooLarge) {
			return p, err
		}
	}
	return c.readPage(ctx, walk, 1, path...)
}

func (c *client) tryPage(ctx context.Context, walk store.MoveInWalk, limit int, path ...string) (*page, error) {
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	if walk.Cursor != "" {
		query.Set("cursor", walk.Cursor)
	}
	maxBytes := int64(maxPageBytes)
	if limit == 1 {
		maxBytes = maxItemBytes
	}
	res, err := c.get(ctx, query, maxBytes, path...)
	if err != nil {
		return nil, err
	}
	p := &page{wait: c.pause(res.Header)}
	if err := json.Unmarshal(res.Body, p); err != nil || p.Data == nil {
		return nil, c.wrongAnswer(res)
	}
	return p, nil
}

// next returns the place behind a page. Fails for a list that does not end.
func (p *page) next(walk store.MoveInWalk) (next store.MoveInWalk, isEnd bool, err error) {
	next = walk
	next.Pages++
	next.Items += int64(len(*p.Data))
	if next.Empty++; len(*p.Data) > 0 {
		next.Empty = 0
	}
	cursor := p.Pagination.Cursor
	if !p.Pagination.HasMore || cursor == nil || *cursor == "" {
		return store.MoveInWalk{}, true, nil
	}
	next.Cursor = *cursor
	switch {
	case len(next.Cursor) > maxCursorBytes:
		return next, false, parley.Invalid("url", "sends a cursor that is longer than any of the interface")
	case next.Cursor == walk.Cursor || next.Cursor == walk.Mark || next.Empty > maxEmptyPages:
		return next, false, parley.Invalid("url", "sends a list that does not end: its pages lead in a circle")
	case p.Pagination.Total != nil && next.Items > 2*max(*p.Pagination.Total, 0)+10*exportPageSize:
		return next, false, parley.Invalid("url", "sends a list that does not end: it is longer than the service says")
	case next.Pages&(next.Pages-1) == 0: // any circle comes back to a cursor that was noted at a power of two
		next.Mark = next.Cursor
	}
	return next, false, nil
}

const maxCursorBytes = 16 << 10

// get sends a request. Failures that may pass are a *passingFailure.
func (c *client) get(ctx context.Context, query url.Values, maxBytes int64, path ...string) (*outbound.Response,
	error) {
	u := *c.base
	u.RawPath = u.EscapedPath()
	for _, part := range path {
		u.Path, u.RawPath = u.Path+"/"+part, u.RawPath+"/"+url.PathEscape(part)
	}
	u.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, parley.Invalid("url", "is no address that can be asked")
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "parley")
	res, err := c.http.Do(req, outbound.Limits{Timeout: requestTimeout, MaxBytes: maxBytes, MaxRedirects: -1})
	if err != nil {
		return nil, c.connectionFailure(ctx, err)
	}
	if res.Status == http.StatusOK {
		return res, nil
	}
	return nil, c.refusal(res)
}

func (c *client) connectionFailure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	e, _ := errors.AsType[*outbound.Error](err)
	switch {
	case e == nil || e.Kind == outbound.KindFailed || e.Kind == outbound.KindTimeout:
		return &passingFailure{text: "does not answer: " + outbound.Reason(err)}
	case e.Kind == outbound.KindTooLarge:
		return errPageTooLarge
	}
	return parley.Invalid("url", "is not asked: "+e.Reason)
}

// refusal returns the failure that a response stands for.
func (c *client) refusal(res *outbound.Response) error {
	quoted := c.quotedError(res)
	switch {
	case res.Status == http.StatusTooManyRequests:
		return &passingFailure{"has had too many requests", c.askedWait(res.Header), true}
	case res.Status >= 500 || res.Status == http.StatusRequestTimeout:
		return &passingFailure{fmt.Sprintf("answers %d%s", res.Status, quoted), c.askedWait(res.Header), false}
	case res.Status == http.StatusUnauthorized || res.Status == http.StatusForbidden:
		return parley.Invalid("key", fmt.Sprintf("is refused by the service with %d%s", res.Status, quoted))
	case res.Status/100 == 3:
		return parley.Invalid("url", "leads to "+parley.ClipBytes(res.Header.Get("Location"), 200)+
			", which is not followed with a key; name that address itself if it is right")
	case res.Status == http.StatusNotFound && quoted == "":
		return c.wrongAnswer(res)
	case res.Status == http.StatusNotFound && strings.HasPrefix(quoted, " "+string(parley.CodeAgentNotFound)+":"):
		return fmt.Errorf("%w: %w", errAgentGone, parley.Invalid("url", fmt.Sprintf("answers %d%s", res.Status, quoted)))
	case res.Status == http.StatusBadRequest:
		return fmt.Errorf("%w: %w", errBadRequest, parley.Invalid("url", fmt.Sprintf("answers %d%s", res.Status, quoted)))
	}
	return parley.Invalid("url", fmt.Sprintf("answers %d%s", res.Status, quoted))
}

// quotedError returns what the error of a response says, with its code, to follow other words; empty for no error of
// the interface.
func (c *client) quotedError(res *outbound.Response) string {
	var body struct {
		Error struct {
			Code    string `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(res.Body, &body) != nil || body.Error.Code == "" {
		return ""
	}
	text := strings.ReplaceAll(body.Error.Code+": "+body.Error.Message, c.key, "***")
	return " " + parley.ClipBytes(strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " "), 300)
}

// wrongAnswer says that an answer is none of the interface.
func (c *client) wrongAnswer(res *outbound.Response) error {
	subject := "something that is no page of a list"
	if body := bytes.TrimSpace(res.Body); len(body) == 0 {
		subject = "nothing"
	} else if body[0] == '<' || strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") {
		subject = "a web page"
	}
	return parley.Invalid("url", fmt.Sprintf("answers %d with %s; is it the base address of the interface, such as "+
		"https://host.example%s?", res.Status, subject, defaultPath))
}

// askedWait returns how long a refusal asks to wait; 0 if it does not say.
func (c *client) askedWait(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		return time.Duration(min(max(seconds, 0), 1e6) * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(c.now()), 0)
	}
	return c.untilReset(h)
}

// pause returns how long to wait after a response so that the next request is within the limit.
func (c *client) pause(h http.Header) time.Duration {
	if h.Get("X-RateLimit-Remaining") != "0" {
		return 0
	}
	return min(max(c.untilReset(h), time.Second), maxBackoff)
}

// untilReset returns how long it takes until the limit begins again, by a header in seconds or milliseconds since 1970.
func (c *client) untilReset(h http.Header) time.Duration {
	n, err := strconv.ParseInt(h.Get("X-RateLimit-Reset"), 10, 64)
	if err != nil || n <= 0 {
		return 0
	}
	at := time.Unix(n, 0)
	if n > 1e11 {
		at = time.UnixMilli(n)
	}
	return min(max(at.Sub(c.now()), 0), maxBackoff)
}
