package llm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strconv"
	"strings"
	"time"

	"parley/internal/pcm"
	"parley/internal/words"
)

// Flite speaks English with the program flite. The text goes in by its standard input; the sound comes out as a whole, by a
// temporary file, since flite goes back in its output.
type Flite struct {
	Program string        // path of flite
	Wait    time.Duration // longest time for an utterance; 0 is 10 s
}

var _ Synthesizer = (*Flite)(nil)

const fliteRate = 16_000 // samples per second, of its best voices

// Speak implements Synthesizer. The voice is one of flite's own, such as rms or slt.
func (f *Flite) Speak(ctx context.Context, u Utterance) iter.Seq2[pcm.Sound, error] {
	return func(yield func(pcm.Sound, error) bool) {
		sound, err := f.speak(ctx, u)
		switch {
		case err != nil:
			yield(pcm.Sound{}, speechFailed(cannotSpeak, err, ""))
		case len(sound.PCM) > 0:
			yield(sound, nil)
		}
	}
}

func (f *Flite) speak(ctx context.Context, u Utterance) (sound pcm.Sound, err error) {
	if language := baseLanguage(u.Language); language != "" && language != "en" {
		return sound, fmt.Errorf("flite speaks English and not %q", language)
	}
	text := fliteText(u.Text)
	switch {
	case !sayable(u.Text):
		return sound, nil
	case !sayable(text):
		return sound, errors.New("flite reads Latin letters only")
	}
	if len(text) > 4*LongestUtterance {
		return sound, errTooLong
	}
	file, err := os.CreateTemp("", "parley-speech-*.wav")
	if err != nil {
		return sound, err
	}
	defer func() {
		err = errors.Join(err, file.Close(), os.Remove(file.Name()))
	}()
	stretch := 1.0
	if u.Speed > 0 {
		stretch = 1 / u.Speed
	}
	voice := u.Voice
	if voice == "" || strings.Trim(voice, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" { // others are files
		voice = "rms"
	}
	_, err = runProgram(ctx, or(f.Wait, 10*time.Second), maxCause, strings.NewReader(text), f.Program,
		"-voice", voice, "--setf", "duration_stretch="+strconv.FormatFloat(stretch, 'f', 3, 64), "-f", "/dev/stdin", "-o", file.Name())
	if err != nil {
		return sound, err
	}
	most := int64(longestSound(u.Text)/time.Second) * 2 * fliteRate
	written, err := io.ReadAll(io.LimitReader(file, most+1))
	switch {
	case err != nil:
		return sound, err
	case int64(len(written)) > most:
		return sound, errSoundEnd
	}
	sound, err = pcm.ReadWAV(written)
	if err == nil && len(sound.PCM) == 0 {
		err = errNoSound
	}
	return sound, err
}

var fliteSigns = strings.NewReplacer("‘", "'", "’", "'", "“", `"`, "”", `"`, "–", ", ", "—", ", ", "…", "...", "€", " euros ", "£", " pounds ", "°", " degrees ", "&", " and ")

// fliteText gives the text in ASCII, which is all that flite reads: letters lose their accents, other signs are left out.
func fliteText(text string) string {
	var b strings.Builder
	for _, r := range fliteSigns.Replace(text) {
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
