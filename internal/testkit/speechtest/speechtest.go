// Package speechtest has a loopback speech server for tests of speech engines, and helpers that they share.
package speechtest

import (
	"encoding/json"
	"errors"
	"io"
	"iter"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/audio"
	"parley/internal/speech"
)

// Server is a loopback speech server. Each request is answered by the next handler, and the last one answers all
// further requests.
type Server struct {
	URL      string
	testDone chan struct{} // closed at the end of the test: handlers that Stall end then

	mu       sync.Mutex
	Handlers []http.HandlerFunc
	Received []*http.Request
	Bodies   [][]byte
}

func StartServer(t *testing.T, answers ...http.HandlerFunc) *Server {
	f := &Server{testDone: make(chan struct{}), Handlers: answers}
	web := httptest.NewServer(f)
	f.URL = web.URL + "/v1"
	t.Cleanup(func() {
		close(f.testDone)
		web.CloseClientConnections()
		web.Close()
	})
	return f
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	s.Received, s.Bodies = append(s.Received, r), append(s.Bodies, body)
	answer := s.Handlers[0]
	if len(s.Handlers) > 1 {
		s.Handlers = s.Handlers[1:]
	}
	s.mu.Unlock()
	answer(w, r)
}

func (s *Server) RequestCount() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.Received)
}

// Stall waits until the client disconnects or the test ends.
func (s *Server) Stall(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-s.testDone:
	}
}

// SendParts writes and flushes one part after the other.
func SendParts(kind string, parts ...[]byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if kind != "" {
			w.Header().Set("Content-Type", kind)
		}
		for _, part := range parts {
			_, _ = w.Write(part)
			w.(http.Flusher).Flush()
		}
	}
}

func RefuseWith(status int, head ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(head); i += 2 {
			w.Header().Set(head[i], head[i+1])
		}
		http.Error(w, `{"error":{"message":"no, sk-very-secret"}}`, status)
	}
}

func ReadRecording(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// NewTone returns a tone without silence.
func NewTone(rate int, d time.Duration) []int16 {
	out := make([]int16, int(int64(rate)*int64(d)/int64(time.Second)))
	for i := range out {
		out[i] = int16(9000 * math.Sin(2*math.Pi*300*float64(i)/float64(rate)))
	}
	return out
}

func PCMBytes(samples []int16) []byte { return audio.AppendBytes(nil, samples) }

type SoundResult struct {
	Pieces  int
	Rate    int
	Samples []int16
	Err     error
}

// CollectSound reads all sound of an utterance.
func CollectSound(t *testing.T, seq iter.Seq2[audio.Sound, error]) (got SoundResult) {
	t.Helper()
	for s, err := range seq {
		if got.Err != nil {
			t.Error("something follows an error")
		}
		if err != nil {
			got.Err = err
			continue
		}
		if got.Rate != 0 && got.Rate != s.Rate {
			t.Errorf("the rate changes from %d to %d", got.Rate, s.Rate)
		}
		got.Pieces, got.Rate, got.Samples = got.Pieces+1, s.Rate, append(got.Samples, s.PCM...)
	}
	return got
}

type TranscriptResult struct {
	Interim []string
	Final   *string
	Err     error
}

func CollectTranscript(t *testing.T, seq iter.Seq2[speech.Transcript, error]) (got TranscriptResult) {
	t.Helper()
	for transcript, err := range seq {
		switch {
		case got.Err != nil || got.Final != nil:
			t.Errorf("something follows the end: %+v, %v", transcript, err)
		case err != nil:
			got.Err = err
		case transcript.IsFinal:
			got.Final = &transcript.Text
		default:
			got.Interim = append(got.Interim, transcript.Text)
		}
	}
	return got
}

// CheckFailure checks that the error shows the user no internals, and has a cause for the log without the key.
func CheckFailure(t *testing.T, err error) {
	t.Helper()
	var e *parley.Error
	if !errors.As(err, &e) || e.Err == nil {
		t.Fatalf("error %v", err)
	}
	if strings.Contains(e.Error(), "sk-very-secret") || !strings.HasSuffix(e.Message, "at the moment.") {
		t.Errorf("the error says %q", e)
	}
}

// RequireEnd fails if do does not come to its end. The minute only guards against waiting without end.
func RequireEnd(t *testing.T, name string, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatalf("%s: it does not end", name)
	}
}

func DecodeJSON(t *testing.T, b []byte) (m map[string]any) {
	t.Helper()
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// HelloUtterance is a short utterance with all its settings.
var HelloUtterance = speech.Utterance{Text: "Hello there.", Voice: "coral", Speed: 1.1, Instructions: "Calmly."}

// OrderTranscript is the transcript of the recordings.
const OrderTranscript = "Where is my order?"

// NewSegment returns a segment of a second.
func NewSegment() speech.Segment {
	return speech.Segment{TranscriptionHints: speech.TranscriptionHints{Language: "en-US"},
		PCM: NewTone(16_000, time.Second)}
}

// Resample changes the rate of a whole sound.
func Resample(s audio.Sound, to int) (audio.Sound, error) {
	r, err := audio.NewResampler(s.Rate, to)
	if err != nil {
		return audio.Sound{}, err
	}
	out := r.Push(s.PCM)
	return audio.Sound{Rate: to, PCM: append(out, r.Flush()...)}, nil
}
