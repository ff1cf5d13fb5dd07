package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"reflect"
	"slices"
	"strings"
)

// NewRequest returns the request that calls an operation below baseURL: what a server binds to in. in is a pointer to
// the operation's input.
func NewRequest(ctx context.Context, baseURL string, op *Operation, in any) (*http.Request, error) {
	v := reflect.ValueOf(in).Elem()
	plan := inputOf(v.Type(), false)
	path, query := op.Path, url.Values{}
	for i := range plan.params {
		p := &plan.params[i]
		field := v.FieldByIndex(p.fieldIndex)
		switch {
		case p.inPath:
			path = strings.Replace(path, "{"+p.name+"}", EscapeSegment(formatParam(field)), 1)
		case !field.IsZero():
			query.Set(p.name, formatParam(field))
		}
	}
	var body io.Reader = http.NoBody
	if plan.body != nil {
		text, err := json.Marshal(v.FieldByIndex(plan.body.fieldIndex).Interface())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", op.Name, err)
		}
		body = bytes.NewReader(text)
	}
	address := baseURL + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	return http.NewRequestWithContext(ctx, op.Method, address, body)
}

// formatParam writes a parameter the way it is bound; the items of a list are parted by commas.
func formatParam(v reflect.Value) string {
	if v.Kind() != reflect.Slice {
		return fmt.Sprint(v.Interface())
	}
	items := make([]string, v.Len())
	for i := range items {
		items[i] = fmt.Sprint(v.Index(i).Interface())
	}
	return strings.Join(items, ",")
}

// EscapeSegment writes a text as one segment of a path. An empty segment and the dots would lead elsewhere: nothing is
// sent as U+0000, which no id holds either, and dots are escaped.
func EscapeSegment(text string) string {
	switch text {
	case "":
		return "%00"
	case ".", "..":
		return strings.ReplaceAll(text, ".", "%2E")
	}
	return url.PathEscape(text)
}

// ClientAddress returns the address that a request came from. Behind a trusted proxy it is the last entry of
// X-Forwarded-For, which the proxy wrote itself: earlier entries are whatever the client claims.
func ClientAddress(r *http.Request, trustProxy bool) string {
	if trustProxy {
		if ip := net.ParseIP(lastValue(r.Header.Values("X-Forwarded-For"))); ip != nil {
			return ip.String()
		}
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// forwardingHeaders are what proxies add to a request.
var forwardingHeaders = []string{
	"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip",
}

// IsLocal reports whether a request comes from this machine: from loopback, to a name of loopback (another name may be
// DNS rebinding by a foreign site), and through no proxy that can be told. A proxy may send its own name for this
// server as the host, but not the Origin, which is the browser's.
func IsLocal(r *http.Request) bool {
	return isFromNear(r, netip.Addr.IsLoopback)
}

// IsLocalBrowser is IsLocal of what a person does in a browser. It also takes the addresses of private networks: by one
// of these a container is asked from the machine that it runs on.
func IsLocalBrowser(r *http.Request) bool {
	return isFromNear(r, func(from netip.Addr) bool { return from.IsLoopback() || from.IsPrivate() })
}

func isFromNear(r *http.Request, isNear func(netip.Addr) bool) bool {
	for _, name := range forwardingHeaders {
		if r.Header.Get(name) != "" {
			return false
		}
	}
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && isNear(from.Addr().Unmap()) && IsLoopbackHost(r.Host) && isLocalOrigin(r)
}

// isLocalOrigin reports whether the page that sent a request, if one is named, is of this machine.
func isLocalOrigin(r *http.Request) bool {
	u, err := url.Parse(r.Header.Get("Origin"))
	return err == nil && (u.Host == "" || IsLoopbackHost(u.Host))
}

// IsLoopbackHost reports whether a host, with or without a port, is always the machine that asks for it.
func IsLoopbackHost(host string) bool {
	name := strings.ToLower(hostName(host))
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.Unmap().IsLoopback()
}

// hostName returns a host without its port.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

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
