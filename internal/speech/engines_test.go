package speech_test

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/speech"
	"parley/internal/speech/deepgram"
	"parley/internal/speech/local"
	"parley/internal/speech/openai"
	"parley/internal/testkit/check"
	"parley/internal/testkit/speechtest"
)

func TestMain(m *testing.M) { os.Exit(check.RequireNoLeaks(m.Run())) }

// fakePrograms are programs that record how they were called.
func fakePrograms(t *testing.T, programs ...string) (lookPath func(string) (string, error), called func() string) {
	t.Helper()
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	header := `printf 'RIFF\377\377\377\177WAVEfmt ` +
		`\020\000\000\000\001\000\001\000\042\126\000\000\104\254\000\000\002\000\020\000data\377\377\377\177abcdabcd'`
	lookPath = func(program string) (string, error) {
		if !slices.Contains(programs, program) {
			return "", os.ErrNotExist
		}
		path := filepath.Join(dir, program)
		text := "#!/bin/sh\necho " + program + " \"$@\" >> " + log + "\n" + header + "\n"
		return path, os.WriteFile(path, []byte(text), 0o700)
	}
	return lookPath, func() string {
		b, err := os.ReadFile(log)
		if err != nil {
			return ""
		}
		return string(b)
	}
}

// withEngines returns the configuration with all engines.
func withEngines(c speech.Config) speech.Config {
	c.Synthesizers = []speech.SynthesizerEngine{openai.SynthesizerEngine(), local.FliteEngine(), local.EspeakEngine()}
	c.Transcribers = []speech.TranscriberEngine{openai.TranscriberEngine(), deepgram.Engine(), local.PocketsphinxEngine()}
	return c
}

func newEngines(t *testing.T, c speech.Config) *speech.Engines {
	t.Helper()
	s, err := speech.NewEngines(withEngines(c))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// The language selects the program, and the agent's voice selects the program's voice.
func TestLanguageSelectsTheProgram(t *testing.T) {
	for _, c := range []struct {
		programs string
		u        speech.Utterance
		want     string
	}{
		{"flite espeak-ng", speech.Utterance{Text: "The parcel is here.", Voice: "--help"}, "flite -voice slt"},
		{"flite espeak-ng", speech.Utterance{Text: "The parcel is here.",
			Voice: "../Sarah\x00" + strings.Repeat("x", 500)}, "flite -voice slt"},
		{"flite espeak-ng", speech.Utterance{Text: "Das Paket ist da.", Voice: "-q; reboot"}, "-v de+f2"},
		{"flite espeak-ng", speech.Utterance{Text: "The parcel is here.", Voice: "Sarah"}, "flite -voice slt"},
		{"flite espeak-ng", speech.Utterance{Text: "The parcel is here.", Voice: "puck", Language: "multi"},
			"flite -voice rms"},
		{"flite espeak-ng", speech.Utterance{Text: "The parcel is here.", Voice: "nobody", Language: "en-GB"},
			"flite -voice slt"},
		{"flite espeak-ng", speech.Utterance{Text: "Das Paket ist da.", Voice: "Sarah"}, "-v de+f3"},
		{"flite espeak-ng", speech.Utterance{Text: "Das Paket ist da.", Voice: "Puck"}, "-v de+m3"},
		{"flite espeak-ng", speech.Utterance{Text: "OK", Language: "de-AT", Voice: "Sarah"}, "-v de-at+f3"},
		{"flite espeak-ng", speech.Utterance{Text: "Где мой заказ?"}, "-v ru+f2"},
		{"flite espeak-ng", speech.Utterance{Text: "주문이 어디 있나요?"}, "-v ko+f2"},
		{"flite espeak-ng", speech.Utterance{Text: "注文はどこですか"}, "-v ja+f2"},
		{"espeak-ng", speech.Utterance{Text: "The parcel is here."}, "-v en-us+f2"},
		{"flite", speech.Utterance{Text: "The parcel is here."}, "flite -voice slt"},
	} {
		lookPath, called := fakePrograms(t, strings.Fields(c.programs)...)
		s := newEngines(t, speech.Config{LookPath: lookPath})
		speechtest.CollectSound(t, s.Synthesizer.Synthesize(t.Context(), c.u))
		if !strings.Contains(called(), c.want) || (len(s.Warnings) > 0) != (c.programs == "flite") || s.Transcriber != nil {
			t.Errorf("%s: %+v: called %q, want %q", c.programs, c.u, called(), c.want)
		}
	}
	lookPath, called := fakePrograms(t, "flite")
	speechtest.CheckFailure(t,
		speechtest.CollectSound(t, newEngines(t, speech.Config{LookPath: lookPath}).Synthesizer.Synthesize(t.Context(),
			speech.Utterance{Text: "Das Paket ist da."})).Err)
	if called() != "" {
		t.Error("flite speaks German")
	}
}

// Missing programs are warnings, and no engine is used that would fail later.
func TestMissingEngines(t *testing.T) {
	lookPath, _ := fakePrograms(t)
	for _, c := range []struct {
		tts, stt string
		missing  int
	}{{"", "", 0}, {"none", "none", 0}, {"auto", "pocketsphinx", 1}, {"flite", "", 1}, {"espeak", "pocketsphinx", 2}} {
		s := newEngines(t, speech.Config{TTS: c.tts, STT: c.stt, LookPath: lookPath})
		if s.Synthesizer != nil || s.Transcriber != nil || len(s.Warnings) != c.missing {
			t.Errorf("%v: %+v", c, s)
		}
	}
	for _, c := range []speech.Config{{TTS: "loud"}, {STT: "sharp"}, {VoicesFile: filepath.Join(t.TempDir(), "none")}} {
		if s, err := speech.NewEngines(withEngines(c)); err == nil || s != nil {
			t.Errorf("%+v was taken", c)
		}
	}
}

// Servers are asked for their own names of an agent's voice and model.
func TestServersHaveTheirOwnVoiceNames(t *testing.T) {
	tts := speechtest.StartServer(t,
		speechtest.SendParts("audio/pcm", speechtest.PCMBytes(speechtest.NewTone(24_000, 100*time.Millisecond))))
	stt := speechtest.StartServer(t, speechtest.SendParts("application/json", []byte(`{"text":"Where is my order?"}`)))
	own := filepath.Join(t.TempDir(), "voices.yaml")
	if err := os.WriteFile(own,
		[]byte("voices:\n  Sarah: {openai: af_heart}\n  default: {openai: af_sky}\nmodels:\n  cartesia/ink-2: "+
			"{openai: whisper-large-v3}\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ voices, voice, model, wantVoice, wantModel string }{
		{"", "Nova", "deepgram/nova-3", "nova", "gpt-4o-mini-transcribe"},
		{"", "", "", "alloy", "gpt-4o-mini-transcribe"},
		{own, "SARAH", "cartesia/ink-2", "af_heart", "whisper-large-v3"},
		{own, "Nova", "soniox/stt-rt-v5", "nova", "gpt-4o-mini-transcribe"},
		{own, "somebody", "", "af_sky", "gpt-4o-mini-transcribe"},
	} {
		s := newEngines(t, speech.Config{TTSURL: tts.URL, STT: "openai", STTURL: stt.URL, VoicesFile: c.voices})
		if got := speechtest.CollectSound(t,
			s.Synthesizer.Synthesize(t.Context(), speech.Utterance{Text: "Hello", Voice: c.voice})); got.Err != nil {
			t.Fatal(got.Err)
		}
		seg := speechtest.NewSegment()
		seg.Model = c.model
		if got := speechtest.CollectTranscript(t, s.Transcriber.Transcribe(t.Context(), seg)); got.Err != nil ||
			*got.Final != speechtest.OrderTranscript {
			t.Fatalf("%+v", got)
		}
		if ask := speechtest.DecodeJSON(t, tts.Bodies[len(tts.Bodies)-1]); ask["voice"] != c.wantVoice ||
			ask["model"] != "gpt-4o-mini-tts" {
			t.Errorf("%+v: asked %v", c, ask)
		}
		if body := string(stt.Bodies[len(stt.Bodies)-1]); !strings.Contains(body, "\r\n\r\n"+c.wantModel+"\r\n") {
			t.Errorf("%+v: another model", c)
		}
		if _, ok := s.Transcriber.(speech.LiveTranscriber); ok {
			t.Error("a server that takes segments listens")
		}
	}
}

func TestInvalidVoiceTables(t *testing.T) {
	path := filepath.Join(t.TempDir(), "voices.yaml")
	for text, ok := range map[string]bool{
		"": true, "voices:\n": true, "voices:\n  Sarah:\n": true, "models: {x: {deepgram: y}}": true,
		"[]": false, "voice: {}": false, "voices: {Sarah: nova}": false, "voices: {Sarah: {festival: x}}": false,
		"models: {x: {flite: y}}": false, "\t": false,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := speech.NewEngines(withEngines(speech.Config{VoicesFile: path})); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Calls at the same time do not disturb each other.
func TestConcurrentSynthesis(t *testing.T) {
	f := speechtest.StartServer(t, func(w http.ResponseWriter, r *http.Request) {
		speechtest.SendParts("audio/pcm", speechtest.PCMBytes(speechtest.NewTone(24_000, 50*time.Millisecond)))(w, r)
	})
	s := newEngines(t, speech.Config{TTSURL: f.URL})
	done := make(chan error, 32)
	for range cap(done) {
		go func() {
			var failed error
			for _, err := range s.Synthesizer.Synthesize(t.Context(), speechtest.HelloUtterance) {
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
