package voice

import (
	"strings"
	"time"

	"parley/internal/voice/rtc"
)

// finishUtterance ends a saying that was said to its end.
func (t *dialog) finishUtterance(s *utterance) {
	if text := strings.TrimSpace(s.text); text != "" {
		t.room.Transcript(rtc.Segment{ID: s.segmentID, Text: text, Final: true})
	}
	t.clearUtterance(s)
	t.storeHeard(s, len(s.text), nil)
	if s.failure != nil {
		t.handleTurnFailure(s)
	}
}

// clearUtterance makes room for what comes next.
func (t *dialog) clearUtterance(s *utterance) {
	s.cancel()
	t.utterance, t.previous = nil, s
	if !s.startedAt.IsZero() {
		t.silentSince = t.Now()
	}
	if t.overlap != nil {
		t.overlap = nil
		t.room.Duck(false)
		t.room.Resume()
	}
}

// interrupt ends a saying before its end: it is cut where the customer stopped hearing it. Where they had not heard any of it, the
// next question takes its question along.
func (t *dialog) interrupt(s *utterance) {
	heard := s.heardBytes(t.room.Stop())
	t.withRecording(func(tape *recording) { tape.playbackStopped(t.Now()) })
	t.clearUtterance(s)
	t.unheardUtterance = nil
	if heard == 0 && s.question != "" {
		t.unheardUtterance = s
	}
	if s.shownBytes > 0 || heard > 0 {
		t.room.Transcript(rtc.Segment{ID: s.segmentID, Text: s.text[:heard], Final: true})
	}
	t.storeHeard(s, heard, interruptCause(heard))
}

// heardBytes is how many bytes of the text were heard when the output was at a position: whole words only.
func (s *utterance) heardBytes(at rtc.Position) int {
	until := 0
	for _, p := range s.pieces {
		if p.id == at.ID {
			until = p.start + heardBytes(s.text[p.start:p.end], float64(at.Played)/float64(p.duration()))
			break
		}
		if !p.isEnded && !(p.isStarted && at.ID == "") { // what has begun and is not playing any more has ended
			break
		}
		until = p.end
	}
	return len(strings.TrimRight(s.text[:until], " \t\r\n"))
}

// lettersPerSecond is how fast engines speak, in letters a second: it tells how long a piece is that is still being made.
const lettersPerSecond = 15

// duration is how long the speech of a piece is.
func (p *piece) duration() time.Duration {
	made := time.Duration(p.samples.Load()) * time.Second / rtc.OutputRate
	if p.isSynthesized {
		return max(made, time.Millisecond)
	}
	return max(made, time.Duration(len(p.spokenText))*time.Second/lettersPerSecond, time.Millisecond)
}
