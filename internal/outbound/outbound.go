// Package outbound is the one HTTP client for everything that fetches what a stranger named. It dials public addresses only,
// which it checks when it connects, so that neither a name, a redirect nor a second answer of the resolver leads inside; and
// it bounds the time, the size and the redirects of everything it does.
package outbound

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Client fetches from the outside world. The zero value is ready. It must not be copied after its first use.
type Client struct {
	Allow   []netip.Prefix                                               // addresses that may be reached although they are not public
	Hosts   []string                                                     // HOST:PORT that may be reached wherever they are: the operator has named them
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error) // nil for the system's

	once      sync.Once
	transport *http.Transport
}

// Limits bound one request. Zero fields take their defaults.
type Limits struct {
	HTTPSOnly bool
	Time      time.Duration // from the dialling to the last byte; 30 s
	Bytes     int64         // of the body, unpacked; 1 MB
	Cut       bool          // a longer body is cut there instead of refused
	Redirects int           // followed; 5, and -1 for none
}

// Reply is a reply that has arrived whole.
type Reply struct {
	Status int
	Header http.Header
	URL    *url.URL // that gave it, after redirects
	Body   []byte
}

const (
	dialTime    = 10 * time.Second
	headerTime  = 20 * time.Second
	headerBytes = 64 << 10
)

func (l Limits) filled() Limits {
	if l.Time <= 0 {
		l.Time = 30 * time.Second
	}
	if l.Bytes <= 0 {
		l.Bytes = 1 << 20
	}
	if l.Redirects == 0 {
		l.Redirects = 5
	}
	return l
}

// Do sends the request and reads the reply, whatever its status. Every failure is an *Error. The request must not be used
// again.
func (c *Client) Do(req *http.Request, limits Limits) (*Reply, error) {
	limits = limits.filled()
	if err := limits.address(req.URL); err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(req.Context(), limits.Time)
	defer stop()
	c.once.Do(c.build)
	res, err := c.send(req.WithContext(ctx), limits)
	if err != nil {
		return nil, failure(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, limits.Bytes+1))
	if err != nil {
		return nil, failure(err)
	}
	if int64(len(body)) > limits.Bytes {
		if !limits.Cut {
			return nil, &Error{Kind: TooLarge, Reason: "the reply is too large"}
		}
		body = body[:limits.Bytes]
	}
	return &Reply{Status: res.StatusCode, Header: res.Header, URL: res.Request.URL, Body: body}, nil
}

// send follows redirects as the limits say. Where none is, a Location is the caller's to read, however it is written.
func (c *Client) send(req *http.Request, limits Limits) (*http.Response, error) {
	if limits.Redirects < 0 {
		return c.transport.RoundTrip(req)
	}
	client := http.Client{Transport: c.transport, CheckRedirect: limits.redirect}
	return client.Do(req)
}

// Close drops idle connections.
func (c *Client) Close() {
	c.once.Do(c.build)
	c.transport.CloseIdleConnections()
}

func (c *Client) build() {
	c.transport = &http.Transport{
		Proxy: nil, DialContext: c.dial, ForceAttemptHTTP2: true, TLSHandshakeTimeout: dialTime, ResponseHeaderTimeout: headerTime,
		MaxResponseHeaderBytes: headerBytes, MaxIdleConns: 100, MaxIdleConnsPerHost: 4, IdleConnTimeout: 30 * time.Second,
	}
}

// dial connects to an address HOST:PORT, or fails before a packet is sent.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: dialTime}
	if !slices.ContainsFunc(c.Hosts, func(host string) bool { return strings.EqualFold(host, address) }) {
		dialer.ControlContext = c.control
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil || c.Resolve == nil {
		return dialer.DialContext(ctx, network, address)
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return dialer.DialContext(ctx, network, address)
	}
	list, err := c.Resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	err = error(&net.DNSError{Err: "no addresses", Name: host, IsNotFound: true})
	for _, a := range list {
		conn, failed := dialer.DialContext(ctx, network, net.JoinHostPort(a.String(), port))
		if failed == nil {
			return conn, nil
		}
		err = failed
	}
	return nil, err
}

// control sees the very address that is about to be dialled.
func (c *Client) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !c.allowed(to.Addr()) {
		return errInside
	}
	return nil
}

// address checks what can be seen of a URL.
func (l Limits) address(u *url.URL) error {
	switch {
	case u.Scheme == "http" && l.HTTPSOnly:
		return &Error{Kind: Refused, Reason: "only https:// addresses are fetched here"}
	case u.Scheme != "https" && u.Scheme != "http":
		return &Error{Kind: Refused, Reason: "only http:// and https:// addresses are fetched"}
	case u.Hostname() == "":
		return &Error{Kind: Refused, Reason: "the address names no host"}
	case u.User != nil:
		return &Error{Kind: Refused, Reason: "the address holds a user name or a password"}
	}
	return nil
}

// redirect checks one. Where it leaves the first origin it takes along nothing that was meant for it: no header but the
// harmless, and no body.
func (l Limits) redirect(req *http.Request, via []*http.Request) error {
	if len(via) > l.Redirects {
		return &Error{Kind: Endless, Reason: "there are too many redirects"}
	}
	if req.URL.User != nil {
		req.URL.User = nil
	}
	l.HTTPSOnly = l.HTTPSOnly || via[0].URL.Scheme == "https"
	if err := l.address(req.URL); err != nil {
		return err
	}
	req.Header.Del("Referer") // it would tell the query of the page before
	if !strays(req, via) {
		return nil
	}
	if req.Body != nil && req.Body != http.NoBody {
		return &Error{Kind: Refused, Reason: "a redirect would take the request to another host"}
	}
	for name := range req.Header {
		if !slices.Contains(harmless, name) {
			delete(req.Header, name)
		}
	}
	return nil
}

var harmless = []string{"Accept", "Accept-Language", "If-Modified-Since", "If-None-Match", "Range", "User-Agent"}

// strays reports whether this request or one before it has left the first one's origin.
func strays(req *http.Request, via []*http.Request) bool {
	first := origin(via[0].URL)
	if origin(req.URL) != first {
		return true
	}
	return slices.ContainsFunc(via, func(r *http.Request) bool { return origin(r.URL) != first })
}

func origin(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}
