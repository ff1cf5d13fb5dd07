package mcp

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"parley"
)

// checkOrigin refuses requests that a web page of another origin may have sent. Programs send no Origin; if there
// is one, it must be this server's own. On loopback the Host must be this server's, too, as a defense against DNS
// rebinding.
func (s *server) checkOrigin(r *http.Request) error {
	ownURL, _ := url.Parse(s.BaseURL)
	if ownURL == nil {
		ownURL = &url.URL{}
	}
	isLocal := isLoopbackRequest(r)
	if isLocal && !isLoopbackHost(hostname(r.Host)) && !strings.EqualFold(r.Host, ownURL.Host) {
		return parley.NewErrorf(parley.CodeForeignOrigin, "This server is not known under the host name of the request.")
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return nil
	}
	originURL, err := url.Parse(origin)
	switch {
	case err != nil || originURL.Host == "":
	case strings.EqualFold(originURL.Host, ownURL.Host) && originURL.Scheme == ownURL.Scheme:
		return nil
	case strings.EqualFold(originURL.Host, r.Host) && (isLocal || ownURL.Host == ""):
		return nil
	}
	return parley.NewError(parley.CodeForeignOrigin)
}

// isLoopbackRequest reports whether the request came to a loopback address.
func isLoopbackRequest(r *http.Request) bool {
	at, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return at != nil && isLoopbackHost(hostname(at.String()))
}

func hostname(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.Trim(hostport, "[]")
}

func isLoopbackHost(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback() || strings.EqualFold(host, "localhost")
}
