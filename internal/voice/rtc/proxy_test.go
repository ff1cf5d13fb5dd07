package rtc_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley/internal/rig/sfus"
)

// Rooms are opened and ended by this server alone: what LiveKit has for that is not reached from outside, however it is spelled.
func TestOnlySignallingIsReached(t *testing.T) {
	s := sfus.Start(t)
	_, address := door(t, s)
	base := strings.Replace(address, "ws", "http", 1)
	for _, path := range []string{"/twirp/livekit.RoomService/ListRooms", "/rtc/../twirp/livekit.RoomService/ListRooms", "/rtc/%2e%2e/twirp/livekit.RoomService/ListRooms",
		"/rtc/..%2ftwirp/livekit.RoomService/ListRooms", "/rtc//twirp/livekit.RoomService/ListRooms", "//twirp/livekit.RoomService/ListRooms", "/rtcx", "/", "/agent", "/whip/v1", "/rtc/v9", "/rtc", "/rtc/v1"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.URL.Opaque = "//" + r.URL.Host + path // as it stands
		r.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", path, resp.StatusCode)
		}
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

// A browser of any origin may read that its session is over.
func TestNoChildNoRoom(t *testing.T) {
	r, w := httptest.NewRequest(http.MethodGet, "/rtc/v1/validate?access_token=x", nil), httptest.NewRecorder()
	sfus.New(t).Proxy().ServeHTTP(w, r)
	if w.Code != http.StatusNotFound || w.Header().Get("Access-Control-Allow-Origin") != "*" || w.Header().Get("Cache-Control") != "no-store" {
		t.Error(w.Code, w.Header())
	}
}
