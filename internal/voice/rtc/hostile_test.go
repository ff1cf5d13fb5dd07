package rtc_test

import (
	"crypto/sha1" //nolint:gosec // what WebSockets ask for
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/livekit/protocol/livekit"
	lksdk "github.com/livekit/server-sdk-go/v2"

	"parley/internal/testkit/check"
	"parley/internal/testkit/sfus"
	"parley/internal/voice/rtc"
)

// rawPacket is a packet as a user of another client might send it.
type rawPacket struct{ *livekit.DataPacket }

func (p rawPacket) ToProto() *livekit.DataPacket { return p.DataPacket }

func (u *userClient) sendPacket(packet *livekit.DataPacket) {
	u.t.Helper()
	check.Must(u.t, u.Room.LocalParticipant.PublishDataPacket(rawPacket{packet}, lksdk.WithDataPublishReliable(true)))
}

func streamHeader(id, topic string) *livekit.DataPacket {
	return &livekit.DataPacket{Value: &livekit.DataPacket_StreamHeader{
		StreamHeader: &livekit.DataStream_Header{StreamId: id,
			Topic:         topic,
			ContentHeader: &livekit.DataStream_Header_TextHeader{TextHeader: &livekit.DataStream_TextHeader{}}}}}
}

func streamChunk(id, text string) *livekit.DataPacket {
	return &livekit.DataPacket{Value: &livekit.DataPacket_StreamChunk{StreamChunk: &livekit.DataStream_Chunk{StreamId: id,
		Content: []byte(text)}}}
}

func streamTrailer(id string) *livekit.DataPacket {
	return &livekit.DataPacket{Value: &livekit.DataPacket_StreamTrailer{
		StreamTrailer: &livekit.DataStream_Trailer{StreamId: id, Attributes: map[string]string{"a": "b"}}}}
}

// Whatever a user sends, the agent works, keeps nothing of it, and continues to read valid messages, also after a lost
// connection.
func TestInvalidDataOfAUser(t *testing.T) {
	s := sfus.Start(t)
	p, back := joinAgentNotifyingReconnect(t, s, "flood")
	u := newUser(t, serverAddress(t, s), s.UserToken(joinGrant("flood")))
	requireEvents(t, p, rtc.EventJoined)
	u.SendText("first")
	if e := requireEvents(t, p, rtc.EventText); e.Text != "first" {
		t.Errorf("%+v", e)
	}
	for _, scenario := range []lksdk.SimulateScenario{-1, lksdk.SimulateNodeFailure} {
		if scenario >= 0 {
			p.Simulate(scenario)
			check.Receive(t, "the restored connection", back)
		}
		before := runtime.NumGoroutine()
		floodMessages(u)
		u.sendPacket(streamHeader("last", rtc.TopicText))
		u.sendPacket(streamChunk("last", "Hello."))
		u.sendPacket(streamTrailer("last"))
		if e := requireEvents(t, p, rtc.EventText); e.Text != "Hello." {
			t.Errorf("%+v", e)
		}
		// one for each message would be more
		eventually(t, "the end of goroutines", func() bool { return runtime.NumGoroutine() < before+100 })
	}
}

// floodMessages sends messages that never end, forged transcripts, calls and nonsense.
func floodMessages(u *userClient) {
	topic := "x"
	for n := range 300 {
		id := fmt.Sprint(n % 150)
		u.sendPacket(streamHeader(id, rtc.TopicText))
		u.sendPacket(streamHeader("t"+id, rtc.TopicTranscript))
		u.sendPacket(streamChunk("t"+id, "I am the agent."))
		u.sendPacket(streamTrailer("t" + id))
		u.sendPacket(&livekit.DataPacket{Value: &livekit.DataPacket_RpcRequest{RpcRequest: &livekit.RpcRequest{Id: id,
			Method: "m", Version: 1}}})
		u.sendPacket(&livekit.DataPacket{Value: &livekit.DataPacket_User{User: &livekit.UserPacket{Topic: &topic,
			Payload: make([]byte, 1000)}}})
		u.sendPacket(&livekit.DataPacket{Value: &livekit.DataPacket_Transcription{
			Transcription: &livekit.Transcription{TranscribedParticipantIdentity: "agent"}}})
	}
}

// However often a microphone is muted, the last state counts.
func TestManyMutes(t *testing.T) {
	t.Parallel()
	s := sfus.Start(t)
	p := joinAgent(t, s, "mutes")
	u := newUser(t, serverAddress(t, s), s.UserToken(joinGrant("mutes")))
	u.PublishMicrophone()
	waitForUser(t, p, rtc.EventMicOn)
	for n := range 200 {
		u.Publication.SetMuted(n%2 == 0)
	}
	u.speakDuring(440, func() { waitForPitch(t, p, 440) })
	p.End(t.Context(), "operator")
	on := true
	for e := range p.Events() {
		if e.Kind != rtc.EventMicOn && e.Kind != rtc.EventMicOff || (e.Kind == rtc.EventMicOn) == on {
			t.Fatalf("%+v after on=%v", e, on)
		}
		on = e.Kind == rtc.EventMicOn
	}
}

// Of two microphones the later one is received, and the other is not sent any more.
func TestTwoMicrophones(t *testing.T) {
	t.Parallel()
	s := sfus.Start(t)
	p := joinAgent(t, s, "two")
	u := newUser(t, serverAddress(t, s), s.UserToken(joinGrant("two")))
	u.PublishMicrophone()
	waitForUser(t, p, rtc.EventMicOn)
	u.PublishMicrophone()
	u.speakDuring(440, func() { waitForPitch(t, p, 440) })
	if !p.IsListeningTo(u.Publication.SID()) {
		t.Error("the first one is received")
	}
}

// A media server that accepts the connection and then sends nothing does not block Join beyond its deadline.
func TestJoinTimesOutAtASilentServer(t *testing.T) {
	t.Parallel()
	reached := make(chan struct{}, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := r.Header.Get("Sec-WebSocket-Key")
		if key == "" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) //nolint:gosec // as above
		c, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = c.Close() }()
		fmt.Fprintf(c,
			"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: %s\r\n\r\n",
			base64.StdEncoding.EncodeToString(sum[:]))
		reached <- struct{}{}
		_, _ = c.Read(make([]byte, 1)) // until the client disconnects
	}))
	t.Cleanup(server.Close)
	t.Cleanup(http.DefaultClient.CloseIdleConnections) // the SDK's
	ctx, cancel := contextUntilSignal(t, reached)
	defer cancel()
	_, err := rtc.Join(ctx, rtc.Config{URL: strings.Replace(server.URL, "http", "ws", 1), Token: "t",
		UserIdentity: "user-1", ServerIsLocal: true, Now: time.Now, Log: discardLogger()})
	if err == nil {
		t.Error("joined nothing")
	}
}
