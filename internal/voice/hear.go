package voice

import (
	"context"
	"errors"
	"time"

	"parley"
	"parley/internal/llm"
	"parley/internal/voice/ear"
	"parley/internal/voice/rtc"
)

// segment is what the customer says between two silences.
type segment struct {
	id     string
	began  time.Time
	onset  time.Time // when its first sound came: it takes some to tell that it is a voice
	voiced time.Duration
	text   string // what was understood so far
	shown  string
	rests  bool // silent for a moment
	ended  bool
	known  bool // the text is that of all that was said
	err    error
	at     time.Time     // when it ended
	hang   time.Duration // how long the silence before that was

	version   int                // grows whenever there is more to understand
	stop      context.CancelFunc // of the work on the last version
	working   bool
	dictation llm.Dictation
}

func (s *segment) drop() {
	if s.stop != nil {
		s.stop()
	}
	if s.dictation != nil {
		s.dictation.Close()
	}
}

// understood is the text of a segment, as it was at a version.
type understood struct {
	segment *segment
	version int
	interim bool
	text    string
	err     error
}

// hear takes the next 20 ms of the customer's voice.
func (t *talk) hear(f rtc.Frame) {
	if t.tape != nil {
		t.tape.hear(f.PCM, f.At)
	}
	if t.ear == nil {
		return
	}
	if t.goodbye || t.said != nil && !t.said.begun.IsZero() && !t.set.AllowInterruptions {
		t.silenced()
		t.deaf = true
		return
	}
	t.deaf, t.heardAt = false, t.Now()
	for _, e := range t.ear.Hear(f.PCM) {
		t.noticed(e, f.At)
	}
	if s := t.current(); s != nil {
		s.voiced = max(s.voiced, t.ear.Voiced())
		if s.dictation != nil {
			s.dictation.Add(f.PCM)
		}
	}
}

// silenced forgets what was begun and cannot come to an end any more.
func (t *talk) silenced() {
	if t.ear == nil || t.deaf {
		return
	}
	t.ear.Reset()
	if s := t.current(); s != nil {
		t.forget(s)
	}
}

const (
	microphoneGap = 300 * time.Millisecond // without any sound: browsers send nothing while it is silent, or the microphone is muted
	hushed        = 4 * time.Second        // of silence end every turn
)

// hush has the ear hear silence, where nothing comes: what was being said ends.
func (t *talk) hush(length time.Duration) {
	if t.ear == nil {
		return
	}
	silence := make([]int16, rtc.HearRate/50)
	for ; length > 0 && t.ear.Speaking(); length -= rtc.FrameTime {
		for _, e := range t.ear.Hear(silence) {
			t.noticed(e, t.Now())
		}
	}
}

// current is the segment that is being spoken.
func (t *talk) current() *segment {
	if n := len(t.segments); n > 0 && !t.segments[n-1].ended {
		return t.segments[n-1]
	}
	return nil
}

// noticed takes in what was noticed in the sound that came then.
func (t *talk) noticed(e ear.Event, at time.Time) {
	if e.Kind == ear.Onset {
		s := &segment{id: parley.NewUUID(), began: t.Now(), onset: at.Add(rtc.FrameTime - e.Voiced)}
		t.segments = append(t.segments, s)
		t.dictate(s, e.PCM)
		return
	}
	s := t.current()
	if s == nil {
		return
	}
	s.voiced = max(s.voiced, e.Voiced)
	switch e.Kind {
	case ear.Pause:
		s.rests = true
		t.understandSoFar(s, e.PCM)
	case ear.Again:
		s.version++
		s.known, s.rests, s.working = false, false, false
		if s.stop != nil && s.dictation == nil {
			s.stop()
		}
	case ear.End:
		s.ended, s.at, s.hang = true, t.Now(), e.Silence
		if !s.known && !s.working {
			t.understandSoFar(s, e.PCM)
		}
		t.answer()
	case ear.Noise:
		t.forget(s)
	case ear.Onset:
	}
}

// dictate begins to write along, where the engine can.
func (t *talk) dictate(s *segment, pcm []int16) {
	listener, ok := t.Transcriber.(llm.Listener)
	if !ok {
		return
	}
	ctx, stop := context.WithCancel(t.ctx)
	s.stop = stop
	s.dictation = listener.Listen(ctx, t.hints(), func(said llm.Transcript) { t.report(understood{segment: s, interim: true, text: said.Text}) })
	s.dictation.Add(pcm)
}

// hints tell the engine what it will hear.
func (t *talk) hints() llm.Hints {
	return llm.Hints{Model: t.set.Transcriber.Model, Language: t.set.Transcriber.Language, Speaker: string(t.live.ID)}
}

// writeTime is how long the understanding of a segment may take.
const writeTime = 15 * time.Second

// understandSoFar has the segment written down as far as it goes. Where nothing is added the text is there when the turn ends.
func (t *talk) understandSoFar(s *segment, pcm []int16) {
	if s.dictation != nil && !s.ended {
		t.ear.Judge(ear.LookOf(s.text)) // the interim text tells
		return
	}
	ctx, stop := context.WithTimeout(t.ctx, writeTime)
	s.version++
	version, dictation := s.version, s.dictation
	s.working = true
	if dictation == nil {
		s.stop = stop
	}
	t.work.Add(1)
	go func() {
		defer t.work.Done()
		defer stop()
		var text string
		var err error
		if dictation != nil {
			text, err = dictation.End(ctx)
		} else {
			text, err = t.transcribe(ctx, s, pcm)
		}
		t.report(understood{segment: s, version: version, text: text, err: err})
	}()
}

// transcribe gives the text of a segment; what is understood on the way is told.
func (t *talk) transcribe(ctx context.Context, s *segment, pcm []int16) (text string, err error) {
	for said, err := range t.Transcriber.Transcribe(ctx, llm.Segment{Hints: t.hints(), PCM: pcm}) {
		if err != nil {
			return "", err
		}
		if text = said.Text; !said.Final && text != "" {
			t.report(understood{segment: s, interim: true, text: text})
		}
	}
	return text, nil
}

func (t *talk) report(u understood) {
	select {
	case t.texts <- u:
	case <-t.over:
	}
}

// understand takes in what was understood.
func (t *talk) understand(u understood) {
	s := u.segment
	if s.known || !u.interim && u.version != s.version {
		return
	}
	if u.interim {
		s.text = u.text
		if s.rests && !s.ended {
			t.ear.Judge(ear.LookOf(s.text))
		}
		t.sayShown(s)
		return
	}
	s.working = false
	s.err = u.err
	if u.err == nil {
		s.text = u.text
	}
	if errors.Is(u.err, context.Canceled) && !s.ended {
		return
	}
	s.known = true
	if !s.ended {
		t.ear.Judge(ear.LookOf(s.text))
		t.sayShown(s)
		return
	}
	t.answer()
}

// sayShown shows what was understood so far. What may be the agent's own echo is not shown before it is certain.
func (t *talk) sayShown(s *segment) {
	if s.text == "" || s.text == s.shown || t.said != nil || t.trails(s) {
		return
	}
	s.shown = s.text
	t.room.Transcript(rtc.Segment{ID: s.id, User: true, Text: s.text})
}

// forget drops a segment that was nothing.
func (t *talk) forget(s *segment) {
	s.drop()
	for i := range t.segments {
		if t.segments[i] == s {
			t.segments = append(t.segments[:i:i], t.segments[i+1:]...)
			break
		}
	}
	if t.overlap != nil && len(t.segments) == 0 {
		t.apply(t.overlap.judge(sign{now: t.Now(), voiced: s.voiced, final: true}))
	}
	t.judged()
}
