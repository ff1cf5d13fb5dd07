package widget

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// EnableSessions lets the demo page create sessions with a handler that answers as REST v2 does. It is for `parley
// demo` alone: users of this machine may talk to its agent, and nobody else.
func (p *Page) EnableSessions(maker http.Handler) { p.sessionHandler.Store(&maker) }

// createSession creates a session for the page. Other clients get 404.
func (p *Page) createSession(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	maker := p.sessionHandler.Load()
	switch {
	case maker == nil || !isLocalRequest(r) || !isFromOwnPage(r):
		http.NotFound(w, r)
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", "POST")
		http.Error(w, "Only POST is known here.", http.StatusMethodNotAllowed)
	default:
		(*maker).ServeHTTP(w, r)
	}
}

// isLocalRequest reports whether a request comes from this machine: from loopback, to a name of loopback (another name
// may be DNS rebinding by a foreign site), and through no proxy.
func isLocalRequest(r *http.Request) bool {
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via"} {
		if r.Header.Get(name) != "" {
			return false
		}
	}
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && from.Addr().Unmap().IsLoopback() && isLoopbackName(r.Host)
}

func isLoopbackName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || err == nil && addr.IsLoopback()
}

// isFromOwnPage reports whether the demo page sent the request. Browsers set Origin, and pages cannot change it.
func isFromOwnPage(r *http.Request) bool {
	from, err := url.Parse(r.Header.Get("Origin"))
	return err == nil && from.Host != "" && from.Host == r.Host
}
