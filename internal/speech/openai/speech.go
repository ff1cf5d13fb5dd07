// Package openai speaks and understands speech in the wire formats of OpenAI's API, which many servers understand.
package openai

import (
	"bufio"
	"cmp"
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
	"parley/internal/httpclient"
	"parley/internal/speech"
)

// DefaultURL is the address of OpenAI itself.
const DefaultURL = "https://api.openai.com/v1"

var format = speech.ServerFormat{DefaultURL: DefaultURL, KeyScheme: "Bearer"}

// SynthesizerEngine returns the row of this engine.
func SynthesizerEngine() speech.SynthesizerEngine {
	return speech.SynthesizerEngine{Name: "openai", Server: format, New: func(c speech.EngineConfig) speech.Synthesizer {
		return &Synthesizer{
			Client: httpclient.Client{BaseURL: cmp.Or(c.URL, DefaultURL), Key: c.Key},
			Model:  cmp.Or(c.Model, defaultModel),
		}
	}}
}

// Synthesizer uses the OpenAI wire format (POST {BaseURL}/audio/speech, PCM in pieces) to any server that understands
// it.
type Synthesizer struct {
	httpclient.Client
	Model string
}

const (
	defaultModel      = "gpt-4o-mini-tts"
	defaultVoice      = "alloy"
	defaultSampleRate = 24_000 // of the format named pcm
)

// Synthesize implements speech.Synthesizer.
func (s *Synthesizer) Synthesize(ctx context.Context, u speech.Utterance) iter.Seq2[audio.Sound, error] {
	return func(yield func(audio.Sound, error) bool) {
		if err := s.synthesize(ctx, u, yield); err != nil && !errors.Is(err, httpclient.ErrConsumerStopped) {
			yield(audio.Sound{}, speech.SynthesisError(err, s.Key))
		}
	}
}

func (s *Synthesizer) synthesize(ctx context.Context, u speech.Utterance, yield func(audio.Sound, error) bool) error {
	body, err := s.encodeRequest(u)
	if err != nil || body == nil {
		return err
	}
	a, err := speech.Post(ctx, &s.Client, httpclient.Request{
		Path:        "/audio/speech",
		ContentType: "application/json",
		Accept:      "application/octet-stream",
		Body:        body,
	})
	if err != nil {
		return err
	}
	defer a.Close()
	r := bufio.NewReaderSize(a, 4<<10)
	rate, err := detectSampleRate(a.Header.Get("Content-Type"), r)
	if err != nil {
		return err
	}
	return speech.StreamSamples(r, rate, speech.MaxSoundDuration(u.Text), yield)
}

// encodeRequest returns the body to send; nil if there is nothing to speak.
func (s *Synthesizer) encodeRequest(u speech.Utterance) ([]byte, error) {
	text := strings.TrimSpace(strings.ToValidUTF8(u.Text, "\uFFFD"))
	switch {
	case !speech.IsSpeakable(text):
		return nil, nil
	case utf8.RuneCountInString(text) > speech.MaxUtteranceRunes:
		return nil, speech.ErrTextTooLong
	}
	ask := struct {
		Model        string  `json:"model"`
		Input        string  `json:"input"`
		Voice        string  `json:"voice"`
		Format       string  `json:"response_format"`
		Speed        float64 `json:"speed,omitempty"`
		Instructions string  `json:"instructions,omitempty"`
	}{Model: s.Model, Input: text, Voice: cmp.Or(u.Voice, defaultVoice), Format: "pcm"}
	if u.Speed != 1 {
		ask.Speed = u.Speed
	}
	if !strings.HasPrefix(s.Model, "tts-1") { // these do not take any
		ask.Instructions = u.Instructions
	}
	return json.Marshal(ask)
}

// detectSampleRate returns the rate of the sound that r begins with. The format named pcm has 24,000 samples per
// second; some servers say another rate in the type, or send a WAV file all the same.
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
		response, _ := io.ReadAll(io.LimitReader(r, httpclient.MaxErrorBodyBytes)) // what there is of it is enough
		return 0, httpclient.NewProviderError("the speech server sent no sound", response)
	case kind == "audio/mpeg", kind == "audio/ogg", kind == "audio/flac", kind == "audio/aac", kind == "audio/opus",
		string(start) == "OggS", string(start) == "fLaC", strings.HasPrefix(string(start), "ID3"):
		return 0, fmt.Errorf("the speech server sent %s (%q…), and not pcm", kind, start)
	case kind != "audio/pcm" && len(start) > 1 && start[0] == 0xFF && start[1]&0xE6 == 0xE2: // the first frame of an MP3
		return 0, fmt.Errorf("the speech server sent MP3 as %q, and not pcm", kind)
	case params["channels"] != "" && params["channels"] != "1":
		return 0, fmt.Errorf("the speech server sent %s channels", params["channels"])
	case params["rate"] == "":
		return defaultSampleRate, nil
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
