package server_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"iter"
	"math"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/audio"
	"parley/internal/model"
	"parley/internal/server"
	"parley/internal/speech"
	"parley/internal/store"
	"parley/internal/testkit"
	"parley/internal/testkit/check"
	"parley/internal/testkit/scripted"
	"parley/internal/testkit/sfus"
	"parley/internal/voice/rtc"
)

// humSynthesizer synthesizes a hum of 50 ms for each letter.
type humSynthesizer struct{}

func (humSynthesizer) Synthesize(_ context.Context, u speech.Utterance) iter.Seq2[audio.Sound, error] {
	return func(yield func(audio.Sound, error) bool) {
		piece := make([]int16, rtc.OutputRate/20)
		for range len(u.Text) {
			for i := range piece {
				piece[i] = int16(8000 * math.Sin(2*math.Pi*440*float64(i)/rtc.OutputRate))
			}
			if !yield(audio.Sound{Rate: rtc.OutputRate, PCM: piece}, nil) {
				return
			}
		}
	}
}

// scriptedTranscriber returns the texts that the test sets, after 50 ms.
type scriptedTranscriber struct {
	mu   sync.Mutex
	text string
}

func (s *scriptedTranscriber) Transcribe(ctx context.Context, _ speech.Segment) iter.Seq2[speech.Transcript, error] {
	return func(yield func(speech.Transcript, error) bool) {
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			yield(speech.Transcript{}, ctx.Err())
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		yield(speech.Transcript{Text: s.text, IsFinal: true}, nil)
	}
}

func (s *scriptedTranscriber) setText(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text = text
}

type session struct {
	ParticipantToken, SessionID, ConversationID string
}

// openVoiceServer opens a server with a media server and an agent that speaks.
func openVoiceServer(t *testing.T, answering model.Model, settings string) (*testkit.Server, *scriptedTranscriber,
	func() session) {
	t.Helper()
	exe, err := os.Executable()
	check.Must(t, err)
	s := testkit.Open(t, testkit.WithModel(answering), testkit.WithConfig(func(c *server.Config) { c.SFUProgram = exe }))
	s.Media.Args = []string{sfus.Command}
	g := &scriptedTranscriber{}
	s.Responder.Synthesizer, s.Responder.Transcriber = humSynthesizer{}, g
	agent := s.NewAgent(t, s.Key)
	check.Must(t, s.DB.UpdateAgent(t.Context(), parley.AccountID(s.Account).AgentRef(parley.AgentID(agent)),
		func(a *parley.Agent) error {
			a.Voice = json.RawMessage(settings)
			return nil
		}))
	return s, g, func() session {
		var out struct{ Data session }
		s.Do(t, "POST", "/agents/"+agent+"/voice/sessions", s.Key, `{}`).Decode(t, http.StatusOK, &out)
		return out.Data
	}
}

// longAnswer takes 12 s to say: whoever interrupts it, on however busy a machine, is not too late.
const longAnswer = "It costs ten euros a month for each person, and there is a discount of twenty percent for those " +
	"who pay a year, and of thirty percent for those who pay two years at once, which is to be said in the first month, " +
	"and not later."

func TestVoiceSessionThroughTheMediaServer(t *testing.T) {
	scriptedModel := &scripted.Model{}
	srv, g, begin := openVoiceServer(t, scriptedModel,
		`{"initialMessage":"Hello there!","recordings":{"enabled":true,"retentionDays":1}}`)
	s := begin()
	c := joinRoom(t, strings.Replace(srv.URL, "http", "ws", 1), s.ParticipantToken)
	defer c.disconnect()
	c.publishMicrophone()
	c.waitForTranscript("Hello there!")
	c.waitUntilShown(rtc.Speaking)
	c.waitForState(rtc.Listening)

	scriptedModel.AddScript(scripted.Text("Hello. " + longAnswer))
	g.setText("What does it cost?")
	c.speakFor(time.Second)
	c.waitForState(rtc.Speaking)
	c.waitForAgentSpeech(2100 * time.Millisecond) // for longer than its echo is guarded against
	scriptedModel.AddScript(scripted.Text("Yes."))
	g.setText("And is that with tax?")
	c.speakFor(2 * time.Second)
	c.waitForTranscript("Hello there!|What does it cost?|" + waitForCutAnswer(c, longAnswer) +
		"|And is that with tax?|Yes.")
	c.waitForState(rtc.Listening)
	c.SendText("Thank you")
	testkit.Eventually(t, "an answer to what was typed", func() bool {
		return strings.HasSuffix(c.transcript(), "|Thank you|Thank you")
	})
	live := srv.Voice.Active()
	c.leaveRoom()
	for _, l := range live {
		<-l.Done()
	}
	m := srv.Responder.Stats.Snapshot()
	t.Logf("measured: %+v", m)
	if m.Spoken != 2 || m.Typed != 1 || m.SpokenP95.Speech == 0 || m.DuckedP95 == 0 || m.HeldP95 < m.DuckedP95 {
		t.Errorf("measured: %+v", m)
	}
	stored, err := srv.DB.VoiceSession(t.Context(), parley.AccountID(srv.Account).AgentRef(live[0].AgentID),
		parley.VoiceSessionID(s.SessionID))
	if err != nil || stored.EndReason != parley.EndClientLeft {
		t.Fatalf("ended %+v, %v", stored, err)
	}
	checkRecording(t, srv, stored)
}

// checkRecording checks that both sides of a session were recorded.
func checkRecording(t *testing.T, srv *testkit.Server, s *parley.VoiceSession) {
	t.Helper()
	list, err := srv.DB.Recordings(t.Context(), s.ConversationRef())
	check.Must(t, err)
	if len(list) != 1 || list[0].SessionID != s.ID || list[0].Duration < 5*time.Second {
		t.Fatalf("recordings: %+v", list)
	}
	var blob store.Blob
	check.Must(t, srv.DB.SQL().QueryRow(t.Context(), `select place, size from blobs where id = ?`,
		list[0].BlobID).Scan(&blob.Location, &blob.Size))
	file, err := srv.Ingest.FileBytes(t.Context(), &blob)
	check.Must(t, err)
	loud := [2]int{}
	for i := 44; i+3 < len(file); i += 4 {
		for side := range loud {
			if v := int16(binary.LittleEndian.Uint16(file[i+2*side:])); v > 1000 || v < -1000 {
				loud[side]++
			}
		}
	}
	if want := 44 + int(list[0].Duration/(20*time.Millisecond))*640; len(file) != want || loud[0] < 2000 ||
		loud[1] < 8000 {
		t.Errorf("%d bytes instead of %d, loud samples: %v", len(file), want, loud)
	}
}

// waitForCutAnswer waits for an answer that was interrupted, and returns its text.
func waitForCutAnswer(c *voiceClient, answer string) (cut string) {
	c.t.Helper()
	testkit.Eventually(c.t, "the next question", func() bool {
		lines := strings.Split(c.transcript(), "|")
		if len(lines) >= 4 {
			cut = lines[2]
		}
		return len(lines) == 5
	})
	if whole := "Hello. " + answer; !strings.HasPrefix(whole, cut) || len(cut) == len(whole) || cut == "" {
		c.t.Errorf("the answer was cut to %q", cut)
	}
	return cut
}

// Sessions leave nothing behind: one goroutine of each would be as many as there are sessions. Clients hang up in the
// background.
func TestVoiceSessionsLeaveNothingBehind(t *testing.T) {
	srv, _, begin := openVoiceServer(t, &scripted.Model{}, `{"initialMessage":"Hi."}`)
	round := func() {
		s := begin()
		c := joinRoom(t, strings.Replace(srv.URL, "http", "ws", 1), s.ParticipantToken)
		c.publishMicrophone() // with a microphone, callers are greeted at once
		c.waitForTranscript("Hi.")
		live := srv.Voice.Active()
		c.leaveRoom()
		for _, l := range live {
			<-l.Done()
		}
	}
	round() // what the next one reuses exists now
	before := runtime.NumGoroutine()
	const sessions = 20
	for range sessions {
		round()
	}
	testkit.Eventually(t, "the end of the sessions' goroutines", func() bool {
		return runtime.NumGoroutine() < before+sessions
	})
}
