package voice

import (
	"parley/internal/voice/rtc"
)

// answerSegments answers the segments that have ended and are known, in their order.
func (t *dialog) answerSegments() {
	for len(t.segments) > 0 && t.segments[0].isEnded && t.segments[0].textComplete {
		s := t.segments[0]
		t.segments = t.segments[1:]
		s.cancelTranscription()
		t.handleSegment(s)
	}
	t.addRejectedSound()
}

// handleSegment decides what a segment was: a question, words of somebody who listens, or nothing.
func (t *dialog) handleSegment(s *segment) {
	if t.saidGoodbye {
		t.showFinalText(s, true)
		t.storeForPerson(s.text)
		return
	}
	if s.err != nil && t.ctx.Err() == nil {
		t.reportMisheard(s)
		return
	}
	if o := t.currentOverlap(); o != nil {
		echo := isEcho(s.text, t.utterance.text, o.echoLikely)
		v := o.decide(overlapState{now: t.Now(), voicedTime: s.voicedTime, text: s.text, isFinal: true, isEcho: echo})
		t.applyOverlapAction(v)
		if v != actionStop {
			t.showFinalText(s, !echo)
			return
		}
	}
	if t.isTrailingEcho(s) {
		t.showFinalText(s, false)
		return
	}
	t.showFinalText(s, true)
	switch {
	case s.text != "":
		t.answerQuestion(s.text, s)
	case t.unheardUtterance != nil: // it was interrupted for nothing
		t.answerQuestion("", s)
	}
}

// isTrailingEcho reports that a segment is the echo of what the agent has just finished saying.
func (t *dialog) isTrailingEcho(s *segment) bool {
	return t.previous != nil && s.startedAt.Before(t.silentSince) && isEcho(s.text, t.previous.text, t.playedTime < echoWarmUp)
}

// showFinalText shows what a segment was, or takes back what was shown of it.
func (t *dialog) showFinalText(s *segment, show bool) {
	text := s.text
	if !show {
		text = ""
	}
	if s.shownText != "" || text != "" {
		t.room.Transcript(rtc.Segment{ID: s.id, FromUser: true, Text: text, Final: true})
	}
}

// reportMisheard tells the customer that they were not understood.
func (t *dialog) reportMisheard(s *segment) {
	t.Logger.Warn("speech recognition", "session", t.session.ID, "err", s.err)
	t.reportFault("What you said could not be understood. You can type instead.")
	if t.overlap != nil {
		t.applyOverlapAction(t.overlap.decide(overlapState{now: t.Now(), voicedTime: s.voicedTime, isFinal: true}))
	}
	if t.utterance == nil {
		t.apologise()
	}
}
