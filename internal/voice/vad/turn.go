package vad

import "time"

const (
	// a complete text ends the turn after this, or after MinSilence if that is less
	minTurnEndSilence = 280 * time.Millisecond
	maxTurnEndSilence = 3 * time.Second        // no text makes the detector wait longer
	minWordVoice      = 100 * time.Millisecond // less voice than this is no word
	minCertainVoice   = 2 * time.Second        // of voice after which the turn is not discarded as music
)

// speakerTurn is what one speaker says until they have finished.
type speakerTurn struct {
	minSilence   time.Duration
	completeness Completeness

	preRoll    []int16 // the latest audio, while nobody speaks
	isSpeaking bool
	isPaused   bool
	pcm        []int16
	voiced     time.Duration
	silentTime time.Duration
}

func (t *speakerTurn) addFrame(frame []int16, v frameClass, now time.Duration) []Event {
	if !t.isSpeaking {
		return t.waitForOnset(frame, v, now)
	}
	t.pcm = append(t.pcm, frame...)
	if v.isMusic && t.voiced < minCertainVoice {
		return t.discardTurn(now)
	}
	if v.isVoice && (!t.isPaused || v.isClearVowel) {
		return t.addVoice(now)
	}
	return t.addSilence(now)
}

// waitForOnset keeps the pre-roll until somebody begins to speak. The frames that the onset was decided on come on top
// of it.
func (t *speakerTurn) waitForOnset(frame []int16, v frameClass, now time.Duration) []Event {
	const keep = int((preRoll+onsetFrames*frameTime)/frameTime) * frameSamples
	t.preRoll = append(t.preRoll, frame...)
	if extra := len(t.preRoll) - keep; extra > 0 {
		t.preRoll = append(t.preRoll[:0], t.preRoll[extra:]...)
	}
	if !v.isOnset {
		return nil
	}
	t.isSpeaking, t.pcm, t.preRoll = true, t.preRoll, nil
	t.voiced, t.silentTime, t.completeness = (onsetVowels+1)*frameTime, 0, Unknown
	return []Event{t.newEvent(Onset, now)}
}

func (t *speakerTurn) addVoice(now time.Duration) []Event {
	t.voiced += frameTime
	t.silentTime = 0
	switch {
	case t.isPaused:
		t.isPaused, t.completeness = false, Unknown
		return []Event{t.newEvent(Resume, now)}
	case time.Duration(len(t.pcm)/frameSamples)*frameTime >= maxTurnTime:
		return t.endTurn(now, true)
	}
	return nil
}

func (t *speakerTurn) addSilence(now time.Duration) []Event {
	t.silentTime += frameTime
	first := min(t.minSilence, minTurnEndSilence)
	switch {
	case t.silentTime >= first && t.voiced < minWordVoice:
		return t.discardTurn(now)
	case t.silentTime >= first && !t.isPaused:
		t.isPaused = true
		return []Event{t.newEvent(Pause, now)}
	case t.silentTime >= t.turnEndSilence():
		return t.endTurn(now, false)
	}
	return nil
}

func (t *speakerTurn) discardTurn(now time.Duration) []Event {
	e := t.newEvent(Noise, now)
	t.reset()
	return []Event{e}
}

// turnEndSilence returns how long a silence ends the turn.
func (t *speakerTurn) turnEndSilence() time.Duration {
	switch t.completeness {
	case Complete:
		return min(t.minSilence, minTurnEndSilence)
	case Incomplete:
		return min(max(5*t.minSilence, 1500*time.Millisecond), maxTurnEndSilence)
	default:
		return max(t.minSilence, 600*time.Millisecond)
	}
}

func (t *speakerTurn) endTurn(now time.Duration, cut bool) []Event {
	e := t.newEvent(End, now)
	e.Truncated = cut
	t.reset()
	return []Event{e}
}

// newEvent copies the samples if the kind has them: the turn continues to append to its own.
func (t *speakerTurn) newEvent(kind Kind, now time.Duration) Event {
	e := Event{Kind: kind, At: now, Voiced: t.voiced, Silence: t.silentTime}
	if kind == Onset || kind == Pause || kind == End {
		e.PCM = append([]int16(nil), t.pcm...)
	}
	return e
}

func (t *speakerTurn) reset() { *t = speakerTurn{minSilence: t.minSilence} }
