package server_test

import (
	"encoding/json"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/websocket"

	"parley/internal/httpclient"
	"parley/internal/server"
	"parley/internal/speech"
	"parley/internal/speech/deepgram"
	"parley/internal/testkit"
	"parley/internal/testkit/scripted"
	"parley/internal/voice/rtc"
)

// fakeTranscriptionServer transcribes as Deepgram does, with fixed texts by how much sound of a segment has arrived. It
// hangs up in the middle of the second segment.
type fakeTranscriptionServer struct {
	mu             sync.Mutex
	lines          int
	textMessages   map[string]int // the text messages that it received, by type
	segmentSamples []int          // samples of each segment, on each connection; the last segment is not complete
}

func (s *fakeTranscriptionServer) serve(c *websocket.Conn) {
	s.mu.Lock()
	s.lines++
	second := s.lines > 1
	s.segmentSamples = append(s.segmentSamples, 0)
	s.mu.Unlock()
	sendResult := func(text string, final bool) {
		_ = websocket.JSON.Send(c,
			map[string]any{"type": "Results", "is_final": final, "from_finalize": final, "speech_final": false,
				"channel": map[string]any{"alternatives": []any{map[string]any{"transcript": text}}}})
	}
	segments := [][3]string{{"what does", "What does it cost", "What does it cost?"}, {"and", "And with", ""}}
	if second {
		segments = [][3]string{{"and", "And with tax", "And with tax?"}}
	}
	for sent := 0; ; {
		var frame []byte
		if websocket.Message.Receive(c, &frame) != nil {
			return
		}
		var word struct{ Type string }
		s.mu.Lock()
		if frame[0] == '{' && json.Unmarshal(frame, &word) == nil {
			s.textMessages[word.Type]++
		} else {
			s.segmentSamples[len(s.segmentSamples)-1] += len(frame) / 2
		}
		received := time.Duration(s.segmentSamples[len(s.segmentSamples)-1]) * time.Second / speech.SampleRate
		s.mu.Unlock()
		switch {
		case word.Type == "Finalize":
			sendResult(segments[0][2], true)
			segments, sent = segments[1:], 0
			s.mu.Lock()
			s.segmentSamples = append(s.segmentSamples, 0)
			s.mu.Unlock()
		case word.Type != "":
		case sent == 0 && received > 500*time.Millisecond, sent == 1 && received > 900*time.Millisecond:
			sendResult(segments[0][sent], false)
			if sent++; sent == 2 && segments[0][2] == "" {
				_ = c.Close()
				return
			}
		}
	}
}

func (s *fakeTranscriptionServer) countMessages(word string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.textMessages[word]
}

// A streaming engine transcribes while the customer speaks; a connection lost in the middle of a segment loses nothing
// of it.
func TestVoiceSessionWithStreamingTranscription(t *testing.T) {
	s := &fakeTranscriptionServer{textMessages: map[string]int{}}
	listening := httptest.NewServer(websocket.Server{Handler: s.serve})
	defer listening.Close()
	engine := &deepgram.Transcriber{KeepAliveInterval: 50 * time.Millisecond,
		Client: httpclient.Client{BaseURL: listening.URL}}
	scriptedModel := &scripted.Model{}
	scriptedModel.AddScript(scripted.Text("It costs ten.")).AddScript(scripted.Text("Yes."))
	h, agent, live, c := startVoiceCall(t, func(c *server.Config) {
		c.ModelOverride = scriptedModel
	}, func(srv *testkit.Server) {
		srv.Responder.Synthesizer, srv.Responder.Transcriber = humSynthesizer{}, engine
	})

	c.speakFor(2 * time.Second)
	c.waitForTranscript("What does it cost?|It costs ten.")
	c.waitForState(rtc.Listening)
	testkit.Eventually(t, "a keep-alive message", func() bool { return s.countMessages("KeepAlive") > 0 })
	c.speakFor(2 * time.Second)
	c.waitForTranscript("What does it cost?|It costs ten.|And with tax?|Yes.")
	c.waitForState(rtc.Listening)
	if texts := storedTexts(t, h, agent, live); !slices.Equal(texts,
		[]string{"What does it cost?", "It costs ten.", "And with tax?", "Yes."}) {
		t.Errorf("stored: %q", texts)
	}
	for _, interim := range []string{"what does", "What does it cost", "and", "And with", "And with tax"} {
		if !c.sawLine(interim) {
			t.Errorf("the transcript never was %q", interim)
		}
	}
	engine.Close()
	testkit.Eventually(t, "the end of the line", func() bool { return s.countMessages("CloseStream") == 1 })
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lines != 2 || len(s.segmentSamples) != 4 || s.segmentSamples[2] < s.segmentSamples[1] ||
		s.segmentSamples[2] < speech.SampleRate {
		t.Errorf("%d connections; samples of each segment: %v", s.lines, s.segmentSamples)
	}
}
