package outbound

import (
	"net/http"
	"time"
)

// StreamClient returns an HTTP client for answers that arrive bit by bit. It connects where Do does, and follows no
// redirect: a key goes only where it was meant to. It bounds neither the time nor the size of an answer, which is for
// its caller to do.
func (c *Client) StreamClient() *http.Client {
	c.streamOnce.Do(func() {
		c.streamTransport = &http.Transport{
			Proxy: nil, DialContext: c.dial, ForceAttemptHTTP2: true, TLSHandshakeTimeout: dialTimeout,
			DisableCompression:     true, // compressed streams arrive late and unpack without bound
			MaxResponseHeaderBytes: maxHeaderBytes, ExpectContinueTimeout: time.Second,
			MaxIdleConns: 512, MaxIdleConnsPerHost: 64, IdleConnTimeout: 90 * time.Second,
		}
	})
	return &http.Client{
		Transport:     checkedTransport{c.streamTransport},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// CloseIdleConnections closes the connections that nobody uses.
func (t checkedTransport) CloseIdleConnections() { t.next.CloseIdleConnections() }

// checkedTransport refuses what Do refuses. Its failures name no address.
type checkedTransport struct{ next *http.Transport }

// RoundTrip implements http.RoundTripper.
func (t checkedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := (Limits{}).checkURL(req.URL); err != nil {
		if req.Body != nil {
			_ = req.Body.Close() // as every transport must
		}
		return nil, err
	}
	res, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, wrapError(err)
	}
	return res, nil
}
