package crawl

import (
	"encoding/json"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/testkit/check"
)

// The cases of the web platform tests: an address that Canonical accepts has the host that browsers read from it, and
// the HTTP client reads the same host from the result.
func TestHostsAreReadAsBrowsersReadThem(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(check.SharedDir(t, "url-test-data"), "urltestdata.json"))
	check.Must(t, err)
	var cases []json.RawMessage // some are comments
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	taken := 0
	for _, raw := range cases {
		var c struct {
			Input, Base, Protocol, Hostname, Port string
			Failure                               bool
		}
		if json.Unmarshal(raw, &c) != nil {
			continue
		}
		got := resolveURL(c.Base, c.Input)
		if got == nil {
			continue
		}
		taken++
		again, err := url.Parse(got.String())
		if err != nil || again.Host != got.Host {
			t.Errorf("%q on %q becomes %s, which is read as %v %v", c.Input, c.Base, got, again, err)
		}
		if c.Failure { // accepting more than a browser does is harmless if the host is unambiguous
			if !strings.Contains(c.Input+c.Base, got.Hostname()) {
				t.Errorf("%q on %q is no address, and becomes %s", c.Input, c.Base, got)
			}
			continue
		}
		if got.Scheme+":" != c.Protocol || !sameHost(got.Hostname(), c.Hostname) || got.Port() != c.Port {
			t.Errorf("%q on %q leads to %s://%s:%s, and becomes %s", c.Input, c.Base, c.Protocol, c.Hostname, c.Port, got)
		}
	}
	if taken < 50 {
		t.Error("hardly any address is taken:", taken)
	}
}

// resolveURL returns nil if the address is refused.
func resolveURL(base, ref string) *url.URL {
	var on *url.URL
	if base != "" && base != "about:blank" {
		var err error
		if on, err = Canonical(nil, base); err != nil {
			return nil
		}
	}
	u, err := Canonical(on, ref)
	if err != nil {
		return nil
	}
	return u
}

func sameHost(got, want string) bool {
	want = strings.TrimSuffix(strings.Trim(want, "[]"), ".")
	if a, err := netip.ParseAddr(want); err == nil {
		b, err := netip.ParseAddr(got)
		return err == nil && a == b
	}
	return got == want
}
