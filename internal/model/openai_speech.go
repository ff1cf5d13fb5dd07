package model

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"strconv"
	"strings"
	"unicode/utf8"

	"parley/internal/audio"
)

// OpenAISpeech speaks the OpenAI wire format (POST {BaseURL}/audio/speech, PCM in pieces) to any server that understands it.
type OpenAISpeech struct {
	SpeechServer
	Model string
}

var _ Synthesizer = (*OpenAISpeech)(nil)

const (
	defaultOpenAIVoice = "alloy"
	openAISampleRate   = 24_000 // of the format named pcm
)

// Synthesize implements Synthesizer.
func (o *OpenAISpeech) Synthesize(ctx context.Context, u Utterance) iter.Seq2[audio.Sound, error] {
	return func(yield func(audio.Sound, error) bool) {
		if err := o.synthesize(ctx, u, yield); err != nil && !errors.Is(err, errConsumerStopped) {
			yield(audio.Sound{}, newSpeechError(speakFailureMessage, err, o.Key))
		}
	}
}

func (o *OpenAISpeech) synthesize(ctx context.Context, u Utterance, yield func(audio.Sound, error) bool) error {
	body, err := o.encodeRequest(u)
	if err != nil || body == nil {
		return err
	}
	a, err := o.post(ctx, "/audio/speech", "application/json", "application/octet-stream", body)
	if err != nil {
		return err
	}
	defer a.close()
	r := bufio.NewReaderSize(a, 4<<10)
	rate, err := detectSampleRate(a.responseHeader.Get("Content-Type"), r)
	if err != nil {
		return err
	}
	return streamSamples(r, rate, maxSoundDuration(u.Text), yield)
}

// encodeRequest is the body to send; nil where there is nothing to say.
func (o *OpenAISpeech) encodeRequest(u Utterance) ([]byte, error) {
	text := strings.TrimSpace(strings.ToValidUTF8(u.Text, "\uFFFD"))
	switch {
	case !isSpeakable(text):
		return nil, nil
	case utf8.RuneCountInString(text) > MaxUtteranceRunes:
		return nil, errTextTooLong
	}
	ask := struct {
		Model        string  `json:"model"`
		Input        string  `json:"input"`
		Voice        string  `json:"voice"`
		Format       string  `json:"response_format"`
		Speed        float64 `json:"speed,omitempty"`
		Instructions string  `json:"instructions,omitempty"`
	}{o.Model, text, u.Voice, "pcm", 0, ""}
	if ask.Voice == "" {
		ask.Voice = defaultOpenAIVoice
	}
	if u.Speed != 1 {
		ask.Speed = u.Speed
	}
	if !strings.HasPrefix(o.Model, "tts-1") { // these do not take any
		ask.Instructions = u.Instructions
	}
	return json.Marshal(ask)
}

// detectSampleRate tells the rate of the sound that r begins with. The format named pcm has 24,000 samples per second; some servers say
// another rate in the type, or send a WAV file all the same.
func detectSampleRate(contentType string, r *bufio.Reader) (int, error) {
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind = ""
	}
	start, err := r.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	switch {
	case string(start) == "RIFF":
		return audio.ReadWAVRate(r)
	case strings.HasPrefix(kind, "text/"), strings.HasSuffix(kind, "json"):
		response, _ := io.ReadAll(io.LimitReader(r, maxErrorBodyBytes)) // what there is of it is enough
		return 0, newProviderError("the speech server sent no sound", response)
	case kind == "audio/mpeg", kind == "audio/ogg", kind == "audio/flac", kind == "audio/aac", kind == "audio/opus",
		string(start) == "OggS", string(start) == "fLaC", strings.HasPrefix(string(start), "ID3"):
		return 0, fmt.Errorf("the speech server sent %s (%q…), and not pcm", kind, start)
	case kind != "audio/pcm" && len(start) > 1 && start[0] == 0xFF && start[1]&0xE6 == 0xE2: // the first frame of an MP3
		return 0, fmt.Errorf("the speech server sent MP3 as %q, and not pcm", kind)
	case params["channels"] != "" && params["channels"] != "1":
		return 0, fmt.Errorf("the speech server sent %s channels", params["channels"])
	case params["rate"] == "":
		return openAISampleRate, nil
	}
	rate, err := strconv.Atoi(params["rate"])
	if err == nil {
		_, err = audio.NewResampler(rate, rate)
	}
	if err != nil {
		return 0, fmt.Errorf("the speech server sent sound of rate %q", params["rate"])
	}
	return rate, nil
}
