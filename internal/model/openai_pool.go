package model

import (
	"net"
	"net/http"
	"time"
)

// httpClient returns the client to call with. Its own one follows no redirect: the key goes only where the operator sent it.
func (o *OpenAI) httpClient() *http.Client {
	if o.HTTP != nil {
		return o.HTTP
	}
	o.once.Do(func() { o.client = newHTTPClient() })
	return o.client
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
			ReadBufferSize:        4 << 10, // a silent stream holds its buffers
			WriteBufferSize:       2 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
