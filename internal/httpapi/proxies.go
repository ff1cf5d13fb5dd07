package httpapi

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// Proxies are the networks of proxies whose word is taken for the address that a request came from.
type Proxies []netip.Prefix

// Contain reports whether an address is that of one of the proxies.
func (p Proxies) Contain(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	return slices.ContainsFunc(p, func(network netip.Prefix) bool { return network.Contains(ip) })
}

// Resolve returns the request as if whoever called the proxies had called the server's own proxy, or with none the
// server itself. X-Forwarded-For is read from its end, as each proxy adds the address that it was called from; the
// first one that is no proxy's is the client's, and what comes before it is whatever the client claims.
func (p Proxies) Resolve(r *http.Request, trustProxy bool) *http.Request {
	before := ClientAddress(r, trustProxy)
	chain := forwardedFor(r)
	if trustProxy && len(chain) > 0 {
		chain = chain[:len(chain)-1] // of the server's own proxy
	}
	address := p.firstClient(before, chain)
	if address == before {
		return r
	}
	resolved := r.Clone(r.Context())
	resolved.RemoteAddr = net.JoinHostPort(address, "0")
	resolved.Header.Set("X-Forwarded-For", address)
	return resolved
}

// firstClient goes back from an address to those that were called from, as long as it is a proxy's.
func (p Proxies) firstClient(address string, chain []string) string {
	for ; len(chain) > 0; chain = chain[:len(chain)-1] {
		caller, err := netip.ParseAddr(address)
		if err != nil || !p.Contain(caller) {
			return address
		}
		next := net.ParseIP(chain[len(chain)-1])
		if next == nil {
			return address
		}
		address = next.String()
	}
	return address
}

// forwardedFor returns the entries of X-Forwarded-For.
func forwardedFor(r *http.Request) []string {
	values := r.Header.Values("X-Forwarded-For")
	if len(values) == 0 {
		return nil
	}
	list := strings.Split(strings.Join(values, ","), ",")
	for i, entry := range list {
		list[i] = strings.TrimSpace(entry)
	}
	return list
}
