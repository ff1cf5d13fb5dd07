package server

import (
	"errors"
	"fmt"

	"parley/internal/speech"
	"parley/internal/speech/deepgram"
	"parley/internal/speech/local"
	"parley/internal/speech/openai"
)

// The speech engines that there are; the enumerations of SpeechConfig list their names. Among those that speak, the
// first that fits is preferred.
var (
	synthesizerEngines = []speech.SynthesizerEngine{openai.SynthesizerEngine(), local.FliteEngine(), local.EspeakEngine()}
	transcriberEngines = []speech.TranscriberEngine{openai.TranscriberEngine(), deepgram.Engine(),
		local.PocketsphinxEngine()}
)

// SpeechConfig configures the speech engines of voice sessions.
type SpeechConfig struct {
	TTS      string `default:"auto" enum:"auto,flite,espeak,openai,none" env:"PARLEY_TTS" placeholder:"ENGINE"`
	TTSURL   string `name:"tts-url" env:"PARLEY_TTS_URL" placeholder:"URL" secret:"url"`
	TTSKey   string `env:"PARLEY_TTS_KEY" placeholder:"KEY" secret:"all"`
	TTSModel string `env:"PARLEY_TTS_MODEL" placeholder:"NAME"`

	STT      string `default:"none" enum:"none,openai,deepgram,pocketsphinx" env:"PARLEY_STT" placeholder:"ENGINE"`
	STTURL   string `name:"stt-url" env:"PARLEY_STT_URL" placeholder:"URL" secret:"url"`
	STTKey   string `env:"PARLEY_STT_KEY" placeholder:"KEY" secret:"all"`
	STTModel string `env:"PARLEY_STT_MODEL" placeholder:"NAME"`

	VoiceMap string `env:"PARLEY_VOICE_MAP" placeholder:"FILE"`
}

// Check reports invalid and incomplete settings.
func (s SpeechConfig) Check() error {
	var faults settingFaults
	check := faults.check
	server := s.TTSURL != "" || s.TTSKey != ""
	check(s.TTSURL == "" || isHTTPURL(s.TTSURL), "--tts-url: not an http:// or https:// address")
	check(s.TTS != "openai" || server,
		"--tts (PARLEY_TTS) is openai: say where the server is with --tts-url (PARLEY_TTS_URL), or give "+
			"--tts-key (PARLEY_TTS_KEY) for OpenAI's own")
	check(!server || s.TTS == "" || s.TTS == "auto" || s.TTS == "openai",
		"--tts-url or --tts-key is set and --tts (PARLEY_TTS) is %s: the server would not be asked", s.TTS)
	check(s.TTSModel == "" || server,
		"--tts-model (PARLEY_TTS_MODEL) is set and --tts-url (PARLEY_TTS_URL) is not: say where the model is")
	remote := s.STT == "openai" || s.STT == "deepgram"
	check(s.STTURL == "" || isHTTPURL(s.STTURL) || isWebSocketURL(s.STTURL),
		"--stt-url: not an address of http://, https://, ws:// or wss://")
	check(!remote || s.STTURL != "" || s.STTKey != "",
		"--stt (PARLEY_STT) is %s: say where the server is with --stt-url (PARLEY_STT_URL), or give "+
			"--stt-key (PARLEY_STT_KEY) for the provider's own", s.STT)
	check(remote || s.STTURL == "" && s.STTKey == "" && s.STTModel == "",
		"--stt-url, --stt-key or --stt-model is set and --stt (PARLEY_STT) names no server: set it to openai or deepgram")
	if _, err := s.Engines(); err != nil {
		faults = append(faults, fmt.Errorf("--voice-map (PARLEY_VOICE_MAP): %w", err))
	}
	return errors.Join(faults...)
}

// Engines finds what agents speak and hear with. Without an engine for one of the two, voice sessions are in writing
// that way.
func (s SpeechConfig) Engines() (*speech.Engines, error) {
	return speech.NewEngines(speech.Config{
		Synthesizers: synthesizerEngines,
		Transcribers: transcriberEngines,
		TTS:          s.TTS,
		TTSURL:       s.TTSURL,
		TTSKey:       s.TTSKey,
		TTSModel:     s.TTSModel,
		STT:          s.STT,
		STTURL:       s.STTURL,
		STTKey:       s.STTKey,
		STTModel:     s.STTModel,
		VoicesFile:   s.VoiceMap,
	})
}

// speechEngines finds them and warns of those that are named and not there.
func (c Config) speechEngines() (*speech.Engines, error) {
	engines, err := c.Engines()
	if err != nil {
		return nil, err
	}
	for _, lack := range engines.Warnings {
		c.Logger.Warn("a speech engine is missing; voice sessions do without", "engine", lack)
	}
	return engines, nil
}
