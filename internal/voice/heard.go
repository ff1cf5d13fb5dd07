package voice

import (
	"parley/internal/voice/rtc"
)

// answer answers the segments that have ended and are known, in their order.
func (t *talk) answer() {
	for len(t.segments) > 0 && t.segments[0].ended && t.segments[0].known {
		s := t.segments[0]
		t.segments = t.segments[1:]
		s.drop()
		t.heard(s)
	}
	t.judged()
}

// heard decides what a segment was: a question, words of somebody who listens, or nothing.
func (t *talk) heard(s *segment) {
	if t.goodbye {
		t.sayFinal(s, true)
		t.pass(s.text)
		return
	}
	if s.err != nil && t.ctx.Err() == nil {
		t.misheard(s)
		return
	}
	if o := t.overlapped(); o != nil {
		echo := echoes(s.text, t.said.text, o.guarded)
		v := o.judge(sign{now: t.Now(), voiced: s.voiced, text: s.text, final: true, echo: echo})
		t.apply(v)
		if v != yield {
			t.sayFinal(s, !echo)
			return
		}
	}
	if t.trails(s) {
		t.sayFinal(s, false)
		return
	}
	t.sayFinal(s, true)
	switch {
	case s.text != "":
		t.ask(s.text, s)
	case t.unheard != nil: // it was interrupted for nothing
		t.ask("", s)
	}
}

// trails reports that a segment is the echo of what the agent has just finished saying.
func (t *talk) trails(s *segment) bool {
	return t.before != nil && s.began.Before(t.fell) && echoes(s.text, t.before.text, t.sounded < warmUp)
}

// sayFinal shows what a segment was, or takes back what was shown of it.
func (t *talk) sayFinal(s *segment, show bool) {
	text := s.text
	if !show {
		text = ""
	}
	if s.shown != "" || text != "" {
		t.room.Transcript(rtc.Segment{ID: s.id, User: true, Text: text, Final: true})
	}
}

// misheard tells the customer that they were not understood.
func (t *talk) misheard(s *segment) {
	t.Logger.Warn("speech recognition", "session", t.live.ID, "err", s.err)
	t.fault("What you said could not be understood. You can type instead.")
	if t.overlap != nil {
		t.apply(t.overlap.judge(sign{now: t.Now(), voiced: s.voiced, final: true}))
	}
	if t.said == nil {
		t.apologise()
	}
}
