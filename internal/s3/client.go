// Package s3 keeps files in the buckets of an S3 service: those of Amazon, MinIO, Ceph and others that speak the same
// interface. It signs by version 4, addresses buckets by path, and sends large files in parts.
package s3

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Config says where the service is and who asks it.
type Config struct {
	Endpoint     string // such as http://localhost:9000; empty for Amazon's own of the region
	Region       string // empty for us-east-1
	Key          string
	Secret       string
	SessionToken string // of temporary keys; empty if there is none
}

// Client calls one service.
type Client struct {
	Config

	HTTP *http.Client // nil for one of its own, which follows no redirect
	Now  func() time.Time

	PartBytes int64         // bytes of a part of a large file; 0 for 64 MB
	Backoff   time.Duration // before what has failed is tried again; 0 for a second
}

const (
	defaultRegion = "us-east-1"
	partBytes     = 64 << 20
	maxParts      = 10_000 // of one file, by the interface
	attempts      = 4
	maxReplyBytes = 8 << 20 // of a list or an error
)

// Error is a refusal of the service.
type Error struct {
	Status  int    `xml:"-"`
	Code    string // such as NoSuchBucket
	Message string
}

func (e *Error) Error() string {
	text := strings.TrimSuffix(cmp.Or(e.Message, http.StatusText(e.Status)), ".")
	return fmt.Sprintf("the S3 service refuses with status %d %s: %s", e.Status, e.Code, text)
}

// request is one request to the service.
type request struct {
	method, bucket, key string
	query               url.Values
	body                func() io.Reader // called for each attempt: one that failed may still be read; nil for none
	size                int64
	hash                string // SHA-256 of the body in hex
}

func (c *Client) region() string { return cmp.Or(c.Region, defaultRegion) }

func (c *Client) endpoint() string {
	own := "https://s3." + c.region() + ".amazonaws.com"
	return strings.TrimRight(cmp.Or(c.Endpoint, own), "/")
}

// do sends a request and returns its reply, which the caller closes. What may help is tried again.
func (c *Client) do(ctx context.Context, r request) (res *http.Response, err error) {
	wait := cmp.Or(c.Backoff, time.Second)
	for n := 1; ; n++ {
		res, err = c.send(ctx, r)
		if err == nil || n == attempts || !mayHelp(err) {
			return res, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(wait):
		}
		wait *= 2
	}
}

// mayHelp reports whether it may help to send the request again.
func mayHelp(err error) bool {
	var refusal *Error
	return !errors.As(err, &refusal) || refusal.Status >= http.StatusInternalServerError ||
		refusal.Status == http.StatusTooManyRequests
}

func (c *Client) send(ctx context.Context, r request) (*http.Response, error) {
	req, err := c.newRequest(ctx, r)
	if err != nil {
		return nil, err
	}
	c.sign(req, r.hash)
	res, err := c.client().Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode/100 == 2 {
		return res, nil
	}
	defer func() { _ = res.Body.Close() }()
	refusal := &Error{}
	_ = xml.NewDecoder(io.LimitReader(res.Body, maxReplyBytes)).Decode(refusal) // what it does not say stays empty
	refusal.Status = res.StatusCode
	return nil, refusal
}

func (c *Client) newRequest(ctx context.Context, r request) (*http.Request, error) {
	address, err := url.Parse(c.endpoint())
	if err != nil {
		return nil, err
	}
	address.Path = address.Path + "/" + r.bucket
	if r.key != "" {
		address.Path += "/" + r.key
	}
	address.RawPath = escapePath(address.Path)
	address.RawQuery = escapeQuery(r.query)
	req, err := http.NewRequestWithContext(ctx, r.method, address.String(), nil)
	if err == nil && r.size > 0 {
		req.Body, req.ContentLength = io.NopCloser(r.body()), r.size
	}
	return req, err
}

// replyTime is how long the service may take to begin a reply once it has the request.
const replyTime = 2 * time.Minute

var ownClient = &http.Client{
	Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, ResponseHeaderTimeout: replyTime,
		TLSHandshakeTimeout: 10 * time.Second, DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

func (c *Client) client() *http.Client {
	if c.HTTP != nil {
		return c.HTTP
	}
	return ownClient
}

// call sends a request without a body or with a small one, and decodes its reply into v; nil takes none.
func (c *Client) call(ctx context.Context, r request, body []byte, v any) error {
	r.hash = hashText(body)
	r.body, r.size = func() io.Reader { return bytes.NewReader(body) }, int64(len(body))
	res, err := c.do(ctx, r)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxReplyBytes))
	if err = errors.Join(err, res.Body.Close()); err != nil || v == nil {
		return err
	}
	if err := xml.Unmarshal(text, v); err != nil {
		return fmt.Errorf("the S3 service answers with something else: %w", err)
	}
	return nil
}
