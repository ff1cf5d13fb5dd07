package llm_test

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/llm"
	"parley/internal/pcm"
)

func dialSpeech(t *testing.T, f *fake) *llm.OpenAISpeech {
	o := &llm.OpenAISpeech{Model: "gpt-4o-mini-tts"}
	o.SpeechServer = llm.SpeechServer{BaseURL: f.url, Key: "sk-very-secret", FirstByte: 300 * time.Millisecond, Idle: 300 * time.Millisecond, Backoff: time.Millisecond}
	t.Cleanup(o.Close)
	return o
}

var hello = llm.Utterance{Text: "Hello there.", Voice: "coral", Speed: 1.1, Instructions: "Calmly."}

// Sound comes as it is sent, whatever the pieces, and half samples are put together.
func TestOpenAISpeaks(t *testing.T) {
	in := hum(24_000, time.Second)
	b := raw(in)
	f := serve(t, sends("audio/pcm", b[:1001], b[1001:1002], b[1002:20_001], b[20_001:]))
	got := gather(t, dialSpeech(t, f).Speak(t.Context(), hello))
	if got.err != nil || got.rate != 24_000 || !slices.Equal(got.samples, in) {
		t.Fatalf("%d samples at %d in %d pieces, %v", len(got.samples), got.rate, got.pieces, got.err)
	}
	ask := jsonOf(t, f.bodies[0])
	if ask["model"] != "gpt-4o-mini-tts" || ask["input"] != "Hello there." || ask["voice"] != "coral" || ask["response_format"] != "pcm" ||
		ask["speed"] != 1.1 || ask["instructions"] != "Calmly." || f.asked[0].URL.Path != "/v1/audio/speech" {
		t.Error(f.asked[0].URL, ask)
	}
	if f.asked[0].Header.Get("Authorization") != "Bearer sk-very-secret" {
		t.Error("no key")
	}
}

// The first 20 ms are handed on before the rest is there.
func TestFirstSoundComesEarly(t *testing.T) {
	b := raw(hum(24_000, time.Second))
	taken := make(chan struct{})
	f := serve(t, func(w http.ResponseWriter, r *http.Request) {
		sends("audio/pcm", b[:960])(w, r)
		<-taken
		sends("", b[960:])(w, r)
	})
	n := 0
	for s, err := range dialSpeech(t, f).Speak(t.Context(), hello) {
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			close(taken)
		}
		n += len(s.PCM)
	}
	if n != 24_000 {
		t.Errorf("%d samples", n)
	}
}

// Some servers tell another rate, or send WAV all the same.
func TestOpenAISpeaksAtOtherRates(t *testing.T) {
	in := hum(22_050, 200*time.Millisecond)
	stream := pcm.WAV(pcm.Sound{Rate: 22_050, PCM: in})
	copy(stream[40:], []byte{0xFF, 0xFF, 0xFF, 0xFF}) // as written before the length is known
	for name, does := range map[string]http.HandlerFunc{
		"told": sends("audio/pcm;rate=22050;channels=1", raw(in)), "WAV": sends("audio/wav", stream), "WAV called pcm": sends("audio/pcm", stream),
	} {
		if got := gather(t, dialSpeech(t, serve(t, does)).Speak(t.Context(), hello)); got.err != nil || got.rate != 22_050 || !slices.Equal(got.samples, in) {
			t.Errorf("%s: %d samples at %d, %v", name, len(got.samples), got.rate, got.err)
		}
	}
}

// Whatever the server does, the call ends in time with an error that holds no key.
func TestBadSpeechServers(t *testing.T) {
	long := raw(hum(24_000, time.Second))
	for name, does := range map[string]func(f *fake) http.HandlerFunc{
		"401":       func(*fake) http.HandlerFunc { return refuses(401) },
		"404":       func(*fake) http.HandlerFunc { return refuses(404) },
		"429":       func(*fake) http.HandlerFunc { return refuses(429, "Retry-After", "60") },
		"500":       func(*fake) http.HandlerFunc { return refuses(500) },
		"redirect":  func(*fake) http.HandlerFunc { return refuses(302, "Location", "http://192.0.2.1/") },
		"no sound":  func(*fake) http.HandlerFunc { return sends("audio/pcm") },
		"one byte":  func(*fake) http.HandlerFunc { return sends("audio/pcm", []byte{1}) },
		"JSON":      func(*fake) http.HandlerFunc { return sends("application/json", []byte(`{"error":"sk-very-secret"}`)) },
		"HTML":      func(*fake) http.HandlerFunc { return sends("text/html", []byte("<html>It works!</html>")) },
		"MP3":       func(*fake) http.HandlerFunc { return sends("audio/mpeg", long) },
		"MP3 named": func(*fake) http.HandlerFunc { return sends("audio/pcm", []byte("ID3\x04"), long) },
		"MP3 bare": func(*fake) http.HandlerFunc {
			return sends("application/octet-stream", []byte("\xff\xfb\x90\x64"), long)
		},
		"odd rate": func(*fake) http.HandlerFunc { return sends("audio/pcm;rate=7", long) },
		"no rate":  func(*fake) http.HandlerFunc { return sends("audio/pcm;rate=fast", long) },
		"stereo":   func(*fake) http.HandlerFunc { return sends("audio/pcm;channels=2", long) },
		"bad WAV":  func(*fake) http.HandlerFunc { return sends("audio/wav", []byte("RIFF\x00\x00\x00\x00WAVEfmt ffff")) },
		"silent": func(f *fake) http.HandlerFunc {
			return func(_ http.ResponseWriter, r *http.Request) { f.stalls(r) }
		},
		"stalls": func(f *fake) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) { sends("audio/pcm", long)(w, r); f.stalls(r) }
		},
		"cut at once": func(*fake) http.HandlerFunc {
			return func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
		},
		"cut": func(*fake) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				sends("audio/pcm", long)(w, r)
				panic(http.ErrAbortHandler)
			}
		},
		"shorter than told": func(*fake) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Length", "96000")
				sends("audio/pcm", long[:960])(w, r)
				panic(http.ErrAbortHandler)
			}
		},
		"endless": func(*fake) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				for r.Context().Err() == nil {
					if _, err := w.Write(long); err != nil {
						return
					}
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := serve(t, func(http.ResponseWriter, *http.Request) {})
			f.answers = []http.HandlerFunc{does(f)}
			o := dialSpeech(t, f)
			within(t, 10*time.Second, name, func() { checkSpeechFailure(t, gather(t, o.Speak(t.Context(), hello)).err) })
			if n := f.requests(); n > 2 || n > 1 && (name == "401" || name == "404" || name == "429" || name == "silent") {
				t.Errorf("%d requests", n)
			}
		})
	}
}

func TestSpeechIsTriedAgain(t *testing.T) {
	f := serve(t, refuses(503), sends("audio/pcm", raw(hum(24_000, time.Second))))
	if got := gather(t, dialSpeech(t, f).Speak(t.Context(), hello)); got.err != nil || len(got.samples) != 24_000 {
		t.Error(len(got.samples), got.err)
	}
}

func TestSpeechTellsWhenToComeBack(t *testing.T) {
	got := gather(t, dialSpeech(t, serve(t, refuses(429, "Retry-After", "60"))).Speak(t.Context(), hello))
	var e *parley.Error
	if !errors.As(got.err, &e) || e.RetryAfter != time.Minute {
		t.Error(got.err)
	}
}

// A consumer that has heard enough, or is called off, frees the line.
func TestSpeechStops(t *testing.T) {
	gone := make(chan struct{}, 2)
	f := serve(t, nil)
	f.answers[0] = func(w http.ResponseWriter, r *http.Request) {
		sends("audio/pcm", raw(hum(24_000, time.Second)))(w, r)
		<-r.Context().Done()
		gone <- struct{}{}
	}
	for range dialSpeech(t, f).Speak(t.Context(), hello) {
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, err := range dialSpeech(t, f).Speak(ctx, hello) {
		cancel()
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	within(t, 5*time.Second, "hanging up", func() { <-gone; <-gone })
}

func TestNothingToSay(t *testing.T) {
	f := serve(t, refuses(500))
	for _, text := range []string{"", "  ", "…", "?!"} {
		if got := gather(t, dialSpeech(t, f).Speak(t.Context(), llm.Utterance{Text: text})); got.err != nil || got.pieces > 0 {
			t.Errorf("%q: %v", text, got)
		}
	}
	checkSpeechFailure(t, gather(t, dialSpeech(t, f).Speak(t.Context(), llm.Utterance{Text: strings.Repeat("na ", 2000)})).err)
	if f.requests() > 0 {
		t.Error("the server was asked")
	}
}

func dialTranscription(t *testing.T, f *fake) *llm.OpenAITranscription {
	o := &llm.OpenAITranscription{Model: "gpt-4o-mini-transcribe"}
	o.SpeechServer = llm.SpeechServer{BaseURL: f.url, Key: "sk-very-secret", FirstByte: 300 * time.Millisecond, Idle: 300 * time.Millisecond, Backoff: time.Millisecond}
	t.Cleanup(o.Close)
	return o
}

func question16() llm.Segment {
	return llm.Segment{Hints: llm.Hints{Language: "en-US"}, PCM: hum(16_000, time.Second)}
}

const order = "Where is my order?"

func TestOpenAIUnderstands(t *testing.T) {
	stream := recorded(t, "transcription.sse")
	bytewise := make([][]byte, len(stream))
	for i := range stream {
		bytewise[i] = stream[i : i+1]
	}
	for name, c := range map[string]struct {
		does    http.HandlerFunc
		interim []string
	}{
		"streamed":     {sends("text/event-stream; charset=utf-8", stream), []string{"Where", "Where is my", order}},
		"byte by byte": {sends("text/event-stream", bytewise...), []string{"Where", "Where is my", order}},
		"no last line": {sends("text/event-stream", recorded(t, "transcription-no-end.sse")), []string{"Where"}},
		"at once":      {sends("application/json", recorded(t, "transcription.json")), nil},
	} {
		f := serve(t, c.does)
		got := understand(t, dialTranscription(t, f).Transcribe(t.Context(), question16()))
		if got.err != nil || got.final == nil || *got.final != order || !slices.Equal(got.interim, c.interim) {
			t.Errorf("%s: %+v", name, got)
		}
		checkForm(t, f)
	}
}

// checkForm reads the form as a server does.
func checkForm(t *testing.T, f *fake) {
	t.Helper()
	_, params, err := mime.ParseMediaType(f.asked[0].Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	form, err := multipart.NewReader(strings.NewReader(string(f.bodies[0])), params["boundary"]).ReadForm(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	v := form.Value
	if v["model"][0] != "gpt-4o-mini-transcribe" || v["language"][0] != "en" || v["stream"][0] != "true" || f.asked[0].URL.Path != "/v1/audio/transcriptions" {
		t.Error(f.asked[0].URL, v)
	}
	file, err := form.File["file"][0].Open()
	if err != nil {
		t.Fatal(err)
	}
	wav, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := pcm.ReadWAV(wav, 16_000); err != nil || !slices.Equal(s.PCM, question16().PCM) {
		t.Error(err)
	}
}

// A server that knows nothing of streaming is asked without, from then on.
func TestTranscriptionWithoutStreaming(t *testing.T) {
	whole := sends("application/json", recorded(t, "transcription.json"))
	f := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, `{"error":{"message":"Unrecognized request argument supplied: stream"}}`, http.StatusBadRequest)
	}, whole)
	o := dialTranscription(t, f)
	for range 2 {
		if got := understand(t, o.Transcribe(t.Context(), question16())); got.err != nil || *got.final != order {
			t.Fatalf("%+v", got)
		}
	}
	if n := f.requests(); n != 3 || strings.Contains(string(f.bodies[2]), `name="stream"`) {
		t.Errorf("%d requests", n)
	}
}

func TestBadTranscriptionServers(t *testing.T) {
	for name, does := range map[string]func(f *fake) http.HandlerFunc{
		"401":     func(*fake) http.HandlerFunc { return refuses(401) },
		"429":     func(*fake) http.HandlerFunc { return refuses(429) },
		"500":     func(*fake) http.HandlerFunc { return refuses(500) },
		"no body": func(*fake) http.HandlerFunc { return sends("application/json") },
		"no text": func(*fake) http.HandlerFunc { return sends("application/json", []byte(`{"error":"sk-very-secret"}`)) },
		"garbage": func(*fake) http.HandlerFunc { return sends("text/html", []byte("<html>")) },
		"cut":     func(*fake) http.HandlerFunc { return sends("text/event-stream", recorded(t, "transcription-cut.sse")) },
		"failure": func(*fake) http.HandlerFunc {
			return sends("text/event-stream", recorded(t, "transcription-error.sse"))
		},
		"no JSON": func(*fake) http.HandlerFunc { return sends("text/event-stream", []byte("data: {\n\n")) },
		"long": func(*fake) http.HandlerFunc {
			return sends("text/event-stream", []byte("data: "+strings.Repeat("x", 2<<20)))
		},
		"silent": func(f *fake) http.HandlerFunc { return func(_ http.ResponseWriter, r *http.Request) { f.stalls(r) } },
		"stalls": func(f *fake) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				sends("text/event-stream", recorded(t, "transcription-cut.sse"))(w, r)
				f.stalls(r)
			}
		},
		"aborts": func(*fake) http.HandlerFunc {
			return func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
		},
		"endless": func(*fake) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				line := []byte(strings.Repeat(`data: {"type":"transcript.text.delta","delta":"`+strings.Repeat("na ", 3000)+"\"}\n\n", 10))
				for r.Context().Err() == nil {
					if _, err := w.Write(line); err != nil {
						return
					}
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := serve(t, nil)
			f.answers[0] = does(f)
			o := dialTranscription(t, f)
			within(t, 10*time.Second, name, func() {
				got := understand(t, o.Transcribe(t.Context(), question16()))
				checkSpeechFailure(t, got.err)
			})
		})
	}
}
