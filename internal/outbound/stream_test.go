package outbound_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"parley/internal/outbound"
)

// What is streamed is reached by the same rules, and a key follows no redirect.
func TestStreamClientReachesWhatDoReaches(t *testing.T) {
	arrived := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived++
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
	}))
	defer server.Close()
	send := func(c *outbound.Client, address string) (int, error) {
		t.Helper()
		defer c.Close()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.StreamClient().Do(req)
		if err != nil {
			return 0, err
		}
		return res.StatusCode, res.Body.Close()
	}
	if _, err := send(&outbound.Client{}, server.URL); err == nil || !strings.Contains(err.Error(), "not public") ||
		arrived != 0 {
		t.Errorf("a local address: %v, %d requests", err, arrived)
	}
	allowed := &outbound.Client{AllowedPrefixes: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}
	if _, err := send(allowed, strings.Replace(server.URL, "://", "://jo:pw@", 1)); err == nil || arrived != 0 {
		t.Errorf("an address with a password: %v, %d requests", err, arrived)
	}
	if status, err := send(allowed, server.URL); status != http.StatusFound || err != nil || arrived != 1 {
		t.Errorf("status %d, %v, %d requests", status, err, arrived)
	}
}
