package speech

import (
	"cmp"
	"context"
	"iter"

	"parley/internal/audio"
)

// engineSynthesizer speaks with the engine that fits the language of an utterance.
type engineSynthesizer struct {
	voiceNames engineNames // of voices
	engines    []openSynthesizer
}

// openSynthesizer is an engine that is there.
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
func (t liveEngineTranscriber) StartTranscription(ctx context.Context, h TranscriptionHints, onInterim func(Transcript)) LiveTranscription {
	return t.live.StartTranscription(ctx, t.engineHints(h), onInterim)
}
