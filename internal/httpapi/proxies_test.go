package httpapi_test

import (
	"net/http/httptest"
	"net/netip"
	"testing"

	"parley/internal/httpapi"
)

// TestProxiesSayWhereARequestCameFrom has requests come through proxies of 198.51.100.0/24 and 2001:db8::/32.
func TestProxiesSayWhereARequestCameFrom(t *testing.T) {
	proxies := httpapi.Proxies{netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("2001:db8::/32")}
	const visitor, proxy, other, own = "203.0.113.9", "198.51.100.7", "192.0.2.1", "10.0.0.1"
	for name, c := range map[string]struct {
		from       string
		forwarded  []string
		trustProxy bool
		want       string
	}{
		"nobody between":                  {visitor, nil, false, visitor},
		"a claim of the client":           {visitor, []string{other}, false, visitor},
		"a proxy":                         {proxy, []string{visitor}, false, visitor},
		"a proxy that says nothing":       {proxy, nil, false, proxy},
		"a proxy that says nonsense":      {proxy, []string{"unknown"}, false, proxy},
		"a claim before a proxy":          {proxy, []string{other + ", " + visitor}, false, visitor},
		"a claim in a header of its own":  {proxy, []string{other, visitor}, false, visitor},
		"two proxies":                     {proxy, []string{visitor + ",198.51.100.8"}, false, visitor},
		"only proxies":                    {proxy, []string{"198.51.100.8"}, false, "198.51.100.8"},
		"a proxy of IPv6":                 {"2001:db8::5", []string{"2001:DB9::1"}, false, "2001:db9::1"},
		"a mapped address":                {"::ffff:198.51.100.7", []string{visitor}, false, visitor},
		"another proxy":                   {other, []string{visitor}, false, other},
		"the own proxy":                   {own, []string{visitor}, true, visitor},
		"a claim before the own proxy":    {own, []string{other, visitor}, true, visitor},
		"a proxy before the own one":      {own, []string{visitor + ", " + proxy}, true, visitor},
		"claimed before both":             {own, []string{other, visitor, proxy}, true, visitor},
		"the own proxy says nonsense":     {own, []string{visitor, "-"}, true, own},
		"past the own proxy, from inside": {own, nil, true, own},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = netip.AddrPortFrom(netip.MustParseAddr(c.from), 5).String()
		if c.forwarded != nil {
			r.Header["X-Forwarded-For"] = c.forwarded
		}
		resolved := proxies.Resolve(r, c.trustProxy)
		if got := httpapi.ClientAddress(resolved, c.trustProxy); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if httpapi.IsLocal(resolved) {
			t.Errorf("%s: is local", name)
		}
	}
}

// TestResolvedRequestIsNotLocal has somebody claim through a proxy to be this machine.
func TestResolvedRequestIsNotLocal(t *testing.T) {
	r := httptest.NewRequest("GET", "http://localhost/", nil)
	r.RemoteAddr = "198.51.100.7:5"
	r.Header.Set("X-Forwarded-For", "127.0.0.1")
	proxies := httpapi.Proxies{netip.MustParsePrefix("198.51.100.0/24")}
	resolved := proxies.Resolve(r, false)
	if httpapi.ClientAddress(resolved, false) != "127.0.0.1" || httpapi.IsLocal(resolved) {
		t.Errorf("%s: %v", resolved.RemoteAddr, httpapi.IsLocal(resolved))
	}
	if r.RemoteAddr != "198.51.100.7:5" {
		t.Error("the request itself has changed")
	}
}
