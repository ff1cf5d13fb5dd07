package model_test

import (
	"encoding/json"
	"errors"
	"io"
	"iter"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/audio"
	"parley/internal/model"
)

// speechServer is a loopback server of speech; every request is answered by the next handler, the last one answers all further ones.
type speechServer struct {
	url      string
	testDone chan struct{} // closed at the end of the test: handlers that stall end then

	mu       sync.Mutex
	handlers []http.HandlerFunc
	received []*http.Request
	bodies   [][]byte
}

func startSpeechServer(t *testing.T, answers ...http.HandlerFunc) *speechServer {
	f := &speechServer{testDone: make(chan struct{}), handlers: answers}
	web := httptest.NewServer(f)
	f.url = web.URL + "/v1"
	t.Cleanup(func() {
		close(f.testDone)
		web.CloseClientConnections()
		web.Close()
	})
	return f
}

func (f *speechServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	f.mu.Lock()
	f.received, f.bodies = append(f.received, r), append(f.bodies, body)
	answer := f.handlers[0]
	if len(f.handlers) > 1 {
		f.handlers = f.handlers[1:]
	}
	f.mu.Unlock()
	answer(w, r)
}

func (f *speechServer) requestCount() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.received)
}

// stall holds the line until the client or the test has had enough.
func (f *speechServer) stall(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-f.testDone:
	}
}

// sendParts writes parts, each on its way before the next.
func sendParts(kind string, parts ...[]byte) http.HandlerFunc {
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

func refuseWith(status int, head ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(head); i += 2 {
			w.Header().Set(head[i], head[i+1])
		}
		http.Error(w, `{"error":{"message":"no, sk-very-secret"}}`, status)
	}
}

func readRecording(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/speech/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// newTone is a tone that is not silent anywhere.
func newTone(rate int, d time.Duration) []int16 {
	out := make([]int16, int(int64(rate)*int64(d)/int64(time.Second)))
	for i := range out {
		out[i] = int16(9000 * math.Sin(2*math.Pi*300*float64(i)/float64(rate)))
	}
	return out
}

func pcmBytes(samples []int16) []byte { return audio.AppendBytes(nil, samples) }

type soundResult struct {
	pieces  int
	rate    int
	samples []int16
	err     error
}

// collectSound takes all of an utterance.
func collectSound(t *testing.T, seq iter.Seq2[audio.Sound, error]) (got soundResult) {
	t.Helper()
	for s, err := range seq {
		if got.err != nil {
			t.Error("something follows an error")
		}
		if err != nil {
			got.err = err
			continue
		}
		if got.rate != 0 && got.rate != s.Rate {
			t.Errorf("the rate changes from %d to %d", got.rate, s.Rate)
		}
		got.pieces, got.rate, got.samples = got.pieces+1, s.Rate, append(got.samples, s.PCM...)
	}
	return got
}

type transcriptResult struct {
	interim []string
	final   *string
	err     error
}

func collectTranscript(t *testing.T, seq iter.Seq2[model.Transcript, error]) (got transcriptResult) {
	t.Helper()
	for said, err := range seq {
		switch {
		case got.err != nil || got.final != nil:
			t.Errorf("something follows the end: %+v, %v", said, err)
		case err != nil:
			got.err = err
		case said.IsFinal:
			got.final = &said.Text
		default:
			got.interim = append(got.interim, said.Text)
		}
	}
	return got
}

// checkSpeechFailure wants an error for the user that tells nothing, with a cause for the log that holds no key.
func checkSpeechFailure(t *testing.T, err error) {
	t.Helper()
	var e *parley.Error
	if !errors.As(err, &e) || e.Err == nil {
		t.Fatalf("error %v", err)
	}
	if strings.Contains(e.Error(), "sk-very-secret") || !strings.HasSuffix(e.Message, "at the moment.") {
		t.Errorf("the error says %q", e)
	}
}

func requireWithin(t *testing.T, d time.Duration, what string, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(d):
		t.Fatalf("%s: not over after %s", what, d)
	}
}

func decodeJSON(t *testing.T, b []byte) (m map[string]any) {
	t.Helper()
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// Sound of any rate is played at one, in whatever pieces it comes.
func TestAtAnotherRate(t *testing.T) {
	in := newTone(24_000, time.Second)
	pieces := func(yield func(audio.Sound, error) bool) {
		for part := range slices.Chunk(in, 999) {
			if !yield(audio.Sound{Rate: 24_000, PCM: part}, nil) {
				return
			}
		}
	}
	n := 0
	for part, err := range model.Resample(48_000, pieces) {
		if err != nil {
			t.Fatal(err)
		}
		n += len(part)
	}
	if n != 48_000 {
		t.Errorf("%d samples", n)
	}
	for range model.Resample(48_000, pieces) {
		break
	}
	broken := errors.New("broken")
	for _, err := range model.Resample(48_000, func(yield func(audio.Sound, error) bool) { yield(audio.Sound{}, broken) }) {
		if !errors.Is(err, broken) {
			t.Error(err)
		}
	}
	for part, err := range model.Resample(48_000, func(func(audio.Sound, error) bool) {}) {
		t.Error(part, err)
	}
	for _, err := range model.Resample(48_000, func(yield func(audio.Sound, error) bool) { yield(audio.Sound{Rate: 7}, nil) }) {
		if err == nil {
			t.Error("an odd rate was taken")
		}
	}
}
