package house_test

import (
	"encoding/json"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/websocket"

	"parley/internal/house"
	"parley/internal/llm"
	"parley/internal/rig"
	"parley/internal/voice/rtc"
)

// stenographer writes along as Deepgram does: what it is told to have understood, by how much it has heard of a segment. It hangs up
// in the midst of the second segment.
type stenographer struct {
	mu    sync.Mutex
	lines int
	words map[string]int // what it was told in text, by type
	heard []int          // samples of each segment, on each connection; the last one is being heard
}

func (s *stenographer) serve(c *websocket.Conn) {
	s.mu.Lock()
	s.lines++
	second := s.lines > 1
	s.heard = append(s.heard, 0)
	s.mu.Unlock()
	said := func(text string, final bool) {
		_ = websocket.JSON.Send(c, map[string]any{"type": "Results", "is_final": final, "from_finalize": final, "speech_final": false,
			"channel": map[string]any{"alternatives": []any{map[string]any{"transcript": text}}}})
	}
	segments := [][3]string{{"what does", "What does it cost", "What does it cost?"}, {"and", "And with", ""}}
	if second {
		segments = [][3]string{{"and", "And with tax", "And with tax?"}}
	}
	for told := 0; ; {
		var frame []byte
		if websocket.Message.Receive(c, &frame) != nil {
			return
		}
		var word struct{ Type string }
		s.mu.Lock()
		if frame[0] == '{' && json.Unmarshal(frame, &word) == nil {
			s.words[word.Type]++
		} else {
			s.heard[len(s.heard)-1] += len(frame) / 2
		}
		heard := time.Duration(s.heard[len(s.heard)-1]) * time.Second / llm.HearingRate
		s.mu.Unlock()
		switch {
		case word.Type == "Finalize":
			said(segments[0][2], true)
			segments, told = segments[1:], 0
			s.mu.Lock()
			s.heard = append(s.heard, 0)
			s.mu.Unlock()
		case word.Type != "":
		case told == 0 && heard > 500*time.Millisecond, told == 1 && heard > 900*time.Millisecond:
			said(segments[0][told], false)
			if told++; told == 2 && segments[0][2] == "" {
				_ = c.Close()
				return
			}
		}
	}
}

func (s *stenographer) told(word string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.words[word]
}

// An engine that hears while somebody speaks writes along; a connection lost in the midst of a segment loses nothing of it.
func TestTalkWithAListener(t *testing.T) {
	s := &stenographer{words: map[string]int{}}
	server := httptest.NewServer(websocket.Server{Handler: s.serve})
	defer server.Close()
	engine := &llm.Deepgram{KeepAlive: 50 * time.Millisecond, SpeechServer: llm.SpeechServer{BaseURL: server.URL}}
	model := &llm.Scripted{}
	model.Then(llm.Say("It costs ten.")).Then(llm.Say("Yes."))
	h, agent, live, c := conversing(t, func(c *house.Config) { c.Model = model }, func(h *rig.House) {
		h.Talker.Synthesizer, h.Talker.Transcriber = hum{}, engine
	})

	c.voice(1300 * time.Millisecond)
	c.awaits("What does it cost?|It costs ten.")
	c.awaitsState(rtc.Listening)
	rig.Eventually(t, "a word that keeps the line", func() bool { return s.told("KeepAlive") > 0 })
	c.voice(1300 * time.Millisecond)
	c.awaits("What does it cost?|It costs ten.|And with tax?|Yes.")
	c.awaitsState(rtc.Listening)
	if texts := stored(t, h, agent, live); !slices.Equal(texts, []string{"What does it cost?", "It costs ten.", "And with tax?", "Yes."}) {
		t.Errorf("stored: %q", texts)
	}
	for _, interim := range []string{"what does", "What does it cost", "and", "And with", "And with tax"} {
		if !c.saw(interim) {
			t.Errorf("the transcript never was %q", interim)
		}
	}
	engine.Close()
	rig.Eventually(t, "the end of the line", func() bool { return s.told("CloseStream") == 1 })
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lines != 2 || len(s.heard) != 4 || s.heard[2] < s.heard[1] || s.heard[2] < llm.HearingRate {
		t.Errorf("%d connections; samples of each segment: %v", s.lines, s.heard)
	}
}
