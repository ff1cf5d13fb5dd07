package server

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley/internal/httpapi"
	"parley/internal/speech"
	"parley/internal/speech/deepgram"
	"parley/internal/speech/local"
	"parley/internal/speech/openai"
)

// The registry of speech engines, a row each. Among those that speak, the first that fits is preferred.
var (
	synthesizerEngines = []speech.SynthesizerEngine{
		local.FliteEngine(),
		local.EspeakEngine(),
		openai.SynthesizerEngine(),
	}
	transcriberEngines = []speech.TranscriberEngine{
		openai.TranscriberEngine(),
		deepgram.Engine(),
		local.PocketsphinxEngine(),
	}
)

// FlagVars returns what the tags of settings refer to by name: the speech engines, as in enum:"${ttsEngine}".
func FlagVars() map[string]string {
	tts, stt := []string{"auto"}, []string{"none"}
	for _, e := range synthesizerEngines {
		tts = append(tts, e.Name)
	}
	for _, e := range transcriberEngines {
		stt = append(stt, e.Name)
	}
	tts = append(tts, "none")
	return map[string]string{
		"ttsEngine": strings.Join(tts, ","), "ttsEngines": joinWords(tts),
		"sttEngine": strings.Join(stt, ","), "sttEngines": joinWords(stt),
	}
}

// synthesizerServers lists the engines that speak and are servers.
func synthesizerServers() (names []string) {
	for _, e := range synthesizerEngines {
		if e.Program == "" {
			names = append(names, e.Name)
		}
	}
	return names
}

// transcriberServers lists the engines that understand speech and are servers.
func transcriberServers() (names []string) {
	for _, e := range transcriberEngines {
		if e.Program == "" {
			names = append(names, e.Name)
		}
	}
	return names
}

// joinWords returns a choice in words: "a, b or c".
func joinWords(choice []string) string {
	last := len(choice) - 1
	if last < 1 {
		return strings.Join(choice, "")
	}
	return strings.Join(choice[:last], ", ") + " or " + choice[last]
}

// SpeechConfig configures the speech engines of voice sessions.
type SpeechConfig struct {
	TTS      string `default:"auto" enum:"${ttsEngine}" env:"PARLEY_TTS" placeholder:"ENGINE"`
	TTSURL   string `name:"tts-url" env:"PARLEY_TTS_URL" placeholder:"URL" secret:"url"`
	TTSKey   string `env:"PARLEY_TTS_KEY" placeholder:"KEY" secret:"all"`
	TTSModel string `env:"PARLEY_TTS_MODEL" placeholder:"NAME"`

	STT      string `default:"none" enum:"${sttEngine}" env:"PARLEY_STT" placeholder:"ENGINE"`
	STTURL   string `name:"stt-url" env:"PARLEY_STT_URL" placeholder:"URL" secret:"url"`
	STTKey   string `env:"PARLEY_STT_KEY" placeholder:"KEY" secret:"all"`
	STTModel string `env:"PARLEY_STT_MODEL" placeholder:"NAME"`

	VoiceMap string `env:"PARLEY_VOICE_MAP" placeholder:"FILE"`
}

// Check reports invalid and incomplete settings.
func (s SpeechConfig) Check() error {
	faults := append(s.checkSynthesizer(), s.checkTranscriber()...)
	if _, err := s.Engines(); err != nil {
		faults = append(faults, fmt.Errorf("--voice-map (PARLEY_VOICE_MAP): %w", err))
	}
	return errors.Join(faults...)
}

func (s SpeechConfig) checkSynthesizer() (faults settingFaults) {
	check := faults.check
	hasServer, isServer := s.TTSURL != "" || s.TTSKey != "", slices.Contains(synthesizerServers(), s.TTS)
	check(s.TTSURL == "" || httpapi.IsHTTPURL(s.TTSURL), "--tts-url: not an http:// or https:// address")
	check(!isServer || hasServer,
		"--tts (PARLEY_TTS) is %s: say where the server is with --tts-url (PARLEY_TTS_URL), or give "+
			"--tts-key (PARLEY_TTS_KEY) for the provider's own", s.TTS)
	check(!hasServer || s.TTS == "" || s.TTS == "auto" || isServer,
		"--tts-url or --tts-key is set and --tts (PARLEY_TTS) is %s: the server would not be asked", s.TTS)
	check(s.TTSModel == "" || hasServer,
		"--tts-model (PARLEY_TTS_MODEL) is set and --tts-url (PARLEY_TTS_URL) is not: say where the model is")
	return faults
}

func (s SpeechConfig) checkTranscriber() (faults settingFaults) {
	check := faults.check
	servers := transcriberServers()
	isServer := slices.Contains(servers, s.STT)
	check(s.STTURL == "" || httpapi.IsHTTPURL(s.STTURL) || isWebSocketURL(s.STTURL),
		"--stt-url: not an address of http://, https://, ws:// or wss://")
	check(!isServer || s.STTURL != "" || s.STTKey != "",
		"--stt (PARLEY_STT) is %s: say where the server is with --stt-url (PARLEY_STT_URL), or give "+
			"--stt-key (PARLEY_STT_KEY) for the provider's own", s.STT)
	check(isServer || s.STTURL == "" && s.STTKey == "" && s.STTModel == "",
		"--stt-url, --stt-key or --stt-model is set and --stt (PARLEY_STT) names no server: set it to %s",
		joinWords(servers))
	return faults
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

// SpeechServer is a server of speech that the settings name.
type SpeechServer struct {
	Setting string // that names its address
	URL     string
	Header  string // Authorization; empty without a key
}

// SpeechServers lists the servers that voice sessions would ask.
func (s SpeechConfig) SpeechServers() (list []SpeechServer) {
	add := func(setting, address, key string, format speech.ServerFormat) {
		server := SpeechServer{Setting: setting, URL: cmp.Or(address, format.DefaultURL)}
		if key != "" {
			server.Header = format.KeyScheme + " " + key
		}
		list = append(list, server)
	}
	isAuto := (s.TTS == "" || s.TTS == "auto") && (s.TTSURL != "" || s.TTSKey != "")
	for _, e := range synthesizerEngines {
		if e.Program == "" && (isAuto || e.Name == s.TTS) {
			add("PARLEY_TTS_URL", s.TTSURL, s.TTSKey, e.Server)
		}
	}
	for _, e := range transcriberEngines {
		if e.Program == "" && e.Name == s.STT {
			add("PARLEY_STT_URL", s.STTURL, s.STTKey, e.Server)
		}
	}
	return list
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
