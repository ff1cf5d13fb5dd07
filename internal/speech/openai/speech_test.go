package openai_test

import (
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/audio"
	"parley/internal/httpclient"
	"parley/internal/speech"
	"parley/internal/speech/openai"
	"parley/internal/testkit/check"
	"parley/internal/testkit/speechtest"
)

func TestMain(m *testing.M) { os.Exit(check.RequireNoLeaks(m.Run())) }

// hangTimeout limits what waits for a server that says nothing; no server that answers is given so little time.
const hangTimeout = 100 * time.Millisecond

func newSynthesizer(t *testing.T, f *speechtest.Server) *openai.Synthesizer {
	o := &openai.Synthesizer{Model: "gpt-4o-mini-tts", Client: httpclient.Client{
		BaseURL:          f.URL,
		Key:              "sk-very-secret",
		FirstByteTimeout: time.Minute,
		IdleTimeout:      time.Minute,
		Backoff:          time.Millisecond,
	}}
	t.Cleanup(o.Close)
	return o
}

// Sound is passed on as it arrives, in any pieces, and samples that were split are joined.
func TestSynthesize(t *testing.T) {
	in := speechtest.NewTone(24_000, time.Second)
	b := speechtest.PCMBytes(in)
	f := speechtest.StartServer(t, speechtest.SendParts("audio/pcm", b[:1001], b[1001:1002], b[1002:20_001], b[20_001:]))
	got := speechtest.CollectSound(t, newSynthesizer(t, f).Synthesize(t.Context(), speechtest.HelloUtterance))
	if got.Err != nil || got.Rate != 24_000 || !slices.Equal(got.Samples, in) {
		t.Fatalf("%d samples at %d in %d pieces, %v", len(got.Samples), got.Rate, got.Pieces, got.Err)
	}
	ask := speechtest.DecodeJSON(t, f.Bodies[0])
	if ask["model"] != "gpt-4o-mini-tts" || ask["input"] != "Hello there." || ask["voice"] != "coral" ||
		ask["response_format"] != "pcm" ||
		ask["speed"] != 1.1 || ask["instructions"] != "Calmly." || f.Received[0].URL.Path != "/v1/audio/speech" {
		t.Error(f.Received[0].URL, ask)
	}
	if f.Received[0].Header.Get("Authorization") != "Bearer sk-very-secret" {
		t.Error("no key")
	}
}

// The first 20 ms are passed on before the rest has come.
func TestFirstSoundComesEarly(t *testing.T) {
	b := speechtest.PCMBytes(speechtest.NewTone(24_000, time.Second))
	taken := make(chan struct{})
	f := speechtest.StartServer(t, func(w http.ResponseWriter, r *http.Request) {
		speechtest.SendParts("audio/pcm", b[:960])(w, r)
		<-taken
		speechtest.SendParts("", b[960:])(w, r)
	})
	n := 0
	for s, err := range newSynthesizer(t, f).Synthesize(t.Context(), speechtest.HelloUtterance) {
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

// Some servers return another rate, or WAV.
func TestSynthesizeAtOtherRates(t *testing.T) {
	in := speechtest.NewTone(22_050, 200*time.Millisecond)
	stream := audio.EncodeWAV(audio.Sound{Rate: 22_050, PCM: in})
	copy(stream[40:], []byte{0xFF, 0xFF, 0xFF, 0xFF}) // as written before the length was known
	for name, behaviour := range map[string]http.HandlerFunc{
		"told": speechtest.SendParts("audio/pcm;rate=22050;channels=1", speechtest.PCMBytes(in)),
		"WAV":  speechtest.SendParts("audio/wav", stream), "WAV called pcm": speechtest.SendParts("audio/pcm", stream),
	} {
		if got := speechtest.CollectSound(t, newSynthesizer(t, speechtest.StartServer(t, behaviour)).Synthesize(t.Context(),
			speechtest.HelloUtterance)); got.Err != nil || got.Rate != 22_050 || !slices.Equal(got.Samples, in) {
			t.Errorf("%s: %d samples at %d, %v", name, len(got.Samples), got.Rate, got.Err)
		}
	}
}

// Whatever the server does, the call ends in time with an error that holds no key.
func TestMisbehavingSpeechServers(t *testing.T) {
	long := speechtest.PCMBytes(speechtest.NewTone(24_000, time.Second))
	for name, behaviour := range map[string]func(f *speechtest.Server) http.HandlerFunc{
		"401": func(*speechtest.Server) http.HandlerFunc { return speechtest.RefuseWith(401) },
		"404": func(*speechtest.Server) http.HandlerFunc { return speechtest.RefuseWith(404) },
		"429": func(*speechtest.Server) http.HandlerFunc { return speechtest.RefuseWith(429, "Retry-After", "60") },
		"500": func(*speechtest.Server) http.HandlerFunc { return speechtest.RefuseWith(500) },
		"redirect": func(*speechtest.Server) http.HandlerFunc {
			return speechtest.RefuseWith(302, "Location", "http://192.0.2.1/")
		},
		"no sound": func(*speechtest.Server) http.HandlerFunc { return speechtest.SendParts("audio/pcm") },
		"one byte": func(*speechtest.Server) http.HandlerFunc { return speechtest.SendParts("audio/pcm", []byte{1}) },
		"JSON": func(*speechtest.Server) http.HandlerFunc {
			return speechtest.SendParts("application/json", []byte(`{"error":"sk-very-secret"}`))
		},
		"HTML": func(*speechtest.Server) http.HandlerFunc {
			return speechtest.SendParts("text/html", []byte("<html>It works!</html>"))
		},
		"MP3": func(*speechtest.Server) http.HandlerFunc { return speechtest.SendParts("audio/mpeg", long) },
		"MP3 named": func(*speechtest.Server) http.HandlerFunc {
			return speechtest.SendParts("audio/pcm", []byte("ID3\x04"), long)
		},
		"MP3 bare": func(*speechtest.Server) http.HandlerFunc {
			return speechtest.SendParts("application/octet-stream", []byte("\xff\xfb\x90\x64"), long)
		},
		"odd rate": func(*speechtest.Server) http.HandlerFunc { return speechtest.SendParts("audio/pcm;rate=7", long) },
		"no rate":  func(*speechtest.Server) http.HandlerFunc { return speechtest.SendParts("audio/pcm;rate=fast", long) },
		"stereo":   func(*speechtest.Server) http.HandlerFunc { return speechtest.SendParts("audio/pcm;channels=2", long) },
		"bad WAV": func(*speechtest.Server) http.HandlerFunc {
			return speechtest.SendParts("audio/wav", []byte("RIFF\x00\x00\x00\x00WAVEfmt ffff"))
		},
		"silent": func(f *speechtest.Server) http.HandlerFunc {
			return func(_ http.ResponseWriter, r *http.Request) { f.Stall(r) }
		},
		"stalls": func(f *speechtest.Server) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				speechtest.SendParts("audio/pcm", long)(w, r)
				f.Stall(r)
			}
		},
		"cut at once": func(*speechtest.Server) http.HandlerFunc {
			return func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
		},
		"cut": func(*speechtest.Server) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				speechtest.SendParts("audio/pcm", long)(w, r)
				panic(http.ErrAbortHandler)
			}
		},
		"shorter than told": func(*speechtest.Server) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Length", "96000")
				speechtest.SendParts("audio/pcm", long[:960])(w, r)
				panic(http.ErrAbortHandler)
			}
		},
		"endless": func(*speechtest.Server) http.HandlerFunc {
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
			f := speechtest.StartServer(t, func(http.ResponseWriter, *http.Request) {})
			f.Handlers = []http.HandlerFunc{behaviour(f)}
			o := newSynthesizer(t, f)
			if name == "silent" || name == "stalls" {
				o.FirstByteTimeout, o.IdleTimeout = hangTimeout, hangTimeout
			}
			speechtest.RequireEnd(t, name, func() {
				speechtest.CheckFailure(t, speechtest.CollectSound(t, o.Synthesize(t.Context(), speechtest.HelloUtterance)).Err)
			})
			if n := f.RequestCount(); n > 2 || n > 1 && (name == "401" || name == "404" || name == "429" || name == "silent") {
				t.Errorf("%d requests", n)
			}
		})
	}
}

func TestFailedSynthesisIsRetried(t *testing.T) {
	f := speechtest.StartServer(t, speechtest.RefuseWith(503),
		speechtest.SendParts("audio/pcm", speechtest.PCMBytes(speechtest.NewTone(24_000, time.Second))))
	if got := speechtest.CollectSound(t, newSynthesizer(t, f).Synthesize(t.Context(),
		speechtest.HelloUtterance)); got.Err != nil || len(got.Samples) != 24_000 {
		t.Error(len(got.Samples), got.Err)
	}
}

func TestSynthesisErrorHasRetryAfter(t *testing.T) {
	got := speechtest.CollectSound(t, newSynthesizer(t, speechtest.StartServer(t,
		speechtest.RefuseWith(429, "Retry-After", "60"))).Synthesize(t.Context(), speechtest.HelloUtterance))
	var e *parley.Error
	if !errors.As(got.Err, &e) || e.RetryAfter != time.Minute {
		t.Error(got.Err)
	}
}

// A consumer that stops, or is cancelled, frees the connection.
func TestSynthesisStopsWithItsConsumer(t *testing.T) {
	disconnected := make(chan struct{}, 2)
	f := speechtest.StartServer(t, nil)
	f.Handlers[0] = func(w http.ResponseWriter, r *http.Request) {
		speechtest.SendParts("audio/pcm", speechtest.PCMBytes(speechtest.NewTone(24_000, time.Second)))(w, r)
		<-r.Context().Done()
		disconnected <- struct{}{}
	}
	for range newSynthesizer(t, f).Synthesize(t.Context(), speechtest.HelloUtterance) {
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, err := range newSynthesizer(t, f).Synthesize(ctx, speechtest.HelloUtterance) {
		cancel()
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	speechtest.RequireEnd(t, "hanging up", func() { <-disconnected; <-disconnected })
}

func TestSynthesizeNothing(t *testing.T) {
	f := speechtest.StartServer(t, speechtest.RefuseWith(500))
	for _, text := range []string{"", "  ", "…", "?!"} {
		if got := speechtest.CollectSound(t, newSynthesizer(t, f).Synthesize(t.Context(),
			speech.Utterance{Text: text})); got.Err != nil || got.Pieces > 0 {
			t.Errorf("%q: %v", text, got)
		}
	}
	speechtest.CheckFailure(t, speechtest.CollectSound(t,
		newSynthesizer(t, f).Synthesize(t.Context(), speech.Utterance{Text: strings.Repeat("na ", 2000)})).Err)
	if f.RequestCount() > 0 {
		t.Error("the server got a request")
	}
}

func newTranscriber(t *testing.T, f *speechtest.Server) *openai.Transcriber {
	o := &openai.Transcriber{Model: "gpt-4o-mini-transcribe", Client: httpclient.Client{
		BaseURL:          f.URL,
		Key:              "sk-very-secret",
		FirstByteTimeout: time.Minute,
		IdleTimeout:      time.Minute,
		Backoff:          time.Millisecond,
	}}
	t.Cleanup(o.Close)
	return o
}

func TestTranscribe(t *testing.T) {
	stream := speechtest.ReadRecording(t, "transcription.sse")
	bytewise := make([][]byte, len(stream))
	for i := range stream {
		bytewise[i] = stream[i : i+1]
	}
	for name, c := range map[string]struct {
		behaviour http.HandlerFunc
		interim   []string
	}{
		"streamed": {speechtest.SendParts("text/event-stream; charset=utf-8", stream),
			[]string{"Where", "Where is my", speechtest.OrderTranscript}},
		"byte by byte": {speechtest.SendParts("text/event-stream", bytewise...),
			[]string{"Where", "Where is my", speechtest.OrderTranscript}},
		"no last line": {speechtest.SendParts("text/event-stream",
			speechtest.ReadRecording(t, "transcription-no-end.sse")), []string{"Where"}},
		"at once": {speechtest.SendParts("application/json", speechtest.ReadRecording(t, "transcription.json")), nil},
	} {
		f := speechtest.StartServer(t, c.behaviour)
		got := speechtest.CollectTranscript(t, newTranscriber(t, f).Transcribe(t.Context(), speechtest.NewSegment()))
		if got.Err != nil || got.Final == nil || *got.Final != speechtest.OrderTranscript ||
			!slices.Equal(got.Interim, c.interim) {
			t.Errorf("%s: %+v", name, got)
		}
		checkForm(t, f)
	}
}

// checkForm checks the form as a server does.
func checkForm(t *testing.T, f *speechtest.Server) {
	t.Helper()
	_, params, err := mime.ParseMediaType(f.Received[0].Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	form, err := multipart.NewReader(strings.NewReader(string(f.Bodies[0])), params["boundary"]).ReadForm(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	v := form.Value
	if v["model"][0] != "gpt-4o-mini-transcribe" || v["language"][0] != "en" || v["stream"][0] != "true" ||
		f.Received[0].URL.Path != "/v1/audio/transcriptions" {
		t.Error(f.Received[0].URL, v)
	}
	file, err := form.File["file"][0].Open()
	if err != nil {
		t.Fatal(err)
	}
	wav, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := audio.ReadWAV(wav, 16_000); err != nil || !slices.Equal(s.PCM, speechtest.NewSegment().PCM) {
		t.Error(err)
	}
}

// A server that rejects streaming is asked without it from then on.
func TestTranscriptionWithoutStreaming(t *testing.T) {
	whole := speechtest.SendParts("application/json", speechtest.ReadRecording(t, "transcription.json"))
	f := speechtest.StartServer(t, func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, `{"error":{"message":"Unrecognized request argument supplied: stream"}}`, http.StatusBadRequest)
	}, whole)
	o := newTranscriber(t, f)
	for range 2 {
		if got := speechtest.CollectTranscript(t, o.Transcribe(t.Context(), speechtest.NewSegment())); got.Err != nil ||
			*got.Final != speechtest.OrderTranscript {
			t.Fatalf("%+v", got)
		}
	}
	if n := f.RequestCount(); n != 3 || strings.Contains(string(f.Bodies[2]), `name="stream"`) {
		t.Errorf("%d requests", n)
	}
}

func TestMisbehavingTranscriptionServers(t *testing.T) {
	for name, behaviour := range map[string]func(f *speechtest.Server) http.HandlerFunc{
		"401":     func(*speechtest.Server) http.HandlerFunc { return speechtest.RefuseWith(401) },
		"429":     func(*speechtest.Server) http.HandlerFunc { return speechtest.RefuseWith(429) },
		"500":     func(*speechtest.Server) http.HandlerFunc { return speechtest.RefuseWith(500) },
		"no body": func(*speechtest.Server) http.HandlerFunc { return speechtest.SendParts("application/json") },
		"no text": func(*speechtest.Server) http.HandlerFunc {
			return speechtest.SendParts("application/json", []byte(`{"error":"sk-very-secret"}`))
		},
		"garbage": func(*speechtest.Server) http.HandlerFunc { return speechtest.SendParts("text/html", []byte("<html>")) },
		"cut": func(*speechtest.Server) http.HandlerFunc {
			return speechtest.SendParts("text/event-stream", speechtest.ReadRecording(t, "transcription-cut.sse"))
		},
		"failure": func(*speechtest.Server) http.HandlerFunc {
			return speechtest.SendParts("text/event-stream", speechtest.ReadRecording(t, "transcription-error.sse"))
		},
		"no JSON": func(*speechtest.Server) http.HandlerFunc {
			return speechtest.SendParts("text/event-stream", []byte("data: {\n\n"))
		},
		"long": func(*speechtest.Server) http.HandlerFunc {
			return speechtest.SendParts("text/event-stream", []byte("data: "+strings.Repeat("x", 2<<20)))
		},
		"silent": func(f *speechtest.Server) http.HandlerFunc {
			return func(_ http.ResponseWriter, r *http.Request) { f.Stall(r) }
		},
		"stalls": func(f *speechtest.Server) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				speechtest.SendParts("text/event-stream", speechtest.ReadRecording(t, "transcription-cut.sse"))(w, r)
				f.Stall(r)
			}
		},
		"aborts": func(*speechtest.Server) http.HandlerFunc {
			return func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
		},
		"endless": func(*speechtest.Server) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				line := []byte(strings.Repeat(`data: {"type":"transcript.text.delta","delta":"`+strings.Repeat("na ",
					3000)+"\"}\n\n", 10))
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
			f := speechtest.StartServer(t, nil)
			f.Handlers[0] = behaviour(f)
			o := newTranscriber(t, f)
			if name == "silent" || name == "stalls" {
				o.FirstByteTimeout, o.IdleTimeout = hangTimeout, hangTimeout
			}
			speechtest.RequireEnd(t, name, func() {
				got := speechtest.CollectTranscript(t, o.Transcribe(t.Context(), speechtest.NewSegment()))
				speechtest.CheckFailure(t, got.Err)
			})
		})
	}
}
