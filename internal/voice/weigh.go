package voice

// currentOverlap returns the overlap that is going on: the customer speaks while the agent thinks or speaks.
func (t *dialog) currentOverlap() *overlap {
	if t.utterance == nil {
		return nil
	}
	if t.overlap == nil {
		t.overlap = &overlap{bargeInThresholds: thinkingThresholds}
		if !t.utterance.startedAt.IsZero() {
			sounded := t.playedTime + t.room.Position().Played
			t.overlap = &overlap{bargeInThresholds: speakingThresholds, speaking: true, echoLikely: sounded < echoWarmUp}
		}
	}
	return t.overlap
}

// updateOverlap judges what the customer is saying while the agent thinks or speaks.
func (t *dialog) updateOverlap() {
	n := len(t.segments)
	if n == 0 || t.utterance == nil {
		return
	}
	s := t.segments[n-1]
	o := t.currentOverlap()
	on := s.isTranscribing || !s.isEnded && !s.isPaused
	t.applyOverlapAction(o.decide(overlapState{now: t.Now(), voicedTime: s.voicedTime, isOngoing: on, text: s.text, isEcho: isEcho(s.text, t.utterance.text, o.echoLikely)}))
}

// applyOverlapAction does what was decided about an overlap.
func (t *dialog) applyOverlapAction(v overlapAction) {
	o := t.overlap
	switch v {
	case actionDuck:
		o.isDucked = true
		t.room.Duck(true)
		if n := len(t.segments); n > 0 {
			t.Stats.recordDuck(t.Now().Sub(t.segments[n-1].onsetAt))
		}
	case actionHold:
		o.isHeld, o.heldSince = true, t.Now()
		t.withRecording(func(tape *recording) { tape.setHeld(true, o.heldSince) })
		t.room.Pause()
		if n := len(t.segments); o.speaking && n > 0 {
			t.Stats.recordHold(o.heldSince.Sub(t.segments[n-1].onsetAt))
		}
	case actionStop:
		t.interrupt(t.utterance)
	case actionResume:
		t.withRecording(func(tape *recording) { tape.setHeld(false, t.Now()) })
		t.room.Duck(false)
		t.room.Resume()
		t.overlap = nil
	case actionIgnore:
		t.overlap = nil
	case actionNone:
	}
}
