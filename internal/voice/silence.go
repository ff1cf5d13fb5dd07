package voice

import (
	"time"

	"parley"
	"parley/internal/voice/rtc"
)

const (
	// without any packet: browsers send none while it is silent or the microphone is muted
	microphoneGap  = 300 * time.Millisecond
	turnEndSilence = 4 * time.Second // of silence ends every turn
)

// feedSilence passes silence to the detector when no audio comes, so that the segment ends.
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

// handleTick does what depends on time: the greeting of a customer without a microphone, silence, and a farewell that
// takes too long.
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
	// otherwise it is this goroutine that is late
	if gap := now.Sub(t.lastAudioAt); gap > microphoneGap && !t.lastAudioAt.IsZero() && len(t.room.Audio()) == 0 {
		t.feedSilence(gap)
		t.lastAudioAt = now
	}
	t.addSilence(passed)
}

// addSilence adds up how long nobody has spoken, and ends the dialog when that is too long. While the agent speaks or
// thinks there is no silence, and while the microphone is muted the timer is paused. It is also paused while somebody
// seems to speak, until that is certain.
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

// addRejectedSilence adds to the silence the sound that turned out to be no speech; speech that is being answered is
// not in t.segments any more.
func (t *dialog) addRejectedSilence() {
	if len(t.segments) == 0 {
		t.silentFor, t.uncertainSound = t.silentFor+t.uncertainSound, 0
	}
}
