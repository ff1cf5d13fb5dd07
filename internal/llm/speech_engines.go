package llm

import (
	"cmp"
	"context"
	"iter"

	"parley/internal/pcm"
)

// speaker speaks with the engine that fits: a server, where there is one; else flite for English and espeak-ng for other
// languages, as far as they are there.
type speaker struct {
	names  engineNames // of voices
	server *OpenAISpeech
	flite  *Flite
	espeak *Espeak
}

// Speak implements Synthesizer.
func (s speaker) Speak(ctx context.Context, u Utterance) iter.Seq2[pcm.Sound, error] {
	u.Language = spokenIn(u.Language, u.Text)
	var by Synthesizer = s.espeak
	engine := engineEspeak
	switch {
	case s.server != nil:
		by, engine = s.server, engineOpenAI
	case s.espeak == nil, s.flite != nil && baseLanguage(u.Language) == "en":
		by, engine = s.flite, engineFlite
	}
	u.Voice = s.names.of(engine, u.Voice)
	if s.server == nil {
		u.Text = readable(u.Text, u.Language)
	}
	return by.Speak(ctx, u)
}

// hearer understands speech by an engine that takes whole segments.
type hearer struct {
	names  engineNames // of models
	engine string
	model  string // for all agents; empty goes by the names
	by     Transcriber
}

// Transcribe implements Transcriber.
func (h hearer) Transcribe(ctx context.Context, s Segment) iter.Seq2[Transcript, error] {
	s.Hints = h.hints(s.Hints)
	return h.by.Transcribe(ctx, s)
}

func (h hearer) hints(given Hints) Hints {
	given.Model = cmp.Or(h.model, h.names.of(h.engine, given.Model))
	return given
}

// listener understands speech by an engine that hears while somebody speaks.
type listener struct {
	hearer
	live Listener
}

var _ Listener = listener{}

// Listen implements Listener.
func (l listener) Listen(ctx context.Context, h Hints, interim func(Transcript)) Dictation {
	return l.live.Listen(ctx, l.hints(h), interim)
}
