package voice

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"parley"
	"parley/internal/llm"
	"parley/internal/voice/rtc"
)

// saying is what the agent says in one go: an answer, or a sentence of its own. The talk's goroutine owns it, but for record.
type saying struct {
	record
	segment  string // its id in the transcript
	question string // what it answers; empty for what the agent says of itself
	text     string
	whole    bool  // nothing will be added to the text
	steps    []int // where the text goes on after a tool was used: a piece ends there
	cut      int   // how much of the text is in pieces
	pieces   []*piece
	shown    int // how much of the text the client was shown
	made     time.Time
	begun    time.Time // when it began to be heard, or read; zero before
	failed   *parley.Error
	timing   timing

	ctx  context.Context // of its speech
	stop context.CancelFunc
}

// piece is a stretch of a saying's text that is spoken as one clip.
type piece struct {
	id       string
	from, to int                       // in the saying's text
	speech   string                    // empty where there is nothing to speak
	first    atomic.Pointer[time.Time] // when its first sound was there
	samples  atomic.Int64
	asked    bool // its speech is being made, or was
	whole    bool // all of its speech was made
	begun    bool
	ended    bool
}

// made is what became of the speech of a piece.
type made struct {
	piece *piece
	err   error // of the engine, while it was still wanted
}

func (t *talk) newSaying(question string) *saying {
	s := &saying{record: newRecord(t.before), segment: parley.NewUUID(), question: question, made: t.Now()}
	s.ctx, s.stop = context.WithCancel(t.ctx)
	t.said, t.quiet, t.maybe = s, 0, 0
	if question != "" {
		t.asked = question
	}
	return s
}

// ahead is how many pieces are made before they are needed.
const ahead = 3

// feed cuts what has been said into pieces and has their speech made, one after the other.
func (t *talk) feed(s *saying) {
	for {
		end, ok := s.next()
		if !ok {
			break
		}
		p := &piece{id: parley.NewUUID(), from: s.cut, to: end}
		if t.Synthesizer != nil {
			p.speech = aloud(s.text[s.cut:end])
		}
		s.pieces, s.cut = append(s.pieces, p), end
		s.timing.at(&s.timing.piece, t.Now())
	}
	waiting := 0
	for _, p := range s.pieces {
		switch {
		case p.ended:
		case p.speech == "":
			t.skip(s, p)
		case p.asked:
			if waiting++; !p.whole || waiting >= ahead {
				return
			}
		default:
			t.make(s, p)
			return
		}
	}
}

// next gives where the next piece of the text ends.
func (s *saying) next() (end int, ok bool) {
	for _, step := range s.steps {
		if step > s.cut {
			return nextPiece(s.text[:step], s.cut, true)
		}
	}
	return nextPiece(s.text, s.cut, s.whole)
}

// skip passes over a piece that is not spoken, once those before it have been.
func (t *talk) skip(s *saying, p *piece) {
	for _, before := range s.pieces {
		if before == p {
			break
		}
		if !before.ended {
			return
		}
	}
	p.begun, p.ended = true, true
	if t.Synthesizer == nil {
		t.hearBegin(s, t.Now())
		t.showText(s, p.to)
	}
}

// speechPieces is how much speech of a piece may wait to be played, in the engine's own pieces.
const speechPieces = 1024

// make has the speech of a piece made, and queues it behind what is played.
func (t *talk) make(s *saying, p *piece) {
	p.asked = true
	sound := make(chan []int16, speechPieces)
	t.room.Play(rtc.Clip{ID: p.id, PCM: sound})
	var copied *reel
	t.taped(func(tape *tape) { copied = tape.reel(p.id) })
	t.work.Add(1)
	go func() {
		defer t.work.Done()
		m := made{p, t.pour(s, p, sound, copied)}
		close(sound)
		select {
		case t.made <- m:
		case <-t.over:
		}
	}()
}

// pour has a piece spoken until all of it is there, or nobody wants it any more: only a failure before that is one.
func (t *talk) pour(s *saying, p *piece, sound chan<- []int16, copied *reel) error {
	for pcm, err := range llm.At(rtc.SpeakRate, t.Synthesizer.Speak(s.ctx, t.utterance(p.speech))) {
		if s.ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if now := t.Now(); len(pcm) > 0 {
			p.first.CompareAndSwap(nil, &now)
		}
		p.samples.Add(int64(len(pcm)))
		copied.add(pcm)
		select {
		case sound <- pcm:
		case <-s.ctx.Done():
			return nil
		}
	}
	return nil
}

// utterance is how the agent says something.
func (t *talk) utterance(text string) llm.Utterance {
	v := t.set.Voice
	return llm.Utterance{Text: text, Voice: v.Name, Language: t.set.Transcriber.Language, Speed: v.Speed, Instructions: v.Instructions}
}

// voiced takes in that the speech of a piece was made, or could not be: then it is shown only.
func (t *talk) voiced(m made) {
	m.piece.whole = true
	if m.err != nil {
		t.Logger.Warn("speech synthesis", "session", t.live.ID, "err", m.err)
		t.fault("The answer could not be spoken; it is shown as text.")
	}
}

// find gives the piece of what is being said that a clip is.
func (t *talk) find(clip string) *piece {
	if t.said != nil {
		for _, p := range t.said.pieces {
			if p.id == clip {
				return p
			}
		}
	}
	return nil
}

// started shows the text of a piece when its first sound has left.
func (t *talk) started(e rtc.Event) {
	t.taped(func(tape *tape) { tape.started(e.ID, e.At) })
	p := t.find(e.ID)
	if p == nil {
		return
	}
	p.begun = true
	t.hearBegin(t.said, e.At)
	t.showText(t.said, p.to)
}

func (t *talk) ended(e rtc.Event) {
	t.taped(func(tape *tape) { tape.ended(e.ID, e.At) })
	t.sounded += e.Played
	p := t.find(e.ID)
	if p == nil {
		return
	}
	p.begun, p.ended, p.whole = true, true, true
	t.hearBegin(t.said, e.At)
	t.showText(t.said, p.to)
}

// hearBegin notes that the customer begins to hear, or to read, what is said.
func (t *talk) hearBegin(s *saying, at time.Time) {
	if s.begun.IsZero() {
		s.begun = at
		for _, p := range s.pieces {
			if first := p.first.Load(); first != nil {
				s.timing.at(&s.timing.sound, *first)
			}
		}
		s.timing.at(&s.timing.out, at)
		t.Meter.turn(t, s)
	}
}

func (t *talk) showText(s *saying, to int) {
	if to > s.shown {
		s.shown = to
		t.room.Transcript(rtc.Segment{ID: s.segment, Text: strings.TrimSpace(s.text[:to])})
	}
}

// done reports that all of it was said.
func (s *saying) done() bool {
	if !s.whole || s.cut < len(s.text) {
		return false
	}
	for _, p := range s.pieces {
		if !p.ended {
			return false
		}
	}
	return true
}
