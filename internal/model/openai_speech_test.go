package model_test

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
	"parley/internal/audio"
	"parley/internal/model"
)

func newOpenAISpeech(t *testing.T, f *speechServer) *model.OpenAISpeech {
	o := &model.OpenAISpeech{Model: "gpt-4o-mini-tts"}
	o.SpeechServer = model.SpeechServer{BaseURL: f.url, Key: "sk-very-secret", FirstByteTimeout: 300 * time.Millisecond, IdleTimeout: 300 * time.Millisecond, Backoff: time.Millisecond}
	t.Cleanup(o.Close)
	return o
}

var helloUtterance = model.Utterance{Text: "Hello there.", Voice: "coral", Speed: 1.1, Instructions: "Calmly."}

// Sound comes as it is sent, whatever the pieces, and half samples are put together.
func TestOpenAISpeaks(t *testing.T) {
	in := newTone(24_000, time.Second)
	b := pcmBytes(in)
	f := startSpeechServer(t, sendParts("audio/pcm", b[:1001], b[1001:1002], b[1002:20_001], b[20_001:]))
	got := collectSound(t, newOpenAISpeech(t, f).Synthesize(t.Context(), helloUtterance))
	if got.err != nil || got.rate != 24_000 || !slices.Equal(got.samples, in) {
		t.Fatalf("%d samples at %d in %d pieces, %v", len(got.samples), got.rate, got.pieces, got.err)
	}
	ask := decodeJSON(t, f.bodies[0])
	if ask["model"] != "gpt-4o-mini-tts" || ask["input"] != "Hello there." || ask["voice"] != "coral" || ask["response_format"] != "pcm" ||
		ask["speed"] != 1.1 || ask["instructions"] != "Calmly." || f.received[0].URL.Path != "/v1/audio/speech" {
		t.Error(f.received[0].URL, ask)
	}
	if f.received[0].Header.Get("Authorization") != "Bearer sk-very-secret" {
		t.Error("no key")
	}
}

// The first 20 ms are handed on before the rest is there.
func TestFirstSoundComesEarly(t *testing.T) {
	b := pcmBytes(newTone(24_000, time.Second))
	taken := make(chan struct{})
	f := startSpeechServer(t, func(w http.ResponseWriter, r *http.Request) {
		sendParts("audio/pcm", b[:960])(w, r)
		<-taken
		sendParts("", b[960:])(w, r)
	})
	n := 0
	for s, err := range newOpenAISpeech(t, f).Synthesize(t.Context(), helloUtterance) {
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
	in := newTone(22_050, 200*time.Millisecond)
	stream := audio.EncodeWAV(audio.Sound{Rate: 22_050, PCM: in})
	copy(stream[40:], []byte{0xFF, 0xFF, 0xFF, 0xFF}) // as written before the length is known
	for name, does := range map[string]http.HandlerFunc{
		"told": sendParts("audio/pcm;rate=22050;channels=1", pcmBytes(in)), "WAV": sendParts("audio/wav", stream), "WAV called pcm": sendParts("audio/pcm", stream),
	} {
		if got := collectSound(t, newOpenAISpeech(t, startSpeechServer(t, does)).Synthesize(t.Context(), helloUtterance)); got.err != nil || got.rate != 22_050 || !slices.Equal(got.samples, in) {
			t.Errorf("%s: %d samples at %d, %v", name, len(got.samples), got.rate, got.err)
		}
	}
}

// Whatever the server does, the call ends in time with an error that holds no key.
func TestBadSpeechServers(t *testing.T) {
	long := pcmBytes(newTone(24_000, time.Second))
	for name, does := range map[string]func(f *speechServer) http.HandlerFunc{
		"401":      func(*speechServer) http.HandlerFunc { return refuseWith(401) },
		"404":      func(*speechServer) http.HandlerFunc { return refuseWith(404) },
		"429":      func(*speechServer) http.HandlerFunc { return refuseWith(429, "Retry-After", "60") },
		"500":      func(*speechServer) http.HandlerFunc { return refuseWith(500) },
		"redirect": func(*speechServer) http.HandlerFunc { return refuseWith(302, "Location", "http://192.0.2.1/") },
		"no sound": func(*speechServer) http.HandlerFunc { return sendParts("audio/pcm") },
		"one byte": func(*speechServer) http.HandlerFunc { return sendParts("audio/pcm", []byte{1}) },
		"JSON": func(*speechServer) http.HandlerFunc {
			return sendParts("application/json", []byte(`{"error":"sk-very-secret"}`))
		},
		"HTML":      func(*speechServer) http.HandlerFunc { return sendParts("text/html", []byte("<html>It works!</html>")) },
		"MP3":       func(*speechServer) http.HandlerFunc { return sendParts("audio/mpeg", long) },
		"MP3 named": func(*speechServer) http.HandlerFunc { return sendParts("audio/pcm", []byte("ID3\x04"), long) },
		"MP3 bare": func(*speechServer) http.HandlerFunc {
			return sendParts("application/octet-stream", []byte("\xff\xfb\x90\x64"), long)
		},
		"odd rate": func(*speechServer) http.HandlerFunc { return sendParts("audio/pcm;rate=7", long) },
		"no rate":  func(*speechServer) http.HandlerFunc { return sendParts("audio/pcm;rate=fast", long) },
		"stereo":   func(*speechServer) http.HandlerFunc { return sendParts("audio/pcm;channels=2", long) },
		"bad WAV": func(*speechServer) http.HandlerFunc {
			return sendParts("audio/wav", []byte("RIFF\x00\x00\x00\x00WAVEfmt ffff"))
		},
		"silent": func(f *speechServer) http.HandlerFunc {
			return func(_ http.ResponseWriter, r *http.Request) { f.stall(r) }
		},
		"stalls": func(f *speechServer) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) { sendParts("audio/pcm", long)(w, r); f.stall(r) }
		},
		"cut at once": func(*speechServer) http.HandlerFunc {
			return func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
		},
		"cut": func(*speechServer) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				sendParts("audio/pcm", long)(w, r)
				panic(http.ErrAbortHandler)
			}
		},
		"shorter than told": func(*speechServer) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Length", "96000")
				sendParts("audio/pcm", long[:960])(w, r)
				panic(http.ErrAbortHandler)
			}
		},
		"endless": func(*speechServer) http.HandlerFunc {
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
			f := startSpeechServer(t, func(http.ResponseWriter, *http.Request) {})
			f.handlers = []http.HandlerFunc{does(f)}
			o := newOpenAISpeech(t, f)
			requireWithin(t, 10*time.Second, name, func() { checkSpeechFailure(t, collectSound(t, o.Synthesize(t.Context(), helloUtterance)).err) })
			if n := f.requestCount(); n > 2 || n > 1 && (name == "401" || name == "404" || name == "429" || name == "silent") {
				t.Errorf("%d requests", n)
			}
		})
	}
}

func TestSpeechIsTriedAgain(t *testing.T) {
	f := startSpeechServer(t, refuseWith(503), sendParts("audio/pcm", pcmBytes(newTone(24_000, time.Second))))
	if got := collectSound(t, newOpenAISpeech(t, f).Synthesize(t.Context(), helloUtterance)); got.err != nil || len(got.samples) != 24_000 {
		t.Error(len(got.samples), got.err)
	}
}

func TestSpeechTellsWhenToComeBack(t *testing.T) {
	got := collectSound(t, newOpenAISpeech(t, startSpeechServer(t, refuseWith(429, "Retry-After", "60"))).Synthesize(t.Context(), helloUtterance))
	var e *parley.Error
	if !errors.As(got.err, &e) || e.RetryAfter != time.Minute {
		t.Error(got.err)
	}
}

// A consumer that has heard enough, or is called off, frees the line.
func TestSpeechStops(t *testing.T) {
	gone := make(chan struct{}, 2)
	f := startSpeechServer(t, nil)
	f.handlers[0] = func(w http.ResponseWriter, r *http.Request) {
		sendParts("audio/pcm", pcmBytes(newTone(24_000, time.Second)))(w, r)
		<-r.Context().Done()
		gone <- struct{}{}
	}
	for range newOpenAISpeech(t, f).Synthesize(t.Context(), helloUtterance) {
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for _, err := range newOpenAISpeech(t, f).Synthesize(ctx, helloUtterance) {
		cancel()
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	requireWithin(t, 5*time.Second, "hanging up", func() { <-gone; <-gone })
}

func TestNothingToSay(t *testing.T) {
	f := startSpeechServer(t, refuseWith(500))
	for _, text := range []string{"", "  ", "…", "?!"} {
		if got := collectSound(t, newOpenAISpeech(t, f).Synthesize(t.Context(), model.Utterance{Text: text})); got.err != nil || got.pieces > 0 {
			t.Errorf("%q: %v", text, got)
		}
	}
	checkSpeechFailure(t, collectSound(t, newOpenAISpeech(t, f).Synthesize(t.Context(), model.Utterance{Text: strings.Repeat("na ", 2000)})).err)
	if f.requestCount() > 0 {
		t.Error("the server was asked")
	}
}

func newOpenAITranscription(t *testing.T, f *speechServer) *model.OpenAITranscription {
	o := &model.OpenAITranscription{Model: "gpt-4o-mini-transcribe"}
	o.SpeechServer = model.SpeechServer{BaseURL: f.url, Key: "sk-very-secret", FirstByteTimeout: 300 * time.Millisecond, IdleTimeout: 300 * time.Millisecond, Backoff: time.Millisecond}
	t.Cleanup(o.Close)
	return o
}

func newSegment() model.Segment {
	return model.Segment{TranscriptionHints: model.TranscriptionHints{Language: "en-US"}, PCM: newTone(16_000, time.Second)}
}

const orderTranscript = "Where is my order?"

func TestOpenAIUnderstands(t *testing.T) {
	stream := readRecording(t, "transcription.sse")
	bytewise := make([][]byte, len(stream))
	for i := range stream {
		bytewise[i] = stream[i : i+1]
	}
	for name, c := range map[string]struct {
		does    http.HandlerFunc
		interim []string
	}{
		"streamed":     {sendParts("text/event-stream; charset=utf-8", stream), []string{"Where", "Where is my", orderTranscript}},
		"byte by byte": {sendParts("text/event-stream", bytewise...), []string{"Where", "Where is my", orderTranscript}},
		"no last line": {sendParts("text/event-stream", readRecording(t, "transcription-no-end.sse")), []string{"Where"}},
		"at once":      {sendParts("application/json", readRecording(t, "transcription.json")), nil},
	} {
		f := startSpeechServer(t, c.does)
		got := collectTranscript(t, newOpenAITranscription(t, f).Transcribe(t.Context(), newSegment()))
		if got.err != nil || got.final == nil || *got.final != orderTranscript || !slices.Equal(got.interim, c.interim) {
			t.Errorf("%s: %+v", name, got)
		}
		checkForm(t, f)
	}
}

// checkForm reads the form as a server does.
func checkForm(t *testing.T, f *speechServer) {
	t.Helper()
	_, params, err := mime.ParseMediaType(f.received[0].Header.Get("Content-Type"))
	if err != nil {
		t.Fatal(err)
	}
	form, err := multipart.NewReader(strings.NewReader(string(f.bodies[0])), params["boundary"]).ReadForm(1 << 20)
	if err != nil {
		t.Fatal(err)
	}
	v := form.Value
	if v["model"][0] != "gpt-4o-mini-transcribe" || v["language"][0] != "en" || v["stream"][0] != "true" || f.received[0].URL.Path != "/v1/audio/transcriptions" {
		t.Error(f.received[0].URL, v)
	}
	file, err := form.File["file"][0].Open()
	if err != nil {
		t.Fatal(err)
	}
	wav, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := audio.ReadWAV(wav, 16_000); err != nil || !slices.Equal(s.PCM, newSegment().PCM) {
		t.Error(err)
	}
}

// A server that knows nothing of streaming is asked without, from then on.
func TestTranscriptionWithoutStreaming(t *testing.T) {
	whole := sendParts("application/json", readRecording(t, "transcription.json"))
	f := startSpeechServer(t, func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, `{"error":{"message":"Unrecognized request argument supplied: stream"}}`, http.StatusBadRequest)
	}, whole)
	o := newOpenAITranscription(t, f)
	for range 2 {
		if got := collectTranscript(t, o.Transcribe(t.Context(), newSegment())); got.err != nil || *got.final != orderTranscript {
			t.Fatalf("%+v", got)
		}
	}
	if n := f.requestCount(); n != 3 || strings.Contains(string(f.bodies[2]), `name="stream"`) {
		t.Errorf("%d requests", n)
	}
}

func TestBadTranscriptionServers(t *testing.T) {
	for name, does := range map[string]func(f *speechServer) http.HandlerFunc{
		"401":     func(*speechServer) http.HandlerFunc { return refuseWith(401) },
		"429":     func(*speechServer) http.HandlerFunc { return refuseWith(429) },
		"500":     func(*speechServer) http.HandlerFunc { return refuseWith(500) },
		"no body": func(*speechServer) http.HandlerFunc { return sendParts("application/json") },
		"no text": func(*speechServer) http.HandlerFunc {
			return sendParts("application/json", []byte(`{"error":"sk-very-secret"}`))
		},
		"garbage": func(*speechServer) http.HandlerFunc { return sendParts("text/html", []byte("<html>")) },
		"cut": func(*speechServer) http.HandlerFunc {
			return sendParts("text/event-stream", readRecording(t, "transcription-cut.sse"))
		},
		"failure": func(*speechServer) http.HandlerFunc {
			return sendParts("text/event-stream", readRecording(t, "transcription-error.sse"))
		},
		"no JSON": func(*speechServer) http.HandlerFunc { return sendParts("text/event-stream", []byte("data: {\n\n")) },
		"long": func(*speechServer) http.HandlerFunc {
			return sendParts("text/event-stream", []byte("data: "+strings.Repeat("x", 2<<20)))
		},
		"silent": func(f *speechServer) http.HandlerFunc {
			return func(_ http.ResponseWriter, r *http.Request) { f.stall(r) }
		},
		"stalls": func(f *speechServer) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				sendParts("text/event-stream", readRecording(t, "transcription-cut.sse"))(w, r)
				f.stall(r)
			}
		},
		"aborts": func(*speechServer) http.HandlerFunc {
			return func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
		},
		"endless": func(*speechServer) http.HandlerFunc {
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
			f := startSpeechServer(t, nil)
			f.handlers[0] = does(f)
			o := newOpenAITranscription(t, f)
			requireWithin(t, 10*time.Second, name, func() {
				got := collectTranscript(t, o.Transcribe(t.Context(), newSegment()))
				checkSpeechFailure(t, got.err)
			})
		})
	}
}
