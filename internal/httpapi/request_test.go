package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
)

type itemRef struct {
	Box    string `path:"box" json:"-"`
	Number int64  `path:"number" json:"-"`
}

type itemChange struct {
	itemRef
	Words []string    `query:"words" json:"-"`
	Live  bool        `query:"live" json:"-"`
	Limit int         `query:"limit" json:"-" default:"50" min:"1"`
	Name  *string     `json:"name,omitempty"`
	Price Opt[int]    `json:"price,omitzero" nullable:"true"`
	At    *time.Time  `json:"at,omitempty"`
	Data  []byte      `json:"data,omitempty"`
	Deep  untaggedRow `json:"deep"`
}

type untaggedRow struct {
	ID   string
	Size int64
}

// TestRequestIsBoundToTheInput sends inputs as a client does, and checks that the handler gets the same.
func TestRequestIsBoundToTheInput(t *testing.T) {
	var got itemChange
	op := TypedOperation[itemChange, struct{}]{
		Operation: Operation{Name: "changeItem", Method: http.MethodPatch, Path: "/boxes/{box}/items/{number}"},
		Handler: func(_ context.Context, _ *Call, in *itemChange) (*struct{}, error) {
			got = *in
			return &struct{}{}, nil
		},
	}
	api := New(Config{
		Keyless:     true,
		Admit:       func(context.Context, *http.Request, *Operation) (Admission, error) { return Admission{}, nil },
		RenderError: RenderEnvelope,
		Now:         time.Now,
		Logger:      slog.New(slog.DiscardHandler),
	})
	Handle(api, op)
	name, at := "a \"name\"", time.Date(2026, 1, 31, 12, 0, 0, 5e6, time.UTC)
	for _, in := range []itemChange{
		{itemRef: itemRef{"a/b c%2F", 7}, Limit: 50},
		{itemRef: itemRef{"..", 0}, Words: []string{"one", "two"}, Live: true, Limit: 3, Price: Some(5)},
		{itemRef: itemRef{"ü", 1}, Limit: 1, Name: &name, At: &at, Data: []byte{0, 255},
			Price: Opt[int]{Present: true, Null: true}},
		{itemRef: itemRef{".", 1}, Limit: 1, Deep: untaggedRow{"id", 1 << 40}},
	} {
		r, err := NewRequest(t.Context(), "http://parley", &op.Operation, &in)
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		if w.Code != http.StatusOK {
			t.Fatalf("%+v: %d %s", in, w.Code, w.Body)
		}
		if diff := cmp.Diff(in, got, cmp.AllowUnexported(itemChange{})); diff != "" {
			t.Error(diff)
		}
		if w.Header().Get("X-Request-Id") == "" || w.Header().Get("X-RateLimit-Limit") != "" {
			t.Errorf("headers: %v", w.Header())
		}
	}
}

// An empty path parameter is an id that does not exist, and not another path.
func TestRequestWithAnEmptySegment(t *testing.T) {
	op := Operation{Method: http.MethodGet, Path: "/boxes/{box}/items/{number}"}
	r, err := NewRequest(t.Context(), "", &op, &itemRef{Number: 1})
	if err != nil || r.URL.EscapedPath() != "/boxes/%00/items/1" || sanitizeID("\x00") != "\uFFFD" {
		t.Errorf("%v %v", r.URL, err)
	}
}

func TestKeylessOperationsNeedNoKey(t *testing.T) {
	api := New(Config{Keyless: true, RenderError: RenderEnvelope})
	Handle(api, TypedOperation[NoInput,
		untaggedRow]{Operation: Operation{Name: "x", Method: http.MethodGet, Path: "/x", Permission: "x:read"}})
	want := []parley.Code{parley.CodeInternal, parley.CodeUnderMaintenance}
	if diff := cmp.Diff(want, api.endpoints[0].Codes()); diff != "" {
		t.Error(diff)
	}
}

// TestProxiesSayWhereARequestCameFrom has requests come through proxies of 198.51.100.0/24 and 2001:db8::/32.
func TestProxiesSayWhereARequestCameFrom(t *testing.T) {
	proxies := Proxies{netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("2001:db8::/32")}
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
		if got := ClientAddress(resolved, c.trustProxy); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		if IsLocal(resolved) {
			t.Errorf("%s: is local", name)
		}
	}
}

// TestResolvedRequestIsNotLocal has somebody claim through a proxy to be this machine.
func TestResolvedRequestIsNotLocal(t *testing.T) {
	r := httptest.NewRequest("GET", "http://localhost/", nil)
	r.RemoteAddr = "198.51.100.7:5"
	r.Header.Set("X-Forwarded-For", "127.0.0.1")
	proxies := Proxies{netip.MustParsePrefix("198.51.100.0/24")}
	resolved := proxies.Resolve(r, false)
	if ClientAddress(resolved, false) != "127.0.0.1" || IsLocal(resolved) {
		t.Errorf("%s: %v", resolved.RemoteAddr, IsLocal(resolved))
	}
	if r.RemoteAddr != "198.51.100.7:5" {
		t.Error("the request itself has changed")
	}
}
