package local

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strconv"
	"strings"
	"time"

	"parley/internal/audio"
	"parley/internal/httpclient"
	"parley/internal/speech"
	"parley/internal/text/words"
)

// Flite speaks English with the program flite. The text goes in by its standard input; the sound comes out as a whole,
// by a temporary file, since flite goes back in its output.
type Flite struct {
	Program string        // path of flite
	Timeout time.Duration // longest time for an utterance; 0 is 10 s
}

// FliteEngine returns the row of this engine.
func FliteEngine() speech.SynthesizerEngine {
	return speech.SynthesizerEngine{Name: "flite", Program: "flite", Language: "en", LanguageName: "English",
		New: func(c speech.EngineConfig) speech.Synthesizer { return &Flite{Program: c.Program} }}
}

const fliteSampleRate = 16_000 // samples per second, of its best voices

// Synthesize implements speech.Synthesizer. The voice is one of flite's own, such as rms or slt.
func (f *Flite) Synthesize(ctx context.Context, u speech.Utterance) iter.Seq2[audio.Sound, error] {
	return func(yield func(audio.Sound, error) bool) {
		sound, err := f.synthesize(ctx, u)
		switch {
		case err != nil:
			yield(audio.Sound{}, speech.SynthesisError(err, ""))
		case len(sound.PCM) > 0:
			yield(sound, nil)
		}
	}
}

func (f *Flite) synthesize(ctx context.Context, u speech.Utterance) (sound audio.Sound, err error) {
	if language := speech.BaseLanguage(u.Language); language != "" && language != "en" {
		return sound, fmt.Errorf("flite speaks English and not %q", language)
	}
	text := cleanFliteText(u.Text)
	switch {
	case !speech.IsSpeakable(u.Text):
		return sound, nil
	case !speech.IsSpeakable(text):
		return sound, errors.New("flite reads Latin letters only")
	case len(text) > 4*speech.MaxUtteranceRunes:
		return sound, speech.ErrTextTooLong
	}
	file, err := os.CreateTemp("", "parley-speech-*.wav")
	if err != nil {
		return sound, err
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
	stretch := 1.0
	if u.Speed > 0 {
		stretch = 1 / u.Speed
	}
	voice := u.Voice
	if voice == "" || strings.Trim(voice, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" { // others are files
		voice = "rms"
	}
	_, err = runProgram(ctx, cmp.Or(f.Timeout, 10*time.Second), httpclient.MaxCauseBytes, strings.NewReader(text),
		f.Program, "-voice", voice, "--setf", "duration_stretch="+strconv.FormatFloat(stretch, 'f', 3, 64),
		"-f", "/dev/stdin", "-o", file.Name())
	if err != nil {
		return sound, err
	}
	limit := int64(speech.MaxSoundDuration(u.Text)/time.Second) * 2 * fliteSampleRate
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	switch {
	case err != nil:
		return sound, err
	case int64(len(data)) > limit:
		return sound, speech.ErrSoundTooLong
	}
	sound, err = audio.ReadWAV(data)
	if err == nil && len(sound.PCM) == 0 {
		err = speech.ErrNoSound
	}
	return sound, err
}

var fliteReplacements = strings.NewReplacer("‘", "'", "’", "'", "“", `"`, "”", `"`, "–", ", ", "—", ", ", "…", "...",
	"€", " euros ", "£", " pounds ", "°", " degrees ", "&", " and ")

// cleanFliteText returns the text in ASCII, which is all that flite reads: letters lose their accents, other signs are
// left out.
func cleanFliteText(text string) string {
	var b strings.Builder
	for _, r := range fliteReplacements.Replace(text) {
		switch {
		case r >= ' ' && r < 0x7F:
			b.WriteRune(r)
		case r < 0x80:
			b.WriteByte(' ')
		default:
			plain := words.Fold(string(r))
			if strings.IndexFunc(plain, func(r rune) bool { return r < ' ' || r >= 0x7F }) >= 0 {
				plain = " "
			}
			b.WriteString(plain)
		}
	}
	return b.String()
}
