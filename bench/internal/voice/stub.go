package voice

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"time"

	"parley/bench/internal/process"
	"parley/bench/internal/stub"
)

// The stub of voice sessions is a model and a speech server in one process, with OpenAI's wire formats.
const (
	modelDelay       = 30 * time.Millisecond // until the model's first token
	recognitionDelay = 50 * time.Millisecond // of a recognition
	stubRate         = 24_000                // of the format named pcm
	letterTime       = 60 * time.Millisecond // of speech
	chunkSamples     = stubRate / 10         // samples that are sent at once: 100 ms
	chunkPause       = 10 * time.Millisecond // between two chunks: ten times as fast as they play
	humAmplitude     = 8000                  // of the hum, full scale is 32767
)

// The texts of these sessions.
const (
	spokenQuestion   = "Where is my order?" // whatever was said
	shortAnswer      = "It is on its way."
	longQuestion     = "Tell me everything."
	longQuestionMark = "everything"
)

// longAnswer is read out for five minutes.
var longAnswer = strings.Repeat("There is a great deal to be said about every one of our parcels. ", 75)

func NewStub() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /chat/completions", answerChat)
	mux.HandleFunc("POST /audio/transcriptions", answerTranscription)
	mux.HandleFunc("POST /audio/speech", answerSpeech)
	return mux
}

var shortScript, longScript = stub.NewScript(strings.SplitAfter(shortAnswer, " "), 0),
	stub.NewScript(strings.SplitAfter(longAnswer, " "), 0)

func answerChat(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		Stream   bool
		Messages []json.RawMessage
	}
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil || len(ask.Messages) == 0 {
		http.Error(w, `{"error":{"message":"no messages"}}`, http.StatusBadRequest)
		return
	}
	if !process.Sleep(r.Context(), modelDelay) {
		return
	}
	s := shortScript
	if bytes.Contains(ask.Messages[len(ask.Messages)-1], []byte(longQuestionMark)) {
		s = longScript
	}
	if ask.Stream {
		s.WriteStream(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(s.WholeJSON)
}

func answerTranscription(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil || !process.Sleep(r.Context(), recognitionDelay) {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"text":%q}`, spokenQuestion)
}

// humPCM is a tone of 440 Hz that repeats without a step.
var humPCM = func() []byte {
	var b []byte
	for i := range chunkSamples {
		v := int16(humAmplitude * math.Sin(2*math.Pi*440*float64(i)/stubRate))
		b = append(b, byte(v), byte(v>>8)) //nolint:gosec // the two bytes of a sample
	}
	return b
}()

// answerSpeech answers with a hum as long as the text: the first chunk at once, and the others paced as speech servers
// do.
func answerSpeech(w http.ResponseWriter, r *http.Request) {
	var ask struct{ Input string }
	if err := json.NewDecoder(r.Body).Decode(&ask); err != nil {
		http.Error(w, `{"error":{"message":"no text"}}`, http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "audio/pcm")
	rc := http.NewResponseController(w)
	length := len(ask.Input) * int(letterTime.Milliseconds()) * stubRate / 1000 * 2
	for length > 0 {
		piece := humPCM[:min(length, len(humPCM))]
		if _, err := w.Write(piece); err != nil || rc.Flush() != nil {
			return
		}
		if length -= len(piece); !process.Sleep(r.Context(), chunkPause) {
			return
		}
	}
}
