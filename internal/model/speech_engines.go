package model

import (
	"cmp"
	"context"
	"iter"

	"parley/internal/audio"
)

// engineSynthesizer speaks with the engine that fits: a server, where there is one; else flite for English and espeak-ng for other
// languages, as far as they are there.
type engineSynthesizer struct {
	voiceNames engineNames // of voices
	server     *OpenAISpeech
	flite      *Flite
	espeak     *Espeak
}

// Synthesize implements Synthesizer.
func (s engineSynthesizer) Synthesize(ctx context.Context, u Utterance) iter.Seq2[audio.Sound, error] {
	u.Language = speechLanguageTag(u.Language, u.Text)
	var synthesizer Synthesizer = s.espeak
	engine := engineEspeak
	switch {
	case s.server != nil:
		synthesizer, engine = s.server, engineOpenAI
	case s.espeak == nil, s.flite != nil && baseLanguage(u.Language) == "en":
		synthesizer, engine = s.flite, engineFlite
	}
	u.Voice = s.voiceNames.nameFor(engine, u.Voice)
	if s.server == nil {
		u.Text = spellOutForSpeech(u.Text, u.Language)
	}
	return synthesizer.Synthesize(ctx, u)
}

// engineTranscriber understands speech by an engine that takes whole segments.
type engineTranscriber struct {
	modelNames  engineNames // of models
	engine      string
	model       string // for all agents; empty goes by the names
	transcriber Transcriber
}

// Transcribe implements Transcriber.
func (h engineTranscriber) Transcribe(ctx context.Context, s Segment) iter.Seq2[Transcript, error] {
	s.TranscriptionHints = h.engineHints(s.TranscriptionHints)
	return h.transcriber.Transcribe(ctx, s)
}

func (h engineTranscriber) engineHints(given TranscriptionHints) TranscriptionHints {
	given.Model = cmp.Or(h.model, h.modelNames.nameFor(h.engine, given.Model))
	return given
}

// liveEngineTranscriber understands speech by an engine that hears while somebody speaks.
type liveEngineTranscriber struct {
	engineTranscriber
	live LiveTranscriber
}

var _ LiveTranscriber = liveEngineTranscriber{}

// StartTranscription implements LiveTranscriber.
func (l liveEngineTranscriber) StartTranscription(ctx context.Context, h TranscriptionHints, interim func(Transcript)) LiveTranscription {
	return l.live.StartTranscription(ctx, l.engineHints(h), interim)
}
