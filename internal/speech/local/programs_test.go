package local_test

import (
	"context"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/audio"
	"parley/internal/speech"
	"parley/internal/speech/local"
	"parley/internal/testkit/check"
	"parley/internal/testkit/speechtest"
)

func TestMain(m *testing.M) { os.Exit(check.RequireNoLeaks(m.Run())) }

func requireProgram(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("SKIP: %s is not installed", program)
	}
	return path
}

// writeScript writes a program for a test and returns its path.
func writeScript(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "engine")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// checkNoChildren checks at the end that every process started since has been waited for.
func checkNoChildren(t *testing.T) {
	t.Helper()
	before := childProcesses(t)
	t.Cleanup(func() {
		for _, id := range childProcesses(t) {
			if !slices.Contains(before, id) {
				t.Errorf("process %s was not ended", id)
			}
		}
	})
}

func childProcesses(t *testing.T) (ids []string) {
	t.Helper()
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range lists {
		if b, err := os.ReadFile(list); err == nil {
			ids = append(ids, strings.Fields(string(b))...)
		}
	}
	return ids
}

func checkNoTempFiles(t *testing.T) {
	t.Helper()
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "parley-speech-*")); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
}

func isLoud(samples []int16) bool {
	sum := 0.0
	for _, s := range samples {
		sum += float64(s) * float64(s)
	}
	return len(samples) > 0 && math.Sqrt(sum/float64(len(samples))) > 300
}

func TestFliteSpeaks(t *testing.T) {
	checkNoChildren(t)
	t.Setenv("TMPDIR", t.TempDir())
	f := &local.Flite{Program: requireProgram(t, "flite")}
	usual := speechtest.CollectSound(t, f.Synthesize(t.Context(), speech.Utterance{Text: "The parcel comes on Tuesday."}))
	if usual.Err != nil || usual.Rate != 16_000 || !isLoud(usual.Samples) {
		t.Fatalf("%d samples at %d, %v", len(usual.Samples), usual.Rate, usual.Err)
	}
	fast := speechtest.CollectSound(t, f.Synthesize(t.Context(),
		speech.Utterance{Text: "The parcel comes on Tuesday.", Speed: 1.2, Voice: "slt", Language: "en-GB"}))
	if fast.Err != nil || len(fast.Samples) >= len(usual.Samples) {
		t.Error(len(fast.Samples), fast.Err)
	}
	for _, text := range []string{"Café “Zürich” — 5 €, naïve…", "a\x00b\x1b[2J", "-h", "$(reboot) `x` ; | &",
		"\xff\xfe ok"} {
		if got := speechtest.CollectSound(t, f.Synthesize(t.Context(),
			speech.Utterance{Text: text, Voice: "/etc/passwd"})); got.Err != nil || !isLoud(got.Samples) {
			t.Errorf("%q: %d samples, %v", text, len(got.Samples), got.Err)
		}
	}
	for _, text := range []string{"", " \n", "…!"} {
		if got := speechtest.CollectSound(t, f.Synthesize(t.Context(), speech.Utterance{Text: text})); got.Err != nil ||
			got.Pieces > 0 {
			t.Errorf("%q: %v", text, got)
		}
	}
	for _, u := range []speech.Utterance{{Text: "Hallo", Language: "de"}, {Text: "こんにちは"},
		{Text: strings.Repeat("a", 20_000)}} {
		speechtest.CheckFailure(t, speechtest.CollectSound(t, f.Synthesize(t.Context(), u)).Err)
	}
	checkNoTempFiles(t)
}

func TestEspeakSpeaks(t *testing.T) {
	checkNoChildren(t)
	e := &local.Espeak{Program: requireProgram(t, "espeak-ng")}
	for _, u := range []speech.Utterance{
		{Text: "Das Paket kommt am Dienstag.", Language: "de"}, {Text: "Le colis arrive mardi.", Language: "fr-FR"},
		{Text: "O pacote chega na terça.", Language: "pt-BR"},
		{Text: "O pacote chega na terça.", Language: "pt-ZZ"}, {Text: "Посылка придёт.", Language: "ru"},
		{Text: "包裹星期二到。", Language: "zh-CN"},
		{Text: "The parcel comes.", Voice: "f3"}, {Text: "The parcel comes.", Language: "multi"},
		{Text: "The parcel comes.", Language: "-q"}, {Text: "[[oh]] -v de \x00\xff"},
	} {
		got := speechtest.CollectSound(t, e.Synthesize(t.Context(), u))
		if got.Err != nil || got.Rate != 22_050 || !isLoud(got.Samples) {
			t.Errorf("%+v: %d samples at %d, %v", u, len(got.Samples), got.Rate, got.Err)
		}
	}
	text := strings.Repeat("The parcel comes on Tuesday. ", 40)
	slow, fast := speechtest.CollectSound(t, e.Synthesize(t.Context(), speech.Utterance{Text: text, Speed: 0.7})),
		speechtest.CollectSound(t, e.Synthesize(t.Context(), speech.Utterance{Text: text, Speed: 1.2}))
	if slow.Pieces < 10 || len(fast.Samples)*3 > len(slow.Samples)*2 {
		t.Errorf("%d pieces, %d and %d samples", slow.Pieces, len(slow.Samples), len(fast.Samples))
	}
	for _, u := range []speech.Utterance{{Text: "hello", Language: "tlh"}, {Text: "hello", Language: "xx-YY"},
		{Text: strings.Repeat("a", 20_000)}} {
		speechtest.CheckFailure(t, speechtest.CollectSound(t, e.Synthesize(t.Context(), u)).Err)
	}
	if got := speechtest.CollectSound(t, e.Synthesize(t.Context(), speech.Utterance{Text: "…"})); got.Err != nil ||
		got.Pieces > 0 {
		t.Error(got)
	}
}

// Sound is passed on while it is synthesized, and a program that is no longer needed is killed.
func TestProgramsAreStopped(t *testing.T) {
	checkNoChildren(t)
	header := `printf 'RIFF\377\377\377\177WAVEfmt ` +
		`\020\000\000\000\001\000\001\000\042\126\000\000\104\254\000\000\002\000\020\000data\377\377\377\177'`
	e := &local.Espeak{Program: writeScript(t, header+"; while :; do printf '%04096d' 1; done")}
	for s, err := range e.Synthesize(t.Context(), speechtest.HelloUtterance) {
		if err != nil || len(s.PCM) == 0 {
			t.Fatal(err)
		}
		break
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	speechtest.RequireEnd(t, "calling off", func() {
		for _, err := range e.Synthesize(ctx, speechtest.HelloUtterance) {
			cancel()
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
	})
}

// Whatever a program does, the call ends in time and no process is left.
func TestFailingPrograms(t *testing.T) {
	checkNoChildren(t)
	t.Setenv("TMPDIR", t.TempDir())
	header := `printf 'RIFF\377\377\377\177WAVEfmt ` +
		`\020\000\000\000\001\000\001\000\042\126\000\000\104\254\000\000\002\000\020\000data\377\377\377\177'; `
	for name, text := range map[string]string{
		"stalls": "exec sleep 600", "stalls later": header + "printf '%0999d' 1; exec sleep 600",
		"fails":   "echo sk-very-secret is wrong >&2; exit 3",
		"garbage": "echo hello",
		"odd rate": `printf 'RIFF\377\377\377\177WAVEfmt ` +
			`\020\000\000\000\001\000\001\000\007\000\000\000\016\000\000\000\002\000\020\000data'`,
		"no sound": header, "endless": header + "while :; do printf '%04096d' 1; done",
		"fails later":   header + "printf '%0999d' 1; exit 1",
		"endless noise": "while :; do echo no >&2; done", "does not die": "trap '' TERM INT HUP; while :; do sleep 1; done",
		"has a child": "sleep 600 & exec sleep 600",
	} {
		t.Run(name, func(t *testing.T) {
			timeout := time.Minute
			if slices.Contains([]string{"stalls", "stalls later", "endless noise", "does not die", "has a child"}, name) {
				timeout = 300 * time.Millisecond
			}
			e := &local.Espeak{Program: writeScript(t, text), SilenceTimeout: timeout}
			speechtest.RequireEnd(t, name, func() {
				err := speechtest.CollectSound(t, e.Synthesize(t.Context(), speechtest.HelloUtterance)).Err
				if name == "fails" {
					if err == nil || !strings.Contains(err.Error(), "exit status 3") {
						t.Error(err)
					}
					return
				}
				speechtest.CheckFailure(t, err)
			})
			if name == "endless" || strings.HasSuffix(name, "later") {
				return // flite's output does not matter
			}
			f := &local.Flite{Program: writeScript(t, text), Timeout: timeout}
			speechtest.RequireEnd(t, name, func() {
				if err := speechtest.CollectSound(t, f.Synthesize(t.Context(), speechtest.HelloUtterance)).Err; err == nil {
					t.Error("flite: no error")
				}
			})
			p := &local.Pocketsphinx{Program: writeScript(t, text), Timeout: timeout}
			speechtest.RequireEnd(t, name, func() {
				got := speechtest.CollectTranscript(t,
					p.Transcribe(t.Context(), speech.Segment{PCM: speechtest.NewTone(16_000, 20*time.Millisecond)}))
				if got.Err == nil && got.Final == nil {
					t.Error("pocketsphinx: neither text nor error")
				}
			})
		})
	}
	missing := filepath.Join(t.TempDir(), "none")
	speechtest.CheckFailure(t, speechtest.CollectSound(t,
		(&local.Espeak{Program: missing}).Synthesize(t.Context(), speechtest.HelloUtterance)).Err)
	speechtest.CheckFailure(t, speechtest.CollectSound(t,
		(&local.Flite{Program: missing}).Synthesize(t.Context(), speechtest.HelloUtterance)).Err)
	speechtest.CheckFailure(t, speechtest.CollectTranscript(t,
		(&local.Pocketsphinx{Program: missing}).Transcribe(t.Context(), speechtest.NewSegment())).Err)
	checkNoTempFiles(t)
}

// The programs see nothing of the server's environment.
func TestProgramsSeeNoSecrets(t *testing.T) {
	t.Setenv("PARLEY_SECRET_KEY", "sk-very-secret-0123456789")
	out := filepath.Join(t.TempDir(), "env")
	p := &local.Pocketsphinx{Program: writeScript(t, "env > "+out)}
	speechtest.CollectTranscript(t, p.Transcribe(t.Context(), speechtest.NewSegment()))
	seen, err := os.ReadFile(out)
	if err != nil || strings.Contains(string(seen), "secret") {
		t.Errorf("%s, %v", seen, err)
	}
}

// pocketsphinx understands roughly what flite says.
func TestPocketsphinxUnderstands(t *testing.T) {
	checkNoChildren(t)
	f := &local.Flite{Program: requireProgram(t, "flite"), Timeout: time.Minute}
	p := &local.Pocketsphinx{Program: requireProgram(t, "pocketsphinx_continuous"), Timeout: time.Minute}
	sound := speechtest.CollectSound(t,
		f.Synthesize(t.Context(), speech.Utterance{Text: "Where is my order?", Voice: "rms"}))
	if sound.Err != nil || sound.Rate != speech.SampleRate {
		t.Fatal(sound.Rate, sound.Err)
	}
	got := speechtest.CollectTranscript(t, p.Transcribe(t.Context(), speech.Segment{PCM: sound.Samples}))
	if got.Err != nil || got.Final == nil || !strings.Contains(*got.Final, "my order") {
		t.Errorf("%+v", got)
	}
	if got := speechtest.CollectTranscript(t, p.Transcribe(t.Context(), speech.Segment{})); got.Err != nil ||
		*got.Final != "" {
		t.Errorf("%+v", got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := speechtest.CollectTranscript(t, p.Transcribe(ctx, speech.Segment{PCM: sound.Samples})); got.Err == nil {
		t.Error("a text of a call that was called off")
	}
	if s, err := speechtest.Resample(audio.Sound{Rate: sound.Rate, PCM: sound.Samples}, 48_000); err != nil ||
		!isLoud(s.PCM) {
		t.Error(err)
	}
}
