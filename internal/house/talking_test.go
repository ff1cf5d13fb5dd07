package house_test

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
	"parley/internal/house"
	"parley/internal/llm"
	"parley/internal/pcm"
	"parley/internal/rig"
	"parley/internal/rig/sfus"
	"parley/internal/store"
	"parley/internal/voice/rtc"
)

// hum is a voice that hums 50 ms for each letter.
type hum struct{}

func (hum) Speak(_ context.Context, u llm.Utterance) iter.Seq2[pcm.Sound, error] {
	return func(yield func(pcm.Sound, error) bool) {
		piece := make([]int16, rtc.SpeakRate/20)
		for range len(u.Text) {
			for i := range piece {
				piece[i] = int16(8000 * math.Sin(2*math.Pi*440*float64(i)/rtc.SpeakRate))
			}
			if !yield(pcm.Sound{Rate: rtc.SpeakRate, PCM: piece}, nil) {
				return
			}
		}
	}
}

// guess understands what the test says that was said, after 50 ms.
type guess struct {
	mu   sync.Mutex
	text string
}

func (g *guess) Transcribe(ctx context.Context, _ llm.Segment) iter.Seq2[llm.Transcript, error] {
	return func(yield func(llm.Transcript, error) bool) {
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			yield(llm.Transcript{}, ctx.Err())
			return
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		yield(llm.Transcript{Text: g.text, Final: true}, nil)
	}
}

func (g *guess) next(text string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.text = text
}

type session struct {
	ParticipantToken, SessionID, ConversationID string
}

// voiced opens a house with a media server and an agent that speaks.
func voiced(t *testing.T, model llm.Model, settings string) (*rig.House, *guess, func() session) {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	h := rig.Open(t, rig.Speaking(model), rig.With(func(c *house.Config) { c.SFU = exe }))
	h.Media.Args = []string{sfus.Word}
	g := &guess{}
	h.Talker.Synthesizer, h.Talker.Transcriber = hum{}, g
	agent := h.NewAgent(t, h.Key)
	must(t, h.DB.UpdateAgent(t.Context(), parley.AccountID(h.Account), parley.AgentID(agent), func(a *parley.Agent) error {
		a.Voice = json.RawMessage(settings)
		return nil
	}))
	return h, g, func() session {
		var out struct{ Data session }
		h.Do(t, "POST", "/agents/"+agent+"/voice/sessions", h.Key, `{}`).Decode(t, http.StatusOK, &out)
		return out.Data
	}
}

func TestTalkThroughTheMediaServer(t *testing.T) {
	model := &llm.Scripted{}
	const answer = "It costs ten euros a month for each person, and there is a discount of twenty percent for those who pay a year."
	h, g, begin := voiced(t, model, `{"initialMessage":"Hello there!","recordings":{"enabled":true,"retentionDays":1}}`)
	before := runtime.NumGoroutine()
	s := begin()
	c := call(t, strings.Replace(h.URL, "http", "ws", 1), s.ParticipantToken)
	defer settles(t, before+15) // connections to the media server are kept
	defer c.gone()
	c.publish()
	c.awaits("Hello there!")
	c.awaitsState(rtc.Speaking)
	c.awaitsState(rtc.Listening)

	model.Then(llm.Say("Hello. " + answer))
	g.next("What does it cost?")
	c.voice(time.Second)
	c.awaitsState(rtc.Speaking)
	rig.Eventually(t, "the agent's voice", func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return !c.first.IsZero()
	})
	c.mu.Lock()
	t.Logf("end of speech to the first sound at the client: %v", c.first.Sub(c.spoke))
	c.mu.Unlock()

	c.listens(2100 * time.Millisecond) // for longer than its echo is guarded against
	model.Then(llm.Say("Yes."))
	g.next("And is that with tax?")
	c.voice(800 * time.Millisecond)
	c.awaits("Hello there!|What does it cost?|" + cutOf(c, answer) + "|And is that with tax?|Yes.")
	c.awaitsState(rtc.Listening)
	c.writes("Thank you")
	rig.Eventually(t, "an answer to what was typed", func() bool { return strings.HasSuffix(c.transcript(), "|Thank you|Thank you") })
	live := h.Voice.Sessions()
	c.leaves()
	for _, l := range live {
		<-l.Done()
	}
	m := h.Talker.Meter.Read()
	t.Logf("measured: %+v", m)
	if m.Spoken != 2 || m.Typed != 1 || m.SpokenP95.Speech == 0 || m.DuckedP95 == 0 || m.HeldP95 < m.DuckedP95 {
		t.Errorf("measured: %+v", m)
	}
	stored, err := h.DB.VoiceSession(t.Context(), parley.AccountID(h.Account), live[0].AgentID, parley.VoiceSessionID(s.SessionID))
	if err != nil || stored.Reason != parley.EndClientLeft {
		t.Fatalf("ended %+v, %v", stored, err)
	}
	checkRecording(t, h, stored)
}

// checkRecording makes sure that both sides of a talk were recorded.
func checkRecording(t *testing.T, h *rig.House, s *parley.VoiceSession) {
	t.Helper()
	list, err := h.DB.Recordings(t.Context(), s.AccountID, s.AgentID, s.ConversationID)
	must(t, err)
	if len(list) != 1 || list[0].SessionID != s.ID || list[0].Length < 5*time.Second {
		t.Fatalf("recordings: %+v", list)
	}
	var blob store.Blob
	must(t, h.DB.SQL().QueryRow(t.Context(), `select place, size from blobs where id = ?`, list[0].Blob).Scan(&blob.Place, &blob.Size))
	file, err := h.Ingest.FileBytes(t.Context(), &blob)
	must(t, err)
	loud := [2]int{}
	for i := 44; i+3 < len(file); i += 4 {
		for side := range loud {
			if v := int16(binary.LittleEndian.Uint16(file[i+2*side:])); v > 1000 || v < -1000 {
				loud[side]++
			}
		}
	}
	if want := 44 + int(list[0].Length/(20*time.Millisecond))*640; len(file) != want || loud[0] < 2000 || loud[1] < 8000 {
		t.Errorf("%d bytes instead of %d, loud samples: %v", len(file), want, loud)
	}
}

// cutOf awaits what is left of an answer that was talked over, and gives it.
func cutOf(c *caller, answer string) (cut string) {
	c.t.Helper()
	rig.Eventually(c.t, "the next question", func() bool {
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

// Sessions leave nothing behind.
func TestTalksLeaveNothingBehind(t *testing.T) {
	h, _, begin := voiced(t, &llm.Scripted{}, `{"initialMessage":"Hi."}`)
	round := func() {
		s := begin()
		c := call(t, strings.Replace(h.URL, "http", "ws", 1), s.ParticipantToken)
		c.publish() // who has a microphone is greeted at once
		c.awaits("Hi.")
		live := h.Voice.Sessions()
		c.leaves()
		for _, l := range live {
			<-l.Done()
		}
	}
	round() // what is kept for the next one is there now
	before := runtime.NumGoroutine()
	for range 20 {
		round()
	}
	settles(t, before)
}

// settles waits until all that sessions had begun has ended: clients hang up in the background.
func settles(t *testing.T, before int) {
	t.Helper()
	rig.Eventually(t, "the end of all that the sessions had begun", func() bool { return runtime.NumGoroutine() <= before+5 })
}
