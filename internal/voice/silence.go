package voice

import (
	"time"

	"parley"
	"parley/internal/voice/rtc"
)

const (
	microphoneGap  = 300 * time.Millisecond // without any sound: browsers send nothing while it is silent, or the microphone is muted
	turnEndSilence = 4 * time.Second        // of silence end every turn
)

// feedSilence has the ear hear silence, where nothing comes: what was being said ends.
func (t *dialog) feedSilence(length time.Duration) {
	if t.detector == nil {
		return
	}
	silence := make([]int16, rtc.InputRate/50)
	for ; length > 0 && t.detector.IsSpeaking(); length -= rtc.FrameTime {
		for _, e := range t.detector.Process(silence) {
			t.handleDetection(e, t.Now())
		}
	}
}

// handleTick looks at the clock: the greeting of those without a microphone, silence, and a farewell that takes too long.
func (t *dialog) handleTick(now time.Time) {
	passed := now.Sub(t.lastTick)
	t.lastTick = now
	t.writeRecording(now)
	if t.joinedAt.IsZero() {
		return
	}
	if !t.hasGreeted && now.Sub(t.joinedAt) >= greetingDelay {
		t.greet()
	}
	t.enforceHandoverTimeout(now)
	if at := t.room.LastMedia(); at.After(t.lastMediaAt) {
		t.lastMediaAt = at
		t.session.MarkSeen()
	}
	if gap := now.Sub(t.lastAudioAt); gap > microphoneGap && !t.lastAudioAt.IsZero() && len(t.room.Audio()) == 0 { // else it is we who are late
		t.feedSilence(gap)
		t.lastAudioAt = now
	}
	t.addSilence(passed)
}

// addSilence adds up how long nobody has said anything. What the agent does is no silence, and neither is a muted microphone: while it
// lasts the time stands still. It does so too while somebody seems to speak, until that is known.
func (t *dialog) addSilence(passed time.Duration) {
	switch {
	case t.utterance != nil:
		t.silentFor, t.uncertainSound = 0, 0
	case len(t.segments) > 0:
		t.uncertainSound += passed
	case !t.isMuted:
		t.silentFor += passed
	}
	if limit := t.settings.Silence(); limit > 0 && t.silentFor >= limit {
		t.end(parley.EndSilence)
	}
}

// addRejectedSilence adds to the silence what was taken for speech and was none: what was said and has an answer is not there any more.
func (t *dialog) addRejectedSilence() {
	if len(t.segments) == 0 {
		t.silentFor, t.uncertainSound = t.silentFor+t.uncertainSound, 0
	}
}
