package server_test

import (
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley"
	"parley/internal/server"
	"parley/internal/testkit"
	"parley/internal/testkit/check"
	"parley/internal/testkit/scripted"
	"parley/internal/testkit/sfus"
)

// The room of a session can be reached through the server's own port until it is closed; nothing else of the media
// server can.
func TestVoiceRoomIsReachedThroughTheServer(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	srv := testkit.Open(t, testkit.WithConfig(func(c *server.Config) { c.SFUProgram = exe }))
	srv.Media.Args = []string{sfus.Command}
	s := &parley.VoiceSession{
		ID: parley.VoiceSessionID(parley.NewUUID()), AgentID: parley.NewAgentID(),
		ConversationID: parley.ConversationID(parley.NewUUID()),
		UserID:         parley.EndUserID(strings.Repeat("u", 128)), MaxDuration: time.Hour, CreatedAt: time.Now(),
	}
	status := func(path string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, srv.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	defer http.DefaultClient.CloseIdleConnections()
	token, err := srv.Voice.Rooms.Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := srv.Voice.Rooms.Open(t.Context(), s); err != nil || again == "" {
		t.Error("a token anew: ", err)
	}
	if got := status("/rtc/validate?access_token=" + token); got != http.StatusOK {
		t.Error("the token of a session: ", got)
	}
	for _, path := range []string{"/twirp/livekit.RoomService/ListRooms", "/rtc/v9", "/rtcs"} {
		if got := status(path); got != http.StatusNotFound {
			t.Errorf("%s: %d", path, got)
		}
	}
	for range 2 {
		if err := srv.Voice.Rooms.Close(t.Context(), s, parley.EndOperator); err != nil {
			t.Fatal(err)
		}
	}
	if got := status("/rtc/validate?access_token=" + token); got != http.StatusNotFound {
		t.Error("the token of a closed session: ", got)
	}
}

// When a media server is killed, its sessions end and are charged, and the next session gets another media server.
func TestDeadMediaServerEndsItsSessions(t *testing.T) {
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { // the caller's client tries to reconnect for some seconds after it has left
		testkit.Eventually(t, "the end of all goroutines", func() bool { return goleak.Find(before) == nil })
	})
	s, _, begin := openVoiceServer(t, &scripted.Model{}, `{"initialMessage":"Hello there!"}`)
	address := strings.Replace(s.URL, "http", "ws", 1)
	defer http.DefaultClient.CloseIdleConnections() // of the SDK
	first := begin()
	c := joinRoom(t, address, first.ParticipantToken)
	defer c.disconnect()
	c.publishMicrophone()
	c.waitForTranscript("Hello there!")
	live, pid := s.Voice.Active()[0], s.Media.PID()
	child, err := os.FindProcess(pid)
	check.Must(t, err)
	check.Must(t, child.Kill())
	<-live.Done()
	stored, err := s.DB.VoiceSession(t.Context(), parley.AccountID(s.Account).AgentRef(live.AgentID),
		parley.VoiceSessionID(first.SessionID))
	if err != nil || stored.EndReason != parley.EndError || stored.EndedAt == nil || stored.Minutes != 1 {
		t.Fatalf("ended %+v, %v", stored, err)
	}
	next := joinRoom(t, address, begin().ParticipantToken)
	defer next.disconnect()
	next.publishMicrophone()
	next.waitForTranscript("Hello there!")
	if again := s.Media.PID(); again == pid || again == 0 {
		t.Errorf("process %d after %d", again, pid)
	}
}
