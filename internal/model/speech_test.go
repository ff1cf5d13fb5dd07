package model_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/model"
)

// fakePrograms finds these programs, as scripts that write down how they were called.
func fakePrograms(t *testing.T, programs ...string) (look func(string) (string, error), called func() string) {
	t.Helper()
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	header := `printf 'RIFF\377\377\377\177WAVEfmt \020\000\000\000\001\000\001\000\042\126\000\000\104\254\000\000\002\000\020\000data\377\377\377\177abcdabcd'`
	look = func(program string) (string, error) {
		if !slices.Contains(programs, program) {
			return "", os.ErrNotExist
		}
		path := filepath.Join(dir, program)
		text := "#!/bin/sh\necho " + program + " \"$@\" >> " + log + "\n" + header + "\n"
		return path, os.WriteFile(path, []byte(text), 0o700)
	}
	return look, func() string {
		b, err := os.ReadFile(log)
		if err != nil {
			return ""
		}
		return string(b)
	}
}

func newSpeechEngines(t *testing.T, c model.SpeechConfig) *model.SpeechEngines {
	t.Helper()
	s, err := model.NewSpeechEngines(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// The language picks the program, and the agent's voice the program's.
func TestLanguagePicksTheProgram(t *testing.T) {
	for _, c := range []struct {
		programs string
		u        model.Utterance
		want     string
	}{
		{"flite espeak-ng", model.Utterance{Text: "The parcel is here.", Voice: "--help"}, "flite -voice slt"},
		{"flite espeak-ng", model.Utterance{Text: "The parcel is here.", Voice: "../Sarah\x00" + strings.Repeat("x", 500)}, "flite -voice slt"},
		{"flite espeak-ng", model.Utterance{Text: "Das Paket ist da.", Voice: "-q; reboot"}, "-v de+f2"},
		{"flite espeak-ng", model.Utterance{Text: "The parcel is here.", Voice: "Sarah"}, "flite -voice slt"},
		{"flite espeak-ng", model.Utterance{Text: "The parcel is here.", Voice: "puck", Language: "multi"}, "flite -voice rms"},
		{"flite espeak-ng", model.Utterance{Text: "The parcel is here.", Voice: "nobody", Language: "en-GB"}, "flite -voice slt"},
		{"flite espeak-ng", model.Utterance{Text: "Das Paket ist da.", Voice: "Sarah"}, "-v de+f3"},
		{"flite espeak-ng", model.Utterance{Text: "Das Paket ist da.", Voice: "Puck"}, "-v de+m3"},
		{"flite espeak-ng", model.Utterance{Text: "OK", Language: "de-AT", Voice: "Sarah"}, "-v de-at+f3"},
		{"flite espeak-ng", model.Utterance{Text: "Где мой заказ?"}, "-v ru+f2"},
		{"flite espeak-ng", model.Utterance{Text: "주문이 어디 있나요?"}, "-v ko+f2"},
		{"flite espeak-ng", model.Utterance{Text: "注文はどこですか"}, "-v ja+f2"},
		{"espeak-ng", model.Utterance{Text: "The parcel is here."}, "-v en-us+f2"},
		{"flite", model.Utterance{Text: "The parcel is here."}, "flite -voice slt"},
	} {
		look, called := fakePrograms(t, strings.Fields(c.programs)...)
		s := newSpeechEngines(t, model.SpeechConfig{LookPath: look})
		collectSound(t, s.Synthesizer.Synthesize(t.Context(), c.u))
		if !strings.Contains(called(), c.want) || (len(s.Warnings) > 0) != (c.programs == "flite") || s.Transcriber != nil {
			t.Errorf("%s: %+v: called %q, want %q", c.programs, c.u, called(), c.want)
		}
	}
	look, called := fakePrograms(t, "flite")
	checkSpeechFailure(t, collectSound(t, newSpeechEngines(t, model.SpeechConfig{LookPath: look}).Synthesizer.Synthesize(t.Context(), model.Utterance{Text: "Das Paket ist da."})).err)
	if called() != "" {
		t.Error("flite speaks German")
	}
}

// What is missing is told, and leaves nothing behind that would fail later.
func TestMissingEngines(t *testing.T) {
	look, _ := fakePrograms(t)
	for _, c := range []struct {
		tts, stt string
		lacks    int
	}{{"", "", 0}, {"none", "none", 0}, {"auto", "pocketsphinx", 1}, {"flite", "", 1}, {"espeak", "pocketsphinx", 2}} {
		s := newSpeechEngines(t, model.SpeechConfig{TTS: c.tts, STT: c.stt, LookPath: look})
		if s.Synthesizer != nil || s.Transcriber != nil || len(s.Warnings) != c.lacks {
			t.Errorf("%v: %+v", c, s)
		}
	}
	for _, c := range []model.SpeechConfig{{TTS: "loud"}, {STT: "sharp"}, {VoicesFile: filepath.Join(t.TempDir(), "none")}} {
		if s, err := model.NewSpeechEngines(c); err == nil || s != nil {
			t.Errorf("%+v was taken", c)
		}
	}
}

// Servers are asked for their own names of an agent's voice and model.
func TestServersHaveTheirOwnNames(t *testing.T) {
	tts := startSpeechServer(t, sendParts("audio/pcm", pcmBytes(newTone(24_000, 100*time.Millisecond))))
	stt := startSpeechServer(t, sendParts("application/json", readRecording(t, "transcription.json")))
	own := filepath.Join(t.TempDir(), "voices.yaml")
	if err := os.WriteFile(own, []byte("voices:\n  Sarah: {openai: af_heart}\n  default: {openai: af_sky}\nmodels:\n  cartesia/ink-2: {openai: whisper-large-v3}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ voices, voice, model, wantVoice, wantModel string }{
		{"", "Nova", "deepgram/nova-3", "nova", "gpt-4o-mini-transcribe"},
		{"", "", "", "alloy", "gpt-4o-mini-transcribe"},
		{own, "SARAH", "cartesia/ink-2", "af_heart", "whisper-large-v3"},
		{own, "Nova", "soniox/stt-rt-v5", "nova", "gpt-4o-mini-transcribe"},
		{own, "somebody", "", "af_sky", "gpt-4o-mini-transcribe"},
	} {
		s := newSpeechEngines(t, model.SpeechConfig{TTSURL: tts.url, STT: "openai", STTURL: stt.url, VoicesFile: c.voices})
		if got := collectSound(t, s.Synthesizer.Synthesize(t.Context(), model.Utterance{Text: "Hello", Voice: c.voice})); got.err != nil {
			t.Fatal(got.err)
		}
		seg := newSegment()
		seg.Model = c.model
		if got := collectTranscript(t, s.Transcriber.Transcribe(t.Context(), seg)); got.err != nil || *got.final != orderTranscript {
			t.Fatalf("%+v", got)
		}
		if ask := decodeJSON(t, tts.bodies[len(tts.bodies)-1]); ask["voice"] != c.wantVoice || ask["model"] != "gpt-4o-mini-tts" {
			t.Errorf("%+v: asked %v", c, ask)
		}
		if body := string(stt.bodies[len(stt.bodies)-1]); !strings.Contains(body, "\r\n\r\n"+c.wantModel+"\r\n") {
			t.Errorf("%+v: another model", c)
		}
		if _, ok := s.Transcriber.(model.LiveTranscriber); ok {
			t.Error("a server that takes segments listens")
		}
	}
	for voices, name := range map[string]string{"": "nova-2", "nova-9": "nova-9"} {
		f := startDeepgramServer(t, answerOneSegment(t))
		s := newSpeechEngines(t, model.SpeechConfig{STT: "deepgram", STTURL: f.url, STTModel: voices})
		l := s.Transcriber.(model.LiveTranscriber).StartTranscription(t.Context(), model.TranscriptionHints{Model: "deepgram/nova-2"}, func(model.Transcript) {})
		l.Add(newTone(16_000, time.Second))
		if text, err := l.End(t.Context()); err != nil || text != lateOrderText || f.requests[0].URL.Query().Get("model") != name {
			t.Error(text, err, f.requests[0].URL)
		}
		l.Close()
	}
}

func TestOddTablesOfVoices(t *testing.T) {
	path := filepath.Join(t.TempDir(), "voices.yaml")
	for text, ok := range map[string]bool{
		"": true, "voices:\n": true, "voices:\n  Sarah:\n": true, "models: {x: {deepgram: y}}": true,
		"[]": false, "voice: {}": false, "voices: {Sarah: nova}": false, "voices: {Sarah: {festival: x}}": false, "models: {x: {flite: y}}": false, "\t": false,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := model.NewSpeechEngines(model.SpeechConfig{VoicesFile: path}); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Calls at the same time do not disturb each other.
func TestManySpeakAtOnce(t *testing.T) {
	f := startSpeechServer(t, func(w http.ResponseWriter, r *http.Request) {
		sendParts("audio/pcm", pcmBytes(newTone(24_000, 50*time.Millisecond)))(w, r)
	})
	s := newSpeechEngines(t, model.SpeechConfig{TTSURL: f.url})
	ctx, cancel := context.WithTimeoutCause(t.Context(), 30*time.Second, errors.New("too slow"))
	defer cancel()
	done := make(chan error, 32)
	for range cap(done) {
		go func() {
			var failed error
			for _, err := range s.Synthesizer.Synthesize(ctx, helloUtterance) {
				failed = errors.Join(failed, err)
			}
			done <- failed
		}()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
