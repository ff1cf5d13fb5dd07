package widget

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// EnableSessions lets the demo page have sessions, made by a handler that answers as REST v2 does. It is for `parley demo` alone: whoever
// sits at this machine may talk to its agent, and nobody else.
func (p *Page) EnableSessions(maker http.Handler) { p.sessionHandler.Store(&maker) }

// createSession makes one for the page. For whom it is not meant, it is not there.
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

// isLocalRequest reports a request that somebody at this machine has made: from loopback, to a name of loopback (another name would be one
// that a stranger's site has bent to here), and through nobody else's hands.
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

// isFromOwnPage reports a request that the demo page has made. Browsers say where a request comes from, and pages cannot change that.
func isFromOwnPage(r *http.Request) bool {
	from, err := url.Parse(r.Header.Get("Origin"))
	return err == nil && from.Host != "" && from.Host == r.Host
}
