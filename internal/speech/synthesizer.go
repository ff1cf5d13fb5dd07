// Package speech holds the ports to engines that speak and that understand speech, and chooses among the engines. The
// engines are packages below it; the server lists them.
package speech

import (
	"context"
	"errors"
	"io"
	"iter"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"parley/internal/audio"
	"parley/internal/httpclient"
)

// Synthesizer reads text aloud.
type Synthesizer interface {
	// Synthesize returns the utterance as sound, piece by piece, the first as early as the engine has it; all pieces
	// have one rate. The sequence ends when all has been spoken, or with an error; nothing follows either. Stopping the
	// iteration or cancelling ctx ends the call and frees what it holds. A consumer may take its time: only the
	// engine's own silence counts against it.
	//
	// Every failure is a *parley.Error whose Message may be shown to the user.
	Synthesize(ctx context.Context, u Utterance) iter.Seq2[audio.Sound, error]
}

// Utterance is a text to speak: a sentence or a few, without marks of any kind, at most MaxUtteranceRunes characters.
type Utterance struct {
	Text     string
	Voice    string  // the agent's name of it for Engines, an engine's own for the engine; empty is its default
	Language string  // BCP 47 tag; empty or "multi" where only the text tells
	Speed    float64 // 0.7 to 1.2; 0 is 1

	// Instructions say how to speak, in words; engines without such a setting ignore them.
	Instructions string
}

// MaxUtteranceRunes is how many characters are spoken in one go.
const MaxUtteranceRunes = 4096

// MaxSoundDuration bounds what an engine may send: far more than any voice takes for the text.
func MaxSoundDuration(text string) time.Duration {
	return 20*time.Second + time.Duration(utf8.RuneCountInString(text))*800*time.Millisecond
}

// Resample returns sound at another rate, such as the 48,000 samples per second that are played.
func Resample(rate int, sound iter.Seq2[audio.Sound, error]) iter.Seq2[[]int16, error] {
	return func(yield func([]int16, error) bool) {
		var r *audio.Resampler
		for s, err := range sound {
			if err == nil && r == nil {
				r, err = audio.NewResampler(s.Rate, rate)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if out := r.Push(s.PCM); len(out) > 0 && !yield(out, nil) {
				return
			}
		}
		if r == nil {
			return
		}
		if out := r.Flush(); len(out) > 0 {
			yield(out, nil)
		}
	}
}

// IsSpeakable reports whether the text holds something to speak: a letter or a digit.
func IsSpeakable(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) })
}

const (
	soundBufferBytes = 16 << 10
	minPieceDuration = 20 * time.Millisecond // a piece is at least so long, and so is the first
)

// StreamSamples passes on the samples that r sends, until its end or an error. It returns httpclient.ErrConsumerStopped
// when the consumer has stopped, and ErrSoundTooLong when more comes than there can be. None at all is an error too.
func StreamSamples(r io.Reader, rate int, maxDuration time.Duration, yield func(audio.Sound, error) bool) error {
	minimum := 2 * int(int64(rate)*int64(minPieceDuration)/int64(time.Second))
	buf := make([]byte, soundBufferBytes)
	pendingBytes, total := 0, 0 // bytes waiting in buf, samples passed on
	for {
		n, err := pendingBytes, error(nil)
		for n < minimum && err == nil {
			var more int
			more, err = r.Read(buf[n:])
			n += more
		}
		if samples := audio.FromBytes(buf[:n]); len(samples) > 0 {
			total += len(samples)
			if !yield(audio.Sound{Rate: rate, PCM: samples}, nil) {
				return httpclient.ErrConsumerStopped
			}
		}
		pendingBytes = copy(buf, buf[n-n%2:n])
		switch {
		case errors.Is(err, io.EOF) && total == 0:
			return ErrNoSound
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case audio.Duration(total, rate) > maxDuration:
			return ErrSoundTooLong
		}
	}
}
