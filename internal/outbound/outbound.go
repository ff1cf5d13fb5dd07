// Package outbound is the one HTTP client for addresses that others have named. It dials public addresses only, which
// it checks when it connects, so that neither a name, a redirect nor a second answer of the resolver leads to a local
// network; and it bounds the time, the size and the redirects of everything it does.
package outbound

import (
	"cmp"
	"context"
	"io"
	"maps"
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

// Client fetches from public addresses. The zero value is ready. It must not be copied after its first use.
type Client struct {
	// addresses that may be reached although they are not public
	AllowedPrefixes []netip.Prefix
	// HOST:PORT that may be reached wherever they are: the operator has named them
	AllowedHosts []string
	Resolve      func(ctx context.Context, host string) ([]netip.Addr, error) // nil for the system's

	once            sync.Once
	transport       *http.Transport
	streamOnce      sync.Once
	streamTransport *http.Transport // nil if nothing was streamed
}

// Limits bound one request. Zero fields take their defaults.
type Limits struct {
	HTTPSOnly    bool
	Timeout      time.Duration // from the dialling to the last byte; 30 s
	MaxBytes     int64         // of the body, unpacked; 1 MB
	Truncate     bool          // a longer body is cut there instead of refused
	MaxRedirects int           // followed; 5, and -1 for none
}

// Response is a reply that has been read to its end.
type Response struct {
	Status int
	Header http.Header
	URL    *url.URL // of the reply, after redirects
	Body   []byte
}

const (
	dialTimeout           = 10 * time.Second
	responseHeaderTimeout = 20 * time.Second
	maxHeaderBytes        = 64 << 10
)

func (l Limits) withDefaults() Limits {
	if l.Timeout <= 0 {
		l.Timeout = 30 * time.Second
	}
	if l.MaxBytes <= 0 {
		l.MaxBytes = 1 << 20
	}
	if l.MaxRedirects == 0 {
		l.MaxRedirects = 5
	}
	return l
}

// Do sends the request and reads the reply, whatever its status. Every failure is an *Error. The request must not be
// used again.
func (c *Client) Do(req *http.Request, limits Limits) (*Response, error) {
	limits = limits.withDefaults()
	if err := limits.checkURL(req.URL); err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(req.Context(), limits.Timeout)
	defer stop()
	c.once.Do(c.initTransport)
	res, err := c.send(req.WithContext(ctx), limits)
	if err != nil {
		return nil, wrapError(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, limits.MaxBytes+1))
	if err != nil {
		return nil, wrapError(err)
	}
	if int64(len(body)) > limits.MaxBytes {
		if !limits.Truncate {
			return nil, &Error{Kind: KindTooLarge, Reason: "the reply is too large"}
		}
		body = body[:limits.MaxBytes]
	}
	return &Response{Status: res.StatusCode, Header: res.Header, URL: res.Request.URL, Body: body}, nil
}

// send follows redirects within the limits. If none are followed, the caller reads the Location, whatever its form.
func (c *Client) send(req *http.Request, limits Limits) (*http.Response, error) {
	if limits.MaxRedirects < 0 {
		return c.transport.RoundTrip(req)
	}
	return (&http.Client{Transport: c.transport, CheckRedirect: limits.checkRedirect}).Do(req)
}

// Close drops idle connections.
func (c *Client) Close() {
	c.once.Do(c.initTransport)
	c.transport.CloseIdleConnections()
	c.StreamClient().CloseIdleConnections()
}

func (c *Client) initTransport() {
	c.transport = &http.Transport{
		Proxy: nil, DialContext: c.dial, ForceAttemptHTTP2: true, TLSHandshakeTimeout: dialTimeout,
		ResponseHeaderTimeout: responseHeaderTimeout, MaxResponseHeaderBytes: maxHeaderBytes,
		MaxIdleConns: 100, MaxIdleConnsPerHost: 4, IdleConnTimeout: 30 * time.Second,
	}
}

// dial connects to an address HOST:PORT, or fails before a packet is sent.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: dialTimeout}
	if !slices.ContainsFunc(c.AllowedHosts, func(host string) bool { return strings.EqualFold(host, address) }) {
		dialer.ControlContext = c.checkDialAddress
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

func (c *Client) checkDialAddress(_ context.Context, _, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !c.mayDial(to.Addr()) {
		return errNotPublic
	}
	return nil
}

// checkURL checks a URL before its host is resolved.
func (l Limits) checkURL(u *url.URL) error {
	switch {
	case u.Scheme == "http" && l.HTTPSOnly:
		return &Error{Kind: KindRefused, Reason: "only https:// addresses are fetched here"}
	case u.Scheme != "https" && u.Scheme != "http":
		return &Error{Kind: KindRefused, Reason: "only http:// and https:// addresses are fetched"}
	case u.Hostname() == "":
		return &Error{Kind: KindRefused, Reason: "the address names no host"}
	case u.User != nil:
		return &Error{Kind: KindRefused, Reason: "the address holds a user name or a password"}
	}
	return nil
}

// checkRedirect checks a redirect. One that leaves the first origin carries nothing that was meant for it: no header
// but the harmless, and no body.
func (l Limits) checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > l.MaxRedirects {
		return &Error{Kind: KindTooManyRedirects, Reason: "there are too many redirects"}
	}
	req.URL.User = nil
	l.HTTPSOnly = l.HTTPSOnly || via[0].URL.Scheme == "https"
	if err := l.checkURL(req.URL); err != nil {
		return err
	}
	req.Header.Del("Referer") // it would reveal the query of the previous page
	if !leavesOrigin(req, via) {
		return nil
	}
	if req.Body != nil && req.Body != http.NoBody {
		return &Error{Kind: KindRefused, Reason: "a redirect would take the request to another host"}
	}
	maps.DeleteFunc(req.Header, func(name string, _ []string) bool { return !slices.Contains(safeHeaders, name) })
	return nil
}

var safeHeaders = []string{"Accept", "Accept-Language", "If-Modified-Since", "If-None-Match", "Range", "User-Agent"}

// leavesOrigin reports whether this request or one before it has left the first one's origin.
func leavesOrigin(req *http.Request, via []*http.Request) bool {
	first := origin(via[0].URL)
	return origin(req.URL) != first ||
		slices.ContainsFunc(via, func(r *http.Request) bool { return origin(r.URL) != first })
}

func origin(u *url.URL) string { return u.Scheme + "://" + strings.ToLower(HostPort(u)) }

// HostPort returns the HOST:PORT of a URL, with the port of its scheme where it names none.
func HostPort(u *url.URL) string {
	return net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme]))
}
