package llm

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"

	"parley/internal/pcm"
)

// Espeak speaks with the program espeak-ng, which knows about a hundred languages. The text goes in by its standard input; the
// sound comes out while it is made.
type Espeak struct {
	Program string        // path of espeak-ng
	Wait    time.Duration // longest silence of the program; 0 is 5 s
}

var _ Synthesizer = (*Espeak)(nil)

const (
	espeakWords    = 165 // words per minute at speed 1
	espeakLanguage = "en-us"
)

// Speak implements Synthesizer. The voice is a variant of espeak-ng, such as f3.
func (e *Espeak) Speak(ctx context.Context, u Utterance) iter.Seq2[pcm.Sound, error] {
	return func(yield func(pcm.Sound, error) bool) {
		if err := e.speak(ctx, u, yield); err != nil && !errors.Is(err, errStopped) {
			yield(pcm.Sound{}, speechFailed(cannotSpeak, err, ""))
		}
	}
}

func (e *Espeak) speak(ctx context.Context, u Utterance, yield func(pcm.Sound, error) bool) error {
	text := espeakText(u.Text)
	if !sayable(text) {
		return nil
	}
	if len(text) > 4*LongestUtterance {
		return errTooLong
	}
	var faults []error
	for _, language := range espeakLanguages(u.Language) {
		heard := false
		err := e.try(ctx, text, language, u, func(s pcm.Sound, err error) bool {
			heard = true
			return yield(s, err)
		})
		if err == nil || heard || ctx.Err() != nil || errors.Is(err, errSilent) {
			return err
		}
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}

// try speaks in one language. The program says nothing where it does not know it.
func (e *Espeak) try(ctx context.Context, text, language string, u Utterance, yield func(pcm.Sound, error) bool) error {
	if u.Voice != "" {
		language += "+" + u.Voice
	}
	speed := espeakWords
	if u.Speed > 0 {
		speed = int(espeakWords * u.Speed)
	}
	p, err := startProgram(ctx, or(e.Wait, 5*time.Second), strings.NewReader(text), e.Program,
		"--stdin", "--stdout", "-b", "1", "-z", "-s", strconv.Itoa(speed), "-v", language)
	if err != nil {
		return err
	}
	r := bufio.NewReaderSize(p, 4<<10)
	rate, err := pcm.ReadHeader(r)
	if err == nil {
		err = sounds(r, rate, longestSound(u.Text), yield)
	}
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, errNoSound) {
		p.kill()
		return err
	}
	if failed := p.finish(); failed != nil || err == nil {
		return failed
	}
	return fmt.Errorf("espeak-ng said nothing with the voice %q: %w", language, err)
}

// espeakLanguages are the voices to try for a tag such as pt-BR, the exact one first. Only letters, digits and hyphens go through.
func espeakLanguages(tag string) []string {
	tag = strings.ToLower(tag)
	if baseLanguage(tag) == "" || strings.Trim(tag, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || tag[0] == '-' {
		return []string{espeakLanguage}
	}
	base := baseLanguage(tag)
	switch {
	case base == "en" && tag == base:
		return []string{espeakLanguage}
	case tag == base:
		return []string{base}
	}
	return []string{tag, base}
}

// espeakText takes away what the program would not read out: double brackets, which begin phonemes, and control characters.
func espeakText(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	text = strings.NewReplacer("[[", "[ [", "]]", "] ]").Replace(text)
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F {
			return ' '
		}
		return r
	}, text)
}
