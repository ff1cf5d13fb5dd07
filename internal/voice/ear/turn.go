package ear

import "time"

const (
	quickest  = 280 * time.Millisecond // a complete text ends the turn after this, or after MinSilence if that is less
	longest   = 3 * time.Second        // no text makes the ear wait longer
	shortWord = 100 * time.Millisecond // less voice than this is no word
	surely    = 2 * time.Second        // of what was taken for voice is not taken back
)

// turn is what one speaker says until they have finished.
type turn struct {
	minSilence time.Duration
	look       Look

	before []int16 // what was heard last, while nobody speaks
	on     bool
	paused bool
	pcm    []int16
	voiced time.Duration
	silent time.Duration
}

// step takes the next frame and what it is.
func (t *turn) step(frame []int16, v verdict, now time.Duration) []Event {
	if !t.on {
		return t.wait(frame, v, now)
	}
	t.pcm = append(t.pcm, frame...)
	if v.music && t.voiced < surely {
		return t.nothing(now)
	}
	if v.voice && (!t.paused || v.clear) {
		return t.voice(now)
	}
	return t.silence(now)
}

// wait keeps the pre-roll until somebody begins to speak. The frames that were needed to be sure come on top of it.
func (t *turn) wait(frame []int16, v verdict, now time.Duration) []Event {
	const keep = int((preRoll+beginFrames*frameTime)/frameTime) * frameSamples
	t.before = append(t.before, frame...)
	if extra := len(t.before) - keep; extra > 0 {
		t.before = append(t.before[:0], t.before[extra:]...)
	}
	if !v.begin {
		return nil
	}
	t.on, t.pcm, t.before = true, t.before, nil
	t.voiced, t.silent, t.look = (beginVowels+1)*frameTime, 0, Unknown
	return []Event{t.event(Onset, now)}
}

func (t *turn) voice(now time.Duration) []Event {
	t.voiced += frameTime
	t.silent = 0
	switch {
	case t.paused:
		t.paused, t.look = false, Unknown
		return []Event{t.event(Again, now)}
	case time.Duration(len(t.pcm)/frameSamples)*frameTime >= longestTurn:
		return t.end(now, true)
	}
	return nil
}

func (t *turn) silence(now time.Duration) []Event {
	t.silent += frameTime
	first := min(t.minSilence, quickest)
	switch {
	case t.silent >= first && t.voiced < shortWord:
		return t.nothing(now)
	case t.silent >= first && !t.paused:
		t.paused = true
		return []Event{t.event(Pause, now)}
	case t.silent >= t.patience():
		return t.end(now, false)
	}
	return nil
}

// nothing takes back what was begun.
func (t *turn) nothing(now time.Duration) []Event {
	e := t.event(Noise, now)
	t.forget()
	return []Event{e}
}

// patience is how long a silence ends the turn.
func (t *turn) patience() time.Duration {
	switch t.look {
	case Complete:
		return min(t.minSilence, quickest)
	case Incomplete:
		return min(max(5*t.minSilence, 1500*time.Millisecond), longest)
	default:
		return max(t.minSilence, 600*time.Millisecond)
	}
}

func (t *turn) end(now time.Duration, cut bool) []Event {
	e := t.event(End, now)
	e.Cut = cut
	t.forget()
	return []Event{e}
}

// event copies the samples where the kind has them: the turn goes on writing its own.
func (t *turn) event(kind Kind, now time.Duration) Event {
	e := Event{Kind: kind, At: now, Voiced: t.voiced, Silence: t.silent}
	if kind == Onset || kind == Pause || kind == End {
		e.PCM = append([]int16(nil), t.pcm...)
	}
	return e
}

func (t *turn) forget() {
	*t = turn{minSilence: t.minSilence}
}

func (t *turn) voicedTime() time.Duration { return t.voiced }
