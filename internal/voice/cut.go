package voice

import (
	"strings"
	"time"

	"parley/internal/voice/rtc"
)

// finish ends a saying that was said to its end.
func (t *talk) finish(s *saying) {
	if text := strings.TrimSpace(s.text); text != "" {
		t.room.Transcript(rtc.Segment{ID: s.segment, Text: text, Final: true})
	}
	t.drop(s)
	t.settle(s, len(s.text), nil)
	if s.failed != nil {
		t.failedAt(s)
	}
}

// drop makes room for what comes next.
func (t *talk) drop(s *saying) {
	s.stop()
	t.said, t.before = nil, s
	if !s.begun.IsZero() {
		t.fell = t.Now()
	}
	if t.overlap != nil {
		t.overlap = nil
		t.room.Duck(false)
		t.room.Resume()
	}
}

// interrupt ends a saying before its end: it is cut where the customer stopped hearing it. Where they had not heard any of it, the
// next question takes its question along.
func (t *talk) interrupt(s *saying) {
	heard := s.heard(t.room.Stop())
	t.taped(func(tape *tape) { tape.stopped(t.Now()) })
	t.drop(s)
	t.unheard = nil
	if heard == 0 && s.question != "" {
		t.unheard = s
	}
	if s.shown > 0 || heard > 0 {
		t.room.Transcript(rtc.Segment{ID: s.segment, Text: s.text[:heard], Final: true})
	}
	t.settle(s, heard, causeOf(heard))
}

// heard is how many bytes of the text were heard when the output was at a position: whole words only.
func (s *saying) heard(at rtc.Position) int {
	until := 0
	for _, p := range s.pieces {
		if p.id == at.ID {
			until = p.from + heardOf(s.text[p.from:p.to], float64(at.Played)/float64(p.length()))
			break
		}
		if !p.ended && !(p.begun && at.ID == "") { // what has begun and is not playing any more has ended
			break
		}
		until = p.to
	}
	return len(strings.TrimRight(s.text[:until], " \t\r\n"))
}

// pace is how fast engines speak, in letters a second: it tells how long a piece is that is still being made.
const pace = 15

// length is how long the speech of a piece is.
func (p *piece) length() time.Duration {
	made := time.Duration(p.samples.Load()) * time.Second / rtc.SpeakRate
	if p.whole {
		return max(made, time.Millisecond)
	}
	return max(made, time.Duration(len(p.speech))*time.Second/pace, time.Millisecond)
}
