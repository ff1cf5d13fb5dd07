package outbound

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// FuzzPublic checks which addresses are public: none that the standard library calls local
// is, and an address is as public as the one that it contains.
func FuzzPublic(f *testing.F) {
	for _, text := range []string{"8.8.8.8", "127.0.0.1", "::1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::",
		"fe80::1%eth0", "169.254.169.254", "2001:db8::1"} {
		f.Add(text, []byte(nil))
		f.Add("", netip.MustParseAddr(text).AsSlice())
	}
	f.Fuzz(func(t *testing.T, text string, bytes []byte) {
		a, err := netip.ParseAddr(text)
		if err != nil {
			var ok bool
			if a, ok = netip.AddrFromSlice(bytes); !ok {
				return
			}
		}
		got := isPublic(a)
		if got && (a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsMulticast() || a.IsUnspecified() ||
			a.Zone() != "") {
			t.Errorf("%s is public", a)
		}
		if isPublic(a.Unmap()) != got {
			t.Errorf("%s is not what it is without its mapping", a)
		}
		if !a.Is4() {
			return
		}
		four := a.As4()
		for _, carrier := range []netip.Addr{
			netip.AddrFrom16([16]byte{0, 0x64, 0xff, 0x9b, 12: four[0], 13: four[1], 14: four[2], 15: four[3]}),
			netip.AddrFrom16([16]byte{0x20, 0x02, four[0], four[1], four[2], four[3], 15: 1}), netip.AddrFrom16(a.As16()),
		} {
			if isPublic(carrier) != got {
				t.Errorf("%s carries %s and differs from it", carrier, a)
			}
		}
	})
}

// FuzzAddresses fetches from arbitrary addresses, and follows redirects to them. Of private addresses only those are
// reached that are allowed, every failure is an *Error, and a request needs no more lookups and no more connections
// than it has redirects.
func FuzzAddresses(f *testing.F) {
	var location atomic.Value
	var allowed, inside atomic.Int32
	redirecting := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		allowed.Add(1)
		if to, _ := location.Load().(string); r.URL.Path == "/redirect" {
			w.Header()["Location"] = []string{to}
			w.WriteHeader(http.StatusTemporaryRedirect)
		}
	}))
	defer redirecting.Close()
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.2:0")
	if err != nil {
		f.Skip("SKIP: there is no other loopback address: ", err)
	}
	secret := &httptest.Server{Listener: l, Config: &http.Server{ReadHeaderTimeout: time.Second,
		Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { inside.Add(1) })}}
	secret.Start()
	defer secret.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	for _, seed := range []string{secret.URL, "http://localhost:" + port, "http://2130706434:" + port,
		"http://0x7f.2:" + port, "http://[::ffff:127.0.0.2]:" + port, "http://[::ffff:7f00:2]:" + port + "/",
		"http://127.0.0.2%00.example:" + port, "//127.0.0.2:" + port, "/redirect", "http://user:pw@127.0.0.2:" + port,
		"file:///etc/passwd", "http:///x", "http://１２７.0.0.2:" + port,
		"https://a.example/", "ftp://a.example", "http://[fe80::1%25eth0]/", "http://a.example:99999/", "\n",
		"http://127.0.0.2:" + port + "\\@a.example", strings.Repeat("/..", 1000)} {
		f.Add(seed)
	}
	questions := 0
	c := &Client{AllowedPrefixes: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			questions++ // all names resolve to private addresses
			return []netip.Addr{netip.MustParseAddr("127.0.0.2"), netip.MustParseAddr("::ffff:127.0.0.2"),
				netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("169.254.169.254")}, nil
		}}
	defer c.Close()
	c.once.Do(c.initTransport)
	c.transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if to, err := netip.ParseAddrPort(address); err == nil && isPublic(to.Addr()) {
			return nil, errors.New("tests reach nothing but loopback")
		}
		return c.dial(ctx, network, address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		questions = 0
		allowed.Store(0)
		location.Store(address)
		for _, from := range []string{address, redirecting.URL + "/redirect"} {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, from, nil)
			if err != nil {
				continue
			}
			_, err = c.Do(req, Limits{Timeout: 5 * time.Second})
			var e *Error
			if err != nil && (!errors.As(err, &e) || e.Reason == "") {
				t.Errorf("%q: an error of another kind: %v", from, err)
			}
		}
		if inside.Load() > 0 {
			t.Fatalf("%q led inside", address)
		}
		const hops = 1 + 5
		if questions > 2*hops || allowed.Load() > 2*hops {
			t.Errorf("%q cost %d questions and %d connections", address, questions, allowed.Load())
		}
	})
}
