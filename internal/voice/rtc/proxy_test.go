package rtc_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"parley/internal/testkit/sfus"
)

// Rooms are created and deleted by this server alone: LiveKit's room service cannot be reached from outside, however
// its path is spelled.
func TestOnlySignallingIsReached(t *testing.T) {
	s := sfus.Start(t)
	_, address := publicPort(t, s)
	base := strings.Replace(address, "ws", "http", 1)
	for _, path := range []string{"/twirp/livekit.RoomService/ListRooms", "/rtc/../twirp/livekit.RoomService/ListRooms",
		"/rtc/%2e%2e/twirp/livekit.RoomService/ListRooms",
		"/rtc/..%2ftwirp/livekit.RoomService/ListRooms", "/rtc//twirp/livekit.RoomService/ListRooms",
		"//twirp/livekit.RoomService/ListRooms", "/rtcx", "/", "/agent", "/whip/v1", "/rtc/v9", "/rtc", "/rtc/v1"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.URL.Opaque = "//" + r.URL.Host + path // as it is
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

// Browsers of any origin may read that a session has ended.
func TestNoRoomWithoutAMediaServer(t *testing.T) {
	r, w := httptest.NewRequest(http.MethodGet, "/rtc/v1/validate?access_token=x", nil), httptest.NewRecorder()
	sfus.New(t).Proxy().ServeHTTP(w, r)
	if w.Code != http.StatusNotFound || w.Header().Get("Access-Control-Allow-Origin") != "*" ||
		w.Header().Get("Cache-Control") != "no-store" {
		t.Error(w.Code, w.Header())
	}
}

// A browser that does not hang up holds no resources once the media server is gone.
func TestConnectionEndsWithTheMediaServer(t *testing.T) {
	s := sfus.Start(t)
	openRoom(t, s, "r")
	proxy, ended := s.Proxy(), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	c, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	fmt.Fprintf(c,
		"GET /rtc?access_token=%s HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
			"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
		s.UserToken(joinGrant("r")))
	if line, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.Contains(line, "101") {
		t.Fatalf("%q, %v", line, err)
	}
	s.Close()
	select {
	case <-ended:
	case <-time.After(maxWait):
		t.Error("the proxy holds on to it")
	}
}
