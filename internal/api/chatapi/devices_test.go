package chatapi_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"parley/internal/server"
	"parley/internal/testkit"
	"parley/internal/testkit/clock"
)

// TestUsersOfASiteDoNotShareMessages has users of a site come from one address: what one of them has used up is left to
// the others, and to whom nobody knows.
func TestUsersOfASiteDoNotShareMessages(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		f.agent = f.newAgent(`{"visibility":"public","ipRateLimits":{"limit":2,"timeframe":60,"message":"Slowly"}}`)
		anna, bert := f.identified(f.newVisitor(), "anna"), f.identified(f.newVisitor(), "bert")
		for _, token := range []string{anna, bert, f.newVisitor()} {
			f.send(token, fields{"message": "1"})
			f.send(token, fields{"message": "2"})
			f.wantCode(f.do(http.MethodPost, f.agent+"/messages", token, fields{"message": "3"}),
				"RATE_LIMIT_TOO_MANY_REQUESTS")
		}
	}, testkit.WithClock(clock.New()))
}

func TestUsersOfASiteDoNotShareRequests(t *testing.T) {
	now := clock.New()
	forEachServer(t, func(f *chatFixture) {
		anna, bert := f.identified(f.newVisitor(), "anna"), f.identified(f.newVisitor(), "bert")
		now.Advance(time.Minute)
		list := func(token string) reply { return f.do(http.MethodGet, f.agent+"/conversations", token, nil) }
		for i := range 60 {
			if r := list(anna); r.status != http.StatusOK {
				f.Fatalf("request %d: %d %s", i, r.status, r.body)
			}
		}
		f.wantCode(list(anna), "RATE_LIMIT_TOO_MANY_REQUESTS")
		if r := list(bert); r.status != http.StatusOK {
			t.Errorf("another user: %d %s", r.status, r.body)
		}
		if r := f.do(http.MethodGet, f.agent+"/config", "", nil); r.status != http.StatusOK {
			t.Errorf("nobody known: %d %s", r.status, r.body)
		}
	}, testkit.WithClock(now))
}

func TestUsersOfASiteDoNotShareStreams(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		anna, bert := f.identified(f.newVisitor(), "anna"), f.identified(f.newVisitor(), "bert")
		ofAnna, ofBert := f.send(anna, fields{"message": "Hello"}), f.send(bert, fields{"message": "Hello"})
		for range 10 {
			f.followEvents(anna, ofAnna.conversation)
		}
		f.wantCode(f.do(http.MethodGet, f.agent+"/conversation/"+ofAnna.conversation+"/events", anna, nil),
			"RATE_LIMIT_TOO_MANY_REQUESTS")
		f.followEvents(bert, ofBert.conversation)
	}, testkit.WithKeepAlive())
}

// TestVisitorsBehindAProxyHaveAddressesOfTheirOwn has visitors come through a proxy that is believed, each with a claim
// of its own before what the proxy says.
func TestVisitorsBehindAProxyHaveAddressesOfTheirOwn(t *testing.T) {
	forEachServer(t, func(f *chatFixture) {
		begin := func(address string) reply {
			f.header = http.Header{"X-Forwarded-For": {"192.0.2.1, " + address}}
			defer func() { f.header = nil }()
			return f.do(http.MethodPost, f.agent+"/visitor", "", nil)
		}
		for i := range 12 {
			if r := begin(fmt.Sprintf("203.0.113.%d", i)); r.status/100 != 2 {
				f.Fatalf("visitor %d: %d %s", i, r.status, r.body)
			}
		}
		for range 9 {
			begin("203.0.113.0")
		}
		f.wantCode(begin("203.0.113.0"), "RATE_LIMIT_TOO_MANY_REQUESTS")
	}, testkit.WithClock(clock.New()), testkit.WithConfig(func(c *server.Config) {
		c.TrustedProxies = []string{"127.0.0.0/8", "::1"}
	}))
}
