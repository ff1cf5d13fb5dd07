package house_test

import (
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley"
	"parley/internal/house"
	"parley/internal/llm"
	"parley/internal/rig"
	"parley/internal/rig/sfus"
)

// The room of a session is reached through the server's own port, until it is closed; nothing else of the media server is.
func TestTheRoomOfASession(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h := rig.Open(t, rig.With(func(c *house.Config) { c.SFU = exe }))
	h.Media.Args = []string{sfus.Word}
	s := &parley.VoiceSession{
		ID: parley.VoiceSessionID(parley.NewUUID()), AgentID: parley.NewAgentID(), ConversationID: parley.ConversationID(parley.NewUUID()),
		UserID: parley.EndUserID(strings.Repeat("u", 128)), MaxDuration: time.Hour, CreatedAt: time.Now(),
	}
	status := func(path string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.URL+path, nil)
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
	token, err := h.Voice.Rooms.Open(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := h.Voice.Rooms.Open(t.Context(), s); err != nil || again == "" {
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
		if err := h.Voice.Rooms.Close(t.Context(), s, parley.EndOperator); err != nil {
			t.Fatal(err)
		}
	}
	if got := status("/rtc/validate?access_token=" + token); got != http.StatusNotFound {
		t.Error("the token of a closed session: ", got)
	}
}

// A media server that is killed ends its sessions, with what they cost settled, and the next session gets another one.
func TestADeadMediaServerEndsItsSessions(t *testing.T) {
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { // the caller's client goes on trying for some seconds after it has left
		rig.Eventually(t, "the end of all goroutines", func() bool { return goleak.Find(before) == nil })
	})
	h, _, begin := voiced(t, &llm.Scripted{}, `{"initialMessage":"Hello there!"}`)
	address := strings.Replace(h.URL, "http", "ws", 1)
	defer http.DefaultClient.CloseIdleConnections() // of the SDK
	first := begin()
	c := call(t, address, first.ParticipantToken)
	defer c.gone()
	c.publish()
	c.awaits("Hello there!")
	live, pid := h.Voice.Sessions()[0], h.Media.PID()
	child, err := os.FindProcess(pid)
	must(t, err)
	must(t, child.Kill())
	<-live.Done()
	stored, err := h.DB.VoiceSession(t.Context(), parley.AccountID(h.Account), live.AgentID, parley.VoiceSessionID(first.SessionID))
	if err != nil || stored.Reason != parley.EndError || stored.EndedAt == nil || stored.Minutes != 1 {
		t.Fatalf("ended %+v, %v", stored, err)
	}
	next := call(t, address, begin().ParticipantToken)
	defer next.gone()
	next.publish()
	next.awaits("Hello there!")
	if again := h.Media.PID(); again == pid || again == 0 {
		t.Errorf("process %d after %d", again, pid)
	}
}
