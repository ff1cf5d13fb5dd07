package mcp

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"parley"
)

// checkOrigin refuses requests that a web page of somebody else may have sent. Programs send no Origin; one that is sent must be this
// server's own. On loopback the Host, too, must be this server's: a foreign name that was made to resolve to 127.0.0.1 is not.
func (s *server) checkOrigin(r *http.Request) error {
	own, _ := url.Parse(s.BaseURL)
	if own == nil {
		own = &url.URL{}
	}
	near := isLoopbackRequest(r)
	if near && !isLoopbackHost(hostname(r.Host)) && !strings.EqualFold(r.Host, own.Host) {
		return parley.NewErrorf(parley.CodeForeignOrigin, "This server is not known under the host name of the request.")
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return nil
	}
	from, err := url.Parse(origin)
	switch {
	case err != nil || from.Host == "":
	case strings.EqualFold(from.Host, own.Host) && from.Scheme == own.Scheme:
		return nil
	case strings.EqualFold(from.Host, r.Host) && (near || own.Host == ""):
		return nil
	}
	return parley.NewError(parley.CodeForeignOrigin)
}

// isLoopbackRequest reports whether the request came to an address that only this machine has.
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
