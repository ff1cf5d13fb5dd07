package model

import (
	"cmp"
	"errors"
	"fmt"
	"os/exec"
	"slices"
)

// The names of engines, in settings and in the table of voices.
const (
	engineAuto         = "auto"
	engineNone         = "none"
	engineOpenAI       = "openai"
	engineFlite        = "flite"
	engineEspeak       = "espeak"
	engineDeepgram     = "deepgram"
	enginePocketsphinx = "pocketsphinx"
)

// OpenAIURL is where OpenAI itself is.
const OpenAIURL = "https://api.openai.com/v1"

const openAISpeechModel = "gpt-4o-mini-tts"

// SpeechConfig says what agents speak and hear with.
type SpeechConfig struct {
	TTS      string // auto (also when empty), flite, espeak, openai, none
	TTSURL   string // empty is OpenAI's own
	TTSKey   string
	TTSModel string

	STT      string // none (also when empty), openai, deepgram, pocketsphinx
	STTURL   string // empty is the provider's own
	STTKey   string
	STTModel string // asked for whatever the agent has chosen; empty goes by the table

	VoicesFile string // YAML file that is laid over the built-in table of voices and models; empty for none

	LookPath func(program string) (path string, err error) // finds programs; nil looks in PATH
}

// SpeechEngines is the engines of this server, chosen by the configuration, by what is installed and by the language. Agents' names of
// voices and models are looked up in a table. It does not change once made.
type SpeechEngines struct {
	Synthesizer Synthesizer // nil where agents cannot speak
	Transcriber Transcriber // nil where agents do not understand speech; a LiveTranscriber where the engine hears while somebody speaks
	Warnings    []string    // for the operator: which programs were named and are not there, and what cannot be spoken without them

	voices     *voiceTable
	closeFuncs []func()
}

// NewSpeechEngines finds the engines. One that is not installed is no error: Lacks tells.
func NewSpeechEngines(c SpeechConfig) (*SpeechEngines, error) {
	c.TTS, c.STT = cmp.Or(c.TTS, engineAuto), cmp.Or(c.STT, engineNone)
	if c.LookPath == nil {
		c.LookPath = exec.LookPath
	}
	voices, err := loadVoices(c.VoicesFile)
	if err != nil {
		return nil, err
	}
	s := &SpeechEngines{voices: voices}
	if err := errors.Join(s.setUpSynthesizer(c), s.setUpTranscriber(c)); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *SpeechEngines) setUpSynthesizer(c SpeechConfig) error {
	if !slices.Contains([]string{engineAuto, engineFlite, engineEspeak, engineOpenAI, engineNone}, c.TTS) {
		return fmt.Errorf("no speech engine is named %q", c.TTS)
	}
	by := engineSynthesizer{voiceNames: s.voices.Voices}
	if c.TTS == engineOpenAI || c.TTS == engineAuto && (c.TTSURL != "" || c.TTSKey != "") {
		by.server = &OpenAISpeech{SpeechServer: SpeechServer{BaseURL: cmp.Or(c.TTSURL, OpenAIURL), Key: c.TTSKey}, Model: cmp.Or(c.TTSModel, openAISpeechModel)}
		s.Synthesizer, s.closeFuncs = by, append(s.closeFuncs, by.server.Close)
		return nil
	}
	if c.TTS == engineAuto || c.TTS == engineFlite {
		if program := s.findProgram(c, "flite", c.TTS == engineFlite); program != "" {
			by.flite = &Flite{Program: program}
		}
	}
	if c.TTS == engineAuto || c.TTS == engineEspeak {
		if program := s.findProgram(c, "espeak-ng", c.TTS == engineEspeak); program != "" {
			by.espeak = &Espeak{Program: program}
		}
	}
	if by.flite != nil || by.espeak != nil {
		s.Synthesizer = by
	}
	if c.TTS == engineAuto && by.flite != nil && by.espeak == nil {
		s.Warnings = append(s.Warnings, "without espeak-ng only English is spoken")
	}
	return nil
}

func (s *SpeechEngines) setUpTranscriber(c SpeechConfig) error {
	by := engineTranscriber{modelNames: s.voices.Models, engine: c.STT, model: c.STTModel}
	switch c.STT {
	case engineNone:
	case engineOpenAI:
		server := &OpenAITranscription{SpeechServer: SpeechServer{BaseURL: cmp.Or(c.STTURL, OpenAIURL), Key: c.STTKey}}
		by.transcriber, s.closeFuncs = server, append(s.closeFuncs, server.Close)
		s.Transcriber = by
	case engineDeepgram:
		server := &Deepgram{SpeechServer: SpeechServer{BaseURL: cmp.Or(c.STTURL, DeepgramURL), Key: c.STTKey}}
		by.transcriber, s.closeFuncs = server, append(s.closeFuncs, server.Close)
		s.Transcriber = liveEngineTranscriber{by, server}
	case enginePocketsphinx:
		if program := s.findProgram(c, "pocketsphinx_continuous", true); program != "" {
			by.transcriber = &Pocketsphinx{Program: program}
			s.Transcriber = by
		}
	default:
		return fmt.Errorf("no engine that understands speech is named %q", c.STT)
	}
	return nil
}

func (s *SpeechEngines) findProgram(c SpeechConfig, program string, wanted bool) string {
	path, err := c.LookPath(program)
	if err == nil {
		return path
	}
	if wanted {
		s.Warnings = append(s.Warnings, program+" is not in PATH")
	}
	return ""
}

// Close drops what connections the engines keep.
func (s *SpeechEngines) Close() {
	for _, f := range s.closeFuncs {
		f()
	}
}
