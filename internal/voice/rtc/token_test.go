package rtc_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"
	"github.com/pion/webrtc/v4"

	"parley"
	"parley/internal/testkit/check"
	"parley/internal/testkit/sfus"
	"parley/internal/voice/rtc"
)

func joinGrant(room string) rtc.JoinGrant {
	return rtc.JoinGrant{Room: room, Identity: "user-1", ExpiresAt: time.Now().Add(time.Minute)}
}

// roomClient is a participant of a room, or the error with which it could not join.
type roomClient struct {
	*lksdk.Room
	err              error
	disconnectReason chan lksdk.DisconnectionReason
}

// joinRoom joins a room with a token; it leaves with the test.
func joinRoom(t *testing.T, address, token string, cb *lksdk.RoomCallback) *roomClient {
	t.Helper()
	if cb == nil {
		cb = &lksdk.RoomCallback{}
	}
	g := &roomClient{disconnectReason: make(chan lksdk.DisconnectionReason, 1)}
	cb.OnDisconnectedWithReason = func(reason lksdk.DisconnectionReason) { g.disconnectReason <- reason }
	g.Room = lksdk.NewRoom(cb)
	t.Cleanup(g.Disconnect)
	// whose client runs for seconds after the room is closed
	g.err = g.JoinWithToken(address, token, lksdk.WithDisableTURN())
	return g
}

// publicPort serves the proxy as the server mounts it, and returns its WebSocket address.
func publicPort(t *testing.T, s *rtc.Server) (http.Handler, string) {
	t.Helper()
	h := s.Proxy()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return h, strings.Replace(server.URL, "http", "ws", 1)
}

// getStatus sends a request to the handler and returns the status.
func getStatus(t *testing.T, h http.Handler, target string) int {
	t.Helper()
	r, w := httptest.NewRequest(http.MethodGet, target, nil), httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code
}

func TestTokenOpensItsRoomUntilItExpires(t *testing.T) {
	t.Parallel()
	s := sfus.Start(t)
	h, address := publicPort(t, s)
	room := "chatbot-" + parley.NewUUID() + "-" + parley.NewUUID() + "-" + parley.NewUUID()
	token := s.UserToken(joinGrant(room))
	valid := func(token string) int { return getStatus(t, h, "/rtc/validate?access_token="+token) }
	if got := valid(token); got != http.StatusNotFound {
		t.Errorf("a room that was not opened: %d", got)
	}
	openRoom(t, s, room)
	openRoom(t, s, "other")
	if got := valid(token); got != http.StatusOK {
		t.Errorf("the good token: %d", got)
	}
	old, otherRoom := joinGrant(room), joinGrant("nowhere")
	old.ExpiresAt = time.Now().Add(-time.Second) // the media server itself would take it
	spaced := strings.Replace(s.UserToken(old), ".", ".%20", 1)
	parts := strings.Split(s.UserToken(old), ".")
	whole := url.QueryEscape(fmt.Sprintf(`{"payload":%q,"protected":%q,"signature":%q}`, parts[1], parts[0], parts[2]))
	for name, bad := range map[string]string{
		"none": "", "nonsense": "a.b.c", "tampered": replaceClaim(t, token, room, "other"), "expired": s.UserToken(old),
		"expired, with a blank": spaced, "expired, in another form": whole,
		"expired, after a good one": token + "&access_token=" + s.UserToken(old),
		"unsigned":                  token[:strings.LastIndex(token, ".")+1],
		"of another server":         sfus.New(t).UserToken(joinGrant(room)),
	} {
		if got := valid(bad); got != http.StatusUnauthorized {
			t.Errorf("%s: %d", name, got)
		}
	}
	if got := valid(s.UserToken(otherRoom)); got != http.StatusNotFound {
		t.Errorf("another room's: %d", got)
	}
	r, w := httptest.NewRequest(http.MethodGet, "/rtc/validate", nil), httptest.NewRecorder()
	r.Header.Set("Authorization", "Bearer "+s.UserToken(old))
	if h.ServeHTTP(w, r); w.Code != http.StatusUnauthorized || w.Header().Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("an expired one in a header: %d, %v", w.Code, w.Header())
	}
	u := joinRoom(t, address, token, nil)
	if u.err != nil {
		t.Fatal(u.err)
	}
	if err := s.DeleteRoom(t.Context(), room); err != nil {
		t.Fatal(err)
	}
	check.Receive(t, "the end of the user's connection", u.disconnectReason)
	if got := valid(token); got != http.StatusNotFound {
		t.Errorf("an ended session's: %d", got)
	}
	if again := joinRoom(t, address, token, nil); again.err == nil {
		t.Error("an ended session was joined")
	}
}

// replaceClaim puts another room into a token and leaves its signature.
func replaceClaim(t *testing.T, token, from, to string) string {
	t.Helper()
	parts := strings.Split(token, ".")
	body, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || !strings.Contains(string(body), from) {
		t.Fatalf("%s: %v", body, err)
	}
	parts[1] = base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(body), from, to, 1)))
	return strings.Join(parts, ".")
}

// A token is for one participant: a second join with it replaces the first, and nobody else fits in the room.
func TestRoomHasOneUser(t *testing.T) {
	t.Parallel()
	s := sfus.Start(t)
	_, address := publicPort(t, s)
	openRoom(t, s, "r")
	agent, err := s.Address(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if a := joinRoom(t, agent, s.AgentToken(rtc.JoinGrant{Room: "r", Identity: "agent",
		ExpiresAt: time.Now().Add(time.Minute)}), nil); a.err != nil {
		t.Fatal("the agent: ", a.err)
	}
	first := joinRoom(t, address, s.UserToken(joinGrant("r")), nil)
	if first.err != nil {
		t.Fatal(first.err)
	}
	grant := joinGrant("r")
	grant.Identity = "user-2"
	if g := joinRoom(t, address, s.UserToken(grant), nil); g.err == nil {
		t.Error("a second user has joined")
	}
	second := joinRoom(t, address, s.UserToken(joinGrant("r")), nil)
	if second.err != nil {
		t.Fatal("the same user again: ", second.err)
	}
	if reason := check.Receive(t, "the first one's end", first.disconnectReason); reason != lksdk.DuplicateIdentity {
		t.Error("the first one left for ", reason)
	}
}

// A user cannot pass for the agent: only the agent may change attributes, and users may publish nothing but a
// microphone.
func TestUserPermissions(t *testing.T) {
	t.Parallel()
	s := sfus.Start(t)
	_, address := publicPort(t, s)
	openRoom(t, s, "r")
	changes := make(chan string, 10)
	newCallback := func() *lksdk.RoomCallback {
		cb := &lksdk.RoomCallback{}
		cb.OnAttributesChanged = func(changed map[string]string, p lksdk.Participant) {
			changes <- p.Identity() + " " + changed["lk.agent.state"]
		}
		return cb
	}
	agent := joinRoom(t, address, s.AgentToken(rtc.JoinGrant{Room: "r", Identity: "agent",
		ExpiresAt: time.Now().Add(time.Minute)}), newCallback())
	user := joinRoom(t, address, s.UserToken(joinGrant("r")), newCallback())
	if agent.err != nil || user.err != nil {
		t.Fatal(agent.err, user.err)
	}
	user.LocalParticipant.SetAttributes(map[string]string{"lk.agent.state": "forged"})
	agent.LocalParticipant.SetAttributes(map[string]string{"lk.agent.state": "listening"})
	for range 2 { // both get it, and nothing before it
		if got := <-changes; got != "agent listening" {
			t.Error("heard: ", got)
		}
	}
	opus, vp8 := webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeOpus, ClockRate: 48000, Channels: 2},
		webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeVP8, ClockRate: 90000}
	var tried sync.WaitGroup
	for _, c := range []struct {
		source  livekit.TrackSource
		codec   webrtc.RTPCodecCapability
		allowed bool
	}{
		{livekit.TrackSource_MICROPHONE, opus, true}, {livekit.TrackSource_SCREEN_SHARE_AUDIO, opus, false},
		{livekit.TrackSource_CAMERA, vp8, false}, {livekit.TrackSource_SCREEN_SHARE, vp8, false},
	} {
		track, err := lksdk.NewLocalTrack(c.codec)
		if err != nil {
			t.Fatal(err)
		}
		tried.Go(func() { // refused ones get no answer, and wait for it
			if _, err := user.LocalParticipant.PublishTrack(track,
				&lksdk.TrackPublicationOptions{Source: c.source}); (err == nil) != c.allowed {
				t.Errorf("%s: %v", c.source, err)
			}
		})
	}
	tried.Wait()
}

func TestTokenClaims(t *testing.T) {
	s := sfus.New(t, func(s *rtc.Server) { s.ClientURL = "wss://talk.example.com" })
	claims := func(token string) (c map[string]any) {
		body, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
		if err != nil || json.Unmarshal(body, &c) != nil {
			t.Fatalf("%s: %v", body, err)
		}
		return c
	}
	p := joinGrant("r")
	user := claims(s.UserToken(p))
	if user["url"] != "wss://talk.example.com" || user["sub"] != "user-1" ||
		user["exp"] != float64(p.ExpiresAt.Unix()) || user["kind"] != nil {
		t.Error(user)
	}
	video, _ := user["video"].(map[string]any)
	for _, power := range []string{"roomAdmin", "roomCreate", "roomList", "roomRecord", "ingressAdmin", "hidden",
		"recorder", "agent"} {
		if video[power] != nil {
			t.Errorf("a user is given %s", power)
		}
	}
	if agent := claims(s.AgentToken(p)); agent["kind"] != "agent" || agent["url"] != nil {
		t.Error(agent)
	}
}
