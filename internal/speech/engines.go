package speech

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os/exec"
	"slices"
	"strings"
	"unicode"

	"parley/internal/audio"
	"parley/internal/text/words"
)

// What a configuration may name in place of an engine.
const (
	engineAuto = "auto"
	engineNone = "none"
)

// Config says what agents speak with and understand speech with.
type Config struct {
	Synthesizers []SynthesizerEngine // all that there are, in the order in which they are preferred
	Transcribers []TranscriberEngine // all that there are

	TTS      string // name of an engine, auto (also when empty) or none
	TTSURL   string // empty is the provider's own
	TTSKey   string
	TTSModel string

	STT      string // name of an engine or none (also when empty)
	STTURL   string // empty is the provider's own
	STTKey   string
	STTModel string // used whatever the agent has chosen; empty uses the table

	VoicesFile string // YAML file that is laid over the built-in table of voices and models; empty for none

	LookPath func(program string) (path string, err error) // finds programs; nil looks in PATH
}

// SynthesizerEngine is an engine that speaks.
type SynthesizerEngine struct {
	Name         string // in settings and in the table of voices
	Program      string // that must be installed; empty for a server
	Language     string // the only one that it speaks, such as en; empty if it speaks many
	LanguageName string // of that language
	Server       ServerFormat
	New          func(EngineConfig) Synthesizer
}

// TranscriberEngine is an engine that understands speech.
type TranscriberEngine struct {
	Name    string // in settings and in the table of models
	Program string // that must be installed; empty for a server
	Server  ServerFormat
	New     func(EngineConfig) Transcriber
}

// ServerFormat says how the server of an engine is called; it is empty for a program.
type ServerFormat struct {
	DefaultURL string // of the provider itself
	KeyScheme  string // before the key in the header Authorization
}

// EngineConfig says where an engine is.
type EngineConfig struct {
	Program string // its path; empty for a server
	URL     string // of a server; empty is the provider's own
	Key     string
	Model   string // to speak with; empty is the engine's default
}

// Engines are the engines of this server, chosen by the configuration, by what is installed and by the language.
// Agents' names of voices and models are looked up in a table. They do not change once set up.
type Engines struct {
	Synthesizer Synthesizer // nil if agents cannot speak
	// nil if agents do not understand speech; a LiveTranscriber where the engine transcribes while somebody speaks
	Transcriber Transcriber
	// for the operator: which programs were named and are not there, and what cannot be spoken without them
	Warnings []string

	voices     *voiceTable
	closeFuncs []func()
}

// NewEngines finds the engines. One that is not installed is no error: it is in Warnings.
func NewEngines(c Config) (*Engines, error) {
	c.TTS, c.STT = cmp.Or(c.TTS, engineAuto), cmp.Or(c.STT, engineNone)
	if c.LookPath == nil {
		c.LookPath = exec.LookPath
	}
	voices, err := loadVoices(c)
	if err != nil {
		return nil, err
	}
	e := &Engines{voices: voices}
	if err := errors.Join(e.setUpSynthesizer(c), e.setUpTranscriber(c)); err != nil {
		return nil, err
	}
	return e, nil
}

func (e *Engines) setUpSynthesizer(c Config) error {
	named := func(row SynthesizerEngine) bool { return row.Name == c.TTS }
	if c.TTS != engineAuto && c.TTS != engineNone && !slices.ContainsFunc(c.Synthesizers, named) {
		return fmt.Errorf("no speech engine is named %q", c.TTS)
	}
	hasServer := c.TTSURL != "" || c.TTSKey != ""
	s := engineSynthesizer{voiceNames: e.voices.Voices}
	var missing *SynthesizerEngine // speaks many languages and is not installed
	for _, row := range c.Synthesizers {
		if !named(row) && (c.TTS != engineAuto || (row.Program == "") != hasServer) {
			continue
		}
		config := EngineConfig{URL: c.TTSURL, Key: c.TTSKey, Model: c.TTSModel}
		if row.Program != "" {
			if config = (EngineConfig{Program: e.findProgram(c, row.Program, named(row))}); config.Program == "" {
				if row.Language == "" {
					missing = &row
				}
				continue
			}
		}
		s.engines = append(s.engines, openSynthesizer{row, row.New(config)})
		e.closeLater(s.engines[len(s.engines)-1].Synthesizer)
	}
	if len(s.engines) == 0 {
		return nil
	}
	e.Synthesizer = s
	if first := s.engines[0]; c.TTS == engineAuto && len(s.engines) == 1 && first.Language != "" && missing != nil {
		e.Warnings = append(e.Warnings, fmt.Sprintf("without %s only %s is spoken", missing.Program, first.LanguageName))
	}
	return nil
}

func (e *Engines) setUpTranscriber(c Config) error {
	if c.STT == engineNone {
		return nil
	}
	i := slices.IndexFunc(c.Transcribers, func(row TranscriberEngine) bool { return row.Name == c.STT })
	if i < 0 {
		return fmt.Errorf("no engine that understands speech is named %q", c.STT)
	}
	row, config := c.Transcribers[i], EngineConfig{URL: c.STTURL, Key: c.STTKey}
	if row.Program != "" {
		if config = (EngineConfig{Program: e.findProgram(c, row.Program, true)}); config.Program == "" {
			return nil
		}
	}
	t := engineTranscriber{modelNames: e.voices.Models, engine: row.Name, model: c.STTModel, transcriber: row.New(config)}
	e.closeLater(t.transcriber)
	e.Transcriber = t
	if live, ok := t.transcriber.(LiveTranscriber); ok {
		e.Transcriber = liveEngineTranscriber{t, live}
	}
	return nil
}

func (e *Engines) findProgram(c Config, program string, isNamed bool) string {
	path, err := c.LookPath(program)
	if err == nil {
		return path
	}
	if isNamed {
		e.Warnings = append(e.Warnings, program+" is not in PATH")
	}
	return ""
}

func (e *Engines) closeLater(engine any) {
	if c, ok := engine.(interface{ Close() }); ok {
		e.closeFuncs = append(e.closeFuncs, c.Close)
	}
}

// Close closes the connections that the engines keep.
func (e *Engines) Close() {
	for _, f := range e.closeFuncs {
		f()
	}
}

// engineSynthesizer speaks with the engine that fits the language of an utterance.
type engineSynthesizer struct {
	voiceNames engineNames // of voices
	engines    []openSynthesizer
}

type openSynthesizer struct {
	SynthesizerEngine
	Synthesizer
}

// Synthesize implements Synthesizer.
func (s engineSynthesizer) Synthesize(ctx context.Context, u Utterance) iter.Seq2[audio.Sound, error] {
	u.Language = languageTag(u.Language, u.Text)
	engine := s.engineFor(u.Language)
	u.Voice = s.voiceNames.nameFor(engine.Name, u.Voice)
	if engine.Program != "" {
		u.Text = spellOut(u.Text, u.Language)
	}
	return engine.Synthesize(ctx, u)
}

// engineFor returns the first engine that speaks the language, or the first of all.
func (s engineSynthesizer) engineFor(language string) openSynthesizer {
	for _, e := range s.engines {
		if e.Language == "" || e.Language == BaseLanguage(language) {
			return e
		}
	}
	return s.engines[0]
}

// engineTranscriber understands speech by an engine that takes whole segments.
type engineTranscriber struct {
	modelNames  engineNames // of models
	engine      string
	model       string // for all agents; empty goes by the names
	transcriber Transcriber
}

// Transcribe implements Transcriber.
func (t engineTranscriber) Transcribe(ctx context.Context, s Segment) iter.Seq2[Transcript, error] {
	s.TranscriptionHints = t.engineHints(s.TranscriptionHints)
	return t.transcriber.Transcribe(ctx, s)
}

func (t engineTranscriber) engineHints(h TranscriptionHints) TranscriptionHints {
	h.Model = cmp.Or(t.model, t.modelNames.nameFor(t.engine, h.Model))
	return h
}

// liveEngineTranscriber understands speech by an engine that transcribes while somebody speaks.
type liveEngineTranscriber struct {
	engineTranscriber
	live LiveTranscriber
}

var _ LiveTranscriber = liveEngineTranscriber{}

// StartTranscription implements LiveTranscriber.
func (t liveEngineTranscriber) StartTranscription(ctx context.Context, h TranscriptionHints,
	onInterim func(Transcript)) LiveTranscription {
	return t.live.StartTranscription(ctx, t.engineHints(h), onInterim)
}

// scriptLanguageTags are scripts that one language mostly is written in.
var scriptLanguageTags = []struct {
	table *unicode.RangeTable
	tag   string
}{
	{unicode.Hangul, "ko"}, {unicode.Hebrew, "he"}, {unicode.Greek, "el"}, {unicode.Devanagari, "hi"},
	{unicode.Thai, "th"}, {unicode.Bengali, "bn"}, {unicode.Tamil, "ta"}, {unicode.Telugu, "te"},
	{unicode.Gujarati, "gu"}, {unicode.Kannada, "kn"}, {unicode.Malayalam, "ml"}, {unicode.Gurmukhi, "pa"},
	{unicode.Georgian, "ka"}, {unicode.Armenian, "hy"}, {unicode.Ethiopic, "am"},
}

// languageTag returns the tag of the language to speak a text in: the tag, else the one that the text shows, else
// English.
func languageTag(tag, text string) string {
	if BaseLanguage(tag) != "" {
		return tag
	}
	if known := words.LikeliestLanguage(text).Tag(); known != "" {
		return known
	}
	for _, r := range text {
		for _, s := range scriptLanguageTags {
			if unicode.Is(s.table, r) {
				return s.tag
			}
		}
	}
	return "en"
}

// BaseLanguage returns the language of a tag such as pt-BR in two or three letters; empty if there is none.
func BaseLanguage(tag string) string {
	base, _, _ := strings.Cut(strings.ToLower(tag), "-")
	if base == "multi" {
		return ""
	}
	return base
}
