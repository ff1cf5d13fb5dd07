package voice

// overlapped gives the overlap that is going on: the customer speaks while the agent thinks or speaks.
func (t *talk) overlapped() *overlap {
	if t.said == nil {
		return nil
	}
	if t.overlap == nil {
		t.overlap = &overlap{patience: whileThinking}
		if !t.said.begun.IsZero() {
			sounded := t.sounded + t.room.Position().Played
			t.overlap = &overlap{patience: whileSpeaking, speaking: true, guarded: sounded < warmUp}
		}
	}
	return t.overlap
}

// weigh judges what the customer is saying while the agent thinks or speaks.
func (t *talk) weigh() {
	n := len(t.segments)
	if n == 0 || t.said == nil {
		return
	}
	s := t.segments[n-1]
	o := t.overlapped()
	on := s.working || !s.ended && !s.rests
	t.apply(o.judge(sign{now: t.Now(), voiced: s.voiced, on: on, text: s.text, echo: echoes(s.text, t.said.text, o.guarded)}))
}

// apply does what was decided about an overlap.
func (t *talk) apply(v verdict) {
	o := t.overlap
	switch v {
	case duck:
		o.ducked = true
		t.room.Duck(true)
		if n := len(t.segments); n > 0 {
			t.Meter.ducked(t.Now().Sub(t.segments[n-1].onset))
		}
	case hold:
		o.held, o.since = true, t.Now()
		t.taped(func(tape *tape) { tape.hold(true, o.since) })
		t.room.Pause()
		if n := len(t.segments); o.speaking && n > 0 {
			t.Meter.held(o.since.Sub(t.segments[n-1].onset))
		}
	case yield:
		t.interrupt(t.said)
	case goOn:
		t.taped(func(tape *tape) { tape.hold(false, t.Now()) })
		t.room.Duck(false)
		t.room.Resume()
		t.overlap = nil
	case ignore:
		t.overlap = nil
	case leaveIt:
	}
}
