package local

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"

	"parley/internal/audio"
	"parley/internal/httpclient"
	"parley/internal/speech"
)

// Espeak speaks with the program espeak-ng, which knows about a hundred languages. The text goes in by its standard
// input; the sound comes out while it is made.
type Espeak struct {
	Program        string        // path of espeak-ng
	SilenceTimeout time.Duration // longest silence of the program; 0 is 5 s
}

// EspeakEngine returns the row of this engine.
func EspeakEngine() speech.SynthesizerEngine {
	return speech.SynthesizerEngine{Name: "espeak", Program: "espeak-ng",
		New: func(c speech.EngineConfig) speech.Synthesizer { return &Espeak{Program: c.Program} }}
}

const (
	espeakWordsPerMinute  = 165 // words per minute at speed 1
	espeakDefaultLanguage = "en-us"
)

// Synthesize implements speech.Synthesizer. The voice is a variant of espeak-ng, such as f3.
func (e *Espeak) Synthesize(ctx context.Context, u speech.Utterance) iter.Seq2[audio.Sound, error] {
	return func(yield func(audio.Sound, error) bool) {
		if err := e.synthesize(ctx, u, yield); err != nil && !errors.Is(err, httpclient.ErrConsumerStopped) {
			yield(audio.Sound{}, speech.SynthesisError(err, ""))
		}
	}
}

func (e *Espeak) synthesize(ctx context.Context, u speech.Utterance, yield func(audio.Sound, error) bool) error {
	text := cleanEspeakText(u.Text)
	switch {
	case !speech.IsSpeakable(text):
		return nil
	case len(text) > 4*speech.MaxUtteranceRunes:
		return speech.ErrTextTooLong
	}
	var faults []error
	for _, language := range espeakLanguages(u.Language) {
		hasSound := false
		err := e.synthesizeIn(ctx, text, language, u, func(s audio.Sound, err error) bool {
			hasSound = true
			return yield(s, err)
		})
		if err == nil || hasSound || ctx.Err() != nil || errors.Is(err, httpclient.ErrProviderSilent) {
			return err
		}
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// synthesizeIn speaks in one language. The program is silent where it does not know it.
func (e *Espeak) synthesizeIn(ctx context.Context, text, language string, u speech.Utterance,
	yield func(audio.Sound, error) bool) error {
	if u.Voice != "" {
		language += "+" + u.Voice
	}
	speed := espeakWordsPerMinute
	if u.Speed > 0 {
		speed = int(espeakWordsPerMinute * u.Speed)
	}
	p, err := startProgram(ctx, cmp.Or(e.SilenceTimeout, 5*time.Second), strings.NewReader(text), e.Program,
		"--stdin", "--stdout", "-b", "1", "-z", "-s", strconv.Itoa(speed), "-v", language)
	if err != nil {
		return err
	}
	r := bufio.NewReaderSize(p, 4<<10)
	rate, err := audio.ReadWAVRate(r)
	if err == nil {
		err = speech.StreamSamples(r, rate, speech.MaxSoundDuration(u.Text), yield)
	}
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, speech.ErrNoSound) {
		p.kill()
		return err
	}
	if failed := p.waitForExit(); failed != nil || err == nil {
		return failed
	}
	return fmt.Errorf("espeak-ng said nothing with the voice %q: %w", language, err)
}

// espeakLanguages returns the voices to try for a tag such as pt-BR, the exact one first. Only letters, digits and
// hyphens go through.
func espeakLanguages(tag string) []string {
	tag = strings.ToLower(tag)
	switch base := speech.BaseLanguage(tag); {
	case base == "", tag == "en", tag[0] == '-', strings.Trim(tag, "abcdefghijklmnopqrstuvwxyz0123456789-") != "":
		return []string{espeakDefaultLanguage}
	case tag == base:
		return []string{base}
	default:
		return []string{tag, base}
	}
}

// cleanEspeakText removes what the program would not read: double brackets, which begin phonemes, and control
// characters.
func cleanEspeakText(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.NewReplacer("[[", "[ [", "]]", "] ]").Replace(text)
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F {
			return ' '
		}
		return r
	}, text)
}
