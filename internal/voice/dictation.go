package voice

import (
	"context"
	"time"

	"parley"
	"parley/internal/audio"
	"parley/internal/speech"
)

// The limits of dictation.
const (
	MaxDictation      = 30 * time.Second
	MaxDictationBytes = 30*speech.SampleRate*2 + 64<<10 // of a WAV file with headers
	dictationTimeout  = 30 * time.Second
)

// Dictation turns speech into text for people who would rather not type.
type Dictation struct {
	Transcriber speech.Transcriber // nil if this server has none
}

// Transcribe returns what was said in a WAV file, in the words of the agent's transcriber; settings are the agent's, or
// nil. Fails with NOT_FOUND where there is no transcriber, and with VALIDATION_INVALID_BODY.
func (d *Dictation) Transcribe(ctx context.Context, file []byte, locale string,
	settings *parley.VoiceSettings) (text string, err error) {
	if d.Transcriber == nil {
		return "", parley.NewErrorf(parley.CodeNotFound, "This server does not take dictation.")
	}
	sound, err := audio.ReadWAV(file, speech.SampleRate)
	switch {
	case err != nil:
		return "", parley.Invalid("body", "must be a WAV file of 16-bit samples in one channel at 16 kHz")
	case sound.Duration() > MaxDictation:
		return "", parley.Invalid("body", "must be at most 30 seconds long")
	case len(sound.PCM) == 0:
		return "", nil
	}
	segment := speech.Segment{PCM: sound.PCM}
	if segment.Language = locale; settings != nil {
		segment.Model = settings.Transcriber.Model
	}
	ctx, stop := context.WithTimeout(ctx, dictationTimeout)
	defer stop()
	for transcript, err := range d.Transcriber.Transcribe(ctx, segment) {
		if err != nil {
			return "", err
		}
		text = transcript.Text
	}
	return text, nil
}
