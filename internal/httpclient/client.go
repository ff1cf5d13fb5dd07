// Package httpclient calls the servers of model and speech providers: one HTTP exchange with its timeouts, the retries
// that can help, event streams line by line, and errors whose texts hold no key.
package httpclient

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// MaxTextBytes bounds the text that is taken from one answer of a provider.
const MaxTextBytes = 1 << 20

const dialTimeout = 10 * time.Second

// Client calls one server of a provider. Its fields must not change after the first call.
type Client struct {
	BaseURL string       // up to and including the version, e.g. https://host/v1
	Key     string       // the API key; empty sends none
	HTTP    *http.Client // nil uses a connection pool of its own, which Close empties

	FirstByteTimeout time.Duration // longest wait for the first byte of an answer; 0 is the request's own
	IdleTimeout      time.Duration // longest silence inside an answer; 0 is the request's own
	// wait before the first retry, about three times that before the second; 0 is the engine's own
	Backoff time.Duration

	once sync.Once
	own  *http.Client
}

// Request is one POST request.
type Request struct {
	Path        string // of the endpoint, below the base URL
	ContentType string
	Accept      string
	Body        []byte
	SetHeaders  func(h http.Header, key string) // adds the key and what else the provider wants; nil sends a bearer token

	FirstByteTimeout time.Duration // where the client has none
	IdleTimeout      time.Duration // where the client has none
}

// HTTPClient returns the HTTP client to call with. Its own one follows no redirect: the key goes only where the
// operator sent it.
func (c *Client) HTTPClient() *http.Client {
	if c.HTTP != nil {
		return c.HTTP
	}
	c.once.Do(func() { c.own = newHTTPClient() })
	return c.own
}

// Close closes the idle connections of the client's own pool.
func (c *Client) Close() {
	if c.HTTP == nil {
		c.HTTPClient().CloseIdleConnections()
	}
}

// Endpoint returns the address of a path such as /audio/speech. A base URL that holds the path already is accepted too.
func (c *Client) Endpoint(path string) string {
	return strings.TrimSuffix(strings.TrimRight(c.BaseURL, "/"), path) + path
}

func (c *Client) post(ctx context.Context, req Request) (*http.Response, error) {
	body := &releasableBody{}
	body.data.Store(&req.Body)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.Endpoint(req.Path), body.newReader())
	if err != nil {
		return nil, err
	}
	r.ContentLength = int64(len(req.Body))
	r.GetBody = func() (io.ReadCloser, error) { return body.newReader(), nil }
	defer body.release()
	r.Header.Set("Content-Type", req.ContentType)
	r.Header.Set("Accept", req.Accept)
	r.Header.Set("User-Agent", "parley")
	setHeaders := req.SetHeaders
	if setHeaders == nil {
		setHeaders = SetBearerToken
	}
	setHeaders(r.Header, c.Key)
	return c.HTTPClient().Do(r)
}

// SetBearerToken adds a key, if there is one, as most providers want it.
func SetBearerToken(h http.Header, key string) {
	if key != "" {
		h.Set("Authorization", "Bearer "+key)
	}
}

func newHTTPClient() *http.Client {
	dialer := &net.Dialer{Timeout: dialTimeout, KeepAlive: 30 * time.Second}
	return &http.Client{
		Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           dialer.DialContext,
			TLSHandshakeTimeout:   dialTimeout,
			ExpectContinueTimeout: time.Second,
			ForceAttemptHTTP2:     true,
			DisableCompression:    true, // compressed event streams arrive late and unpack without bound
			MaxIdleConns:          512,
			MaxIdleConnsPerHost:   256,
			IdleConnTimeout:       90 * time.Second,
			ReadBufferSize:        1 << 10, // a silent stream holds its buffers
			WriteBufferSize:       1 << 10, // enough for the header; the body is written past it
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// releasableBody is the body of a request. The HTTP client keeps the request as long as the answer streams; the body,
// which is the bulk of it, is released once the answer begins.
type releasableBody struct{ data atomic.Pointer[[]byte] }

func (b *releasableBody) newReader() io.ReadCloser {
	return io.NopCloser(&releasableBodyReader{body: b})
}

// release may be called while a client still sends: a provider that answers at once does not wait for the rest.
func (b *releasableBody) release() { b.data.Store(new([]byte)) }

type releasableBodyReader struct {
	body   *releasableBody
	offset int
}

// Read implements io.Reader.
func (r *releasableBodyReader) Read(p []byte) (int, error) {
	data := *r.body.data.Load()
	if r.offset >= len(data) {
		return 0, io.EOF
	}
	n := copy(p, data[r.offset:])
	r.offset += n
	return n, nil
}

// errorBodyTimeout is the longest silence inside the body of a refusal.
const errorBodyTimeout = 2 * time.Second

// Response is an answer that is being read. Its timer runs only while a read waits, so a slow consumer is not taken for
// a silent provider.
type Response struct {
	Header http.Header

	parent      context.Context
	ctx         context.Context
	cancel      context.CancelCauseFunc
	timer       *time.Timer
	readTimeout time.Duration // longest silence of the next read
	idleTimeout time.Duration // of the reads after the first byte
	body        io.ReadCloser
}

// Send sends the request once and returns the answer if its status is 200, else a *StatusError.
func (c *Client) Send(parent context.Context, req Request) (*Response, error) {
	r := &Response{
		parent:      parent,
		readTimeout: cmp.Or(c.FirstByteTimeout, req.FirstByteTimeout),
		idleTimeout: cmp.Or(c.IdleTimeout, req.IdleTimeout),
	}
	r.ctx, r.cancel = context.WithCancelCause(parent)
	r.timer = time.AfterFunc(r.readTimeout, func() { r.cancel(ErrProviderSilent) })
	resp, err := c.post(r.ctx, req) //nolint:bodyclose // the response closes it, here or when it has been read
	r.timer.Stop()
	if err != nil {
		err = r.causeOf(err)
		r.cancel(nil)
		return nil, err
	}
	r.body, r.Header = resp.Body, resp.Header
	if resp.StatusCode == http.StatusOK {
		return r, nil
	}
	defer r.Close()
	r.SetReadTimeout(errorBodyTimeout)
	return nil, newStatusError(resp, r)
}

// Read implements io.Reader; a read that waits too long ends the whole call.
func (r *Response) Read(p []byte) (int, error) {
	r.timer.Reset(r.readTimeout)
	n, err := r.body.Read(p)
	r.timer.Stop()
	if n > 0 {
		r.readTimeout = r.idleTimeout
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = r.causeOf(err)
	}
	return n, err
}

// SetReadTimeout sets the longest silence of all further reads.
func (r *Response) SetReadTimeout(d time.Duration) { r.readTimeout, r.idleTimeout = d, d }

// IsCallerGone reports whether the caller's context has ended.
func (r *Response) IsCallerGone() bool { return r.parent.Err() != nil }

// Close ends the call.
func (r *Response) Close() {
	r.timer.Stop()
	r.body.Close()
	r.cancel(nil)
}

func (r *Response) causeOf(err error) error {
	if cause := context.Cause(r.ctx); cause != nil {
		return cause
	}
	return err
}
